package sftp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// maxName and maxDirectory are in bytes. Linux has 255 for a name; others count
// characters.
const (
	maxName      = 1024
	maxDirectory = 4096
)

// maxQuoted is how much of a name an error or a report quotes, in characters.
const maxQuoted = 200

// badName says why the name of a file cannot be used; the zero message where it
// can.
func badName(name string) intray.Message {
	switch {
	case name == "":
		return intray.NewMessage("sftp.name_missing", nil)
	case name == "." || name == "..":
		return intray.NewMessage("sftp.name_of_directory", nil)
	case len(name) > maxName:
		return intray.NewMessage("sftp.name_too_long", intray.Params{"n": maxName})
	case !utf8.ValidString(name):
		return intray.NewMessage("sftp.name_not_utf8", nil)
	case strings.ContainsAny(name, `/\`):
		return intray.NewMessage("sftp.name_with_slash", nil)
	case strings.ContainsFunc(name, unwritable):
		return intray.NewMessage("sftp.name_with_control_character", nil)
	}
	return intray.Message{}
}

// unwritable are control characters, other line ends, and those that turn the
// direction of writing, with which a name can be made to look like another.
func unwritable(r rune) bool {
	turns := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || turns
}

// ValidDirectory says what is wrong with the path of a directory on a server:
// nil for an absolute path, and for one that begins in the folder where the user
// starts. The empty path and "." are that folder itself.
func ValidDirectory(path string) error {
	switch {
	case len(path) > maxDirectory:
		return &intray.MessageError{Message: intray.NewMessage("sftp.directory_too_long", intray.Params{"n": maxDirectory})}
	case !utf8.ValidString(path):
		return &intray.MessageError{Message: intray.NewMessage("sftp.directory_not_utf8", nil)}
	case strings.ContainsFunc(path, unwritable):
		return &intray.MessageError{Message: intray.NewMessage("sftp.directory_with_control_character", nil)}
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return &intray.MessageError{Message: intray.NewMessage("sftp.directory_with_dots", nil)}
		}
	}
	return nil
}

// within gives the path of a file in a directory.
func within(directory, name string) string {
	switch {
	case directory == "":
		return name
	case strings.HasSuffix(directory, "/"):
		return directory + name
	}
	return directory + "/" + name
}

// shown makes a name fit for a message, whatever is in it: what cannot be seen is
// escaped.
func shown(name string) string {
	if utf8.RuneCountInString(name) > maxQuoted {
		name = string([]rune(name)[:maxQuoted]) + "…"
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

package sftp

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName and maxDirectory are in bytes. Linux has 255 for a name; others count
// characters.
const (
	maxName      = 1024
	maxDirectory = 4096
)

// maxQuoted is how much of a name an error or a report quotes, in characters.
const maxQuoted = 200

// badName says why the name of a file cannot be used; "" where it can.
func badName(name string) string {
	switch {
	case name == "":
		return "it has no name"
	case name == "." || name == "..":
		return "it names a directory"
	case len(name) > maxName:
		return "its name is longer than 1024 bytes"
	case !utf8.ValidString(name):
		return "its name is not valid UTF-8"
	case strings.ContainsAny(name, `/\`):
		return "its name holds a slash"
	case strings.ContainsFunc(name, unwritable):
		return "its name holds a line break or another control character"
	}
	return ""
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
		return errors.New("the directory is longer than 4096 bytes")
	case !utf8.ValidString(path):
		return errors.New("the directory is not valid UTF-8")
	case strings.ContainsFunc(path, unwritable):
		return errors.New("the directory holds a line break or another control character")
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return errors.New(`the directory must be written without ".."`)
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

// quoted makes a name fit for a sentence whatever is in it.
func quoted(name string) string {
	if utf8.RuneCountInString(name) > maxQuoted {
		name = string([]rune(name)[:maxQuoted]) + "…"
	}
	return strconv.Quote(name)
}

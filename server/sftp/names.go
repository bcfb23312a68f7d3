package sftp

import (
	"net/netip"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/re2"
)

// maxHostname and maxLabel are limits of the domain name system.
const (
	maxHostname = 253
	maxLabel    = 63
)

// ValidHostname says what is wrong with the name of a host: nil for a domain
// name of letters, digits and hyphens, and for an IPv4 or IPv6 address.
func ValidHostname(name string) error {
	if name == "" {
		return &intray.MessageError{Message: intray.NewMessage("hostname.empty", nil)}
	}
	if strings.Contains(name, "://") {
		return &intray.MessageError{Message: intray.NewMessage("hostname.with_protocol", intray.Params{"protocol": "sftp://"})}
	}
	if isAddress(name) {
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(name) > maxHostname+1 || len(strings.TrimSuffix(name, ".")) > maxHostname {
		return &intray.MessageError{Message: intray.NewMessage("hostname.too_long", intray.Params{"n": maxHostname})}
	}
	for _, label := range labels {
		if !validLabel(label) {
			return &intray.MessageError{Message: intray.NewMessage("hostname.invalid", nil)}
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(strings.ToLower(last), "0x") {
		return &intray.MessageError{Message: intray.NewMessage("hostname.ends_in_number", nil)}
	}
	return nil
}

func isAddress(name string) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Zone() == ""
}

func validLabel(label string) bool {
	if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, c := range []byte(label) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// maxName and maxDirectory are in bytes. Linux has 255 for a name; others count
// characters.
const (
	maxName      = 1024
	maxDirectory = 4096
)

// maxQuoted is how much of a name an error or a report quotes, in characters.
const maxQuoted = 200

// nameProblem says why the name of a file cannot be used; the zero message where it
// can.
func nameProblem(name string) intray.Message {
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
	case strings.ContainsFunc(name, isUnsafeRune):
		return intray.NewMessage("sftp.name_with_control_character", nil)
	}
	return intray.Message{}
}

// isUnsafeRune are control characters, other line ends, and those that turn the
// direction of writing, with which a name can be made to look like another.
func isUnsafeRune(r rune) bool {
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
	case strings.ContainsFunc(path, isUnsafeRune):
		return &intray.MessageError{Message: intray.NewMessage("sftp.directory_with_control_character", nil)}
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return &intray.MessageError{Message: intray.NewMessage("sftp.directory_with_dots", nil)}
		}
	}
	return nil
}

// joinPath gives the path of a file in a directory.
func joinPath(directory, name string) string {
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

// maxPattern is the longest pattern, in bytes; maxSteps is how many steps it may
// come to. Matching takes time in proportion to the steps, for each name.
const (
	maxPattern = 1000
	maxSteps   = 1000
)

// Pattern chooses files by their names. The zero Pattern takes all.
type Pattern struct{ exp *regexp.Regexp }

// ParsePattern reads a regular expression in Go's syntax (RE2). It fits a name
// when it fits any part of it, unless it says otherwise with ^ and $. The empty
// text takes all names. The error is a sentence for the person who wrote it.
func ParsePattern(text string) (Pattern, error) {
	if text == "" {
		return Pattern{}, nil
	}
	if len(text) > maxPattern {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_too_long", intray.Params{"size": len(text), "n": maxPattern})}
	}
	if !utf8.ValidString(text) {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_not_utf8", nil)}
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_pattern", intray.Params{"problem": re2.Describe(err)})}
	}
	// What is counted out here is unrolled when it is compiled.
	if estimateSteps(tree) > maxSteps {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_too_slow", intray.Params{"n": maxSteps, "example": `\d+`, "example2": `\d{8}`})}
	}
	exp, err := regexp.Compile(text)
	if err != nil {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_pattern", intray.Params{"problem": re2.Describe(err)})}
	}
	return Pattern{exp}, nil
}

// Match tells whether the pattern takes the name.
func (p Pattern) Match(name string) bool { return p.exp == nil || p.exp.MatchString(name) }

// estimateSteps estimates how long the compiled expression is.
func estimateSteps(tree *syntax.Regexp) int {
	sum := 1
	switch tree.Op {
	case syntax.OpLiteral:
		sum = len(tree.Rune)
	case syntax.OpRepeat:
		return max(tree.Min, tree.Max, 1) * min(estimateSteps(tree.Sub[0])+1, maxSteps+1)
	}
	for _, sub := range tree.Sub {
		sum += estimateSteps(sub)
		if sum > maxSteps {
			return maxSteps + 1
		}
	}
	return sum
}

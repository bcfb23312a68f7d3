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

// maxHostname and maxLabel are the maximum lengths of a DNS name and of a label, in bytes.
const (
	maxHostname = 253
	maxLabel    = 63
)

// ValidHostname returns an error unless name is an IP address or a DNS name of
// letters, digits and hyphens. The message of the error describes the problem.
func ValidHostname(name string) error {
	if name == "" {
		return &intray.MessageError{Message: intray.NewMessage("hostname.empty", nil)}
	}
	if strings.Contains(name, "://") {
		return &intray.MessageError{Message: intray.NewMessage("hostname.with_protocol", intray.Params{"protocol": "sftp://"})}
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.Zone() == "" {
		return nil
	}
	relative := strings.TrimSuffix(name, ".")
	if len(relative) > maxHostname {
		return &intray.MessageError{Message: intray.NewMessage("hostname.too_long", intray.Params{"n": maxHostname})}
	}
	labels := strings.Split(relative, ".")
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

// maxName and maxDirectory are the maximum lengths of a file name and of a directory path, in
// bytes. Linux allows names of up to 255 bytes. Other systems count characters.
const (
	maxName      = 1024
	maxDirectory = 4096
)

// nameProblem returns why a file name cannot be used, or the zero message.
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

// isUnsafeRune reports whether r is a control character, a line separator or a
// bidirectional control, which can make one name look like a different one.
func isUnsafeRune(r rune) bool {
	direction := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || direction
}

// ValidDirectory returns an error unless path is absolute or relative to the user's home
// directory. "" and "." are the home directory. The message of the error describes the problem.
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

func joinPath(directory, name string) string {
	if directory == "" || strings.HasSuffix(directory, "/") {
		return directory + name
	}
	return directory + "/" + name
}

// maxQuoted is the maximum number of characters of a name that a message quotes.
const maxQuoted = 200

// shown returns a name for a message, shortened and with invisible characters escaped.
func shown(name string) string {
	if utf8.RuneCountInString(name) > maxQuoted {
		name = string([]rune(name)[:maxQuoted]) + "…"
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

const (
	// maxPattern is the maximum length of a pattern, in bytes.
	maxPattern = 1000
	// maxSteps is the maximum number of instructions to which a pattern may compile. The time to
	// match a name is proportional to their number.
	maxSteps = 1000
)

// Pattern selects files by their names. The zero Pattern matches every name.
type Pattern struct{ exp *regexp.Regexp }

// ParsePattern parses a regular expression in Go syntax (RE2). The expression matches any part
// of a name unless it is anchored. "" matches every name. The message of an error describes the
// problem.
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
	// Compiling expands counted repetitions, so estimate their size first.
	if estimateSteps(tree) > maxSteps {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_too_slow", intray.Params{"n": maxSteps, "example": `\d+`, "example2": `\d{8}`})}
	}
	exp, err := regexp.Compile(text)
	if err != nil {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_pattern", intray.Params{"problem": re2.Describe(err)})}
	}
	return Pattern{exp}, nil
}

// Match reports whether the pattern matches the name.
func (p Pattern) Match(name string) bool { return p.exp == nil || p.exp.MatchString(name) }

// estimateSteps estimates how many instructions the expression compiles to.
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

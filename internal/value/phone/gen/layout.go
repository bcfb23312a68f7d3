package gen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// The marks of a layout's text: the next digit of the number is written, or left
// out. All other bytes are written as they are.
const (
	takeDigit = 'x'
	dropDigit = '!'
)

// layout writes the groups of a number with other characters between them. For a
// number of a known length it is a text in which each digit is an x.
type layout struct {
	groups []group
	// format names the groups as $1 to $5.
	format string
}

// group is a number of digits.
type group struct{ least, most int }

var (
	groupPattern = regexp.MustCompile(`^\(\\d(?:\{(\d+)(?:,(\d+))?\})?\)`)
	firstGroup   = regexp.MustCompile(`\$\d`)
)

func newLayout(f *phonenumbers.NumberFormat, national bool) (layout, error) {
	l := layout{format: f.GetFormat()}
	for rest := f.GetPattern(); rest != ""; {
		found := groupPattern.FindStringSubmatch(rest)
		if found == nil {
			return l, fmt.Errorf("the format pattern %q is no list of groups of digits", f.GetPattern())
		}
		l.groups = append(l.groups, newGroup(found[1], found[2]))
		rest = rest[len(found[0]):]
	}
	if rule := f.GetNationalPrefixFormattingRule(); national && rule != "" {
		first := firstGroup.FindStringIndex(l.format)
		// In the rule $1 means the group that the format begins with, which is
		// the second one in Argentina.
		rule = firstGroup.ReplaceAllLiteralString(rule, l.format[first[0]:first[1]])
		l.format = l.format[:first[0]] + rule + l.format[first[1]:]
	}
	return l, nil
}

func newGroup(least, most string) group {
	g := group{1, 1}
	if least != "" {
		g.least, _ = strconv.Atoi(least)
		g.most = g.least
	}
	if most != "" {
		g.most, _ = strconv.Atoi(most)
	}
	return g
}

// text is the layout of a number with so many digits. Each group takes as many
// as the ones behind it can spare.
func (l layout) text(digits int) string {
	spare := digits
	for _, g := range l.groups {
		spare -= g.least
	}
	sizes := make([]int, len(l.groups))
	for i, g := range l.groups {
		more := min(spare, g.most-g.least)
		sizes[i], spare = g.least+more, spare-more
	}
	text, done := l.format, 0
	for i, size := range sizes {
		name := "$" + strconv.Itoa(i+1)
		if at := strings.Index(text, name); at >= 0 {
			text = text[:at] + strings.Repeat(string(dropDigit), done) + strings.Repeat(string(takeDigit), size) + text[at+len(name):]
			done = 0
			continue
		}
		done += size
	}
	return text
}

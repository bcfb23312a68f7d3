package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// rules contains the patterns of a plan, as indexes in a set.
type rules struct {
	set     patternSet
	regions []regionRules
	// national and international are the formats, in the order in which they are tried.
	national, international []formatRule
}

// regionRules decides whether a number belongs to a region. leadingDigits is -1 if the
// first digits do not decide.
type regionRules struct {
	general       numberPattern
	kinds         []numberPattern
	leadingDigits int
}

// numberPattern is a pattern with the possible lengths of a number. If lengths is 0, the number
// may have any length.
type numberPattern struct {
	pattern int
	lengths uint32
}

type formatRule struct {
	pattern int
	// leadingDigits is the pattern of the first digits, or -1 if they may be any digits.
	leadingDigits int
	layout        layout
}

func newRules(p plan) (*rules, error) {
	r := &rules{set: patternSet{ids: map[string]int{}}}
	for _, m := range p.regions {
		region, err := r.region(m)
		if err != nil {
			return nil, err
		}
		r.regions = append(r.regions, region)
	}
	main := p.regions[0]
	written := main.GetIntlNumberFormat()
	if len(written) == 0 {
		written = main.GetNumberFormat()
	}
	var err error
	if r.national, err = r.formats(main.GetNumberFormat(), true); err != nil {
		return nil, err
	}
	r.international, err = r.formats(written, false)
	return r, err
}

func (r *rules) region(m *phonenumbers.PhoneMetadata) (out regionRules, err error) {
	if out.general, err = r.numberPattern(m.GetGeneralDesc()); err != nil {
		return out, err
	}
	for _, d := range []*phonenumbers.PhoneNumberDesc{
		m.GetPremiumRate(), m.GetTollFree(), m.GetSharedCost(), m.GetVoip(), m.GetPersonalNumber(),
		m.GetPager(), m.GetUan(), m.GetVoicemail(), m.GetFixedLine(), m.GetMobile(),
	} {
		kind, err := r.numberPattern(d)
		if err != nil {
			return out, err
		}
		out.kinds = append(out.kinds, kind)
	}
	out.leadingDigits = -1
	if lead := m.GetLeadingDigits(); lead != "" {
		out.leadingDigits, err = r.set.addPattern(lead, true)
	}
	return out, err
}

func (r *rules) numberPattern(d *phonenumbers.PhoneNumberDesc) (out numberPattern, err error) {
	out.lengths = lengthBits(d.GetPossibleLength())
	out.pattern, err = r.set.addPattern(d.GetNationalNumberPattern(), false)
	return out, err
}

// lengthBits returns the set of lengths as bits. A length of -1 means that the kind of
// number does not exist. It sets bit 31, a length that no number reaches.
func lengthBits(lengths []int32) (bits uint32) {
	for _, n := range lengths {
		bits |= 1 << (uint32(n) & 31)
	}
	return bits
}

func (r *rules) formats(list []*phonenumbers.NumberFormat, national bool) (out []formatRule, err error) {
	for _, f := range list {
		rule := formatRule{leadingDigits: -1}
		if rule.layout, err = newLayout(f, national); err != nil {
			return nil, err
		}
		if rule.pattern, err = r.set.addPattern(f.GetPattern(), false); err != nil {
			return nil, err
		}
		if all := f.GetLeadingDigitsPattern(); len(all) > 0 {
			// The last pattern is the most detailed.
			if rule.leadingDigits, err = r.set.addPattern(all[len(all)-1], true); err != nil {
				return nil, err
			}
		}
		out = append(out, rule)
	}
	return out, nil
}

// outcome is the information about a national number.
type outcome struct {
	// general is the set of regions whose pattern matches the number.
	general uint32
	// region is the index, counted from 1, of the region that owns the number. It is 0 if
	// the number is invalid.
	region uint8
	// national and international are layouts. They are "" if the number is written unchanged.
	national, international string
}

func (r *rules) outcome(at states, length int) (o outcome) {
	for i, region := range r.regions {
		if r.set.matches(at, region.general.pattern) {
			o.general |= 1 << i
		}
	}
	o.region = r.ownerRegion(at, length)
	if o.region != 0 {
		o.national = r.formatLayout(r.national, at, length)
		o.international = r.formatLayout(r.international, at, length)
	}
	return o
}

// ownerRegion finds the owner of a number as libphonenumber does. It returns the first region
// whose patterns match the number, among those whose leading digits match or that have none. If
// the leading digits of a region match but its patterns do not, it returns 0.
func (r *rules) ownerRegion(at states, length int) uint8 {
	for i, region := range r.regions {
		switch {
		case len(r.regions) > 1 && region.leadingDigits >= 0 && !r.set.matches(at, region.leadingDigits):
			continue
		case r.belongs(region, at, length):
			return uint8(i + 1)
		case len(r.regions) > 1 && region.leadingDigits >= 0:
			return 0
		}
	}
	return 0
}

func (r *rules) belongs(region regionRules, at states, length int) bool {
	if !r.matchesPattern(region.general, at, length) {
		return false
	}
	for _, kind := range region.kinds {
		if r.matchesPattern(kind, at, length) {
			return true
		}
	}
	return false
}

func (r *rules) matchesPattern(d numberPattern, at states, length int) bool {
	return (d.lengths == 0 || d.lengths&(1<<length) != 0) && r.set.matches(at, d.pattern)
}

func (r *rules) formatLayout(formats []formatRule, at states, length int) string {
	for _, f := range formats {
		if r.set.matches(at, f.pattern) && (f.leadingDigits < 0 || r.set.matches(at, f.leadingDigits)) {
			return f.layout.text(length)
		}
	}
	return ""
}

// These are the marks in a layout. One writes the next digit of the number, and the other
// drops it. All other bytes are written unchanged.
const (
	writeDigit = 'x'
	dropDigit  = '!'
)

// layout writes the groups of a number, with other characters between them. For numbers of
// a known length, it is a string in which each digit is an x.
type layout struct {
	groups []group
	// format refers to the groups as $1 to $5.
	format string
}

// group is the minimum and maximum number of digits of a group.
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
			return l, fmt.Errorf("the format pattern %q is not a list of groups of digits", f.GetPattern())
		}
		l.groups = append(l.groups, newGroup(found[1], found[2]))
		rest = rest[len(found[0]):]
	}
	if rule := f.GetNationalPrefixFormattingRule(); national && rule != "" {
		first := firstGroup.FindStringIndex(l.format)
		// In the rule, $1 is the first group of the format, which in Argentina is the
		// second group of the number.
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

// text returns the layout of a number with the given number of digits. Each group takes as
// many digits as the later groups do not need.
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
			text = text[:at] + strings.Repeat(string(dropDigit), done) + strings.Repeat(string(writeDigit), size) + text[at+len(name):]
			done = 0
			continue
		}
		done += size
	}
	return text
}

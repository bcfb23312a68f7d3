package gen

import (
	"github.com/nyaruka/phonenumbers"
)

// rules are the patterns of a plan by their places in a set.
type rules struct {
	set     set
	regions []regionRules
	// national and international are the formats in the order in which they are
	// tried.
	national, international []formatRule
}

// regionRules tell whether a number belongs to a region. lead is -1 where the
// region is not told by the first digits.
type regionRules struct {
	general desc
	kinds   []desc
	lead    int
}

// desc is a pattern with the lengths that a number may have; 0 is any length.
type desc struct {
	pattern int
	lengths uint32
}

type formatRule struct {
	pattern int
	// lead is the pattern of the first digits, -1 where all are taken.
	lead   int
	layout layout
}

func newRules(p plan) (*rules, error) {
	r := &rules{set: set{ids: map[string]int{}}}
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
	if out.general, err = r.desc(m.GetGeneralDesc()); err != nil {
		return out, err
	}
	for _, d := range []*phonenumbers.PhoneNumberDesc{
		m.GetPremiumRate(), m.GetTollFree(), m.GetSharedCost(), m.GetVoip(), m.GetPersonalNumber(),
		m.GetPager(), m.GetUan(), m.GetVoicemail(), m.GetFixedLine(), m.GetMobile(),
	} {
		kind, err := r.desc(d)
		if err != nil {
			return out, err
		}
		out.kinds = append(out.kinds, kind)
	}
	out.lead = -1
	if lead := m.GetLeadingDigits(); lead != "" {
		out.lead, err = r.set.add(lead, true)
	}
	return out, err
}

func (r *rules) desc(d *phonenumbers.PhoneNumberDesc) (out desc, err error) {
	out.lengths = lengthBits(d.GetPossibleLength())
	out.pattern, err = r.set.add(d.GetNationalNumberPattern(), false)
	return out, err
}

// lengthBits has the bit n set for each length n. The length -1 stands for a
// kind of number that does not exist: bit 31, which no number reaches.
func lengthBits(lengths []int32) (bits uint32) {
	for _, n := range lengths {
		bits |= 1 << (uint32(n) & 31)
	}
	return bits
}

func (r *rules) formats(list []*phonenumbers.NumberFormat, national bool) (out []formatRule, err error) {
	for _, f := range list {
		rule := formatRule{lead: -1}
		if rule.layout, err = newLayout(f, national); err != nil {
			return nil, err
		}
		if rule.pattern, err = r.set.add(f.GetPattern(), false); err != nil {
			return nil, err
		}
		if all := f.GetLeadingDigitsPattern(); len(all) > 0 {
			// The last one is the most detailed.
			if rule.lead, err = r.set.add(all[len(all)-1], true); err != nil {
				return nil, err
			}
		}
		out = append(out, rule)
	}
	return out, nil
}

// outcome is what is known of a national number.
type outcome struct {
	// general has the bit i set where the pattern of region i takes the number.
	general uint32
	// region is the one it belongs to, counted from 1; 0 where it is not valid.
	region uint8
	// national and international are texts of layout; "" where the number is
	// written as it is.
	national, international string
}

func (r *rules) outcome(at states, length int) (o outcome) {
	for i, region := range r.regions {
		if r.set.matches(at, region.general.pattern) {
			o.general |= 1 << i
		}
	}
	o.region = r.owner(at, length)
	if o.region != 0 {
		o.national = r.written(r.national, at, length)
		o.international = r.written(r.international, at, length)
	}
	return o
}

// owner finds the region as libphonenumber does: of several the first whose
// leading digits fit, or that takes the number where it has none.
func (r *rules) owner(at states, length int) uint8 {
	for i, region := range r.regions {
		switch {
		case len(r.regions) > 1 && region.lead >= 0 && !r.set.matches(at, region.lead):
			continue
		case r.belongs(region, at, length):
			return uint8(i + 1)
		case len(r.regions) > 1 && region.lead >= 0:
			return 0
		}
	}
	return 0
}

func (r *rules) belongs(region regionRules, at states, length int) bool {
	if !r.fits(region.general, at, length) {
		return false
	}
	for _, kind := range region.kinds {
		if r.fits(kind, at, length) {
			return true
		}
	}
	return false
}

func (r *rules) fits(d desc, at states, length int) bool {
	return (d.lengths == 0 || d.lengths&(1<<length) != 0) && r.set.matches(at, d.pattern)
}

func (r *rules) written(formats []formatRule, at states, length int) string {
	for _, f := range formats {
		if r.set.matches(at, f.pattern) && (f.lead < 0 || r.set.matches(at, f.lead)) {
			return f.layout.text(length)
		}
	}
	return ""
}

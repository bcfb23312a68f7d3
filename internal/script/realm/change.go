package realm

import (
	"slices"

	"github.com/intraydata/intray"
)

// The flags of a change; they say what follows it.
const (
	flagValue = 1 << iota
	flagInfos
	flagOptions
	flagPart
	flagsEnd
)

// changes reads the flat list: places with flags, and what these name.
func (s *scanner) changes(a *Answer, bounds Bounds) {
	s.expect('[')
	if s.take(']') {
		return
	}
	most := bounds.Changes
	if most == 0 {
		for _, parts := range bounds.Parts {
			most += bounds.Rows * max(parts, 1)
		}
	}
	a.Changes = slices.Grow(s.room, min(bounds.Rows*len(bounds.Parts), len(s.raw)/20))
	for place := int64(-1); s.err == nil; {
		if len(a.Changes) == most {
			s.fail("there are more than %d changes", most)
			return
		}
		a.Changes = append(a.Changes, Change{})
		place = s.change(&a.Changes[len(a.Changes)-1], bounds, place)
		if s.take(']') {
			return
		}
		s.expect(',')
	}
}

// place reads where the next change is and what it changes. A text stands there for
// the value of the same field in the row after, where before that was a value alone.
func (s *scanner) place(before int64, bounds Bounds) (place int64, told bool) {
	step := int64(len(bounds.Parts)) * flagsEnd
	if s.peek() != '"' {
		place = s.integer(0, int64(bounds.Rows)*step-1)
		if s.err == nil && place%flagsEnd&(flagsEnd-1-flagPart) == 0 {
			s.fail("a change changes nothing")
		}
		return place, true
	}
	if place = before + step; before < 0 || before%flagsEnd != flagValue || place >= int64(bounds.Rows)*step {
		s.fail("a value has no place")
	}
	return place, false
}

func (s *scanner) change(c *Change, bounds Bounds, before int64) (place int64) {
	place, told := s.place(before, bounds)
	if s.err != nil {
		return place
	}
	fields, flags := int64(len(bounds.Parts)), place%flagsEnd
	c.Row, c.Field = int(place/flagsEnd/fields), int(place/flagsEnd%fields)
	parts := bounds.Parts[c.Field]
	if parts < 0 || (flags&flagPart != 0) != (parts > 0) {
		s.fail("a change names a part where there is none, or none where there are")
		return place
	}
	if flags&flagPart != 0 {
		s.expect(',')
		c.Part = int(s.integer(0, int64(parts)-1))
	}
	if c.HasValue = flags&flagValue != 0; c.HasValue {
		if told {
			s.expect(',')
		}
		c.Value = s.value()
	}
	if c.HasInfos = flags&flagInfos != 0; c.HasInfos {
		s.expect(',')
		s.list(maxInfos, func(int) { c.Infos = append(c.Infos, s.info()) })
	}
	if c.HasOptions = flags&flagOptions != 0; c.HasOptions {
		s.expect(',')
		s.list(maxOptions, func(int) { c.Options = append(c.Options, s.option()) })
	}
	return place
}

// value reads a scalar or a list of scalars.
func (s *scanner) value() Value {
	if s.peek() != '[' {
		return s.scalar()
	}
	from := s.at
	s.list(maxList, func(int) { s.scalar() })
	if s.err != nil {
		return Value{}
	}
	return Value{Kind: ValueList, Text: s.raw[from:s.at:s.at]}
}

func (s *scanner) info() (info Info) {
	s.object(func(name string) {
		switch name {
		case "message":
			info.Message = string(s.text(maxMessage))
		case "level":
			level, known := intray.ParseLevel(string(s.text(maxName)))
			if !known {
				s.fail("there is no level of that name")
			}
			info.Level = level
		default:
			s.fail("an info has an unknown member")
		}
	})
	return info
}

func (s *scanner) option() (option intray.SelectOption) {
	s.object(func(name string) {
		switch name {
		case "label":
			option.Label = string(s.text(maxValue))
		case "value":
			option.Value = string(s.text(maxValue))
		case "alternateMatches":
			s.list(maxList, func(int) {
				option.AlternateMatches = append(option.AlternateMatches, string(s.text(maxValue)))
			})
		default:
			s.fail("an option has an unknown member")
		}
	})
	return option
}

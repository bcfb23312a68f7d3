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
	for s.err == nil {
		if len(a.Changes) == most {
			s.fail("there are more than %d changes", most)
			return
		}
		a.Changes = append(a.Changes, Change{})
		s.change(&a.Changes[len(a.Changes)-1], bounds)
		if s.take(']') {
			return
		}
		s.expect(',')
	}
}

func (s *scanner) change(c *Change, bounds Bounds) {
	fields := int64(len(bounds.Parts))
	place := s.integer(0, int64(bounds.Rows)*fields*flagsEnd-1)
	flags := place % flagsEnd
	if s.err == nil && flags&(flagsEnd-1-flagPart) == 0 {
		s.fail("a change changes nothing")
	}
	if s.err != nil {
		return
	}
	c.Row, c.Field = int(place/flagsEnd/fields), int(place/flagsEnd%fields)
	parts := bounds.Parts[c.Field]
	if parts < 0 || (flags&flagPart != 0) != (parts > 0) {
		s.fail("a change names a part where there is none, or none where there are")
		return
	}
	if flags&flagPart != 0 {
		s.expect(',')
		c.Part = int(s.integer(0, int64(parts)-1))
	}
	if c.HasValue = flags&flagValue != 0; c.HasValue {
		s.expect(',')
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

package realm

import "github.com/intraydata/intray"

// The flags of a change; they say what follows it.
const (
	flagValue = 1 << iota
	flagInfos
	flagOptions
	flagPart
	flagsEnd
)

// changes reads the flat list: places with flags, and what these name.
func (s *scanner) changes(bounds Bounds, each func(c *Change)) {
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
	var c Change
	for n, place := 0, int64(-1); s.err == nil; n++ {
		if n >= most {
			s.fail("there are more than %d changes", max(most, 0))
			return
		}
		if place = s.change(&c, bounds, place); s.err != nil {
			return
		}
		each(&c)
		if s.take(']') {
			return
		}
		s.expect(',')
	}
}

// change reads where the next change is and what it changes. A text stands there for
// the value of the same field in the row after, where before that was a value alone.
func (s *scanner) change(c *Change, bounds Bounds, before int64) (place int64) {
	if s.peek() == '"' {
		return s.below(c, bounds, before)
	}
	fields := int64(len(bounds.Parts))
	place = s.integer(0, int64(bounds.Rows)*fields*flagsEnd-1)
	flags := place % flagsEnd
	if s.err == nil && flags&(flagsEnd-1-flagPart) == 0 {
		s.fail("a change changes nothing")
	}
	if s.err != nil {
		return place
	}
	cell := place / flagsEnd
	*c = Change{Row: int(cell / fields), Field: int(cell % fields)}
	parts := bounds.Parts[c.Field]
	if parts < 0 || (flags&flagPart != 0) != (parts > 0) {
		s.fail("a change names a part where there is none, or none where there are")
		return place
	}
	if flags&flagPart != 0 {
		s.expect(',')
		c.Part = int(s.integer(0, int64(parts)-1))
	}
	s.content(c, flags)
	return place
}

// below reads a value that stands below the one before it.
func (s *scanner) below(c *Change, bounds Bounds, before int64) (place int64) {
	place = before + int64(len(bounds.Parts))*flagsEnd
	if before < 0 || before%flagsEnd != flagValue || c.Row+1 >= bounds.Rows {
		s.fail("a value has no place")
		return place
	}
	c.Row++
	c.Value = Value{Text: s.text(maxValue)}
	return place
}

// content reads what changes.
func (s *scanner) content(c *Change, flags int64) {
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
	return Value{Kind: ValueList, Text: s.raw[from:s.at]}
}

func (s *scanner) info() (info Info) {
	s.object(func(name string) {
		switch name {
		case "message":
			info.Message = s.text(maxMessage)
		case "level":
			level, known := intray.ParseLevel(s.text(maxName))
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
			option.Label = s.text(maxValue)
		case "value":
			option.Value = s.text(maxValue)
		case "alternateMatches":
			s.list(maxList, func(int) {
				option.AlternateMatches = append(option.AlternateMatches, s.text(maxValue))
			})
		default:
			s.fail("an option has an unknown member")
		}
	})
	return option
}

package jsregexp

// The sets that have a name of their own in an expression.

func digits() set { return set{{'0', '9'}} }

// words are the characters of \w. Under the flags u and i those two belong to
// them that fold into ASCII: the long s and the Kelvin sign.
func (f folding) words() set {
	s := set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	if f.on && f.unicode {
		s = append(s, span{0x17F, 0x17F}, span{0x212A, 0x212A})
	}
	return s
}

// spaces are JavaScript's white space and line terminators.
func spaces() set {
	return set{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
		{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
}

// lineEnds are the line terminators.
func lineEnds() set { return set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}} }

// last is the greatest character there is under the flags.
func (f folding) last() rune {
	if f.unicode {
		return highest
	}
	return lastUnit
}

// named gives the set of the escapes \d \D \s \S \w \W.
func (f folding) named(letter rune) (set, bool) {
	switch letter {
	case 'd':
		return digits(), true
	case 'D':
		return digits().without(f.last()), true
	case 's':
		return spaces(), true
	case 'S':
		return spaces().without(f.last()), true
	case 'w':
		return f.words(), true
	case 'W':
		return f.words().without(f.last()), true
	}
	return nil, false
}

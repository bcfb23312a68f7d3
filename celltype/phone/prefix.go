package phone

// program is the index of the first instruction of a prefix pattern, and the set of digits with
// which a match can start. The zero value does not match anything.
type program struct {
	start uint16
	first uint16
}

// These are the operations that tools/phonegen writes.
const (
	opFail = iota
	opMatch
	opTry
	opDigit
	opMark
	opEnd
)

// anyDigit is the set of all digits.
const anyDigit = 1<<10 - 1

func (t *tables) program(start uint16) program { return program{start, t.firstDigits(start)} }

// firstDigits returns the set of digits with which a match can start. If the
// program can match the empty string, it returns all digits.
func (t *tables) firstDigits(pc uint16) uint16 {
	at := int(pc) * instructionSize
	switch t.programs[at] {
	case opFail:
		return 0
	case opTry:
		return t.firstDigits(readUint16(t.programs, at+4)) | t.firstDigits(readUint16(t.programs, at+6))
	case opDigit:
		return readUint16(t.programs, at+2)
	case opMark:
		return t.firstDigits(readUint16(t.programs, at+4))
	}
	return anyDigit
}

// captures holds the bounds of a match and its groups. A group that did not
// match has the bounds -1.
type captures [6]int8

// match matches a program against the start of the digits.
func (p program) match(digits []byte) (captures, bool) {
	m := captures{0, 0, -1, -1, -1, -1}
	if len(digits) == 0 || p.first&(1<<(digits[0]-'0')) == 0 {
		return m, false
	}
	return m, m.run(p.start, digits, 0)
}

// run tries the alternatives in order; the first one that matches wins. Patterns have no loops,
// so the number of steps at each position is at most the number of instructions.
func (m *captures) run(pc uint16, digits []byte, at int) bool {
	for {
		inst := int(pc) * instructionSize
		out, arg := readUint16(metadata.programs, inst+4), readUint16(metadata.programs, inst+6)
		switch metadata.programs[inst] {
		case opMatch:
			m[1] = int8(at)
			return true
		case opTry:
			if m.run(out, digits, at) {
				return true
			}
			out = arg
		case opMark:
			return m.captureAndRun(arg, out, digits, at)
		case opDigit:
			if at == len(digits) || readUint16(metadata.programs, inst+2)&(1<<(digits[at]-'0')) == 0 {
				return false
			}
			at++
		case opEnd:
			if at < len(digits) {
				return false
			}
		default:
			return false
		}
		pc = out
	}
}

// captureAndRun sets a capture for one alternative, and restores it if the
// alternative does not match.
func (m *captures) captureAndRun(number, pc uint16, digits []byte, at int) bool {
	before := m[number]
	m[number] = int8(at)
	if m.run(pc, digits, at) {
		return true
	}
	m[number] = before
	return false
}

// cutInternationalPrefix removes the international prefix that is dialed in the
// region. No calling code starts with 0, so a prefix before a 0 is not removed.
func (r *region) cutInternationalPrefix(digits []byte) ([]byte, bool) {
	m, found := r.internationalPrefix.match(digits)
	if !found || int(m[1]) < len(digits) && digits[m[1]] == '0' {
		return digits, false
	}
	return digits[m[1]:], true
}

// cutNationalPrefix removes or transforms a national prefix or carrier prefix, and returns the
// outcome for the rest. If only the original digits are a number, it does not change them. It
// stores a transformed number in the buffer room.
func (r *region) cutNationalPrefix(digits, room []byte) ([]byte, outcome) {
	m, found := r.nationalPrefix.match(digits)
	if !found {
		return digits, r.plan.outcome(digits)
	}
	rest := digits[m[1]:]
	switch {
	case r.transformRule != "" && m[2*r.groups] >= 0:
		rest = applyTransformRule(room[:0], r.transformRule, digits, m)
	case m[1] == 0:
		return digits, r.plan.outcome(digits)
	}
	o := r.plan.outcome(rest)
	if !o.matchesRegion(r) {
		if whole := r.plan.outcome(digits); whole.matchesRegion(r) {
			return digits, whole
		}
	}
	return rest, o
}

// applyTransformRule appends a transform rule, in which $1 and $2 stand for the
// groups, followed by the digits after the match.
func applyTransformRule(dst []byte, rule string, digits []byte, m captures) []byte {
	for i := 0; i < len(rule); i++ {
		if rule[i] != '$' {
			dst = append(dst, rule[i])
			continue
		}
		i++
		group := 2 * (rule[i] - '0')
		if m[group] >= 0 {
			dst = append(dst, digits[m[group]:m[group+1]]...)
		}
	}
	return append(dst, digits[m[1]:]...)
}

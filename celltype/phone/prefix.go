package phone

// program is where a prefix's instructions begin, and the digits that it can
// begin with as bits. The zero value matches nothing.
type program struct {
	start uint16
	first uint16
}

// The operations, as package gen writes them.
const (
	opFail = iota
	opMatch
	opTry
	opDigit
	opMark
	opEnd
)

// anyDigit are the bits of all digits.
const anyDigit = 1<<10 - 1

func (t *tables) program(start uint16) program { return program{start, t.firstDigits(start)} }

// firstDigits gives the digits that a program can begin with; all where it can match
// without any.
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

// captures are where a match begins and ends, then its groups; -1 where a group has
// no part in it.
type captures [6]int8

// match runs a program at the beginning of the digits.
func (p program) match(digits []byte) (captures, bool) {
	m := captures{0, 0, -1, -1, -1, -1}
	if len(digits) == 0 || p.first&(1<<(digits[0]-'0')) == 0 {
		return m, false
	}
	return m, m.run(p.start, digits, 0)
}

// run tries the ways in their order, so that the first one wins. No pattern has
// a loop: it ends after as many steps as there are instructions at each place.
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

// captureAndRun sets a mark for the way that is tried, and takes it back where the way
// fails.
func (m *captures) captureAndRun(number, pc uint16, digits []byte, at int) bool {
	before := m[number]
	m[number] = int8(at)
	if m.run(pc, digits, at) {
		return true
	}
	m[number] = before
	return false
}

// cutInternationalPrefix cuts the international prefix that is dialled in the region. No
// calling code begins with 0, so that what follows does not either.
func (r *region) cutInternationalPrefix(digits []byte) ([]byte, bool) {
	m, found := r.internationalPrefix.match(digits)
	if !found || int(m[1]) < len(digits) && digits[m[1]] == '0' {
		return digits, false
	}
	return digits[m[1]:], true
}

// cutNationalPrefix cuts the national prefix, or a carrier's, or exchanges it by
// the region's rule, and gives the outcome of what is left. Where the digits are
// a number as they are and would be none afterwards, they stay. It writes to
// room where it exchanges.
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

// applyTransformRule writes a rule, in which $1 and $2 stand for the groups, and the digits
// behind the match.
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

package gen

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
)

// The operations of a program, which matches the beginning of a number and
// remembers its groups. Of two ways the first that leads to a match is taken, as
// in Perl.
const (
	opFail byte = iota
	opMatch
	// opTry goes to out, and where that fails to arg.
	opTry
	// opDigit takes one digit of the mask.
	opDigit
	// opMark remembers the place under the number arg.
	opMark
	// opEnd goes on only at the end of the number.
	opEnd
)

type instruction struct {
	op             byte
	mask, out, arg uint16
}

// programs are the instructions of all prefixes, equal ones once.
type programs struct {
	list   []instruction
	starts map[string]uint16
}

// add compiles a pattern and gives where it starts, and its number of groups.
// An empty pattern is the program 0, which matches nothing.
func (p *programs) add(text string) (start uint16, groups int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, 0, fmt.Errorf("prefix %q: %w", text, err)
	}
	groups = parsed.MaxCap()
	if start, known := p.starts[text]; known {
		return start, groups, nil
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, 0, fmt.Errorf("prefix %q: %w", text, err)
	}
	base := len(p.list)
	for i := range prog.Inst {
		inst, err := translate(&prog.Inst[i], base)
		if err != nil {
			return 0, 0, fmt.Errorf("prefix %q: %w", text, err)
		}
		p.list = append(p.list, inst)
	}
	start = uint16(base + prog.Start)
	p.starts[text] = start
	return start, groups, nil
}

func translate(from *syntax.Inst, base int) (instruction, error) {
	to := instruction{out: uint16(base) + uint16(from.Out)}
	switch from.Op {
	case syntax.InstFail:
		to.op = opFail
	case syntax.InstMatch:
		to.op = opMatch
	case syntax.InstAlt, syntax.InstAltMatch:
		to.op, to.arg = opTry, uint16(base)+uint16(from.Arg)
	case syntax.InstCapture:
		to.op, to.arg = opMark, uint16(from.Arg)
	case syntax.InstNop:
		to.op, to.arg = opTry, to.out
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(from.Arg) != syntax.EmptyEndText {
			return to, fmt.Errorf("an assertion other than that of the end")
		}
		to.op = opEnd
	default:
		to.op = opDigit
		for digit := range 10 {
			if from.MatchRune(rune('0' + digit)) {
				to.mask |= 1 << digit
			}
		}
	}
	return to, nil
}

func (p *programs) bytes() (out []byte) {
	for _, inst := range p.list {
		out = append(out, inst.op, 0)
		out = binary.LittleEndian.AppendUint16(out, inst.mask)
		out = binary.LittleEndian.AppendUint16(out, inst.out)
		out = binary.LittleEndian.AppendUint16(out, inst.arg)
	}
	return out
}

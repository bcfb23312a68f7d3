package main

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
)

// pattern is a regular expression over digits. It runs as an automaton whose states are built
// when they are first reached. State 0 is dead: no other state can be reached from it.
type pattern struct {
	prog *syntax.Prog
	// prefix reports whether the pattern only needs to match the beginning of a number.
	prefix bool
	states []state
	ids    map[string]int
}

// state is a set of instructions, and the next state for each digit, or -1 if that state is
// not built yet.
type state struct {
	at       []uint32
	accepted bool
	next     [10]int
}

func newPattern(text string, prefix bool) (*pattern, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("compile pattern %q: %w", text, err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("compile pattern %q: %w", text, err)
	}
	p := &pattern{prog: prog, prefix: prefix, ids: map[string]int{}}
	p.stateID(nil)
	return p, nil
}

// start returns the state before the first digit.
func (p *pattern) start() int { return p.stateID(p.closure(nil, uint32(p.prog.Start))) }

// nextState returns the state after a digit.
func (p *pattern) nextState(from int, digit int) int {
	if p.prefix && p.states[from].accepted {
		return from
	}
	if to := p.states[from].next[digit]; to >= 0 {
		return to
	}
	var at []uint32
	for _, pc := range p.states[from].at {
		inst := &p.prog.Inst[pc]
		if inst.Op != syntax.InstMatch && inst.MatchRune(rune('0'+digit)) {
			at = p.closure(at, inst.Out)
		}
	}
	to := p.stateID(at)
	p.states[from].next[digit] = to
	return to
}

// closure adds the instructions that can be reached from pc without reading a digit. It ignores
// end assertions, because patterns with such an assertion do not become graphs.
func (p *pattern) closure(at []uint32, pc uint32) []uint32 {
	inst := &p.prog.Inst[pc]
	switch inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return p.closure(p.closure(at, inst.Out), inst.Arg)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		return p.closure(at, inst.Out)
	case syntax.InstFail:
		return at
	}
	if slices.Contains(at, pc) {
		return at
	}
	return append(at, pc)
}

func (p *pattern) stateID(at []uint32) int {
	slices.Sort(at)
	var key []byte
	for _, pc := range at {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if id, known := p.ids[string(key)]; known {
		return id
	}
	s := state{at: at}
	for digit := range s.next {
		s.next[digit] = -1
	}
	for _, pc := range at {
		s.accepted = s.accepted || p.prog.Inst[pc].Op == syntax.InstMatch
	}
	p.ids[string(key)] = len(p.states)
	p.states = append(p.states, s)
	return len(p.states) - 1
}

// patternSet is a list of distinct patterns that run in parallel.
type patternSet struct {
	patterns []*pattern
	ids      map[string]int
}

// addPattern adds a pattern and returns its index. The pattern must match a whole number
// or, if prefix is true, the beginning of one.
func (s *patternSet) addPattern(text string, prefix bool) (int, error) {
	key := fmt.Sprint(prefix, text)
	if at, known := s.ids[key]; known {
		return at, nil
	}
	p, err := newPattern(text, prefix)
	if err != nil {
		return 0, err
	}
	s.ids[key] = len(s.patterns)
	s.patterns = append(s.patterns, p)
	return len(s.patterns) - 1, nil
}

// states contains one state for each pattern of a set.
type states []uint16

func (s *patternSet) start() states {
	at := make(states, len(s.patterns))
	for i, p := range s.patterns {
		at[i] = uint16(p.start())
	}
	return at
}

func (s *patternSet) nextStates(from states, digit int) states {
	at := make(states, len(from))
	for i, p := range s.patterns {
		if from[i] != 0 {
			at[i] = uint16(p.nextState(int(from[i]), digit))
		}
	}
	return at
}

func (s *patternSet) matches(at states, pattern int) bool {
	return s.patterns[pattern].states[at[pattern]].accepted
}

// key returns the states and the length of the number as a string, for use as a map key.
func (at states) key(length int) string {
	key := []byte{byte(length)}
	for _, state := range at {
		key = binary.LittleEndian.AppendUint16(key, state)
	}
	return string(key)
}

// allDead reports whether no pattern can match anymore.
func (at states) allDead() bool {
	return !slices.ContainsFunc(at, func(s uint16) bool { return s != 0 })
}

// These are the operations of a program, which matches the beginning of a number and records
// its groups. As in Perl, the first of two alternatives that leads to a match wins.
const (
	opFail byte = iota
	opMatch
	// opTry continues at out. If that fails, it continues at arg.
	opTry
	// opDigit matches one digit in the mask.
	opDigit
	// opMark records the current position under the number in arg.
	opMark
	// opEnd matches only at the end of the number.
	opEnd
)

type instruction struct {
	op             byte
	mask, out, arg uint16
}

// programs contains the instructions of all prefixes, without duplicates.
type programs struct {
	list   []instruction
	starts map[string]uint16
}

// compile compiles a pattern. It returns the index of the first instruction and the number
// of groups. An empty pattern becomes program 0, which matches nothing.
func (p *programs) compile(text string) (start uint16, groups int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, 0, fmt.Errorf("compile prefix %q: %w", text, err)
	}
	groups = parsed.MaxCap()
	if start, known := p.starts[text]; known {
		return start, groups, nil
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, 0, fmt.Errorf("compile prefix %q: %w", text, err)
	}
	base := len(p.list)
	for i := range prog.Inst {
		inst, err := encodeInstruction(&prog.Inst[i], base)
		if err != nil {
			return 0, 0, fmt.Errorf("compile prefix %q: %w", text, err)
		}
		p.list = append(p.list, inst)
	}
	start = uint16(base + prog.Start)
	p.starts[text] = start
	return start, groups, nil
}

func encodeInstruction(from *syntax.Inst, base int) (instruction, error) {
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
			return to, fmt.Errorf("the only supported assertion is the end of the text")
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

func (p *programs) encode() (out []byte) {
	for _, inst := range p.list {
		out = append(out, inst.op, 0)
		out = binary.LittleEndian.AppendUint16(out, inst.mask)
		out = binary.LittleEndian.AppendUint16(out, inst.out)
		out = binary.LittleEndian.AppendUint16(out, inst.arg)
	}
	return out
}

package jsregexp

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// table is a deterministic finite automaton over the characters of the text. It reports
// whether a program matches, in one step per character. It is immutable.
type table struct {
	alphabet
	// next holds the next state for each state and letter. A state is the
	// offset of its row in next.
	next []uint32
	// atEnd reports for each row whether the text matches if it ends there.
	atEnd []bool
	start uint32
	// accepted is the row from which all text matches. From row 0, no text matches.
	accepted uint32
	units    bool
}

// alphabet maps characters to letters. All characters that the program does not
// distinguish map to the same letter.
type alphabet struct {
	ascii [utf8.RuneSelf]uint8
	// starts holds the first character of each range of characters with the same letter.
	// letterOf holds the letter of each range.
	starts   []rune
	letterOf []uint8
	letters  int
}

func (a *alphabet) letter(r rune) uint32 {
	if r < utf8.RuneSelf {
		return uint32(a.ascii[r])
	}
	i, found := slices.BinarySearch(a.starts, r)
	if !found {
		i--
	}
	return uint32(a.letterOf[i])
}

// match reports whether text matches. It is the hot path of all translated expressions.
func (t *table) match(text []byte) bool {
	state := t.start
	for i := 0; i < len(text) && state > t.accepted; {
		if b := text[i]; b < utf8.RuneSelf {
			state = t.next[state+uint32(t.ascii[b])]
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r > maxCodeUnit && t.units {
			hi, lo := utf16.EncodeRune(r)
			state = t.next[state+t.letter(hi+surrogateShift)]
			r = lo + surrogateShift
		}
		state = t.next[state+t.letter(r)]
	}
	if state <= t.accepted {
		return state == t.accepted
	}
	return t.atEnd[state/uint32(t.letters)]
}

const (
	// maxRows is the maximum number of entries in a table. Each entry is four bytes.
	maxRows = 1 << 20
	// maxWork is the maximum number of steps for building the tables of an expression.
	maxWork = 1 << 22
)

// tableBuilder builds the table of a program. It follows all threads of the program at once.
type tableBuilder struct {
	prog *syntax.Prog
	alphabet
	// takes reports for each instruction which letters it matches.
	takes [][]bool
	// words reports for each letter whether \w matches it. It is used only if
	// the program has word boundaries.
	words    []bool
	edges    bool
	anchored bool

	rows      map[string]uint32
	states    []state
	next      []uint32
	atEnd     []bool
	work      int
	workLimit int

	// mark and list hold the set of threads that are being followed.
	mark       []int
	generation int
	list       []uint32
	pending    []uint32
}

// state is a position in the text, as far as the program can distinguish positions. It consists
// of the threads that are alive before any assertion is tested, and of the previous character.
type state struct {
	before rune
	pcs    []uint32
}

// Each of these characters represents all characters that an assertion treats alike.
const (
	noRune    = rune(-1)
	wordRune  = 'a'
	otherRune = ' '
)

// newTable returns the table of a program, or nil if it would need too much
// space or too many steps. It also returns the number of steps that it took.
func newTable(prog *syntax.Prog, units bool, most int) (t *table, took int) {
	if most == 0 {
		return nil, 0
	}
	b := &tableBuilder{prog: prog, workLimit: most, rows: map[string]uint32{}, mark: make([]int, len(prog.Inst))}
	b.anchored = prog.StartCond()&syntax.EmptyBeginText != 0
	if !b.makeAlphabet() {
		return nil, b.work
	}
	b.stateRow(state{before: noRune})
	b.stateRow(state{before: noRune, pcs: []uint32{^uint32(0)}})
	for letter := range b.letters {
		b.next[b.letters+letter] = uint32(b.letters)
	}
	start := b.stateRow(state{before: noRune, pcs: []uint32{uint32(prog.Start)}})
	for i := 2; i < len(b.states); i++ {
		if b.fillRow(i); b.work > b.workLimit || len(b.next) > maxRows {
			return nil, b.work
		}
	}
	return &table{alphabet: b.alphabet, next: slices.Clip(b.next), atEnd: b.atEnd, start: start,
		accepted: uint32(b.letters), units: units}, b.work
}

// stateRow returns the row of a state. It adds a row if the state is new.
func (b *tableBuilder) stateRow(s state) uint32 {
	key := make([]byte, 0, 4+4*len(s.pcs))
	key = binary.LittleEndian.AppendUint32(key, uint32(s.before))
	for _, pc := range s.pcs {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if row, ok := b.rows[string(key)]; ok {
		return row
	}
	row := uint32(len(b.next))
	b.rows[string(key)] = row
	b.states = append(b.states, s)
	b.next = append(b.next, make([]uint32, b.letters)...)
	b.atEnd = append(b.atEnd, false)
	return row
}

// fillRow computes the row of a state.
func (b *tableBuilder) fillRow(i int) {
	s := b.states[i]
	b.atEnd[i] = b.follow(s, noRune)
	matched := [2]bool{b.follow(s, otherRune)}
	threads := [2][]uint32{slices.Clone(b.list)}
	if b.edges {
		matched[1] = b.follow(s, wordRune)
		threads[1] = slices.Clone(b.list)
	}
	for letter := range b.letters {
		side, before := 0, otherRune
		if b.edges && b.words[letter] {
			side, before = 1, wordRune
		}
		to := uint32(b.letters)
		if !matched[side] {
			to = b.nextRow(threads[side], letter, before)
		}
		b.next[i*b.letters+letter] = to
	}
}

// nextRow advances all threads by one letter and returns the resulting row.
func (b *tableBuilder) nextRow(threads []uint32, letter int, before rune) uint32 {
	b.work += len(threads) + 1
	b.generation++
	var pcs []uint32
	put := func(pc uint32) {
		if b.mark[pc] != b.generation {
			b.mark[pc] = b.generation
			pcs = append(pcs, pc)
		}
	}
	for _, pc := range threads {
		if b.takes[pc][letter] {
			put(b.prog.Inst[pc].Out)
		}
	}
	if !b.anchored {
		put(uint32(b.prog.Start))
	}
	if len(pcs) == 0 {
		return 0
	}
	slices.Sort(pcs)
	return b.stateRow(state{before: before, pcs: pcs})
}

// follow collects the reachable instructions that match a character. after is
// the character after the state. It reports whether a match is reached.
func (b *tableBuilder) follow(s state, after rune) (matched bool) {
	holds := syntax.EmptyOpContext(s.before, after)
	b.generation++
	b.list, b.pending = b.list[:0], append(b.pending[:0], s.pcs...)
	for len(b.pending) > 0 {
		pc := b.pending[len(b.pending)-1]
		b.pending = b.pending[:len(b.pending)-1]
		if b.mark[pc] == b.generation {
			continue
		}
		b.mark[pc] = b.generation
		b.work++
		matched = b.visit(pc, holds) || matched
	}
	return matched
}

func (b *tableBuilder) visit(pc uint32, holds syntax.EmptyOp) (matched bool) {
	switch in := &b.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		b.pending = append(b.pending, in.Out, in.Arg)
	case syntax.InstCapture, syntax.InstNop:
		b.pending = append(b.pending, in.Out)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^holds == 0 {
			b.pending = append(b.pending, in.Out)
		}
	case syntax.InstMatch:
		return true
	case syntax.InstFail:
	default:
		b.list = append(b.list, pc)
	}
	return false
}

// makeAlphabet computes the letters of the alphabet. It reports false if there are too many.
func (b *tableBuilder) makeAlphabet() bool {
	classes, of := b.charClasses()
	b.starts = []rune{0}
	for _, in := range classes {
		b.starts = append(b.starts, rangeBoundaries(in)...)
	}
	if b.edges {
		b.starts = append(b.starts, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
	}
	slices.Sort(b.starts)
	b.starts = slices.Compact(b.starts)
	if len(b.starts)*(len(classes)+1)+b.work > b.workLimit {
		return false
	}
	takes := make([][]bool, len(classes))
	if !b.sortLetters(classes, takes) {
		return false
	}
	b.takes = make([][]bool, len(b.prog.Inst))
	for pc, class := range of {
		b.takes[pc] = takes[class]
	}
	for r := range utf8.RuneSelf {
		i, found := slices.BinarySearch(b.starts, rune(r))
		if !found {
			i--
		}
		b.ascii[r] = b.letterOf[i]
	}
	return true
}

// charClasses returns one instruction for each distinct set of characters that the program
// matches. It also returns a map from each instruction that matches characters to the index of
// its set in the list.
func (b *tableBuilder) charClasses() (list []*syntax.Inst, of map[uint32]int) {
	of = map[uint32]int{}
	places := map[string]int{}
	// Copies of an instruction usually share their slice of runes.
	shared := map[*rune]string{}
	for pc := range b.prog.Inst {
		in := &b.prog.Inst[pc]
		if in.Op == syntax.InstEmptyWidth {
			edges := syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
			b.edges = b.edges || syntax.EmptyOp(in.Arg)&edges != 0
		}
		if in.Op < syntax.InstRune || in.Op > syntax.InstRuneAnyNotNL || b.work > b.workLimit {
			continue
		}
		key := b.instKey(in, shared)
		place, ok := places[key]
		if !ok {
			place = len(list)
			places[key] = place
			list = append(list, in)
		}
		of[uint32(pc)] = place
	}
	return list, of
}

func (b *tableBuilder) instKey(in *syntax.Inst, shared map[*rune]string) string {
	if len(in.Rune) == 0 {
		return string(rune(in.Op))
	}
	key, ok := shared[&in.Rune[0]]
	if !ok {
		key = string(in.Rune)
		shared[&in.Rune[0]] = key
		b.work += len(in.Rune)
	}
	return string(rune(in.Op)) + string(rune(in.Arg)) + key
}

// rangeBoundaries returns the characters at which the result of matching an
// instruction may change.
func rangeBoundaries(in *syntax.Inst) []rune {
	switch in.Op {
	case syntax.InstRuneAny:
		return nil
	case syntax.InstRuneAnyNotNL:
		return []rune{'\n', '\n' + 1}
	}
	var list []rune
	if len(in.Rune) == 1 {
		// A single rune can stand for both of its cases.
		first := in.Rune[0]
		list = append(list, first, first+1)
		for r := unicode.SimpleFold(first); r != first; r = unicode.SimpleFold(r) {
			list = append(list, r, r+1)
		}
		return list
	}
	for i := 0; i+1 < len(in.Rune); i += 2 {
		list = append(list, in.Rune[i], in.Rune[i+1]+1)
	}
	return list
}

// sortLetters assigns a letter to each range of characters that the program does not distinguish.
func (b *tableBuilder) sortLetters(classes []*syntax.Inst, takes [][]bool) bool {
	seen := map[string]uint8{}
	row := make([]byte, len(classes)+1)
	for _, r := range b.starts {
		for i, in := range classes {
			row[i] = 0
			if in.MatchRune(r) {
				row[i] = 1
			}
		}
		row[len(classes)] = 0
		if b.edges && syntax.IsWordChar(r) {
			row[len(classes)] = 1
		}
		letter, ok := seen[string(row)]
		if !ok {
			if len(seen) == 255 {
				return false
			}
			letter = uint8(len(seen))
			seen[string(row)] = letter
			for i := range takes {
				takes[i] = append(takes[i], row[i] == 1)
			}
			b.words = append(b.words, row[len(takes)] == 1)
		}
		b.letterOf = append(b.letterOf, letter)
	}
	b.letters = len(seen)
	return true
}

package stage

import (
	"slices"

	"github.com/intraydata/intray"
)

// packed holds the problems of one batch on their way to the commit: what they
// say once, and of each problem only the row and which text it is. A batch may
// have hundreds of thousands, and several batches wait at a time.
type packed struct {
	// kinds are the problems that differ in more than the row.
	kinds []intray.Problem
	// rows and of hold the row and the kind of each problem, in order.
	rows, of []uint32
	// byKind holds the rows again, kind by kind, and ends where those of each
	// kind end.
	byKind, ends []uint32

	seen map[intray.Problem]uint32
	// last is the kind met last in each field, plus one; whole rows come first.
	last []uint32
}

func (p *packed) pack(problems []intray.Problem, fields int) {
	p.kinds, p.rows, p.of, p.byKind = p.kinds[:0], p.rows[:0], p.of[:0], p.byKind[:0]
	if len(problems) == 0 {
		return
	}
	p.seen = map[intray.Problem]uint32{}
	p.last = append(p.last[:0], make([]uint32, fields+1)...)
	for _, problem := range problems {
		p.rows = append(p.rows, uint32(problem.Row))
		problem.Row = 0
		p.of = append(p.of, p.kind(problem))
	}
	p.seen = nil
	p.group()
}

// kind numbers a problem without its row.
func (p *packed) kind(problem intray.Problem) uint32 {
	last := &p.last[problem.Field-intray.NoField]
	if *last > 0 && p.kinds[*last-1] == problem {
		return *last - 1
	}
	kind, known := p.seen[problem]
	if !known {
		kind = uint32(len(p.kinds))
		p.kinds = append(p.kinds, problem)
		p.seen[problem] = kind
	}
	*last = kind + 1
	return kind
}

// group sorts the rows by kind.
func (p *packed) group() {
	p.ends = append(p.ends[:0], make([]uint32, len(p.kinds))...)
	for _, kind := range p.of {
		p.ends[kind]++
	}
	at := uint32(0)
	for kind, n := range p.ends {
		p.ends[kind] = at
		at += n
	}
	p.byKind = slices.Grow(p.byKind, len(p.rows))[:len(p.rows)]
	for i, kind := range p.of {
		p.byKind[p.ends[kind]] = p.rows[i]
		p.ends[kind]++
	}
}

// rowsOf are the rows of one kind, ascending.
func (p *packed) rowsOf(kind int) []uint32 {
	if kind == 0 {
		return p.byKind[:p.ends[0]]
	}
	return p.byKind[p.ends[kind-1]:p.ends[kind]]
}

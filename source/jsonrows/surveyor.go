package jsonrows

// met is text that a worker of the first pass met: a sample of a column, or ""
// where it is only known that the column has some.
type met struct {
	name *name
	cell string
	// before is what was open about the name.
	before wish
}

// merge takes over what a worker met, in its order.
func (s *shape) merge(all []met) {
	for _, m := range all {
		m.name.filled = true
		if m.cell != "" && s.wants(m.name) > 0 {
			s.sample(m.name, m.cell)
		}
	}
}

// A surveyor is a worker of the first pass.
type surveyor struct {
	scan *scan
	// wanted holds for each name what was open about it when the workers began,
	// open what is open in the chunk at hand.
	wanted, open []wish
	met          []met
	// first is the first of met that comes from the element at hand.
	first int
}

// wish is what the first pass has yet to learn about a name.
type wish struct {
	column, filled bool
	samples        uint8
}

// newSurveyor is called while no worker is busy.
func newSurveyor(b *book, s *shape) *surveyor {
	y := &surveyor{wanted: make([]wish, s.names.count), open: make([]wish, s.names.count)}
	y.note(s, s.names.root)
	y.scan = newScan(b.in, s.names, b.opt.Limits, y)
	return y
}

func (y *surveyor) note(s *shape, n *name) {
	y.wanted[n.id] = wish{column: n.column != noColumn, filled: n.filled, samples: uint8(s.wants(n))}
	for _, child := range n.children {
		y.note(s, child)
	}
}

// leaf makes sure that a leaf has a column.
func (y *surveyor) leaf(n *name, text []byte, from, to int, _ bool) bool {
	w := &y.open[n.id]
	switch size := to - from; {
	case !w.column:
		return false
	case size == 0 || w.filled && (w.samples == 0 || size > sampleCell):
	case size > sampleCell:
		y.met = append(y.met, met{name: n, before: *w})
	default:
		y.met = append(y.met, met{n, string(text[from:to]), *w})
		w.samples = max(w.samples, 1) - 1
	}
	w.filled = w.filled || to > from
	return true
}

func (y *surveyor) again() {
	for i := len(y.met) - 1; i >= y.first; i-- {
		y.open[y.met[i].name.id] = y.met[i].before
	}
	y.met = y.met[:y.first]
}

// read goes through a chunk.
func (y *surveyor) read(job *chunk) {
	copy(y.open, y.wanted)
	y.met = job.met
	job.count, job.bad, job.plain = y.elements(job)
	job.met = y.met
}

func (y *surveyor) elements(job *chunk) (count, bad int64, plain bool) {
	if !y.scan.begin(job.text, job.from) {
		return 0, job.from, false
	}
	for at := y.scan.next(0); at < len(job.text); at = y.scan.next(at) {
		from := at
		y.first = len(y.met)
		if at = y.scan.row(at); at == none {
			return 0, job.from + int64(from), false
		}
		count++
	}
	return count, 0, true
}

package output

import (
	"fmt"
	"sync"

	"github.com/intraydata/intray"
)

const (
	// divideRows is the fewest rows of a batch that is worth two goroutines.
	divideRows = 2048
	// divideBytes is the most text of one: that of its second half is held until
	// the first is written.
	divideBytes = 8 << 20
)

// half puts the second half of a batch into words while another goroutine does so
// with the first.
type half struct {
	form form
	keep policy
	text []byte
	rows int64
	err  error
	// panicked is what a panic gave, for the goroutine that waits.
	panicked any
}

// secondForm makes a form with fields of its own: they are not shared among
// goroutines.
func secondForm(f Format, schema *intray.Schema) (form, error) {
	fields, err := compile(schema)
	if err != nil {
		return nil, err
	}
	return newForm(f, schema, fields)
}

// divisible says whether a batch has rows enough for two, and not too much text.
func divisible(b *intray.Batch) bool {
	if b.Rows() < divideRows {
		return false
	}
	size := 0
	for i := range b.Fields {
		size += len(b.Fields[i].Values.Arena) + len(b.Fields[i].Raws.Arena)
	}
	for i := range b.Unmapped {
		size += len(b.Unmapped[i].Cells.Arena)
	}
	return size <= divideBytes
}

// start begins with the row at first. The batch must stay as it is until wait,
// which may be called again, returns.
func (h *half) start(b *intray.Batch, first, fields, columns int) (wait func()) {
	h.text, h.rows, h.err = h.text[:0], 0, nil
	var done sync.WaitGroup
	done.Go(func() {
		defer func() { h.panicked = recover() }()
		h.err = h.run(newRow(b, fields, columns), first)
	})
	return func() {
		done.Wait()
		if p := h.panicked; p != nil {
			h.panicked = nil
			panic(p)
		}
	}
}

func (h *half) run(r *row, first int) error {
	for r.problem < len(r.batch.Problems) && r.batch.Problems[r.problem].Row < first {
		r.problem++
	}
	for r.index = first; r.index < r.batch.Rows(); r.index++ {
		kept, err := r.turn(h.keep)
		if err == nil && kept {
			h.text, err = h.form.row(h.text, r, false)
			h.rows++
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", r.batch.First+int64(r.index), err)
		}
	}
	return r.ended(r.batch.Rows())
}

// join writes the second half of a batch behind the first.
func (s *stream) join() error {
	h := &s.second
	if h.err != nil {
		return h.err
	}
	if h.rows == 0 {
		return nil
	}
	if s.rows == 0 { // no row stands before it
		h.text = append(h.text[:0], h.text[len(h.form.lead()):]...)
	}
	s.rows += h.rows
	if err := s.flush(); err != nil {
		return err
	}
	var err error
	h.text, err = s.pen.put(h.text)
	return err
}

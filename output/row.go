package output

import (
	"fmt"

	"github.com/intraydata/intray"
)

// policy says what becomes of a row with an error.
type policy int

const (
	refuse policy = iota
	drop
	blank
	asReceived
)

func rule(b intray.InvalidDataBehavior) (policy, error) {
	switch b {
	case intray.BlockSubmit:
		return refuse, nil
	case intray.RemoveInvalidRows:
		return drop, nil
	case intray.IncludeInvalidRows:
		return blank, nil
	case intray.IncludeInvalidValues:
		return asReceived, nil
	}
	return refuse, fmt.Errorf("unknown invalidDataBehavior %q", string(b))
}

// row is the row of a batch that is to be written. It moves through the batch
// from the first row to the last and keeps its place in the batch's lists.
type row struct {
	batch *intray.Batch
	index int
	cells []place
	// text is where values are written in the format of their field.
	text []byte
	// columns is the number of passed columns that are to be written.
	columns int
	// problem is the first of this row or a later one.
	problem int
	// invalid are the fields of this row whose cell is to be altered.
	invalid []int
	keep    policy
}

// place is where the row is in the lists of one field.
type place struct {
	null, raw int
	invalid   bool
}

func newRow(b *intray.Batch, fields, columns int) *row {
	return &row{batch: b, cells: make([]place, fields), columns: columns}
}

// turn moves on to the row at index, and says whether it is to be written.
func (r *row) turn(keep policy) (bool, error) {
	r.keep = keep
	for _, f := range r.invalid {
		r.cells[f].invalid = false
	}
	r.invalid = r.invalid[:0]
	for i := range r.cells {
		r.cells[i].follow(&r.batch.Fields[i], uint32(r.index))
	}
	bad, err := r.judge()
	if err != nil || !bad {
		return err == nil, err
	}
	if keep == refuse {
		return false, ErrInvalidRow
	}
	return keep != drop, nil
}

// follow moves on in the lists of a field.
func (p *place) follow(c *intray.Cells, index uint32) {
	for p.null < len(c.Nulls) && c.Nulls[p.null] < index {
		p.null++
	}
	for p.raw < len(c.RawRows) && c.RawRows[p.raw] < index {
		p.raw++
	}
}

// judge marks the cells of this row that have an error, and says whether the
// row has one.
func (r *row) judge() (bool, error) {
	bad := false
	problems := r.batch.Problems
	for ; r.problem < len(problems) && problems[r.problem].Row <= r.index; r.problem++ {
		p := &problems[r.problem]
		if p.Row < r.index {
			return false, fmt.Errorf("a problem of row %d is out of order", p.Row)
		}
		if p.Level != intray.LevelError {
			continue
		}
		bad = true
		if p.Field == intray.NoField {
			continue
		}
		if p.Field < 0 || p.Field >= len(r.cells) {
			return false, fmt.Errorf("a problem names field %d of %d", p.Field, len(r.cells))
		}
		r.cells[p.Field].invalid = true
		r.invalid = append(r.invalid, p.Field)
	}
	return bad, nil
}

// ended makes sure that no problem names a row that the batch does not have, where
// end is the number of its rows.
func (r *row) ended(end int) error {
	if end == r.batch.Rows() && r.problem < len(r.batch.Problems) {
		return fmt.Errorf("a problem names row %d of a batch of %d", r.batch.Problems[r.problem].Row, end)
	}
	return nil
}

// content is what a cell holds.
type content int

const (
	null content = iota
	// canonical is the field's canonical text.
	canonical
	// received is text as it was received, whatever the field's type.
	received
)

// shown gives what is to be written of a field, in the field's own format.
func (r *row) shown(i int, f *field) ([]byte, content, error) {
	if f.many {
		return r.array(i, f)
	}
	v, kind := r.cell(i, f.stringField)
	if kind == canonical && f.write != nil {
		r.text = f.write(r.text[:0], v)
		v = r.text
	}
	return v, kind, nil
}

// cell gives what a field holds.
func (r *row) cell(f int, stringField bool) ([]byte, content) {
	c, p := &r.batch.Fields[f], &r.cells[f]
	isNull := p.null < len(c.Nulls) && c.Nulls[p.null] == uint32(r.index)
	if p.invalid && r.keep == blank {
		return nil, null
	}
	if p.invalid && p.raw < len(c.RawRows) && c.RawRows[p.raw] == uint32(r.index) {
		raw := c.Raws.At(p.raw)
		if len(raw) > 0 || stringField && !isNull {
			return raw, received
		}
		return nil, null
	}
	v := c.Values.At(r.index)
	if isNull || len(v) == 0 && !stringField {
		return nil, null
	}
	return v, canonical
}

package rowplan

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

// Edit is a text that a person typed into a cell.
type Edit struct {
	// Row is the index of the row within its batch, Field that of the field in the schema.
	Row, Field int
	// Part is which of the columns of a field with ManyToOne is edited, from 0; 0 for all
	// other fields.
	Part int
	Text string
}

// ApplyEdits replaces the raw text of cells and parses them again. Later edits of a cell
// win. The error says which edit names no cell; the batch cannot be used afterwards.
func (p *Plan) ApplyEdits(b *intray.Batch, edits []Edit) error {
	scratch := make([]byte, 0, ScratchBytes)
	byCells := map[int][]intray.Change{}
	for _, e := range edits {
		at, err := p.cellsIndex(b, intray.Change{Row: e.Row, Field: e.Field, Part: e.Part})
		if err != nil {
			return fmt.Errorf("there is no cell at row %d, field %d, part %d of %d rows", e.Row, e.Field, e.Part, b.Rows())
		}
		if f := p.Fields[e.Field]; f.field.ManyToOne && f.parts == 0 {
			return fmt.Errorf("no column is mapped to the field %q, so it has no cells to edit", f.field.Key)
		}
		byCells[at] = append(byCells[at], intray.Change{Row: e.Row, HasValue: true, Value: &e.Text})
	}
	for at, list := range byCells {
		p.changeCells(b, at, list, true, scratch)
	}
	if len(p.parts) > 0 {
		p.rejoinColumns(b)
	}
	return nil
}

// SplitProblems removes from a batch the problems that validation finds again, and returns
// those of rules about all rows, which it does not.
func (p *Plan) SplitProblems(b *intray.Batch) (aboutAll []intray.Problem) {
	own := b.Problems[:0:0]
	for _, q := range b.Problems {
		switch rule, all := validate.IsRule(q.Code); {
		case all:
			p.FoldProblem(&q)
			aboutAll = append(aboutAll, q)
		case !rule:
			own = append(own, q)
		}
	}
	b.Problems = own
	return aboutAll
}

// UnfoldColumns undoes FoldColumns. The error is about a value that FoldColumns cannot have
// made.
func (p *Plan) UnfoldColumns(b *intray.Batch) error {
	if len(p.parts) == 0 {
		return nil
	}
	for f := range p.Fields {
		field := &p.Fields[f]
		if field.parts == 0 {
			continue
		}
		columns := make([]intray.Cells, len(field.Columns))
		for row := range b.Rows() {
			if err := field.splitRow(&b.Fields[f], row, columns); err != nil {
				return fmt.Errorf("row %d: %w", b.First+int64(row), err)
			}
		}
		b.Fields = append(b.Fields, columns...)
	}
	for i := range b.Problems {
		q := &b.Problems[i]
		if q.Field >= 0 && p.Fields[q.Field].parts > 0 {
			q.Field, q.Part = p.Fields[q.Field].parts+q.Part, 0
		}
	}
	return nil
}

// splitRow adds a row of a field to its columns: the reverse of joinRow.
func (f *FieldPlan) splitRow(from *intray.Cells, row int, columns []intray.Cells) error {
	v, there := from.Value(row)
	if !there {
		for i := range columns {
			columns[i].AppendNull(nil)
		}
		return nil
	}
	var raws []string
	var values []json.RawMessage
	if json.Unmarshal(from.Raw(row), &raws) != nil || json.Unmarshal(v, &values) != nil || len(raws) != len(columns) || len(values) != len(columns) {
		return fmt.Errorf("the value of field %q is not one for each of its columns", f.field.Key)
	}
	for i := range columns {
		if err := f.splitCell(&columns[i], values[i], raws[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *FieldPlan) splitCell(to *intray.Cells, v json.RawMessage, raw string) error {
	if bytes.Equal(v, []byte("null")) {
		to.AppendNull([]byte(raw))
		return nil
	}
	if !f.literal {
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return fmt.Errorf("a value of field %q: %w", f.field.Key, err)
		}
		v = []byte(text)
	}
	appendChanged(to, v, []byte(raw))
	return nil
}

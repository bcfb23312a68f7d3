package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// runHooks applies what hooks that look at all rows changed, calls the row hooks
// with the rows of a batch and applies what these changed.
func (p *plan) runHooks(ctx context.Context, b *intray.Batch, scratch []byte) error {
	if len(p.early) > 0 {
		if err := p.apply(b, rowsOf(p.early, b), scratch); err != nil {
			return err
		}
	}
	if !p.rowHooks {
		return nil
	}
	changes, err := p.hooks.Rows(ctx, p.hookRows(p.view(b)))
	if err != nil {
		return err
	}
	return p.apply(b, changes, scratch)
}

// view is a batch as hooks see it: without the columns of fields that have
// several, and with the problems in the order of the rows.
func (p *plan) view(b *intray.Batch) *intray.Batch {
	view := *b
	view.Problems = slices.Clone(b.Problems)
	p.fold(&view)
	slices.SortStableFunc(view.Problems, func(x, y intray.Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
	})
	return &view
}

// hookRows are rows as hooks are given them.
func (p *plan) hookRows(batches ...*intray.Batch) intray.HookRows {
	parts := make([]int, len(p.fields))
	for i, f := range p.fields {
		if f.field.ManyToOne {
			parts[i] = len(f.columns)
		}
	}
	return intray.HookRows{Fields: p.schema, Parts: parts, Batches: batches}
}

// apply puts what hooks changed into a batch: values are read as the type of
// their field, once, and messages become problems.
func (p *plan) apply(b *intray.Batch, changes []intray.Change, scratch []byte) error {
	byCells := map[int][]intray.Change{}
	for _, c := range changes {
		at, err := p.cellsOf(b, c)
		if err != nil {
			return err
		}
		byCells[at] = append(byCells[at], c)
	}
	for at, list := range byCells {
		p.changeCells(b, at, list, false, scratch)
	}
	if len(p.parts) > 0 && len(changes) > 0 {
		p.gatherAgain(b)
	}
	return nil
}

// cellsOf is where in the batch the cell of a change is.
func (p *plan) cellsOf(b *intray.Batch, c intray.Change) (int, error) {
	if c.Row < 0 || c.Row >= b.Rows() || c.Field < 0 || c.Field >= len(p.fields) || c.Part < 0 || c.Part >= max(1, len(p.fields[c.Field].columns)) {
		return 0, fmt.Errorf("a hook changed row %d, field %d, part %d of a batch of %d rows", c.Row, c.Field, c.Part, b.Rows())
	}
	if f := p.fields[c.Field]; f.parts > 0 {
		return f.parts + c.Part, nil
	}
	return c.Field, nil
}

// changeCells applies the changes of one column, the later over the earlier. What
// a person typed is the raw text of the cell from then on; that of the file stays
// where a hook changed it.
func (p *plan) changeCells(b *intray.Batch, at int, changes []intray.Change, typed bool, scratch []byte) {
	values, infos := map[int]intray.Change{}, map[int][]intray.Info{}
	options := map[int][]intray.SelectOption{}
	for _, c := range changes {
		if c.HasValue {
			values[c.Row] = c
		}
		if c.HasInfos {
			infos[c.Row] = c.Infos
		}
		if c.Options != nil {
			options[c.Row] = c.Options
		}
	}
	b.Problems = slices.DeleteFunc(b.Problems, func(q intray.Problem) bool {
		if q.Field != at {
			return false
		}
		_, read := values[q.Row]
		_, told := infos[q.Row]
		if q.Code == intray.HookCode {
			return told
		}
		return read
	})
	if len(values) > 0 {
		p.setValues(b, at, values, options, typed, scratch)
	}
	for row, list := range infos {
		for _, info := range list {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: intray.HookCode, Level: info.Level, Text: info.Text})
		}
	}
}

// setValues replaces the values of some rows of a column.
func (p *plan) setValues(b *intray.Batch, at int, values map[int]intray.Change, options map[int][]intray.SelectOption, typed bool, scratch []byte) {
	f := p.fieldAt(at)
	old := b.Fields[at]
	b.Fields[at] = intray.Cells{}
	cells := &b.Fields[at]
	for row := range b.Rows() {
		change, changed := values[row]
		if !changed {
			appendCell(cells, &old, row)
			continue
		}
		raw := old.Raw(row)
		if typed {
			raw = []byte(*change.Value)
		}
		if change.Value == nil {
			cells.AppendNull(raw)
			continue
		}
		parser := f.parser
		if own, has := options[row]; has {
			parser = f.withOptions(own)
		}
		c := value.Cell{Raw: []byte(*change.Value)}
		if change.IsNumber && f.field.Type.Name == intray.TypeNumber {
			c.Kind, c.Typed = intray.CellNumber, c.Raw
		}
		result := parser.Parse(c, scratch[:0])
		switch result.State {
		case value.Same:
			appendChanged(cells, c.Raw, raw)
		case value.Parsed:
			appendChanged(cells, result.Value, raw)
		case value.Empty:
			cells.AppendNull(raw)
		case value.Wrong:
			if len(raw) == 0 {
				raw = c.Raw // what the hook gave is all the text there is
			}
			cells.AppendNull(raw)
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: f.code, Level: intray.LevelError, Text: result.Problem})
		}
		if n := result.Note; n != nil {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: n.Code, Level: n.Level, Text: n.Text})
		}
	}
}

// fieldAt is the field whose cells are at a place of the batch.
func (p *plan) fieldAt(at int) *fieldPlan {
	if at >= len(p.fields) {
		at = p.parts[at-len(p.fields)].field
	}
	return &p.fields[at]
}

// withOptions is the parser of the field for a cell that has options of its own.
// Where none can be made of them it is that of the field.
func (f *fieldPlan) withOptions(own []intray.SelectOption) value.Parser {
	field := f.field
	field.SelectOptions = own
	parser, err := value.Compile(field)
	if err != nil {
		return f.parser
	}
	return parser
}

// gatherAgain makes the values of fields with several columns anew.
func (p *plan) gatherAgain(b *intray.Batch) {
	for f := range p.fields {
		if p.fields[f].parts > 0 {
			b.Fields[f] = intray.Cells{}
		}
	}
	p.gather(b)
}

// appendCell adds a cell as it is.
func appendCell(to, from *intray.Cells, row int) {
	v, there := from.Value(row)
	raw := from.Raw(row)
	if !there {
		to.AppendNull(raw)
		return
	}
	appendChanged(to, v, raw)
}

func appendChanged(to *intray.Cells, v, raw []byte) {
	if bytes.Equal(v, raw) {
		to.AppendValue(v)
		return
	}
	to.AppendParsed(v, raw)
}

func isHookError(err error) bool {
	var failed *intray.HookError
	return errors.As(err, &failed)
}

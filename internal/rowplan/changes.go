package rowplan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/mapping"
)

// RunHooks applies what hooks that look at all rows changed, calls the row hooks
// with the rows of a batch, applies what these changed, and puts over it what the
// Hooks of the last step say.
func (p *Plan) RunHooks(ctx context.Context, b *intray.Batch, scratch []byte) error {
	if err := p.ApplyChanges(b, ChangesIn(p.HookChanges, b), scratch); err != nil {
		return err
	}
	for hook := range p.RowHooks {
		changes, err := p.Hooks.RunRows(ctx, hook, p.HookRows(p.HookView(b)))
		if err == nil {
			err = p.ApplyChanges(b, changes, scratch)
		}
		if err != nil {
			return err
		}
	}
	return p.ApplyChanges(b, ChangesIn(p.FinalInfos, b), scratch)
}

// HookView is a batch as hooks see it: without the columns of fields that have
// several, and with the problems and options in the order of the rows.
func (p *Plan) HookView(b *intray.Batch) *intray.Batch {
	view := *b
	view.Problems, view.Options = slices.Clone(b.Problems), slices.Clone(b.Options)
	p.FoldColumns(&view)
	slices.SortStableFunc(view.Problems, func(x, y intray.Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
	})
	for i := range view.Options {
		one := &view.Options[i]
		one.Field, one.Part = p.foldedIndex(one.Field, one.Part)
	}
	slices.SortStableFunc(view.Options, func(x, y intray.CellOptions) int { return cmp.Compare(x.Row, y.Row) })
	return &view
}

// HookRows are rows as hooks are given them.
func (p *Plan) HookRows(batches ...*intray.Batch) intray.HookRows {
	parts := make([]int, len(p.Fields))
	for i, f := range p.Fields {
		if f.field.ManyToOne {
			parts[i] = len(f.Columns)
		}
	}
	return intray.HookRows{Fields: p.schema, Parts: parts, Batches: batches}
}

// ApplyChanges puts what hooks changed into a batch: values are read as the type of
// their field, once, and messages become problems.
func (p *Plan) ApplyChanges(b *intray.Batch, changes []intray.Change, scratch []byte) error {
	if len(changes) == 0 {
		return nil
	}
	byCells := map[int][]intray.Change{}
	for _, c := range changes {
		at, err := p.cellsIndex(b, c)
		if err != nil {
			return err
		}
		byCells[at] = append(byCells[at], c)
	}
	for at, list := range byCells {
		p.changeCells(b, at, list, false, scratch)
	}
	if len(p.parts) > 0 {
		p.rejoinColumns(b)
	}
	return nil
}

// cellsIndex is where in the batch the cell of a change is.
func (p *Plan) cellsIndex(b *intray.Batch, c intray.Change) (int, error) {
	if c.Row < 0 || c.Row >= b.Rows() || c.Field < 0 || c.Field >= len(p.Fields) || c.Part < 0 || c.Part >= max(1, len(p.Fields[c.Field].Columns)) {
		return 0, fmt.Errorf("a hook changed row %d, field %d, part %d of a batch of %d rows", c.Row, c.Field, c.Part, b.Rows())
	}
	if f := p.Fields[c.Field]; f.parts > 0 {
		return f.parts + c.Part, nil
	}
	return c.Field, nil
}

// changeCells applies the changes of one column, the later over the earlier. What
// a person typed is the raw text of the cell from then on. That of the file stays
// where a hook gave a value; where it emptied the cell, or gave what cannot be
// read, its text stands there: beside no value, that of the file would say that
// the file is what cannot be read.
func (p *Plan) changeCells(b *intray.Batch, at int, changes []intray.Change, typed bool, scratch []byte) {
	values, infos := map[int]intray.Change{}, map[int][]intray.Info{}
	for _, c := range changes {
		if c.Options != nil {
			setOptions(b, c.Row, at, c.Options)
			if _, given := values[c.Row]; !given && !c.HasValue && p.fieldAt(at).isSelect() {
				values[c.Row] = p.reparseChange(b, at, c.Row)
			}
		}
		if c.HasValue {
			values[c.Row] = c
		}
		if c.HasInfos {
			infos[c.Row] = c.Infos
		}
	}
	b.Problems = slices.DeleteFunc(b.Problems, func(q intray.Problem) bool {
		if q.Field != at {
			return false
		}
		_, read := values[q.Row]
		_, hasInfo := infos[q.Row]
		if q.Code == intray.HookCode {
			return hasInfo
		}
		return read
	})
	if len(values) > 0 {
		p.setValues(b, at, values, typed, scratch)
	}
	for row, list := range infos {
		for _, info := range list {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: intray.HookCode, Level: info.Level, Text: intray.Literal(info.Text)})
		}
	}
}

// setOptions gives a cell options of its own.
func setOptions(b *intray.Batch, row, at int, options []intray.SelectOption) {
	b.Options = append(b.Options, intray.CellOptions{Row: row, Field: at, Options: options})
}

// optionsOf are the options that cells of a column have of their own, by their rows:
// the later over the earlier.
func optionsOf(b *intray.Batch, at int) map[int][]intray.SelectOption {
	own := map[int][]intray.SelectOption{}
	for _, one := range b.Options {
		if one.Field == at {
			own[one.Row] = one.Options
		}
	}
	return own
}

// reparseChange is the change that has a cell read again, with options that it has got:
// the text that its value was read from, or the value where a hook gave that.
func (p *Plan) reparseChange(b *intray.Batch, at, row int) intray.Change {
	raw := b.Fields[at].Raw(row)
	text := string(raw)
	if v, there := b.Fields[at].Value(row); there && !p.fieldAt(at).ParsesTo(raw, v) {
		text = string(v)
	}
	return intray.Change{Row: row, HasValue: true, Value: &text}
}

// isSelect says whether the field takes options.
func (f *FieldPlan) isSelect() bool {
	return f.field.Type.Name == intray.TypeSelect || f.field.Type.Name == intray.TypeMultiSelect
}

// ParsesTo says whether a text is read as the value.
func (f *FieldPlan) ParsesTo(raw, v []byte) bool {
	if bytes.Equal(raw, v) {
		return true
	}
	read := f.Parser.Parse(celltype.Cell{Raw: raw}, nil)
	return read.State == celltype.Parsed && bytes.Equal(read.Value, v)
}

// setValues replaces the values of some rows of a column.
func (p *Plan) setValues(b *intray.Batch, at int, values map[int]intray.Change, typed bool, scratch []byte) {
	f, own := p.fieldAt(at), optionsOf(b, at)
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
			cells.AppendNull(nil)
			continue
		}
		parser := f.Parser
		if options, has := own[row]; has {
			parser = f.withOptions(options)
		}
		_, there := old.Value(row)
		result := parseChange(parser, change, f.field.Type.Name, typed, there || celltype.IsBlank(old.Raw(row)), scratch)
		text := []byte(*change.Value)
		switch result.State {
		case celltype.Unchanged:
			if celltype.IsBlank(text) {
				raw = text
			}
			appendChanged(cells, text, raw)
		case celltype.Parsed:
			appendChanged(cells, result.Value, raw)
		case celltype.Empty:
			cells.AppendNull(text)
		case celltype.Invalid:
			cells.AppendNull(text)
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: f.code, Level: intray.LevelError, Text: result.Problem})
		}
		if n := result.Note; n != nil {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: n.Code, Level: n.Level, Text: n.Text})
		}
	}
}

// parseChange reads the text or number that a cell was given. What a hook gives for a number
// may be in the form in which hooks are shown numbers, with a point before the
// fraction, or in that of the column: where the hook was shown no other form, it is the
// first; where it was shown a text that cannot be read, nobody knows.
func parseChange(parser celltype.Parser, change intray.Change, kind intray.TypeName, typed, shown bool, scratch []byte) celltype.Result {
	raw := []byte(*change.Value)
	asWritten := func(dst []byte) celltype.Result { return parser.Parse(celltype.Cell{Raw: raw}, dst) }
	if typed || kind != intray.TypeNumber {
		return asWritten(scratch[:0])
	}
	plain := bytes.TrimSpace(raw)
	if _, isNumber := celltype.CanonicalNumber(plain); !isNumber {
		return asWritten(scratch[:0])
	}
	result := parser.Parse(celltype.Cell{Raw: raw, Kind: intray.CellNumber, Typed: plain}, scratch[:0])
	if change.IsNumber || shown {
		return result
	}
	other := asWritten(nil)
	switch {
	case result.State == celltype.Invalid:
		return other
	case other.State == celltype.Invalid || bytes.Equal(ResultText(raw, result), ResultText(raw, other)):
		return result
	}
	return celltype.Result{State: celltype.Invalid, Problem: intray.NewMessage("hook.ambiguous_number", intray.Params{
		"value": mapping.Shorten(string(plain)), "with_point": string(ResultText(raw, result)), "as_column": string(ResultText(raw, other)),
	})}
}

// ResultText is the value that a text was read as.
func ResultText(raw []byte, r celltype.Result) []byte {
	if r.State == celltype.Unchanged {
		return raw
	}
	return r.Value
}

// fieldAt is the field whose cells are at a place of the batch.
func (p *Plan) fieldAt(at int) *FieldPlan {
	if at >= len(p.Fields) {
		at = p.parts[at-len(p.Fields)].field
	}
	return &p.Fields[at]
}

// withOptions is the parser of the field for a cell that has options of its own.
// Where none can be made of them it is that of the field.
func (f *FieldPlan) withOptions(own []intray.SelectOption) celltype.Parser {
	field := f.field
	field.SelectOptions = own
	parser, err := celltype.Compile(field)
	if err != nil {
		return f.Parser
	}
	return parser
}

// rejoinColumns makes the values of fields with several columns anew.
func (p *Plan) rejoinColumns(b *intray.Batch) {
	for f := range p.Fields {
		if p.Fields[f].parts > 0 {
			b.Fields[f] = intray.Cells{}
		}
	}
	p.joinColumns(b)
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

// IsHookError reports whether err is an *intray.HookError.
func IsHookError(err error) bool {
	var failed *intray.HookError
	return errors.As(err, &failed)
}

// SortByRow orders changes by their rows.
func SortByRow(changes []intray.Change) []intray.Change {
	ordered := slices.Clone(changes)
	slices.SortStableFunc(ordered, func(a, b intray.Change) int { return a.Row - b.Row })
	return ordered
}

// ChangesIn are the changes, ordered by row, that concern a batch, with their rows
// counted from its first.
func ChangesIn(changes []intray.Change, b *intray.Batch) []intray.Change {
	from := sort.Search(len(changes), func(i int) bool { return int64(changes[i].Row) >= b.First })
	end := sort.Search(len(changes), func(i int) bool { return int64(changes[i].Row) >= b.First+int64(b.Rows()) })
	own := slices.Clone(changes[from:end])
	for i := range own {
		own[i].Row -= int(b.First)
	}
	return own
}

// FillAdded gives added rows what they hold.
func (p *Plan) FillAdded(b *intray.Batch, added []intray.AddedRow, scratch []byte) error {
	if len(added) == 0 {
		return nil
	}
	var changes []intray.Change
	for row, one := range added {
		for field, f := range p.Fields {
			if text, has := one.Cells[f.field.Key]; has {
				changes = append(changes, intray.Change{Row: row, Field: field, HasValue: true, Value: &text})
			}
		}
	}
	return p.ApplyChanges(b, changes, scratch)
}

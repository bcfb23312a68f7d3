package rowplan

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/doubleencoding"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/validate"
)

// RunHooks applies the changes of column and bulk hooks to a batch, calls the row hooks and
// applies their changes. It applies the messages of REVIEW_STEP_POST_HOOKS last.
func (p *Plan) RunHooks(ctx context.Context, b *intray.Batch, scratch []byte) error {
	if err := p.ApplyChanges(b, ChangesIn(p.HookChanges, b), scratch); err != nil {
		return err
	}
	for hook := range p.RowHooks {
		if err := p.runRowHook(ctx, hook, b, scratch); err != nil {
			return err
		}
	}
	return p.ApplyChanges(b, ChangesIn(p.FinalInfos, b), scratch)
}

// runRowHook calls a row hook and applies its changes. It reuses the memory of earlier changes.
func (p *Plan) runRowHook(ctx context.Context, hook int, b *intray.Batch, scratch []byte) error {
	list := p.takeChanges()
	rows := p.HookRows(p.HookView(b))
	rows.Reuse = *list
	changes, err := p.Hooks.RunRows(ctx, hook, rows)
	if err != nil {
		return err
	}
	err = p.ApplyChanges(b, changes, scratch)
	p.returnChanges(list, changes)
	return err
}

// takeChanges returns a list whose memory can be used for changes.
func (p *Plan) takeChanges() *[]intray.Change {
	if list, _ := p.changes.Get().(*[]intray.Change); list != nil {
		return list
	}
	return new([]intray.Change)
}

// returnChanges makes the memory of changes available to later calls of takeChanges. list is the result of
// an earlier call.
func (p *Plan) returnChanges(list *[]intray.Change, changes []intray.Change) {
	if *list = changes; cap(changes) <= intray.BatchRows {
		p.changes.Put(list)
	}
}

// HookView returns a batch as hooks receive it: without the columns of many-to-one fields,
// and with problems and options in row order.
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

// HookRows returns the rows of the batches as input for hooks.
func (p *Plan) HookRows(batches ...*intray.Batch) intray.HookRows {
	parts := make([]int, len(p.Fields))
	for i, f := range p.Fields {
		if f.field.ManyToOne {
			parts[i] = len(f.Columns)
		}
	}
	return intray.HookRows{Fields: p.schema, Parts: parts, Batches: batches}
}

// ApplyChanges applies the changes that hooks made to a batch. It parses new values as the
// type of their field and turns messages into problems.
func (p *Plan) ApplyChanges(b *intray.Batch, changes []intray.Change, scratch []byte) error {
	if len(changes) == 0 {
		return nil
	}
	columns := make([]int32, len(changes))
	for i := range changes {
		at, err := p.cellsIndex(b, &changes[i])
		if err != nil {
			return err
		}
		columns[i] = int32(at)
	}
	p.changeColumns(b, changes, columns, false, scratch)
	return nil
}

// changeColumns applies changes to the columns with the given indexes in b.Fields, one for each change.
func (p *Plan) changeColumns(b *intray.Batch, changes []intray.Change, columns []int32, typed bool, scratch []byte) {
	changed := make([]bool, len(b.Fields))
	for _, at := range columns {
		changed[at] = true
	}
	values, infos := make([]int32, b.Rows()), make([]int32, b.Rows())
	for at := range changed {
		if changed[at] {
			clear(values)
			clear(infos)
			c := columnChanges{changes: changes, values: values, infos: infos}
			p.collectChanges(b, &c, at, columns)
			p.changeCells(b, &c, at, typed, scratch)
		}
	}
	if len(p.parts) > 0 {
		p.rejoinColumns(b)
	}
}

// columnChanges are the changes of one column. Later changes win: values and infos hold, for each row, the
// position, counted from 1, of the change that sets its value or its messages, or 0.
type columnChanges struct {
	changes       []intray.Change
	values, infos []int32
	hasValues     bool
}

// cellsIndex returns the index in b.Fields of the column that a change concerns.
func (p *Plan) cellsIndex(b *intray.Batch, c *intray.Change) (int, error) {
	if c.Row < 0 || c.Row >= b.Rows() || c.Field < 0 || c.Field >= len(p.Fields) || c.Part < 0 || c.Part >= max(1, len(p.Fields[c.Field].Columns)) {
		return 0, fmt.Errorf("find the changed cell: no row %d, field %d, part %d in a batch of %d rows", c.Row, c.Field, c.Part, b.Rows())
	}
	if f := p.Fields[c.Field]; f.parts > 0 {
		return f.parts + c.Part, nil
	}
	return c.Field, nil
}

// collectChanges finds the changes of a column, and stores its new select options.
func (p *Plan) collectChanges(b *intray.Batch, c *columnChanges, at int, columns []int32) {
	isSelect := p.fieldAt(at).isSelect()
	for i := range columns {
		if int(columns[i]) != at {
			continue
		}
		one := &c.changes[i]
		if one.Options != nil {
			b.Options = append(b.Options, intray.CellOptions{Row: one.Row, Field: at, Options: one.Options})
			if c.values[one.Row] == 0 && !one.HasValue && isSelect {
				c.changes = append(slices.Clip(c.changes), p.reparseChange(b, at, one.Row))
				c.values[one.Row], c.hasValues = int32(len(c.changes)), true
			}
		}
		if one.HasValue {
			c.values[one.Row], c.hasValues = int32(i+1), true
		}
		if one.HasInfos {
			c.infos[one.Row] = int32(i + 1)
		}
	}
}

// changeCells applies the changes of one column. If typed is set, a person typed the values, and
// they become the raw text. Otherwise, a hook set them. A valid value from a hook leaves the raw
// text unchanged. An empty or invalid value becomes the raw text, because the raw text of a null
// cell is reported as the text that could not be parsed.
func (p *Plan) changeCells(b *intray.Batch, c *columnChanges, at int, typed bool, scratch []byte) {
	b.Problems = slices.DeleteFunc(b.Problems, func(q intray.Problem) bool {
		if q.Field != at {
			return false
		}
		if q.Code == intray.HookCode {
			return c.infos[q.Row] > 0
		}
		return c.values[q.Row] > 0
	})
	if c.hasValues {
		p.setValues(b, c, at, typed, scratch)
	}
	for row, i := range c.infos {
		if i == 0 {
			continue
		}
		for _, info := range c.changes[i-1].Infos {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: intray.HookCode, Level: info.Level, Text: intray.Literal(info.Text)})
		}
	}
}

// reparseChange returns a change that parses a cell again with its new options. The change
// contains the raw text, or the value if a hook set it.
func (p *Plan) reparseChange(b *intray.Batch, at, row int) intray.Change {
	raw := b.Fields[at].Raw(row)
	text := string(raw)
	if v, there := b.Fields[at].Value(row); there && !p.fieldAt(at).ParsesTo(raw, v) {
		text = string(v)
	}
	return intray.Change{Row: row, HasValue: true, Value: &text}
}

// isSelect reports whether the field has select options.
func (f *FieldPlan) isSelect() bool {
	return f.field.Type.Name == intray.TypeSelect || f.field.Type.Name == intray.TypeMultiSelect
}

// ParsesTo reports whether the parser of the field parses raw to the value v.
func (f *FieldPlan) ParsesTo(raw, v []byte) bool {
	if bytes.Equal(raw, v) {
		return true
	}
	if repaired, _, ok := doubleencoding.Repair(raw); ok {
		raw = repaired
	}
	read := f.Parser.Parse(celltype.Cell{Raw: raw}, nil)
	return (read.State == celltype.Parsed || read.State == celltype.Unchanged) && bytes.Equal(ResultText(raw, read), v)
}

// setValues replaces the values of some rows of a column.
func (p *Plan) setValues(b *intray.Batch, c *columnChanges, at int, typed bool, scratch []byte) {
	f, options := p.fieldAt(at), map[int][]intray.SelectOption{}
	for _, one := range b.Options {
		if one.Field == at {
			options[one.Row] = one.Options
		}
	}
	old := b.Fields[at]
	b.Fields[at] = intray.Cells{}
	cells := &b.Fields[at]
	texts := &cells.Values.Texts
	texts.Arena, texts.Ends = make([]byte, 0, old.Values.Bytes()/8*9), make([]uint32, 0, b.Rows())
	var text []byte
	for row, i := range c.values {
		if i == 0 {
			appendCell(cells, &old, row)
			continue
		}
		change := &c.changes[i-1]
		if change.Value == nil {
			cells.AppendNull(nil)
			continue
		}
		text = append(text[:0], *change.Value...)
		raw := old.Raw(row)
		if typed {
			raw = text
		}
		parser := f.Parser
		if own, has := options[row]; has {
			parser = f.withOptions(own)
		}
		_, there := old.Value(row)
		withPoint := change.IsNumber || there || celltype.IsBlank(old.Raw(row))
		result := parseChange(parser, text, f.field.Type.Name, typed, withPoint, scratch)
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
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: f.code, Level: intray.LevelError, Text: *result.Problem})
		}
		if n := result.Note; n != nil {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: n.Code, Level: n.Level, Text: n.Text})
		}
	}
}

// parseChange parses the new value of a cell. A hook may set a number with a decimal point, as
// in the numbers that hooks receive, or in the format of the column. If withPoint is set, the hook
// set a JSON number, or received a number or an empty cell, so the value is parsed with a decimal
// point. If the hook received raw text that is not a number and the two formats yield different
// values, the new value is ambiguous.
func parseChange(parser celltype.Parser, raw []byte, kind intray.TypeName, typed, withPoint bool, scratch []byte) celltype.Result {
	asWritten := func(dst []byte) celltype.Result { return parser.Parse(celltype.Cell{Raw: raw}, dst) }
	if typed || kind != intray.TypeNumber {
		return asWritten(scratch[:0])
	}
	plain := bytes.TrimSpace(raw)
	if _, isNumber := celltype.CanonicalNumber(plain); !isNumber {
		return asWritten(scratch[:0])
	}
	result := parser.Parse(celltype.Cell{Raw: raw, Kind: intray.CellNumber, Typed: plain}, scratch[:0])
	if withPoint {
		return result
	}
	other := asWritten(nil)
	switch {
	case result.State == celltype.Invalid:
		return other
	case other.State == celltype.Invalid || bytes.Equal(ResultText(raw, result), ResultText(raw, other)):
		return result
	}
	problem := intray.NewMessage("hook.ambiguous_number", intray.Params{
		"value": mapping.Shorten(string(plain)), "with_point": string(ResultText(raw, result)), "as_column": string(ResultText(raw, other)),
	})
	return celltype.Result{State: celltype.Invalid, Problem: &problem}
}

// ResultText returns the value of r, the result of parsing raw. It returns raw if parsing left
// it unchanged.
func ResultText(raw []byte, r celltype.Result) []byte {
	if r.State == celltype.Unchanged {
		return raw
	}
	return r.Value
}

// fieldAt returns the field to which the column b.Fields[at] of a batch b belongs.
func (p *Plan) fieldAt(at int) *FieldPlan {
	if at >= len(p.Fields) {
		at = p.parts[at-len(p.Fields)].field
	}
	return &p.Fields[at]
}

// withOptions returns a parser for a cell with its own select options. If they are
// invalid, it returns the parser of the field.
func (f *FieldPlan) withOptions(own []intray.SelectOption) celltype.Parser {
	field := f.field
	field.SelectOptions = own
	parser, err := celltype.Compile(field)
	if err != nil {
		return f.Parser
	}
	return parser
}

// rejoinColumns recomputes the values of many-to-one fields.
func (p *Plan) rejoinColumns(b *intray.Batch) {
	for f := range p.Fields {
		if p.Fields[f].parts > 0 {
			b.Fields[f] = intray.Cells{}
		}
	}
	p.joinColumns(b)
}

// appendCell appends a copy of a cell, given its column and row.
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

// SortByRow returns the changes sorted by row.
func SortByRow(changes []intray.Change) []intray.Change {
	ordered := slices.Clone(changes)
	slices.SortStableFunc(ordered, func(a, b intray.Change) int { return a.Row - b.Row })
	return ordered
}

// ChangesIn returns the changes that concern a batch, with rows relative to the batch. The
// given changes must be sorted by row.
func ChangesIn(changes []intray.Change, b *intray.Batch) []intray.Change {
	from := sort.Search(len(changes), func(i int) bool { return int64(changes[i].Row) >= b.First })
	end := sort.Search(len(changes), func(i int) bool { return int64(changes[i].Row) >= b.First+int64(b.Rows()) })
	own := slices.Clone(changes[from:end])
	for i := range own {
		own[i].Row -= int(b.First)
	}
	return own
}

// FillAdded sets the cells of the rows that hooks added.
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

// Edit is the new raw text that a person typed into a cell.
type Edit struct {
	// Row is the index of the row within its batch. Field is the index of the field in the
	// schema.
	Row, Field int
	// Part is the index of the column within a many-to-one field, or 0 for any other field.
	Part int
	Text string
}

// ApplyEdits replaces the raw text of cells and parses them again. Later edits to the same
// cell win. It returns an error if an edit refers to a cell that does not exist. The batch
// must not be used after an error.
func (p *Plan) ApplyEdits(b *intray.Batch, edits []Edit) error {
	scratch := make([]byte, 0, ScratchBytes)
	list := p.takeChanges()
	changes, columns := slices.Grow((*list)[:0], len(edits))[:len(edits)], make([]int32, len(edits))
	for i, e := range edits {
		changes[i] = intray.Change{Row: e.Row, Field: e.Field, Part: e.Part, HasValue: true, Value: &edits[i].Text}
		at, err := p.cellsIndex(b, &changes[i])
		if err != nil {
			return err
		}
		if f := p.Fields[e.Field]; f.field.ManyToOne && f.parts == 0 {
			return fmt.Errorf("no column is mapped to the field %q, so it has no cells to edit", f.field.Key)
		}
		columns[i] = int32(at)
	}
	p.changeColumns(b, changes, columns, true, scratch)
	p.returnChanges(list, changes)
	return nil
}

// SplitProblems removes the problems of all validators from a batch that will be validated
// again. It returns the problems of cross-row validators, because the validation of a single
// batch does not find them.
func (p *Plan) SplitProblems(b *intray.Batch) (crossRow []intray.Problem) {
	own := b.Problems[:0:0]
	for _, q := range b.Problems {
		switch rule, all := validate.IsRule(q.Code); {
		case all:
			p.FoldProblem(&q)
			crossRow = append(crossRow, q)
		case !rule:
			own = append(own, q)
		}
	}
	b.Problems = own
	return crossRow
}

// UnfoldColumns reverses FoldColumns. It returns an error if a value does not have one
// element for each column.
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

// splitRow reverses joinRow: it appends the elements of a many-to-one field in one row to
// the columns of the field.
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
		return fmt.Errorf("split field %q: the value does not have %d columns", f.field.Key, len(columns))
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
			return fmt.Errorf("split field %q: %w", f.field.Key, err)
		}
		v = []byte(text)
	}
	appendChanged(to, v, []byte(raw))
	return nil
}

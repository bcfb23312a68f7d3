package hooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// span is the row range [from, to) of a batch.
type span struct {
	batch    *intray.Batch
	from, to int
	// rowOffset is the number of rows before the span among the rows that are passed to the hook.
	rowOffset int
}

func (s span) rows() int { return s.to - s.from }

// slice returns the rows [from, to) of the span, counted from its start.
func (s span) slice(from, to int) span {
	return span{batch: s.batch, from: s.from + from, to: s.from + to, rowOffset: s.rowOffset + from}
}

// rowNumber returns the index of a row among all data rows.
func (s span) rowNumber(row int) int64 {
	if s.batch.Numbers != nil && s.from+row < len(s.batch.Numbers) {
		return s.batch.Numbers[s.from+row]
	}
	return s.batch.First + int64(s.from+row)
}

// batchSpans returns one span for each whole batch, and the total number of rows.
func batchSpans(batches []*intray.Batch) (spans []span, rows int) {
	for _, b := range batches {
		spans = append(spans, span{batch: b, to: b.Rows(), rowOffset: rows})
		rows += b.Rows()
	}
	return spans, rows
}

// sliceSpans returns the rows [from, to) of consecutive spans, counted from the start of
// the first span.
func sliceSpans(spans []span, from, to int) (some []span) {
	for _, s := range spans {
		if from < s.rows() && to > 0 {
			some = append(some, s.slice(max(from, 0), min(to, s.rows())))
		}
		from -= s.rows()
		to -= s.rows()
	}
	return some
}

// columnLayout describes how hooks see the cells of a field.
type columnLayout struct {
	field intray.Field
	// columns is the number of columns that are mapped to a many-to-one field, or 0 for any
	// other field.
	columns int
	// kind is the JavaScript type of the result values.
	kind jsruntime.ValueKind
	// formatDisplay and formatOutput convert canonical text to the displayed text and to
	// the result value. Nil means that canonical text is used unchanged.
	formatDisplay, formatOutput func(dst, canonical []byte) []byte
	// labels maps the values of select options to their labels.
	labels map[string]string
}

func columnLayouts(rows intray.HookRows) ([]columnLayout, error) {
	layouts := make([]columnLayout, len(rows.Fields))
	for i, f := range rows.Fields {
		layout := columnLayout{field: f, columns: rows.Parts[i], kind: valueKind(f)}
		var err error
		if layout.formatDisplay, err = celltype.DisplayFormatter(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if layout.formatOutput, err = celltype.OutputFormatter(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if layout.formatOutput != nil {
			layout.kind = jsruntime.ValueText
		}
		if len(f.SelectOptions) > 0 {
			layout.labels = optionLabels(f.SelectOptions)
		}
		layouts[i] = layout
	}
	return layouts, nil
}

func layoutFields(layouts []columnLayout) []intray.Field {
	fields := make([]intray.Field, len(layouts))
	for i := range layouts {
		fields[i] = layouts[i].field
	}
	return fields
}

func valueKind(f intray.Field) jsruntime.ValueKind {
	switch f.Type.Name {
	case intray.TypeNumber:
		return jsruntime.ValueNumber
	case intray.TypeCheckbox:
		return jsruntime.ValueBool
	case intray.TypeMultiSelect:
		return jsruntime.ValueList
	}
	return jsruntime.ValueText
}

// buildRows returns the rows of spans for a call. It sends only the columns of the fields
// for which send is true.
func buildRows(layouts []columnLayout, spans []span, send []bool) jsruntime.Rows {
	columns := make([]*jsruntime.Column, len(layouts))
	for i := range layouts {
		if send[i] {
			columns[i] = layouts[i].buildColumn(i, spans)
		}
	}
	return rowsOfColumns(spans, columns)
}

// rowsOfColumns returns the rows of spans with columns that are already built.
func rowsOfColumns(spans []span, columns []*jsruntime.Column) jsruntime.Rows {
	rows := jsruntime.Rows{Columns: columns}
	if len(spans) == 0 {
		return rows
	}
	rows.First = spans[0].rowNumber(0)
	consecutive := spans[0].batch.Numbers == nil
	for _, s := range spans {
		rows.Count += s.rows()
		if !consecutive {
			rows.Indexes = append(rows.Indexes, s.batch.Numbers[s.from:s.to]...)
		}
	}
	return rows
}

// answerBounds returns the limits for the answer to a call with this many rows. A hook may
// change each cell once.
func answerBounds(layouts []columnLayout, rows int, learn bool) jsruntime.Bounds {
	b := jsruntime.Bounds{Rows: rows, Fields: make([]jsruntime.FieldBounds, len(layouts)), Learn: learn}
	for i, layout := range layouts {
		b.Fields[i] = jsruntime.FieldBounds{ManyToOne: layout.field.ManyToOne, Columns: layout.columns}
		b.MaxChanges += rows * max(layout.columns, 1)
	}
	return b
}

// buildColumn returns the column, in the form that hooks see, of the field whose index is given
// by at.
func (l *columnLayout) buildColumn(at int, spans []span) *jsruntime.Column {
	if l.field.ManyToOne {
		column := &jsruntime.Column{Parts: make([]jsruntime.Column, l.columns)}
		for part := range l.columns {
			c := newColumnBuilder(l)
			c.setOptions(cellOptions(at, part, spans))
			for _, s := range spans {
				for row := s.from; row < s.to; row++ {
					c.appendPart(&s.batch.Fields[at], row, part)
				}
			}
			column.Parts[part] = c.build(cellInfos(at, part, spans))
		}
		return column
	}
	if column := l.directColumn(at, spans); column != nil {
		return column
	}
	c := newColumnBuilder(l)
	c.setOptions(cellOptions(at, 0, spans))
	c.reserve(at, spans)
	for _, s := range spans {
		cells := &s.batch.Fields[at]
		for row := s.from; row < s.to; row++ {
			// For a cell that could not be parsed, hooks see the raw text, and the result
			// value is null.
			if v, parsed := cells.Value(row); parsed {
				c.appendValue(v)
			} else {
				c.appendNull(cells.Raw(row))
			}
		}
	}
	column := c.build(cellInfos(at, 0, spans))
	return &column
}

// directColumn returns the cells of a single span without copying them. It returns nil if the
// displayed or result values differ from the stored values, if a cell could not be parsed, or if
// cells have their own select options.
func (l *columnLayout) directColumn(at int, spans []span) *jsruntime.Column {
	if len(spans) != 1 || spans[0].rows() == 0 || newColumnBuilder(l).hasResult || len(spans[0].batch.Options) > 0 {
		return nil
	}
	s := spans[0]
	cells := &s.batch.Fields[at]
	next, _ := slices.BinarySearch(cells.Nulls, uint32(s.from))
	if next < len(cells.Nulls) && int(cells.Nulls[next]) < s.to {
		return nil
	}
	return &jsruntime.Column{
		Value: jsruntime.Cells{Texts: &cells.Values, From: s.from, To: s.to},
		Infos: cellInfos(at, 0, spans),
	}
}

// columnBuilder builds a column from its cells, row by row.
type columnBuilder struct {
	layout        *columnLayout
	shown, result intray.Texts
	kinds         []jsruntime.ValueKind
	// hasResult reports whether result is separate from shown.
	hasResult bool
	scratch   []byte
	// options are the select options of cells that have options other than those of the
	// field. rowLabels are the labels of these options, by row.
	options   []jsruntime.CellOptions
	rowLabels map[int]map[string]string
}

func newColumnBuilder(l *columnLayout) *columnBuilder {
	return &columnBuilder{layout: l, hasResult: l.kind != jsruntime.ValueText || l.formatOutput != nil || l.labels != nil || l.formatDisplay != nil}
}

// reserve allocates the memory for all cells of a field.
func (c *columnBuilder) reserve(at int, spans []span) {
	rows, size := 0, 0
	for _, s := range spans {
		values := &s.batch.Fields[at].Values
		rows += s.rows()
		for row := s.from; row < s.to; row++ {
			size += len(values.At(row))
		}
	}
	texts := []*intray.Texts{&c.shown}
	if c.hasResult {
		texts = append(texts, &c.result)
		c.kinds = slices.Grow(c.kinds, rows)
	}
	for _, t := range texts {
		t.Arena, t.Ends = slices.Grow(t.Arena, size), slices.Grow(t.Ends, rows)
	}
}

func (c *columnBuilder) appendNull(shown []byte) {
	if !c.hasResult {
		c.hasResult = true
		c.result.AppendRange(&c.shown, 0, c.shown.Len())
		c.kinds = make([]jsruntime.ValueKind, c.shown.Len(), max(c.shown.Len(), cap(c.shown.Ends)))
	}
	c.shown.Append(shown)
	c.result.Append(nil)
	c.kinds = append(c.kinds, jsruntime.ValueNull)
}

func (c *columnBuilder) appendValue(v []byte) {
	labels := c.layout.labels
	if own, has := c.rowLabels[c.shown.Len()]; has {
		labels = own
	}
	c.shown.Append(c.layout.display(v, labels, &c.scratch))
	if c.hasResult {
		c.appendResult(v)
	}
}

func (c *columnBuilder) appendResult(v []byte) {
	c.kinds = append(c.kinds, c.layout.kind)
	if c.layout.formatOutput != nil {
		c.scratch = c.layout.formatOutput(c.scratch[:0], v)
		v = c.scratch
	}
	c.result.Append(v)
}

// appendRawResult appends the raw text as the result value. For a many-to-one field, it
// appends a JSON array.
func (c *columnBuilder) appendRawResult(raw []byte) {
	kind := jsruntime.ValueText
	if c.layout.field.ManyToOne {
		kind = jsruntime.ValueList
	}
	c.kinds = append(c.kinds, kind)
	c.result.Append(raw)
}

// appendPart appends a cell from one column of a many-to-one field.
func (c *columnBuilder) appendPart(cells *intray.Cells, row, part int) {
	var values []json.RawMessage
	var raws []string
	v, parsed := cells.Value(row)
	if !parsed || json.Unmarshal(v, &values) != nil || part >= len(values) {
		c.appendNull(nil)
		return
	}
	if json.Unmarshal(cells.Raw(row), &raws) != nil || part >= len(raws) {
		raws = make([]string, len(values))
	}
	if string(values[part]) == "null" {
		c.appendNull([]byte(raws[part]))
		return
	}
	text := []byte(values[part])
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		text = []byte(plain)
	}
	c.appendValue(text)
}

func (c *columnBuilder) build(infos []jsruntime.CellInfos) jsruntime.Column {
	column := jsruntime.Column{Value: jsruntime.Cells{Texts: &c.shown}, Options: c.options, Infos: infos}
	if c.hasResult {
		column.Result = &jsruntime.Cells{Texts: &c.result, Kinds: c.kinds}
	}
	return column
}

// setOptions sets the select options of individual cells.
func (c *columnBuilder) setOptions(options []jsruntime.CellOptions) {
	if len(options) == 0 {
		return
	}
	c.options, c.rowLabels, c.hasResult = options, map[int]map[string]string{}, true
	for _, cell := range options {
		c.rowLabels[cell.Row] = optionLabels(cell.Options)
	}
}

func optionLabels(options []intray.SelectOption) map[string]string {
	labels := make(map[string]string, len(options))
	for _, o := range options {
		labels[o.Value] = o.Label
	}
	return labels
}

// display returns the displayed text for canonical text.
func (l *columnLayout) display(v []byte, labels map[string]string, scratch *[]byte) []byte {
	switch {
	case l.formatDisplay != nil:
		*scratch = l.formatDisplay((*scratch)[:0], v)
		return *scratch
	case labels == nil:
		return v
	case l.kind == jsruntime.ValueList:
		var list []string
		if json.Unmarshal(v, &list) != nil {
			return v
		}
		for i := range list {
			list[i] = cmp.Or(labels[list[i]], list[i])
		}
		return []byte(strings.Join(list, ", "))
	}
	return []byte(cmp.Or(labels[string(v)], string(v)))
}

// cellInfos returns the messages of the cells in a field, or in one of its columns.
func cellInfos(field, part int, spans []span) (infos []jsruntime.CellInfos) {
	texts := map[intray.Message]string{} // many cells have the same message
	first := 0
	for _, s := range spans {
		problems := s.batch.Problems
		from, _ := slices.BinarySearchFunc(problems, s.from, compareProblemRow)
		to, _ := slices.BinarySearchFunc(problems, s.to, compareProblemRow)
		for _, p := range problems[from:to] {
			if p.Field != field || p.Part != part {
				continue
			}
			text, rendered := texts[p.Text]
			if !rendered {
				text = p.Text.String()
				texts[p.Text] = text
			}
			row, info := first+p.Row-s.from, jsruntime.Info{Message: text, Level: p.Level}
			if n := len(infos); n > 0 && infos[n-1].Row == row {
				infos[n-1].Infos = append(infos[n-1].Infos, info)
				continue
			}
			infos = append(infos, jsruntime.CellInfos{Row: row, Infos: []jsruntime.Info{info}})
		}
		first += s.rows()
	}
	return infos
}

// cellOptions returns the select options of individual cells in a field, or in one of its
// columns.
func cellOptions(field, part int, spans []span) (options []jsruntime.CellOptions) {
	first := 0
	for _, s := range spans {
		all := s.batch.Options
		from, _ := slices.BinarySearchFunc(all, s.from, compareOptionsRow)
		to, _ := slices.BinarySearchFunc(all, s.to, compareOptionsRow)
		for _, o := range all[from:to] {
			if o.Field == field && o.Part == part {
				options = append(options, jsruntime.CellOptions{Row: first + o.Row - s.from, Options: o.Options})
			}
		}
		first += s.rows()
	}
	return options
}

func compareProblemRow(p intray.Problem, row int) int { return p.Row - row }

func compareOptionsRow(o intray.CellOptions, row int) int { return o.Row - row }

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

// span is a run of rows of a batch.
type span struct {
	batch    *intray.Batch
	from, to int
	// rowOffset is how many rows of the same call stand before it.
	rowOffset int
}

// rowNumber is the index of a row, counted from the first of the span.
func (s span) rowNumber(row int) int64 {
	if s.batch.Numbers != nil && s.from+row < len(s.batch.Numbers) {
		return s.batch.Numbers[s.from+row]
	}
	return s.batch.First + int64(s.from+row)
}

// batchSpans are those of whole batches.
func batchSpans(batches []*intray.Batch) (list []span, rows int) {
	for _, b := range batches {
		list = append(list, span{batch: b, to: b.Rows()})
		rows += b.Rows()
	}
	return list, rows
}

// columnLayout is how the cells of a field look to hooks.
type columnLayout struct {
	field intray.Field
	parts int
	// kind is that of a value as it goes out.
	kind jsruntime.ValueKind
	// formatDisplay and write put a canonical text into the forms in which people see it
	// and in which it goes out; nil leaves it.
	formatDisplay, formatOutput func(dst, canonical []byte) []byte
	// labels are those of the options, by their values.
	labels map[string]string
}

func columnLayouts(rows intray.HookRows) ([]columnLayout, error) {
	list := make([]columnLayout, len(rows.Fields))
	for i, f := range rows.Fields {
		one := columnLayout{field: f, parts: rows.Parts[i], kind: valueKind(f)}
		var err error
		if one.formatDisplay, err = celltype.DisplayFormatter(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if one.formatOutput, err = celltype.OutputFormatter(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if one.formatOutput != nil {
			one.kind = jsruntime.ValueText
		}
		if len(f.SelectOptions) > 0 {
			one.labels = optionLabels(f.SelectOptions)
		}
		list[i] = one
	}
	return list, nil
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

// buildColumn makes what hooks see of a field.
func (s *columnLayout) buildColumn(at int, list []span) *jsruntime.Column {
	if !s.field.ManyToOne {
		if column := s.directColumn(at, list); column != nil {
			return column
		}
		c := newColumnBuilder(s)
		c.setOptions(cellOptions(at, 0, list))
		c.reserve(at, list)
		for _, one := range list {
			cells := &one.batch.Fields[at]
			for row := one.from; row < one.to; row++ {
				v, there := cells.Value(row)
				c.appendCell(v, there, cells, row)
			}
		}
		column := c.build()
		column.Infos = cellInfos(at, 0, list)
		return &column
	}
	column := &jsruntime.Column{Parts: make([]jsruntime.Column, s.parts)}
	for part := range s.parts {
		c := newColumnBuilder(s)
		c.setOptions(cellOptions(at, part, list))
		for _, one := range list {
			for row := one.from; row < one.to; row++ {
				c.appendPart(&one.batch.Fields[at], row, part)
			}
		}
		column.Parts[part] = c.build()
		column.Parts[part].Infos = cellInfos(at, part, list)
	}
	return column
}

// directColumn gives the cells of a single span where all are there and go out as they
// are; else nil.
func (s *columnLayout) directColumn(at int, list []span) *jsruntime.Column {
	if len(list) != 1 || list[0].from == list[0].to || newColumnBuilder(s).hasResult || len(list[0].batch.Options) > 0 {
		return nil
	}
	one := list[0]
	cells := &one.batch.Fields[at]
	next, _ := slices.BinarySearch(cells.Nulls, uint32(one.from))
	if next < len(cells.Nulls) && int(cells.Nulls[next]) < one.to {
		return nil
	}
	return &jsruntime.Column{
		Value: jsruntime.Cells{Texts: &cells.Values, From: one.from, To: one.to},
		Infos: cellInfos(at, 0, list),
	}
}

// columnBuilder are gathered row by row.
type columnBuilder struct {
	shape         *columnLayout
	shown, result intray.Texts
	kinds         []jsruntime.ValueKind
	// hasResult says that some result is not what is shown.
	hasResult bool
	scratch   []byte
	// options are those that cells have of their own, by their rows.
	options   []jsruntime.CellOptions
	rowLabels map[int]map[string]string
}

func newColumnBuilder(s *columnLayout) *columnBuilder {
	return &columnBuilder{shape: s, hasResult: s.kind != jsruntime.ValueText || s.formatOutput != nil || s.labels != nil || s.formatDisplay != nil}
}

// reserve makes room for the cells of a field at once.
func (c *columnBuilder) reserve(at int, list []span) {
	rows, size := 0, 0
	for _, one := range list {
		ends := one.batch.Fields[at].Values.Ends
		rows += one.to - one.from
		if one.to > one.from {
			size += int(ends[one.to-1])
			if one.from > 0 {
				size -= int(ends[one.from-1])
			}
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

// separateResult keeps what goes out beside what is shown, from now on.
func (c *columnBuilder) separateResult() {
	if c.hasResult {
		return
	}
	c.hasResult = true
	c.result = intray.Texts{Arena: slices.Clone(c.shown.Arena), Ends: slices.Clone(c.shown.Ends)}
	c.kinds = make([]jsruntime.ValueKind, c.shown.Len(), max(c.shown.Len(), cap(c.shown.Ends)))
}

// appendCell takes a cell: what is shown of it, and what goes out. A cell that could
// not be read shows its raw text and goes out as null.
func (c *columnBuilder) appendCell(v []byte, there bool, from *intray.Cells, row int) {
	if !there {
		c.appendNull(from.Raw(row))
		return
	}
	c.appendValue(v)
}

func (c *columnBuilder) appendNull(raw []byte) {
	c.separateResult()
	c.shown.Append(raw)
	c.result.Append(nil)
	c.kinds = append(c.kinds, jsruntime.ValueNull)
}

func (c *columnBuilder) appendValue(v []byte) {
	labels := c.shape.labels
	if own, has := c.rowLabels[c.shown.Len()]; has {
		labels = own
	}
	c.shown.Append(c.shape.display(v, labels, &c.scratch))
	if c.hasResult {
		c.appendResult(v)
	}
}

func (c *columnBuilder) appendResult(v []byte) {
	c.kinds = append(c.kinds, c.shape.kind)
	if c.shape.formatOutput != nil {
		c.scratch = c.shape.formatOutput(c.scratch[:0], v)
		v = c.scratch
	}
	c.result.Append(v)
}

// appendRaw lets raw text go out; of a field that several columns feed it is the
// list of theirs.
func (c *columnBuilder) appendRaw(raw []byte) {
	c.kinds = append(c.kinds, jsruntime.ValueText)
	if c.shape.field.ManyToOne {
		c.kinds[len(c.kinds)-1] = jsruntime.ValueList
	}
	c.result.Append(raw)
}

// appendPart takes the cell of one column of a field with several.
func (c *columnBuilder) appendPart(from *intray.Cells, row, part int) {
	var values []json.RawMessage
	var raws []string
	v, there := from.Value(row)
	if !there || json.Unmarshal(v, &values) != nil || part >= len(values) {
		c.appendNull(nil)
		return
	}
	if json.Unmarshal(from.Raw(row), &raws) != nil || part >= len(raws) {
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

func (c *columnBuilder) build() jsruntime.Column {
	column := jsruntime.Column{Value: jsruntime.Cells{Texts: &c.shown}, Options: c.options}
	if c.hasResult {
		column.Result = &jsruntime.Cells{Texts: &c.result, Kinds: c.kinds}
	}
	return column
}

// setOptions keeps the options that cells have of their own.
func (c *columnBuilder) setOptions(options []jsruntime.CellOptions) {
	if len(options) == 0 {
		return
	}
	c.options, c.rowLabels, c.hasResult = options, map[int]map[string]string{}, true
	for _, one := range options {
		c.rowLabels[one.Row] = optionLabels(one.Options)
	}
}

func optionLabels(options []intray.SelectOption) map[string]string {
	labels := make(map[string]string, len(options))
	for _, o := range options {
		labels[o.Value] = o.Label
	}
	return labels
}

// display is a canonical text as people see it.
func (s *columnLayout) display(v []byte, labels map[string]string, scratch *[]byte) []byte {
	switch {
	case s.formatDisplay != nil:
		*scratch = s.formatDisplay((*scratch)[:0], v)
		return *scratch
	case labels == nil:
		return v
	case s.kind == jsruntime.ValueList:
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

// cellInfos are the messages that cells carry.
func cellInfos(field, part int, list []span) (infos []jsruntime.CellInfos) {
	first, texts := 0, map[intray.Message]string{}
	for _, one := range list {
		problems := one.batch.Problems
		from, _ := slices.BinarySearchFunc(problems, one.from, compareProblemRow)
		to, _ := slices.BinarySearchFunc(problems, one.to, compareProblemRow)
		for _, p := range problems[from:to] {
			if p.Field != field || p.Part != part {
				continue
			}
			text, known := texts[p.Text] // many cells have the same
			if !known {
				text = p.Text.String()
				texts[p.Text] = text
			}
			row, info := first+p.Row-one.from, jsruntime.Info{Message: text, Level: p.Level}
			if n := len(infos); n > 0 && infos[n-1].Row == row {
				infos[n-1].Infos = append(infos[n-1].Infos, info)
				continue
			}
			infos = append(infos, jsruntime.CellInfos{Row: row, Infos: []jsruntime.Info{info}})
		}
		first += one.to - one.from
	}
	return infos
}

// cellOptions are the options that cells have of their own.
func cellOptions(field, part int, list []span) (options []jsruntime.CellOptions) {
	first := 0
	for _, one := range list {
		all := one.batch.Options
		from, _ := slices.BinarySearchFunc(all, one.from, compareOptionsRow)
		to, _ := slices.BinarySearchFunc(all, one.to, compareOptionsRow)
		for _, o := range all[from:to] {
			if o.Field == field && o.Part == part {
				options = append(options, jsruntime.CellOptions{Row: first + o.Row - one.from, Options: o.Options})
			}
		}
		first += one.to - one.from
	}
	return options
}

func compareProblemRow(p intray.Problem, row int) int { return p.Row - row }

func compareOptionsRow(o intray.CellOptions, row int) int { return o.Row - row }

package script

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
	"github.com/intraydata/intray/internal/value"
)

// span is a run of rows of a batch.
type span struct {
	batch    *intray.Batch
	from, to int
	// ahead is how many rows of the same call stand before it.
	ahead int
}

// number is the index of a row, counted from the first of the span.
func (s span) number(row int) int64 {
	if s.batch.Numbers != nil && s.from+row < len(s.batch.Numbers) {
		return s.batch.Numbers[s.from+row]
	}
	return s.batch.First + int64(s.from+row)
}

// spans are those of whole batches.
func spans(batches []*intray.Batch) (list []span, rows int) {
	for _, b := range batches {
		list = append(list, span{batch: b, to: b.Rows()})
		rows += b.Rows()
	}
	return list, rows
}

// shape is how the cells of a field look to hooks.
type shape struct {
	field intray.Field
	parts int
	// kind is that of a value as it goes out.
	kind realm.ValueKind
	// show and write put a canonical text into the forms in which people see it
	// and in which it goes out; nil leaves it.
	show, write func(dst, canonical []byte) []byte
	// labels are those of the options, by their values.
	labels map[string]string
}

func shapesOf(rows intray.HookRows) ([]shape, error) {
	list := make([]shape, len(rows.Fields))
	for i, f := range rows.Fields {
		one := shape{field: f, parts: rows.Parts[i], kind: kindOf(f)}
		var err error
		if one.show, err = value.Shower(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if one.write, err = value.Writer(f); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		if one.write != nil {
			one.kind = realm.ValueText
		}
		if len(f.SelectOptions) > 0 {
			one.labels = labelsOf(f.SelectOptions)
		}
		list[i] = one
	}
	return list, nil
}

func kindOf(f intray.Field) realm.ValueKind {
	switch f.Type.Name {
	case intray.TypeNumber:
		return realm.ValueNumber
	case intray.TypeCheckbox:
		return realm.ValueBool
	case intray.TypeMultiSelect:
		return realm.ValueList
	}
	return realm.ValueText
}

// column makes what hooks see of a field.
func (s *shape) column(at int, list []span) *realm.Column {
	if !s.field.ManyToOne {
		if column := s.asItIs(at, list); column != nil {
			return column
		}
		c := newCells(s)
		c.takeOptions(optionsOf(at, 0, list))
		c.grow(at, list)
		for _, one := range list {
			cells := &one.batch.Fields[at]
			for row := one.from; row < one.to; row++ {
				v, there := cells.Value(row)
				c.add(v, there, cells, row)
			}
		}
		column := c.column()
		column.Infos = infosOf(at, 0, list)
		return &column
	}
	column := &realm.Column{Parts: make([]realm.Column, s.parts)}
	for part := range s.parts {
		c := newCells(s)
		c.takeOptions(optionsOf(at, part, list))
		for _, one := range list {
			for row := one.from; row < one.to; row++ {
				c.addPart(&one.batch.Fields[at], row, part)
			}
		}
		column.Parts[part] = c.column()
		column.Parts[part].Infos = infosOf(at, part, list)
	}
	return column
}

// asItIs gives the cells of a single span where all are there and go out as they
// are; else nil.
func (s *shape) asItIs(at int, list []span) *realm.Column {
	if len(list) != 1 || list[0].from == list[0].to || newCells(s).differ || len(list[0].batch.Options) > 0 {
		return nil
	}
	one := list[0]
	cells := &one.batch.Fields[at]
	next, _ := slices.BinarySearch(cells.Nulls, uint32(one.from))
	if next < len(cells.Nulls) && int(cells.Nulls[next]) < one.to {
		return nil
	}
	return &realm.Column{
		Value: realm.Cells{Texts: &cells.Values, From: one.from, To: one.to},
		Infos: infosOf(at, 0, list),
	}
}

// cells are gathered row by row.
type cells struct {
	shape         *shape
	shown, result intray.Texts
	kinds         []realm.ValueKind
	// differ says that some result is not what is shown.
	differ  bool
	scratch []byte
	// options are those that cells have of their own, by their rows.
	options []realm.CellOptions
	own     map[int]map[string]string
}

func newCells(s *shape) *cells {
	return &cells{shape: s, differ: s.kind != realm.ValueText || s.write != nil || s.labels != nil || s.show != nil}
}

// grow makes room for the cells of a field at once.
func (c *cells) grow(at int, list []span) {
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
	if c.differ {
		texts = append(texts, &c.result)
		c.kinds = slices.Grow(c.kinds, rows)
	}
	for _, t := range texts {
		t.Arena, t.Ends = slices.Grow(t.Arena, size), slices.Grow(t.Ends, rows)
	}
}

// fork keeps what goes out beside what is shown, from now on.
func (c *cells) fork() {
	if c.differ {
		return
	}
	c.differ = true
	c.result = intray.Texts{Arena: slices.Clone(c.shown.Arena), Ends: slices.Clone(c.shown.Ends)}
	c.kinds = make([]realm.ValueKind, c.shown.Len(), max(c.shown.Len(), cap(c.shown.Ends)))
}

// add takes a cell: what is shown of it, and what goes out. A cell that could
// not be read shows its raw text and goes out as null.
func (c *cells) add(v []byte, there bool, from *intray.Cells, row int) {
	if !there {
		c.addNull(from.Raw(row))
		return
	}
	c.addValue(v)
}

func (c *cells) addNull(raw []byte) {
	c.fork()
	c.shown.Append(raw)
	c.result.Append(nil)
	c.kinds = append(c.kinds, realm.ValueNull)
}

func (c *cells) addValue(v []byte) {
	labels := c.shape.labels
	if own, has := c.own[c.shown.Len()]; has {
		labels = own
	}
	c.shown.Append(c.shape.display(v, labels, &c.scratch))
	if c.differ {
		c.addResult(v)
	}
}

func (c *cells) addResult(v []byte) {
	c.kinds = append(c.kinds, c.shape.kind)
	if c.shape.write != nil {
		c.scratch = c.shape.write(c.scratch[:0], v)
		v = c.scratch
	}
	c.result.Append(v)
}

// addRaw lets raw text go out; of a field that several columns feed it is the
// list of theirs.
func (c *cells) addRaw(raw []byte) {
	c.kinds = append(c.kinds, realm.ValueText)
	if c.shape.field.ManyToOne {
		c.kinds[len(c.kinds)-1] = realm.ValueList
	}
	c.result.Append(raw)
}

// addPart takes the cell of one column of a field with several.
func (c *cells) addPart(from *intray.Cells, row, part int) {
	var values []json.RawMessage
	var raws []string
	v, there := from.Value(row)
	if !there || json.Unmarshal(v, &values) != nil || part >= len(values) {
		c.addNull(nil)
		return
	}
	if json.Unmarshal(from.Raw(row), &raws) != nil || part >= len(raws) {
		raws = make([]string, len(values))
	}
	if string(values[part]) == "null" {
		c.addNull([]byte(raws[part]))
		return
	}
	text := []byte(values[part])
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		text = []byte(plain)
	}
	c.addValue(text)
}

func (c *cells) column() realm.Column {
	column := realm.Column{Value: realm.Cells{Texts: &c.shown}, Options: c.options}
	if c.differ {
		column.Result = &realm.Cells{Texts: &c.result, Kinds: c.kinds}
	}
	return column
}

// takeOptions keeps the options that cells have of their own.
func (c *cells) takeOptions(options []realm.CellOptions) {
	if len(options) == 0 {
		return
	}
	c.options, c.own, c.differ = options, map[int]map[string]string{}, true
	for _, one := range options {
		c.own[one.Row] = labelsOf(one.Options)
	}
}

func labelsOf(options []intray.SelectOption) map[string]string {
	labels := make(map[string]string, len(options))
	for _, o := range options {
		labels[o.Value] = o.Label
	}
	return labels
}

// display is a canonical text as people see it.
func (s *shape) display(v []byte, labels map[string]string, scratch *[]byte) []byte {
	switch {
	case s.show != nil:
		*scratch = s.show((*scratch)[:0], v)
		return *scratch
	case labels == nil:
		return v
	case s.kind == realm.ValueList:
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

// infosOf are the messages that cells carry.
func infosOf(field, part int, list []span) (infos []realm.CellInfos) {
	first, texts := 0, map[intray.Message]string{}
	for _, one := range list {
		problems := one.batch.Problems
		from, _ := slices.BinarySearchFunc(problems, one.from, byRow)
		to, _ := slices.BinarySearchFunc(problems, one.to, byRow)
		for _, p := range problems[from:to] {
			if p.Field != field || p.Part != part {
				continue
			}
			text, known := texts[p.Text] // many cells have the same
			if !known {
				text = p.Text.String()
				texts[p.Text] = text
			}
			row, info := first+p.Row-one.from, realm.Info{Message: text, Level: p.Level}
			if n := len(infos); n > 0 && infos[n-1].Row == row {
				infos[n-1].Infos = append(infos[n-1].Infos, info)
				continue
			}
			infos = append(infos, realm.CellInfos{Row: row, Infos: []realm.Info{info}})
		}
		first += one.to - one.from
	}
	return infos
}

// optionsOf are the options that cells have of their own.
func optionsOf(field, part int, list []span) (options []realm.CellOptions) {
	first := 0
	for _, one := range list {
		all := one.batch.Options
		from, _ := slices.BinarySearchFunc(all, one.from, optionsByRow)
		to, _ := slices.BinarySearchFunc(all, one.to, optionsByRow)
		for _, o := range all[from:to] {
			if o.Field == field && o.Part == part {
				options = append(options, realm.CellOptions{Row: first + o.Row - one.from, Options: o.Options})
			}
		}
		first += one.to - one.from
	}
	return options
}

func byRow(p intray.Problem, row int) int { return p.Row - row }

func optionsByRow(o intray.CellOptions, row int) int { return o.Row - row }

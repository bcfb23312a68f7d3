package draft

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// The fields of the test schema. The schema has validators for single cells, cross-row
// validators, a read-only field, a hidden field and a many-to-one field.
const (
	fName = iota
	fMail
	fCode
	fLeft
	fRight
	fLocked
	fHidden
	fMany
	fieldCount
)

func testFields() []intray.Field {
	with := map[string]any{"uniqueKey": "k"}
	return []intray.Field{
		fName:   {Key: "name", Label: "Name"},
		fMail:   {Key: "mail", Label: "E-Mail", Validators: []intray.Validator{{Rule: "unique"}}},
		fCode:   {Key: "code", Label: "Code", Validators: []intray.Validator{{Rule: "unique_case_insensitive", Level: intray.LevelWarning}}},
		fLeft:   {Key: "left", Label: "Left", Validators: []intray.Validator{{Rule: "unique_with", Options: with}}},
		fRight:  {Key: "right", Label: "Right", Validators: []intray.Validator{{Rule: "unique_with", Options: with}, {Rule: "unique_with", Options: map[string]any{"uniqueKey": "l"}}}},
		fLocked: {Key: "locked", Label: "Locked", ReadOnly: true},
		fHidden: {Key: "hidden", Label: "Hidden", Hidden: true},
		fMany:   {Key: "many", Label: "Many", ManyToOne: true},
	}
}

// testNames returns the names that are displayed for values of the read-only field and the
// many-to-one field.
func testNames() []map[string]string {
	names := map[string]string{"b": "Käse Bad", " b": "Kk", "odd": "odd"} //nolint:gocritic // the space is part of the value
	return []map[string]string{fLocked: names, fMany: names}
}

func testParts() []int { return []int{0, 0, 0, 0, 0, 0, 0, 2} }

// parseTestCell parses a cell of the test schema. Except in the many-to-one field, the value is
// the trimmed raw value, and a raw value that contains "bad" is invalid.
func parseTestCell(field int, raw string) (value string, there bool, problems []intray.Problem) {
	value = strings.TrimSpace(raw)
	switch {
	case field == fMany && raw != "":
		texts := manyTexts(raw)
		for i := range texts {
			texts[i] = strings.ToUpper(texts[i])
		}
		list, _ := json.Marshal(texts)
		return string(list), true, manyProblems(raw)
	case field == fName && value == "":
		problems = append(problems, intray.Problem{Field: field, Code: "required", Text: intray.Literal("required")})
	case strings.Contains(value, "bad"):
		return "", false, []intray.Problem{{Field: field, Code: "format", Text: intray.Literal("invalid")}}
	case strings.Contains(value, "odd"):
		problems = append(problems, intray.Problem{Field: field, Code: "odd", Level: intray.LevelWarning, Text: intray.Literal(value + " is odd")})
	}
	return value, value != "", problems
}

func manyProblems(raw string) (out []intray.Problem) {
	for part, text := range manyTexts(raw) {
		if text == "bad" {
			out = append(out, intray.Problem{Field: fMany, Part: part, Code: "format", Text: intray.Literal("invalid")})
		}
	}
	return out
}

func manyTexts(raw string) []string {
	texts := []string{"", ""}
	if raw != "" {
		_ = json.Unmarshal([]byte(raw), &texts)
	}
	return texts
}

func manyRaw(texts []string) string {
	if strings.TrimSpace(strings.Join(texts, "")) == "" {
		return ""
	}
	raw, _ := json.Marshal(texts)
	return string(raw)
}

// testRevalidator is a Revalidator for the test schema.
type testRevalidator struct{}

func (testRevalidator) BlankRows(first int64, rows int) *intray.Batch {
	b := &intray.Batch{First: first, Lines: make([]int64, rows), Fields: make([]intray.Cells, fieldCount)}
	u := intray.UnmappedCells{Column: 9}
	for range rows {
		for i := range b.Fields {
			b.Fields[i].AppendNull(nil)
		}
		u.Cells.Append(nil)
	}
	b.Unmapped = []intray.UnmappedCells{u}
	return b
}

func (testRevalidator) Change(_ context.Context, b *intray.Batch, edits []Edit) error {
	raws := make([][]string, b.Rows())
	for row := range raws {
		for f := range b.Fields {
			raws[row] = append(raws[row], string(b.Fields[f].Raw(row)))
		}
	}
	for _, e := range edits {
		setRaw(raws[e.Row], e.Field, e.Part, e.Text)
	}
	kept := map[int][]intray.Problem{}
	for _, p := range b.Problems {
		if p.Code == "cell_count" {
			kept[p.Row] = append(kept[p.Row], p)
		}
	}
	b.Problems = nil
	for f := range b.Fields {
		b.Fields[f] = intray.Cells{}
	}
	for row, texts := range raws {
		b.Problems = append(b.Problems, kept[row]...)
		appendParsedRow(b, row, texts)
	}
	return nil
}

// appendParsedRow parses a row of raw values. It appends the cells and problems to a batch.
func appendParsedRow(b *intray.Batch, row int, texts []string) {
	for f, raw := range texts {
		v, there, problems := parseTestCell(f, raw)
		switch {
		case !there:
			b.Fields[f].AppendNull([]byte(raw))
		case v == raw:
			b.Fields[f].AppendValue([]byte(v))
		default:
			b.Fields[f].AppendParsed([]byte(v), []byte(raw))
		}
		for _, p := range problems {
			p.Row = row
			b.Problems = append(b.Problems, p)
		}
	}
}

func setRaw(texts []string, field, part int, text string) {
	if field == fMany {
		parts := manyTexts(texts[fMany])
		parts[part] = text
		text = manyRaw(parts)
	}
	texts[field] = text
}

// modelRow is a row in the model.
type modelRow struct {
	texts   []string
	line    int64
	count   bool // whether the row has the problem cell_count
	version int64
}

// model is a simple reference implementation of a draft.
type model struct {
	rows map[int64]modelRow
	next int64
	seq  int64
	// past holds the rows before each change, and future holds the rows after each undone change.
	past, future []map[int64]modelRow
}

func (m *model) numbers() []int64 { return slices.Sorted(maps.Keys(m.rows)) }

// rowProblems returns the problems of a row, without those of cross-row validators.
func (r modelRow) rowProblems() (out []intray.Problem) {
	if r.count {
		out = append(out, intray.Problem{Field: intray.NoField, Code: "cell_count", Text: intray.Literal("too few cells")})
	}
	for f, raw := range r.texts {
		_, _, problems := parseTestCell(f, raw)
		out = append(out, problems...)
	}
	return out
}

// tableRule is a reference implementation of a cross-row validator.
type tableRule struct {
	problem intray.Problem
	key     func(values []string) string
}

func tableRules() []tableRule {
	one := func(f int) func([]string) string { return func(v []string) string { return v[f] } }
	both := func(v []string) string {
		if v[fLeft]+v[fRight] == "" {
			return ""
		}
		return v[fLeft] + "\x00" + v[fRight]
	}
	return []tableRule{
		{intray.Problem{Field: fMail, Code: "unique"}, one(fMail)},
		{intray.Problem{Field: fCode, Code: "unique_case_insensitive", Level: intray.LevelWarning}, func(v []string) string { return string(foldReference(v[fCode])) }},
		{intray.Problem{Field: fLeft, Code: "unique_with"}, both},
		{intray.Problem{Field: fRight, Code: "unique_with"}, both},
		{intray.Problem{Field: fRight, Code: "unique_with"}, one(fRight)},
	}
}

// duplicateRows returns, for each cross-row validator, the rows that violate it.
func (m *model) duplicateRows() [][]int64 {
	out := make([][]int64, len(tableRules()))
	for i, rule := range tableRules() {
		groups := map[string][]int64{}
		for _, n := range m.numbers() {
			values := make([]string, fieldCount)
			for f, raw := range m.rows[n].texts {
				values[f], _, _ = parseTestCell(f, raw)
			}
			if k := rule.key(values); k != "" {
				groups[k] = append(groups[k], n)
			}
		}
		for _, g := range groups {
			if len(g) > 1 {
				out[i] = append(out[i], g...)
			}
		}
		slices.Sort(out[i])
	}
	return out
}

// problems returns the problems of each row without their messages.
func (m *model) problems() map[int64][]intray.Problem {
	out := map[int64][]intray.Problem{}
	for n, r := range m.rows {
		for _, p := range r.rowProblems() {
			p.Text = intray.Literal("")
			out[n] = append(out[n], p)
		}
	}
	for i, rows := range m.duplicateRows() {
		for _, n := range rows {
			out[n] = append(out[n], tableRules()[i].problem)
		}
	}
	for _, list := range out {
		sortProblems(list)
	}
	return out
}

func sortProblems(list []intray.Problem) {
	slices.SortFunc(list, func(a, b intray.Problem) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Level, b.Level))
	})
}

// formatModel formats rows of the model for comparison with the result of formatRows.
func (m *model) formatModel(numbers []int64, problems map[int64][]intray.Problem) (out []string) {
	for _, n := range numbers {
		r := m.rows[n]
		line := fmt.Sprintf("%d v%d line %d:", n, r.version, r.line)
		for f, raw := range r.texts {
			v, there, _ := parseTestCell(f, raw)
			line += fmt.Sprintf(" %q/%q/%v", raw, v, there)
		}
		out = append(out, line+fmt.Sprint(problems[n]))
	}
	return out
}

// matches reports whether a row of the model matches a filter.
func (m *model) matches(n int64, f Filter, problems map[int64][]intray.Problem) bool {
	any, matching := false, false
	for _, p := range problems[n] {
		any = any || p.Level == intray.LevelError
		level := f.Show < Errors || f.Show > Infos || p.Level == intray.Level(f.Show-Errors)
		matching = matching || level && (f.Field == nil || *f.Field == p.Field) && (f.Code == "" || f.Code == p.Code)
	}
	if f.Show == Valid && any || (f.Field != nil || f.Code != "" || f.Show != All && f.Show != Valid) && !matching {
		return false
	}
	return f.Search == "" || m.containsText(n, f)
}

func (m *model) containsText(n int64, f Filter) bool {
	for field, raw := range m.rows[n].texts {
		if f.In != nil && *f.In != field || f.In == nil && field == fHidden {
			continue
		}
		v, _, _ := parseTestCell(field, raw)
		shown := []string{v, raw}
		if field == fMany {
			shown = append(manyTexts(v), manyTexts(raw)...)
		}
		for _, text := range modelCells(m.rows[n].texts, field) {
			shown = append(shown, testNames()[field][text])
		}
		for _, text := range shown {
			if bytes.Contains(foldReference(text), foldReference(f.Search)) {
				return true
			}
		}
	}
	return false
}

func foldReference(text string) []byte { return []byte(strings.ToLower(strings.ToUpper(text))) }

func (m *model) filtered(f Filter, problems map[int64][]intray.Problem) (out []int64) {
	for _, n := range m.numbers() {
		if m.matches(n, f, problems) {
			out = append(out, n)
		}
	}
	return out
}

// recordChange starts a change and returns the number of the change.
func (m *model) recordChange() int64 {
	m.past = append(m.past, m.clone())
	m.future = nil
	m.seq++
	return m.seq
}

func (m *model) clone() map[int64]modelRow {
	out := map[int64]modelRow{}
	for n, r := range m.rows {
		r.texts = slices.Clone(r.texts)
		out[n] = r
	}
	return out
}

// eachText replaces each cell in the given fields and rows with the result of do.
// This is one change. It returns the number of changed cells.
func (m *model) eachText(numbers []int64, fields []int, do func(text string) string) (cells int64) {
	after := m.clone()
	for _, n := range numbers {
		r := after[n]
		changed := false
		for _, f := range fields {
			for part, text := range modelCells(r.texts, f) {
				if to := do(text); to != text {
					setRaw(r.texts, f, part, to)
					cells++
					changed = true
				}
			}
		}
		if changed {
			r.version = m.seq + 1
			after[n] = r
		}
	}
	if cells > 0 {
		m.recordChange()
		m.rows = after
	}
	return cells
}

func modelCells(texts []string, field int) []string {
	if field == fMany {
		return manyTexts(texts[fMany])
	}
	return []string{texts[field]}
}

func (testRevalidator) Deleted(context.Context, iter.Seq2[*intray.Batch, error]) error { return nil }

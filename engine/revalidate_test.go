package engine_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// keptRows keeps a copy of the one batch of a small file.
type keptRows struct{ batch *intray.Batch }

func (k *keptRows) StageBatch(b *intray.Batch) (func() error, error) {
	copied := &intray.Batch{First: b.First, Lines: slices.Clone(b.Lines), Problems: slices.Clone(b.Problems), Fields: make([]intray.Cells, len(b.Fields))}
	for f := range b.Fields {
		for row := range b.Rows() {
			v, there := b.Fields[f].Value(row)
			raw := slices.Clone(b.Fields[f].Raw(row))
			switch {
			case !there:
				copied.Fields[f].AppendNull(raw)
			case bytes.Equal(v, raw):
				copied.Fields[f].AppendValue(raw)
			default:
				copied.Fields[f].AppendParsed(slices.Clone(v), raw)
			}
		}
	}
	k.batch = copied
	return func() error { return nil }, nil
}

// reviewSchema has fields of most kinds, with rules on single cells, on rows and on
// all rows, and one that two columns feed.
func reviewSchema() *intray.Schema {
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "required"}, {Rule: "length", Options: map[string]any{"max": 8}}}},
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}, Validators: []intray.Validator{{Rule: "unique"}}},
		{Key: "born", Label: "Born", Type: intray.FieldType{Name: intray.TypeDate}},
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}, Validators: []intray.Validator{{Rule: "require_with", Options: map[string]any{"fields": []any{"born"}}}}},
		{Key: "kind", Label: "Kind", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{{Label: "Private", Value: "p"}, {Label: "Company", Value: "c"}}},
		{Key: "score", Label: "Score", Type: intray.FieldType{Name: intray.TypeNumber}, ManyToOne: true, AlternateMatches: []string{"Score 1", "Score 2"}},
		{Key: "nobody", Label: "Nobody", Type: intray.FieldType{Name: intray.TypeString}},
	}}
}

var reviewHeader = []string{"Name", "E-Mail", "Born", "Amount", "Kind", "Score 1", "Score 2"}

// reviewCells are cells of each column. The first rows of a file decide how dates
// and numbers are read, whatever is edited later.
var reviewCells = [][]string{
	{"Ada", "", "Bartholomew", " Cy "},
	{"a@example.org", "b@example.org", "nobody", "", " c@example.org"},
	{"31.12.1990", "1.2.1991", "1991-03-04", "32.1.1990", ""},
	{"1.234,56", "7", "-0,5", "much", ""},
	{"Private", "company", "c", "Compny", "x", ""},
	{"1,5", "2", "", "two"},
	{"3", "4,25", "", "four"},
}

// decided is a row that decides the columns, which nobody edits.
var decided = []string{"First", "z@example.org", "31.12.1990", "1.234,56", "p", "1,5", "2,5"}

// imported runs a file and gives its rows and outcome.
func imported(t *rapid.T, schema *intray.Schema, rows [][]string) (engine.Import, *engine.Engine, *engine.Outcome, *intray.Batch) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	_ = w.Write(reviewHeader)
	_ = w.WriteAll(rows)
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats("")})
	kept := &keptRows{}
	imp := engine.Import{Input: source.Input{Name: "f.csv", ReaderAt: bytes.NewReader(text.Bytes()), Size: int64(text.Len())}, Schema: schema}
	out, err := e.Run(t.Context(), imp, func([]string, []int) (engine.Sink, error) { return kept, nil })
	if err != nil || kept.batch == nil {
		t.Fatalf("%v, %+v", err, out)
	}
	return imp, e, out, kept.batch
}

// TestRevalidator edits cells of staged rows and wants what an import of a file with
// these cells gives: values, raw texts and problems.
func TestRevalidator(t *testing.T) {
	schema := reviewSchema()
	rapid.Check(t, func(t *rapid.T) {
		rows := [][]string{decided}
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			var row []string
			for c := range reviewCells {
				row = append(row, rapid.SampledFrom(reviewCells[c]).Draw(t, reviewHeader[c]))
			}
			rows = append(rows, row)
		}
		imp, e, out, staged := imported(t, schema, rows)
		revalidator, err := e.Reopen(imp, out)
		if err != nil {
			t.Fatal(err)
		}
		var edits []engine.Edit
		edited := [][]string{decided}
		for _, row := range rows[1:] {
			edited = append(edited, slices.Clone(row))
		}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			row := rapid.IntRange(1, len(rows)-1).Draw(t, "row")
			column := rapid.IntRange(0, len(reviewCells)-1).Draw(t, "column")
			text := rapid.SampledFrom(reviewCells[column]).Draw(t, "text")
			edits = append(edits, engine.Edit{Row: row, Field: min(column, 5), Part: max(0, column-5), Text: text})
			edited[row][column] = text
		}
		if err := revalidator.Change(t.Context(), staged, edits); err != nil {
			t.Fatal(err)
		}
		_, _, _, want := imported(t, schema, edited)
		if diff := cmp.Diff(shownRows(want), shownRows(staged), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("edited file (-) and edited rows (+):\n%s", diff)
		}
	})
}

// shownRows are all cells with their raw text and their problems, but those of
// rules about all rows.
func shownRows(b *intray.Batch) (lines []string) {
	for row := range b.Rows() {
		for f := range b.Fields {
			v, there := b.Fields[f].Value(row)
			lines = append(lines, fmt.Sprintf("%d %d: %q %v raw %q", row, f, v, there, b.Fields[f].Raw(row)))
		}
	}
	for _, p := range b.Problems {
		if !strings.HasPrefix(p.Code, "unique") {
			lines = append(lines, fmt.Sprintf("%+v", p))
		}
	}
	return lines
}

// TestRevalidatorRows wants rows that a person adds to begin empty, with what is wrong
// with empty rows, and edits beyond the rows to be refused.
func TestRevalidatorRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		imp, e, out, _ := imported(rt, reviewSchema(), [][]string{decided})
		revalidator, err := e.Reopen(imp, out)
		if err != nil {
			rt.Fatal(err)
		}
		b := revalidator.BlankRows(7, 2)
		if v, there := b.Fields[0].Value(0); !there || len(v) != 0 {
			rt.Errorf("an empty cell of text is %q, %v; that of a file is \"\"", v, there)
		}
		if err := revalidator.Change(rt.Context(), b, []engine.Edit{{Row: 1, Field: 0, Text: "New"}, {Row: 1, Field: 6, Text: "by nobody"}}); err != nil {
			rt.Fatal(err)
		}
		if v, _ := b.Fields[0].Value(1); string(v) != "New" || len(b.Problems) != 1 || b.Problems[0].Row != 0 || b.Problems[0].Code != "required" {
			rt.Errorf("added rows: %q, %+v", v, b.Problems)
		}
		for _, edit := range []engine.Edit{{Row: 2}, {Row: -1}, {Field: 7}, {Field: 5, Part: 2}, {Field: -1}} {
			if err := revalidator.Change(rt.Context(), revalidator.BlankRows(0, 2), []engine.Edit{edit}); err == nil {
				rt.Errorf("the edit %+v was taken", edit)
			}
		}
	})
}

// TestRevalidatorHooks lets hooks see the rows that a person has changed, and what they
// give is read and checked.
func TestRevalidatorHooks(t *testing.T) {
	fails := false
	deletedRows := 0
	hooks := played{
		update: func(rows *intray.Batch) ([]intray.Change, error) {
			if fails {
				return nil, &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
			}
			name, _ := rows.Fields[0].Value(0)
			upper, none := strings.ToUpper(string(name)), "no number"
			return []intray.Change{
				{Row: 0, Field: 0, HasValue: true, Value: &upper},
				{Row: 0, Field: 1, HasValue: true, Value: &none, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "seen"}}},
			}, nil
		},
		rows:    func(*intray.Batch) ([]intray.Change, error) { return nil, nil },
		deleted: func(rows *intray.Batch) error { deletedRows += rows.Rows(); return nil },
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: intray.Hooks{Row: []string{"row"}, RowDelete: []string{"gone"}}, Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}},
	}}
	file := "Name,Amount\nada,1\nbob,2\n"
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.open})
	kept := &keptRows{}
	imp := engine.Import{Input: source.Input{Name: "f.csv", ReaderAt: strings.NewReader(file), Size: int64(len(file))}, Schema: schema}
	out, err := e.Run(t.Context(), imp, func([]string, []int) (engine.Sink, error) { return kept, nil })
	if err != nil {
		t.Fatal(err)
	}
	revalidator, err := e.Reopen(imp, out)
	if err != nil {
		t.Fatal(err)
	}
	defer revalidator.Close()
	if err := revalidator.Change(t.Context(), kept.batch, []engine.Edit{{Row: 1, Field: 0, Text: "eve"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`0 0: "ADA" true raw "ada"`, `0 1: "" false raw "no number"`, `1 0: "eve" true raw "eve"`, `1 1: "2" true raw "2"`,
	}
	lines := shownRows(kept.batch)
	if diff := cmp.Diff(want, lines[:4]); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		field    int
		raw, v   string
		wantMade bool
	}{{0, "ada", "ADA", true}, {0, "eve", "eve", false}, {1, "1.234,5", "1234.5", false}, {1, "2", "3", true}, {1, "much", "3", true}, {1, "", "3", true}, {7, "a", "b", false}} {
		if made := revalidator.ValueDiffers(c.field, c.raw, c.v); made != c.wantMade {
			t.Errorf("that a hook made %q of %q: %v", c.v, c.raw, made)
		}
	}
	if got := strings.Join(lines[4:], "\n"); !strings.Contains(got, "Code:number") || !strings.Contains(got, "Text:seen") {
		t.Errorf("the problems are\n%s", got)
	}
	if err := revalidator.Deleted(t.Context(), func(yield func(*intray.Batch, error) bool) { yield(kept.batch, nil) }); err != nil || deletedRows != 2 {
		t.Errorf("told of %d deleted rows, %v", deletedRows, err)
	}
	fails = true
	if err := revalidator.Change(t.Context(), kept.batch, nil); err == nil || !strings.Contains(err.Error(), "rowHooks[0]") {
		t.Errorf("a hook that fails: %v", err)
	}
}

package revalidate_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/engine/enginetest"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/server/revalidate"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// reviewSchema returns a schema with fields of most types, a many-to-one field, and validators
// for cells, rows and whole tables.
func reviewSchema() *intray.Schema {
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "required"}, {Rule: "length", Options: map[string]any{"max": 8}}}},
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}, Validators: []intray.Validator{{Rule: "unique"}}},
		{Key: "born", Label: "Born", Type: intray.FieldType{Name: intray.TypeDate}},
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}, Validators: []intray.Validator{{Rule: "require_with", Options: map[string]any{"fields": []any{"born"}}}}},
		{Key: "kind", Label: "Kind", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{{Label: "Private", Value: "p"}, {Label: "Company", Value: "c"}}},
		{Key: "score", Label: "Score", Type: intray.FieldType{Name: intray.TypeNumber}, ManyToOne: true, AlternateMatches: []string{"Score 1", "Score 2"}},
		{Key: "unmapped", Label: "Unmapped", Type: intray.FieldType{Name: intray.TypeString}},
	}}
}

var reviewHeader = []string{"Name", "E-Mail", "Born", "Amount", "Kind", "Score 1", "Score 2"}

// reviewCells lists possible raw values for each column. They do not affect the date and number
// formats, which formatRow determines.
var reviewCells = [][]string{
	{"Ada", "", "Bartholomew", " Cy "},
	{"a@example.org", "b@example.org", "nobody", "", " c@example.org"},
	{"31.12.1990", "1.2.1991", "1991-03-04", "32.1.1990", ""},
	{"1.234,56", "7", "-0,5", "much", ""},
	{"Private", "company", "c", "Compny", "x", ""},
	{"1,5", "2", "", "two"},
	{"3", "4,25", "", "four"},
}

// formatRow is the first row of each file. It determines the date and number formats.
var formatRow = []string{"First", "z@example.org", "31.12.1990", "1.234,56", "p", "1,5", "2,5"}

// runImport runs an import of the given rows. It returns the staged rows and the outcome.
func runImport(t *rapid.T, schema *intray.Schema, rows [][]string) (engine.Import, *engine.Engine, *engine.Outcome, *intray.Batch) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	_ = w.Write(reviewHeader)
	_ = w.WriteAll(rows)
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats("")})
	sink := &enginetest.BatchRecorder{}
	imp := engine.Import{Input: source.Input{Name: "f.csv", ReaderAt: bytes.NewReader(text.Bytes()), Size: int64(text.Len())}, Schema: schema}
	out, err := e.Run(t.Context(), imp, func([]string, []int) (engine.Sink, error) { return sink, nil })
	if err != nil || sink.Batch == nil {
		t.Fatalf("%v, %+v", err, out)
	}
	return imp, e, out, sink.Batch
}

// TestRevalidator checks that editing staged rows has the same result as importing a
// file that contains the edits.
func TestRevalidator(t *testing.T) {
	schema := reviewSchema()
	rapid.Check(t, func(t *rapid.T) {
		rows := [][]string{formatRow}
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			var row []string
			for c := range reviewCells {
				row = append(row, rapid.SampledFrom(reviewCells[c]).Draw(t, reviewHeader[c]))
			}
			rows = append(rows, row)
		}
		imp, e, out, staged := runImport(t, schema, rows)
		revalidator, err := revalidate.Open(e, imp, out)
		if err != nil {
			t.Fatal(err)
		}
		var edits []rowplan.Edit
		edited := [][]string{formatRow}
		for _, row := range rows[1:] {
			edited = append(edited, slices.Clone(row))
		}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			row := rapid.IntRange(1, len(rows)-1).Draw(t, "row")
			column := rapid.IntRange(0, len(reviewCells)-1).Draw(t, "column")
			text := rapid.SampledFrom(reviewCells[column]).Draw(t, "text")
			edits = append(edits, rowplan.Edit{Row: row, Field: min(column, 5), Part: max(0, column-5), Text: text})
			edited[row][column] = text
		}
		old := &intray.Batch{Lines: staged.Lines, Fields: slices.Clone(staged.Fields)}
		before := enginetest.FormatRows(old)
		if err := revalidator.Change(t.Context(), staged, edits); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, enginetest.FormatRows(old), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the edits changed the columns that the batch had before:\n%s", diff)
		}
		_, _, _, want := runImport(t, schema, edited)
		if diff := cmp.Diff(enginetest.FormatRows(want), enginetest.FormatRows(staged), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("edited file (-) and edited rows (+):\n%s", diff)
		}
	})
}

// TestBlankRows checks that rows can be added, and that edits outside the batch are rejected.
func TestBlankRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		imp, e, out, _ := runImport(rt, reviewSchema(), [][]string{formatRow})
		revalidator, err := revalidate.Open(e, imp, out)
		if err != nil {
			rt.Fatal(err)
		}
		b := revalidator.BlankRows(7, 2)
		if v, there := b.Fields[0].Value(0); !there || len(v) != 0 {
			rt.Errorf("blank text cell: got %q, %v, want an empty value", v, there)
		}
		if err := revalidator.Change(rt.Context(), b, []rowplan.Edit{{Row: 1, Field: 0, Text: "New"}, {Row: 1, Field: 6, Text: "unmapped"}}); err != nil {
			rt.Fatal(err)
		}
		if v, _ := b.Fields[0].Value(1); string(v) != "New" || len(b.Problems) != 1 || b.Problems[0].Row != 0 || b.Problems[0].Code != "required" {
			rt.Errorf("blank rows after an edit: %q, %+v", v, b.Problems)
		}
		for _, edit := range []rowplan.Edit{{Row: 2}, {Row: -1}, {Field: 7}, {Field: 5, Part: 2}, {Field: -1}} {
			if err := revalidator.Change(rt.Context(), revalidator.BlankRows(0, 2), []rowplan.Edit{edit}); err == nil {
				rt.Errorf("edit %+v: want an error", edit)
			}
		}
	})
}

// TestRevalidatorHooks checks that hooks run on edited rows and that their changes are validated.
func TestRevalidatorHooks(t *testing.T) {
	fails := false
	deletedRows := 0
	hooks := fakeHooks{
		update: func(rows *intray.Batch) ([]intray.Change, error) {
			if fails {
				return nil, &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
			}
			name, _ := rows.Fields[0].Value(0)
			upper, invalid := strings.ToUpper(string(name)), "no number"
			return []intray.Change{
				{Row: 0, Field: 0, HasValue: true, Value: &upper},
				{Row: 0, Field: 1, HasValue: true, Value: &invalid, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "seen"}}},
			}, nil
		},
		deleted: func(rows *intray.Batch) error { deletedRows += rows.Rows(); return nil },
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: intray.Hooks{Row: []string{"row"}, RowDelete: []string{"gone"}}, Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}},
	}}
	file := "Name,Amount\nada,1\nbob,2\n"
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.load})
	sink := &enginetest.BatchRecorder{}
	imp := engine.Import{Input: source.Input{Name: "f.csv", ReaderAt: strings.NewReader(file), Size: int64(len(file))}, Schema: schema}
	out, err := e.Run(t.Context(), imp, func([]string, []int) (engine.Sink, error) { return sink, nil })
	if err != nil {
		t.Fatal(err)
	}
	revalidator, err := revalidate.Open(e, imp, out)
	if err != nil {
		t.Fatal(err)
	}
	defer revalidator.Close()
	if err := revalidator.Change(t.Context(), sink.Batch, []rowplan.Edit{{Row: 1, Field: 0, Text: "eve"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`0 0: "ADA" true raw "ada"`, `0 1: "" false raw "no number"`, `1 0: "eve" true raw "eve"`, `1 1: "2" true raw "2"`,
	}
	lines := enginetest.FormatRows(sink.Batch)
	if diff := cmp.Diff(want, lines[:4]); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		field  int
		raw, v string
		want   bool
	}{{0, "ada", "ADA", true}, {0, "eve", "eve", false}, {1, "1.234,5", "1234.5", false}, {1, "2", "3", true}, {1, "much", "3", true}, {1, "", "3", true}, {7, "a", "b", false}} {
		if got := revalidator.ValueDiffers(c.field, c.raw, c.v); got != c.want {
			t.Errorf("ValueDiffers for value %q of %q: got %v", c.v, c.raw, got)
		}
	}
	if got := strings.Join(lines[4:], "\n"); !strings.Contains(got, "Code:number") || !strings.Contains(got, "Text:seen") {
		t.Errorf("problems:\n%s", got)
	}
	if err := revalidator.Deleted(t.Context(), func(yield func(*intray.Batch, error) bool) { yield(sink.Batch, nil) }); err != nil || deletedRows != 2 {
		t.Errorf("hook got %d deleted rows, want 2: %v", deletedRows, err)
	}
	fails = true
	if err := revalidator.Change(t.Context(), sink.Batch, nil); err == nil || !strings.Contains(err.Error(), "rowHooks[0]") {
		t.Errorf("failing hook: %v", err)
	}
}

// fakeHooks is a HookRunner that calls Go functions.
type fakeHooks struct {
	engine.HookRunner
	update  func(rows *intray.Batch) ([]intray.Change, error)
	deleted func(rows *intray.Batch) error
}

func (h fakeHooks) load(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) {
	return h, nil
}

func (h fakeHooks) RunRows(_ context.Context, _ int, rows intray.HookRows) ([]intray.Change, error) {
	if !rows.Update { // called by the import, not by an edit
		return nil, nil
	}
	return h.update(rows.Batches[0])
}

func (h fakeHooks) NotifyDeleted(_ context.Context, rows intray.HookRows) error {
	return h.deleted(rows.Batches[0])
}

func (fakeHooks) Close() error { return nil }

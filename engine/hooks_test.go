package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/engine/enginetest"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// goHooks runs Go functions as hooks. A nil function changes nothing.
type goHooks struct {
	step   func(call intray.StepCall) (intray.StepChanges, error)
	column func(hook int, rows []*intray.Batch) ([]intray.Change, error)
	bulk   func(rows []*intray.Batch) ([]intray.Change, error)
	rows   func(rows *intray.Batch) ([]intray.Change, error)
	each   func(hook int, rows *intray.Batch) ([]intray.Change, error)
	finish func(rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (*string, error)
}

func (h goHooks) open(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) {
	return h, nil
}

func (h goHooks) RunStep(ctx context.Context, call intray.StepCall) (intray.StepChanges, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if h.step == nil {
		return nil, nil
	}
	return h.step(call)
}

func (h goHooks) RunColumn(_ context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	if h.column == nil {
		return nil, nil
	}
	return h.column(hook, rows.Batches)
}

func (h goHooks) RunBulk(_ context.Context, _ int, rows intray.HookRows) ([]intray.Change, error) {
	if h.bulk == nil {
		return nil, nil
	}
	return h.bulk(rows.Batches)
}

func (h goHooks) RunRows(_ context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	if h.each != nil {
		return h.each(hook, rows.Batches[0])
	}
	if h.rows == nil {
		return nil, nil
	}
	return h.rows(rows.Batches[0])
}

func (h goHooks) Finish(_ context.Context, _ *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (*string, error) {
	if h.finish == nil {
		return nil, nil
	}
	return h.finish(rows, about)
}

func (goHooks) NotifyDeleted(context.Context, intray.HookRows) error { return nil }

func (goHooks) Close() error { return nil }

// everyHook has a row hook, a bulk hook, a column hook and a hook for each step.
var everyHook = intray.Hooks{
	Row: []string{"row"}, BulkRow: []string{"bulk"}, Column: []intray.ColumnHook{{Field: "amount", Source: "column"}},
	Step: []intray.StepHook{{Step: intray.UploadStep}, {Step: intray.ReviewStep}, {Step: intray.ReviewStepPost}},
}

// importWithHooks imports a file with hooks, and returns the result and the problems.
func importWithHooks(t *testing.T, hooks goHooks, file string) (out *engine.Outcome, rows, found string) {
	t.Helper()
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: everyHook, Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "required"}}},
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}, Validators: []intray.Validator{{Rule: "required"}}},
		{Key: "tags", Label: "Tag", Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: true},
	}}
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidRows
	s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
	e := engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: hooks.open})
	out, err := e.Run(t.Context(), engine.Import{
		Input:  inputOf("list.csv", file),
		Schema: schema, Answers: intray.Answers{"column:tags": "2,3"},
	}, s.open)
	if err != nil {
		t.Fatal(err)
	}
	if out.Verdict == engine.Broken || s.writer == nil {
		return out, "", ""
	}
	staged := s.openStage(t)
	if out.Fields != nil {
		schema.Fields = out.Fields
	}
	var text strings.Builder
	if _, err := output.Write(t.Context(), &text, output.NDJSON, schema, staged.Batches(t.Context())); err != nil {
		t.Fatal(err)
	}
	return out, text.String(), formatProblems(t, schema, staged)
}

const listFile = "Name,Amount,Tag 1,Tag 2\nada,1,x,y\nbob,two,,\ncy,,z,\n"

func textOf(s string) *string { return &s }

func TestRowHooksChangeCells(t *testing.T) {
	hooks := goHooks{rows: func(b *intray.Batch) (changes []intray.Change, err error) {
		for row := range b.Rows() {
			name, _ := b.Fields[0].Value(row)
			changes = append(changes, intray.Change{Row: row, Field: 0, HasValue: true, Value: textOf(strings.ToUpper(string(name)))})
		}
		return append(changes,
			intray.Change{Row: 1, Field: 1, HasValue: true, Value: textOf("2.50")},
			intray.Change{Row: 2, Field: 1, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelWarning, Text: "No amount?"}}},
			intray.Change{Row: 0, Field: 1, HasValue: true, Value: textOf("none")},
			intray.Change{Row: 0, Field: 2, Part: 1, HasValue: true},
			intray.Change{Row: 1, Field: 2, Part: 1, HasValue: true, Value: textOf("first")},
			intray.Change{Row: 2, Field: 2, Part: 1, HasValue: true, Value: textOf("new")}), nil
	}}
	_, rows, found := importWithHooks(t, hooks, listFile)
	want := `{"name":"ADA","amount":null,"tags":["x",null]}
{"name":"BOB","amount":2.50,"tags":["","first"]}
{"name":"CY","amount":null,"tags":["z","new"]}
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "2.50", "2.5"), rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantFound := "line 2, row 0, amount: error number\nline 4, row 2, amount: warning hook\nline 4, row 2, amount: error required\n"
	if diff := cmp.Diff(wantFound, found); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestChangesOfUnknownCells checks that a change to a cell that does not exist ends the import
// immediately and that no later hook is called.
func TestChangesOfUnknownCells(t *testing.T) {
	for name, change := range map[string]intray.Change{
		"no such field":          {Field: 3, HasValue: true, Value: textOf("x")},
		"a negative field":       {Field: -1, HasValue: true, Value: textOf("x")},
		"no such column":         {Field: 2, Part: 2, HasInfos: true},
		"a column of a field":    {Field: 1, Part: 1, HasValue: true},
		"only the later of many": {Row: 2, Field: 7, HasInfos: true},
	} {
		for _, kind := range []string{"column", "bulk"} {
			t.Run(kind+", "+name, func(t *testing.T) {
				var calls []string
				call := func(this string) ([]intray.Change, error) {
					calls = append(calls, this)
					if this == kind {
						return []intray.Change{{HasInfos: true}, change}, nil
					}
					return nil, nil
				}
				hooks := goHooks{
					column: func(int, []*intray.Batch) ([]intray.Change, error) { return call("column") },
					bulk:   func([]*intray.Batch) ([]intray.Change, error) { return call("bulk") },
					rows:   func(*intray.Batch) ([]intray.Change, error) { return call("rows") },
				}
				schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: everyHook, Fields: []intray.Field{
					{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
					{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}},
					{Key: "tags", Label: "Tag", Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: true},
				}}
				s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
				e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.open})
				_, err := e.Run(t.Context(), engine.Import{
					Input:  inputOf("list.csv", listFile),
					Schema: schema, Answers: intray.Answers{"column:tags": "2,3"},
				}, s.open)
				var failed *intray.HookError
				if err == nil || errors.As(err, &failed) {
					t.Errorf("got %v, want an error that is not a HookError", err)
				}
				want := []string{"column", "bulk"}[:slices.Index([]string{"column", "bulk"}, kind)+1]
				if diff := cmp.Diff(want, calls); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestHooksSetNumbers checks that a number that a hook sets is parsed with a decimal point,
// regardless of the number format of the column. If the cell could not be parsed before the
// hook ran, the new value may still be ambiguous.
func TestHooksSetNumbers(t *testing.T) {
	file := "Name;Amount;Tag 1;Tag 2\nada;1,5;x;y\nbob;1.234,5;;\ncy;12,25;z;\ndi;;;\ned;much;;\nfay;more;;\n"
	given := []string{"2.125", "-2.125 ", "2,125", "0.125", "2.125", "2.5"}
	hooks := goHooks{
		step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != intray.ReviewStep {
				return nil, nil
			}
			return intray.StepChanges{{AddRows: []intray.AddedRow{{ID: "n", Cells: map[string]string{"name": "new", "amount": "3.125"}}}}}, nil
		},
		rows: func(b *intray.Batch) (changes []intray.Change, err error) {
			for row := range min(b.Rows(), len(given)) {
				if name, _ := b.Fields[0].Value(row); string(name) != "new" {
					changes = append(changes, intray.Change{Row: row, Field: 1, HasValue: true, Value: &given[row]})
				}
			}
			return changes, nil
		},
	}
	out, rows, found := importWithHooks(t, hooks, file)
	want := `{"name":"ada","amount":2.125,
{"name":"bob","amount":-2.125,
{"name":"cy","amount":2.125,
{"name":"di","amount":0.125,
{"name":"ed","amount":null,
{"name":"fay","amount":2.5,
{"name":"new","amount":3.125,
`
	var got strings.Builder
	for line := range strings.Lines(rows) {
		before, _, _ := strings.Cut(line, `"tags"`)
		got.WriteString(before + "\n")
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("rows (-want +got):\n%s\n%v", diff, out)
	}
	if diff := cmp.Diff("line 6, row 4, amount: error number\n", found); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestHooksEmptyCells checks that validators and later hooks receive an empty cell after a
// hook empties it, and the raw text after a hook sets an invalid value.
func TestHooksEmptyCells(t *testing.T) {
	hooks := goHooks{
		column: func(int, []*intray.Batch) ([]intray.Change, error) {
			return []intray.Change{
				{Row: 0, Field: 1, HasValue: true},
				{Row: 1, Field: 1, HasValue: true, Value: textOf(" ")},
				{Row: 2, Field: 1, HasValue: true, Value: textOf("much")},
				{Row: 2, Field: 0, HasValue: true, Value: textOf("")},
			}, nil
		},
		rows: func(b *intray.Batch) ([]intray.Change, error) {
			for row, want := range []string{"", " ", "much"} {
				if v, there := b.Fields[1].Value(row); there || string(b.Fields[1].Raw(row)) != want {
					t.Errorf("row %d is seen with %q, %v and the text %q", row, v, there, b.Fields[1].Raw(row))
				}
			}
			return nil, nil
		},
	}
	_, _, found := importWithHooks(t, hooks, listFile)
	want := "line 2, row 0, amount: error required\nline 3, row 1, amount: error required\nline 4, row 2, name: error required\nline 4, row 2, amount: error number\n"
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestOptionsOfCells checks that the options that a hook sets apply to the current content
// of the cell until another hook replaces them.
func TestOptionsOfCells(t *testing.T) {
	blue := []intray.SelectOption{{Label: "Blue", Value: "b"}, {Label: "Red", Value: "other"}}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: everyHook, Fields: []intray.Field{{
		Key: "amount", Label: "Color", Type: intray.FieldType{Name: intray.TypeSelect},
		SelectOptions: []intray.SelectOption{{Label: "Red", Value: "r"}, {Label: "Green", Value: "g"}},
	}}}
	hooks := goHooks{
		column: func(int, []*intray.Batch) (changes []intray.Change, err error) {
			for row := range 4 {
				changes = append(changes, intray.Change{Row: row, Options: blue})
			}
			return append(changes, intray.Change{Row: 3, HasValue: true, Value: textOf("g")}), nil
		},
		rows: func(*intray.Batch) ([]intray.Change, error) {
			return []intray.Change{{Row: 2, HasValue: true, Value: textOf("Blue")}, {Row: 3, Options: schema.Fields[0].SelectOptions}}, nil
		},
	}
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.open})
	kept := &enginetest.BatchRecorder{}
	file := "Color\nRed\nblue\nGreen\nGreen\n"
	imp := engine.Import{Input: inputOf("f.csv", file), Schema: schema}
	if _, err := e.Run(t.Context(), imp, openSink(kept)); err != nil {
		t.Fatal(err)
	}
	want := []string{`0 0: "other" true raw "Red"`, `1 0: "b" true raw "blue"`, `2 0: "b" true raw "Green"`, `3 0: "g" true raw "g"`}
	if diff := cmp.Diff(want, enginetest.FormatRows(kept.Batch)[:4]); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, q := range kept.Batch.Problems {
		if q.Level != intray.LevelInfo {
			t.Errorf("the problem %+v", q)
		}
	}
}

// TestLastMessages checks that the messages of the last step replace all earlier messages of
// the cell, even if the last step sets an empty list.
func TestLastMessages(t *testing.T) {
	about := func(row int, texts ...string) intray.Change {
		c := intray.Change{Row: row, Field: 0, HasInfos: true}
		for _, text := range texts {
			c.Infos = append(c.Infos, intray.Info{Level: intray.LevelError, Text: text})
		}
		return c
	}
	hooks := goHooks{
		step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != intray.ReviewStepPost {
				return nil, nil
			}
			return intray.StepChanges{{Infos: []intray.Change{about(1), about(2, "last"), about(99, "nobody")}}}, nil
		},
		rows: func(b *intray.Batch) (changes []intray.Change, err error) {
			for row := range b.Rows() {
				changes = append(changes, about(row, "each"))
			}
			return changes, nil
		},
	}
	out, _, _ := importWithHooks(t, hooks, "Name,Amount\nada,1\nbob,2\ncy,3\n")
	var messages []string
	for _, n := range out.Listed {
		messages = append(messages, fmt.Sprintf("%d %s", *n.Row, n.Text))
	}
	if diff := cmp.Diff([]string{"0 each", "2 last"}, messages); diff != "" || out.ErrorRows != 2 || out.Problems != 2 {
		t.Errorf("%d rows with errors of %d problems; messages (-want +got):\n%s", out.ErrorRows, out.Problems, diff)
	}
}

// TestHooksSeeEarlierChanges checks that each hook sees the changes that earlier hooks made: a
// column hook, a bulk hook and a row hook each append a letter.
func TestHooksSeeEarlierChanges(t *testing.T) {
	add := func(letter string, batches ...*intray.Batch) (changes []intray.Change, err error) {
		for _, b := range batches {
			for row := range b.Rows() {
				v, _ := b.Fields[0].Value(row)
				changes = append(changes, intray.Change{Row: row + int(b.First), HasValue: true, Value: textOf(string(v) + letter)})
			}
		}
		return changes, nil
	}
	hooks := goHooks{
		column: func(_ int, rows []*intray.Batch) ([]intray.Change, error) { return add("c", rows...) },
		bulk:   func(rows []*intray.Batch) ([]intray.Change, error) { return add("b", rows...) },
		rows:   func(rows *intray.Batch) ([]intray.Change, error) { return add("r", rows) },
	}
	_, rows, _ := importWithHooks(t, hooks, listFile)
	for _, want := range []string{`"adacbr"`, `"bobcbr"`, `"cycbr"`} {
		if !strings.Contains(rows, want) {
			t.Errorf("%s is not in\n%s", want, rows)
		}
	}
}

// TestHooksSeeParsedChanges checks that the next hook receives the parsed values that a
// hook set, with the resulting problems and options.
func TestHooksSeeParsedChanges(t *testing.T) {
	blue := []intray.SelectOption{{Label: "Blue", Value: "b"}}
	calls := 0
	hooks := goHooks{each: func(hook int, b *intray.Batch) ([]intray.Change, error) {
		calls++
		if hook == 0 {
			return []intray.Change{
				{Row: 0, Field: 0, HasValue: true, Value: textOf("2,50"), HasInfos: true, Infos: []intray.Info{{Text: "new"}}},
				{Row: 1, Field: 0, HasValue: true},
				{Row: 0, Field: 1, Part: 1, Options: blue},
			}, nil
		}
		number, _ := b.Fields[0].Value(0)
		_, there := b.Fields[0].Value(1)
		choices, _ := b.Fields[1].Value(0)
		if string(number) != "2.5" || there || string(choices) != `["r","b"]` {
			t.Errorf("the second hook sees %q, %v, %s", number, there, choices)
		}
		if len(b.Problems) != 1 || b.Problems[0].Text.String() != "new" {
			t.Errorf("the second hook sees the problems %+v", b.Problems)
		}
		want := []intray.CellOptions{{Row: 0, Field: 1, Part: 1, Options: blue}}
		if diff := cmp.Diff(want, b.Options); diff != "" {
			t.Errorf("options (-want +got):\n%s", diff)
		}
		return nil, nil
	}}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: intray.Hooks{Row: []string{"one", "two"}}, Fields: []intray.Field{
		{Key: "n", Label: "N", Type: intray.FieldType{Name: intray.TypeNumber}},
		{Key: "c", Label: "C", Type: intray.FieldType{Name: intray.TypeSelect}, ManyToOne: true, AlternateMatches: []string{"C 1", "C 2"}, SelectOptions: []intray.SelectOption{{Label: "Red", Value: "r"}}},
	}}
	e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.open})
	file := "N;C 1;C 2\n0,7;Red;Blue\nmany;;\n"
	imp := engine.Import{Input: inputOf("f.csv", file), Schema: schema}
	out, err := e.Run(t.Context(), imp, openSink(&enginetest.BatchRecorder{}))
	if err != nil || calls != 2 || out.Problems != 1 {
		t.Errorf("%d calls, %v, %+v", calls, err, out)
	}
}

func TestStepHooks(t *testing.T) {
	number := intray.Field{Key: "net", Label: "Net", Type: intray.FieldType{Name: intray.TypeNumber}}
	var steps []string
	hooks := goHooks{
		step: func(call intray.StepCall) (intray.StepChanges, error) {
			steps = append(steps, call.Step)
			switch call.Step {
			case intray.UploadStep:
				if len(call.Preview) != 5 || call.Preview[0][0] != "Export" || call.Filename != "list.csv" {
					t.Errorf("the preview is %q of %q", call.Preview, call.Filename)
				}
				row, dev := 1, true
				return intray.StepChanges{{HeaderRow: &row}, {User: []byte(`{"id":"7"}`)}, {DevelopmentMode: &dev}}, nil
			case intray.ReviewStep:
				last := len(call.Fields)
				return intray.StepChanges{{Infos: []intray.Change{{Row: 2, Field: 1, HasInfos: true, Infos: []intray.Info{{Text: "how much?"}}}}},
					{AddField: &intray.AddedField{Field: number, After: "name"}}, {RemoveField: "tags"},
					{Infos: []intray.Change{{Row: 2, Field: 0, HasInfos: true, Infos: []intray.Info{{Text: "who?"}}}}},
					{Infos: []intray.Change{{Row: 2, Field: last, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "new"}}}}}}, nil
			}
			return intray.StepChanges{{Infos: []intray.Change{{Row: 1, Field: 0, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "seen"}}}}}}, nil
		},
		rows: func(b *intray.Batch) ([]intray.Change, error) {
			return []intray.Change{{Row: 0, Field: 1, HasValue: true, Value: textOf("4")}}, nil
		},
	}
	out, rows, found := importWithHooks(t, hooks, "Export\n"+listFile)
	if diff := cmp.Diff([]string{intray.UploadStep, intray.ReviewStep, intray.ReviewStepPost}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if string(out.User) != `{"id":"7"}` || out.DevelopmentMode == nil || !*out.DevelopmentMode {
		t.Errorf("user %s, development mode %v", out.User, out.DevelopmentMode)
	}
	if want := `{"name":"ada","net":4,"amount":1}`; !strings.HasPrefix(rows, want) || strings.Contains(rows, "tags") {
		t.Errorf("rows do not begin with %s:\n%s", want, rows)
	}
	want := "line 4, row 1, name: info hook\nline 4, row 1, amount: error number\nline 5, row 2, name: error hook\nline 5, row 2, net: info hook\nline 5, row 2, amount: error hook\nline 5, row 2, amount: error required\n"
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestRemovedFields checks that a hook fails if it removes the last field or a field that
// a validator refers to, unless a hook replaces it.
func TestRemovedFields(t *testing.T) {
	dependent := intray.Field{Key: "new", Label: "New", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "require_with", Options: map[string]any{"fields": []any{"amount"}}}}}
	replacement := intray.Field{Key: "amount", Label: "Again", Type: intray.FieldType{Name: intray.TypeString}}
	for want, changes := range map[string]intray.StepChanges{
		`The hook stepHooks[0] failed at line 3, column 4: removeField: the validator "require_with" of the field "new" refers to the field "amount"`: {
			{Hook: "stepHooks[0]", AddField: &intray.AddedField{Field: dependent}}, {Hook: "stepHooks[0]", Line: 3, Column: 4, RemoveField: "amount"}, {Hook: "stepHooks[1]", RemoveField: "tags"}},
		`The hook stepHooks[1] failed: removeField: no field is left`: {
			{Hook: "stepHooks[0]", RemoveField: "amount"}, {Hook: "stepHooks[0]", RemoveField: "tags"}, {Hook: "stepHooks[1]", RemoveField: "name"}},
		"": {{AddField: &intray.AddedField{Field: dependent}}, {RemoveField: "amount"}, {AddField: &intray.AddedField{Field: replacement}}},
	} {
		hooks := goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != intray.ReviewStep {
				return nil, nil
			}
			return changes, nil
		}}
		out, _, _ := importWithHooks(t, hooks, listFile)
		if want == "" && out.Verdict == engine.Broken || want != "" && (out.Verdict != engine.Broken || len(out.Notices) == 0 || !strings.Contains(out.Notices[0].Text.String(), want)) {
			t.Errorf("%q: %v, %+v", want, out.Verdict, out.Notices)
		}
	}
}

// TestHookSetsHeaderRowBeyondTheEnd checks that a header row beyond the end of the file is
// reported as a failure of the hook that set it.
func TestHookSetsHeaderRowBeyondTheEnd(t *testing.T) {
	row := 99
	hooks := goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
		if call.Step != intray.UploadStep {
			return nil, nil
		}
		return intray.StepChanges{{Hook: "stepHooks[0]", Line: 3, Column: 4, HeaderRow: &row}}, nil
	}}
	out, _, _ := importWithHooks(t, hooks, listFile)
	want := "The hook stepHooks[0] failed at line 3, column 4: setHeaderRowOverride: row 100 can't be the header row: only the first 4 rows were checked"
	if out.Verdict != engine.Broken || len(out.Notices) != 1 || out.Notices[0].Type != intray.HookFailed || !strings.Contains(out.Notices[0].Text.String(), want) {
		t.Errorf("%v, %+v", out.Verdict, out.Notices)
	}
}

// TestHookChangesAddedColumns checks that a warning reports columns that a person added to more columns than
// the table has below the header row that a hook sets.
func TestHookChangesAddedColumns(t *testing.T) {
	row := 0
	hooks := goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
		if call.Step != intray.UploadStep {
			return nil, nil
		}
		return intray.StepChanges{{HeaderRow: &row}}, nil
	}}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: everyHook, Fields: []intray.Field{{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}}}
	s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
	e := engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: hooks.open})
	out, err := e.Run(t.Context(), engine.Import{
		Input: inputOf("list.csv", "Name\nada\n"), Schema: schema,
		Answers: intray.Answers{intray.AnswerDerived: `[{"name":"City","split":{"column":2,"at":" ","part":0}}]`},
	}, s.open)
	if err != nil {
		t.Fatal(err)
	}
	defer s.writer.Abort()
	warned := 0
	for _, n := range out.Notices {
		if n.Text.Code == "file.columns_not_added" && n.Level == intray.LevelWarning {
			warned++
		}
	}
	if out.Derived != 0 || warned != 1 {
		t.Errorf("%d columns, %d warnings in %+v", out.Derived, warned, out.Notices)
	}
}

// TestMessagesAboutUnknownCells checks that a message about an unknown column or a removed
// field breaks the import but is not an error of the run.
func TestMessagesAboutUnknownCells(t *testing.T) {
	about := func(field, part int) intray.StepChange {
		return intray.StepChange{Hook: "stepHooks[2]", Line: 3, Column: 7, Infos: []intray.Change{{Field: field, Part: part, HasInfos: true, Infos: []intray.Info{{Text: "m"}}}}}
	}
	for want, changes := range map[string]intray.StepChanges{
		`manyToOneIndex 3 is out of range: the field "name" has 1 column`: {about(0, 3)},
		`the field "name" was removed`:                                    {about(0, 0), {RemoveField: "name"}},
	} {
		out, _, _ := importWithHooks(t, goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != intray.ReviewStep {
				return nil, nil
			}
			return changes, nil
		}}, listFile)
		want = "The hook stepHooks[2] failed at line 3, column 7: updateInfoMessages: " + want
		if out.Verdict != engine.Broken || len(out.Notices) != 1 || !strings.Contains(out.Notices[0].Text.String(), want) {
			t.Errorf("want %q, got %v, %+v", want, out.Verdict, out.Notices)
		}
	}
}

func TestFailingHooksFailTheImport(t *testing.T) {
	row := int64(1)
	failed := &intray.HookError{Hook: "rowHooks[0]", Line: 3, Column: 7, Row: &row, Text: intray.Literal("x is not a function")}
	for name, hooks := range map[string]goHooks{
		"rows":   {rows: func(*intray.Batch) ([]intray.Change, error) { return nil, failed }},
		"column": {column: func(int, []*intray.Batch) ([]intray.Change, error) { return nil, failed }},
		"bulk":   {bulk: func([]*intray.Batch) ([]intray.Change, error) { return nil, failed }},
		"step":   {step: func(intray.StepCall) (intray.StepChanges, error) { return nil, failed }},
	} {
		out, _, _ := importWithHooks(t, hooks, listFile)
		want := "The hook rowHooks[0] failed on data row 2, at line 3, column 7 of its code: x is not a function"
		if out.Verdict != engine.Broken || len(out.Notices) != 1 || out.Notices[0].Type != intray.HookFailed || !strings.Contains(out.Notices[0].Text.String(), want) {
			t.Errorf("%s: %v %+v", name, out.Verdict, out.Notices)
		}
	}
}

func TestFinish(t *testing.T) {
	message := "the sums differ"
	row := int64(0)
	for name, c := range map[string]struct {
		finish  func(iter.Seq2[*intray.Batch, error], intray.FinishCall) (*string, error)
		verdict engine.Verdict
		kind    intray.NoticeType
		text    string
	}{
		"cancels": {func(iter.Seq2[*intray.Batch, error], intray.FinishCall) (*string, error) { return &message, nil },
			engine.Open, intray.CancelledByHook, "the sums differ"},
		"fails": {func(iter.Seq2[*intray.Batch, error], intray.FinishCall) (*string, error) {
			return nil, &intray.HookError{Hook: "beforeFinishCallback", Row: &row, Text: intray.Literal("oh")}
		}, engine.Broken, intray.HookFailed, "The hook beforeFinishCallback failed"},
		"accepts": {func(_ iter.Seq2[*intray.Batch, error], about intray.FinishCall) (*string, error) {
			if about.Filename != "list.csv" || len(about.Headers) != 1 || about.ID != "7" || string(about.User) != `{"id":"u"}` || len(about.Notices) != 1 {
				t.Errorf("called with %+v", about)
			}
			return nil, nil
		}, engine.Done, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			schema := peopleSchema()
			schema.Hooks.BeforeFinish = "finish"
			out := &engine.Outcome{Headers: []string{"A"}, User: []byte(`{"id":"u"}`), Listed: []intray.Notice{{Type: intray.Validation}}}
			e := engine.New(engine.Config{LoadHooks: goHooks{finish: c.finish}.open})
			imp := engine.Import{Input: source.Input{Name: "list.csv"}, Schema: schema, ID: "7"}
			if err := e.Finish(t.Context(), imp, out, func(func(*intray.Batch, error) bool) {}); err != nil {
				t.Fatal(err)
			}
			if out.Verdict != c.verdict || len(out.Notices) != 0 != (c.kind != "") || c.kind != "" && (out.Notices[0].Type != c.kind || !strings.Contains(out.Notices[0].Text.String(), c.text)) {
				t.Errorf("%v %+v", out.Verdict, out.Notices)
			}
		})
	}
}

func TestHooksAddAndRemoveRows(t *testing.T) {
	second := int64(1)
	hooks := goHooks{
		step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != intray.ReviewStep {
				return nil, nil
			}
			return intray.StepChanges{
				{AddRows: []intray.AddedRow{{Cells: map[string]string{"name": "last", "amount": "9"}}}},
				{AddRows: []intray.AddedRow{{ID: "n1", Index: &second, Cells: map[string]string{"name": "between", "amount": "many"}}}},
				{AddRows: []intray.AddedRow{{ID: "n2", Index: &second, Cells: map[string]string{"name": "gone"}}, {ID: "n3", Cells: map[string]string{"name": "gone"}}}},
				{RemoveRows: []string{"n2", "2", "n3", "99"}},
			}, nil
		},
		rows: func(b *intray.Batch) (changes []intray.Change, err error) {
			for row := range b.Rows() {
				v, _ := b.Fields[0].Value(row)
				changes = append(changes, intray.Change{Row: row, HasValue: true, Value: textOf(string(v) + "!")})
			}
			return changes, nil
		},
	}
	out, rows, found := importWithHooks(t, hooks, listFile)
	want := `{"name":"ada!","amount":1,"tags":["x","y"]}
{"name":"between!","amount":null,"tags":null}
{"name":"bob!","amount":null,"tags":null}
{"name":"last!","amount":9,"tags":null}
`
	if diff := cmp.Diff(want, rows); diff != "" || out.DataRows != 4 {
		t.Errorf("%d rows (-want +got):\n%s", out.DataRows, diff)
	}
	wantFound := "line 0, row 1, amount: error number\nline 3, row 2, amount: error number\n"
	if diff := cmp.Diff(wantFound, found); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestHooksAndMaxRecords checks that rows beyond maxRecords are dropped before hooks
// remove rows, and that added rows do not count.
func TestHooksAndMaxRecords(t *testing.T) {
	for name, c := range map[string]struct {
		changes intray.StepChanges
		limit   int64
		want    string
		notices []intray.NoticeType
	}{
		"removed":     {intray.StepChanges{{RemoveRows: []string{"0"}}}, 3, "B C", []intray.NoticeType{intray.MaxRecords}},
		"added":       {intray.StepChanges{{AddRows: []intray.AddedRow{{Cells: map[string]string{"name": "N"}}}}}, 3, "A B C N", []intray.NoticeType{intray.MaxRecords}},
		"just enough": {intray.StepChanges{{RemoveRows: []string{"1"}}}, 4, "A C D", nil},
		"all of them": {intray.StepChanges{{RemoveRows: []string{"0", "1", "2"}}}, 3, "", []intray.NoticeType{intray.MaxRecords, intray.NoRows}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := 0
			hooks := goHooks{
				step: func(call intray.StepCall) (intray.StepChanges, error) {
					if call.Step != intray.ReviewStep {
						return nil, nil
					}
					return c.changes, nil
				},
				bulk: func(rows []*intray.Batch) ([]intray.Change, error) {
					for _, b := range rows {
						seen += b.Rows()
					}
					return nil, nil
				},
			}
			schema := peopleSchema()
			schema.Settings.MaxRecords, schema.Hooks = c.limit, everyHook
			schema.Fields = []intray.Field{{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}}
			kept := &enginetest.BatchRecorder{Batch: &intray.Batch{Fields: make([]intray.Cells, 1)}}
			var names []string
			to := sink{stage: func(b *intray.Batch) error {
				_, err := kept.StageBatch(b)
				for row := range kept.Batch.Rows() {
					name, _ := kept.Batch.Fields[0].Value(row)
					names = append(names, string(name))
				}
				return err
			}}
			file := "Name\nA\nB\nC\nD\n"
			e := engine.New(engine.Config{Workers: 1, Formats: formats.Formats(""), LoadHooks: hooks.open})
			imp := engine.Import{Input: inputOf("f.csv", file), Schema: schema}
			out, err := e.Run(t.Context(), imp, openSink(to))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(names, " "); got != c.want || seen != len(names) {
				t.Errorf("the rows %q, want %q; hooks saw %d", got, c.want, seen)
			}
			var notices []intray.NoticeType
			for _, n := range out.Notices {
				notices = append(notices, n.Type)
			}
			if diff := cmp.Diff(c.notices, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHooksAreProgress checks that each call to a hook records progress, in addition to reads and
// batches.
func TestHooksAreProgress(t *testing.T) {
	count := func(hooks intray.Hooks) int64 {
		var n atomic.Int64
		schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: hooks, Fields: []intray.Field{
			{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
			{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeString}},
		}}
		e := engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: goHooks{}.open})
		s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
		_, err := e.Run(t.Context(), engine.Import{Input: inputOf("list.csv", listFile), Schema: schema, Progress: func() { n.Add(1) }}, s.open)
		if err != nil {
			t.Fatal(err)
		}
		s.writer.Abort()
		return n.Load()
	}
	plain := count(intray.Hooks{})
	if plain < 2 {
		t.Errorf("without hooks, progress was recorded %d times; want at least once for a read and once for a batch", plain)
	}
	for name, hooks := range map[string]intray.Hooks{
		"row": {Row: everyHook.Row}, "step": {Step: everyHook.Step[1:2]},
	} {
		if got := count(hooks); got != plain+1 {
			t.Errorf("%s hook: progress was recorded %d times, want %d", name, got, plain+1)
		}
	}
	for name, hooks := range map[string]intray.Hooks{"column": {Column: everyHook.Column}, "bulk": {BulkRow: everyHook.BulkRow}} {
		if got := count(hooks); got <= plain+1 { // these hooks need another pass over the rows
			t.Errorf("%s hook: progress was recorded %d times, want more than %d", name, got, plain+1)
		}
	}
}

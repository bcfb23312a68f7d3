package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/formats"
)

// TestFormatsOfOtherColumns checks that the format of column b decides that of the
// ambiguous column a, unless b is ambiguous, too.
func TestFormatsOfOtherColumns(t *testing.T) {
	for name, c := range map[string]struct {
		kind intray.TypeName
		file string
		// a and b are the formats of the columns. reason is the reason for the format of a.
		a, b, reason string
		questions    []string
	}{
		"day first":        {intray.TypeDate, "a;b\n03/04/2021;13/04/2021\n", "slash=DMY autofix", "slash=DMY autofix", `other columns in this table with the same format ("b") show that the day comes before the month`, nil},
		"month first":      {intray.TypeDate, "a;b\n03/04/2021;04/13/2021\n", "slash=MDY autofix", "slash=MDY autofix", `other columns in this table with the same format ("b") show that the month comes before the day`, nil},
		"clear one first":  {intray.TypeDate, "b;a\n13/04/2021;03/04/2021\n", "slash=DMY autofix", "slash=DMY autofix", `other columns in this table with the same format ("b") show that the day comes before the month`, nil},
		"both ambiguous":   {intray.TypeDate, "a;b\n03/04/2021;05/06/2021\n", "autofix", "autofix", "", []string{"format:a:slash", "format:b:slash"}},
		"decimal comma":    {intray.TypeNumber, "a;b\n1,234;1,5\n", "decimal=comma group=undecided percents=alike", "decimal=comma group=undecided percents=alike", `in the column "b" of this table, the decimal separator is a comma`, nil},
		"ambiguous points": {intray.TypeNumber, "a;b\n1.234;2.345\n", "", "", "", []string{"format:a", "format:b"}},
	} {
		t.Run(name, func(t *testing.T) {
			schema := &intray.Schema{Settings: intray.DefaultSettings()}
			for _, key := range []string{"a", "b"} {
				schema.Fields = append(schema.Fields, intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: c.kind}})
			}
			out := importInto(t, engine.Config{}, c.file, schema, sink{})
			var questions []string
			for _, q := range out.Questions {
				questions = append(questions, q.ID)
				if q.Header != q.Field || len(q.Choices) < 2 {
					t.Errorf("question %+v", q)
				}
			}
			if diff := cmp.Diff(c.questions, questions); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
			if c.questions != nil {
				return
			}
			evidence := map[string]intray.Evidence{}
			for _, e := range out.Evidence {
				evidence[e.Choice] = e
			}
			if a := evidence["format of a"]; !strings.HasPrefix(c.a, a.Value) || out.Forms["a"] != c.a || a.Reason.String() != c.reason {
				t.Errorf("a: %q, %s: %s", out.Forms["a"], a.Value, a.Reason)
			}
			if b := evidence["format of b"]; !strings.HasPrefix(c.b, b.Value) || out.Forms["b"] != c.b || b.Reason.String() == c.reason {
				t.Errorf("b: %q, %s: %s", out.Forms["b"], b.Value, b.Reason)
			}
		})
	}
}

// faultyCSV is a CSV format whose calls fail, starting with the call whose index is failAt,
// counted from 0. It counts calls to Open of the format and its books, and calls to Next of
// its readers.
type faultyCSV struct {
	csv.Format
	failAt int
	calls  []string
}

func (f *faultyCSV) fail(call string) error {
	f.calls = append(f.calls, call)
	if len(f.calls) > f.failAt {
		return errFault
	}
	return nil
}

func (f *faultyCSV) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	if err := f.fail("open"); err != nil {
		return nil, err
	}
	book, err := f.Format.Open(ctx, in, opt)
	return faultyBook{book, f}, err
}

type faultyBook struct {
	source.Book
	faults *faultyCSV
}

func (b faultyBook) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if err := b.faults.fail("sheet"); err != nil {
		return nil, err
	}
	reader, err := b.Book.Open(ctx, sheet)
	return faultyReader{reader, b.faults}, err
}

type faultyReader struct {
	source.Reader
	faults *faultyCSV
}

func (r faultyReader) Next(ctx context.Context, recs *intray.Records) error {
	if err := r.faults.fail("next"); err != nil {
		return err
	}
	return r.Reader.Next(ctx, recs)
}

// TestReadFaults checks that a fault in any read of an import is reported: the preview for
// hooks, sniffing, the rows for bulk hooks, and the pipeline.
func TestReadFaults(t *testing.T) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Hooks: everyHook, Fields: []intray.Field{
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}},
		{Key: "day", Label: "Day", Type: intray.FieldType{Name: intray.TypeDate}},
	}}
	run := func(failAt int) (*faultyCSV, *engine.Outcome, error) {
		format := &faultyCSV{failAt: failAt}
		e := engine.New(engine.Config{Formats: []source.Format{format}, LoadHooks: goHooks{}.open, Workers: 1})
		out, err := e.Run(t.Context(), engine.Import{Input: inputOf("x.csv", "Amount,Day\n1,2021-03-04\n"), Schema: schema}, openSink(sink{}))
		return format, out, err
	}
	format, out, err := run(1 << 20)
	if err != nil || out.Verdict != engine.Done {
		t.Fatalf("without faults: %+v, %v", out, err)
	}
	want := "open open sheet next next sheet sheet next next sheet next next next next"
	if got := strings.Join(format.calls, " "); got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
	for failAt := range format.calls {
		if _, out, err := run(failAt); !errors.Is(err, errFault) || out != nil {
			t.Errorf("fault at call %d, %s: outcome %+v, error %v", failAt, format.calls[failAt], out, err)
		}
	}
}

// TestEachSheet checks the records that EachSheet passes to the callback, and that it returns
// errors from every read and from the callback.
func TestEachSheet(t *testing.T) {
	var rows []string
	collect := func(columns []intray.Column, recs *intray.Records) error {
		for i := range recs.Len() {
			rows = append(rows, columns[0].Header+":"+string(recs.Cell(i, 0)))
		}
		return nil
	}
	in := inputOf("x.csv", "id,name\n1,a\n2,b\n")
	e := engine.New(engine.Config{Formats: formats.Formats("")})
	if err := e.EachSheet(t.Context(), in, collect); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id:1", "id:2"}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if err := e.EachSheet(t.Context(), in, func([]intray.Column, *intray.Records) error { return errFault }); !errors.Is(err, errFault) || !strings.Contains(err.Error(), "read sheet 1:") {
		t.Errorf("the callback fails: error %v", err)
	}
	for failAt := range 5 {
		format := &faultyCSV{failAt: failAt}
		err := engine.New(engine.Config{Formats: []source.Format{format}}).EachSheet(t.Context(), in, collect)
		if want := failAt < 4; errors.Is(err, errFault) != want {
			t.Errorf("fault at call %d of %v: error %v", failAt, format.calls, err)
		}
	}
	if err := e.EachSheet(t.Context(), inputOf("x.csv", ""), collect); !errors.Is(err, source.ErrEmpty) {
		t.Errorf("an empty file: error %v", err)
	}
}

// failingHooks are hooks whose Close fails.
type failingHooks struct {
	goHooks
	closed *int
}

func (h failingHooks) Close() error {
	*h.closed++
	return errFault
}

// TestHookRuntimeFaults checks that faults of the hook runtime are errors, not outcomes.
func TestHookRuntimeFaults(t *testing.T) {
	schema := peopleSchema()
	schema.Hooks = everyHook
	schema.Hooks.Column, schema.Hooks.BeforeFinish = nil, "finish"
	imp := engine.Import{Input: inputOf("x.csv", "email\nada@example.org\n"), Schema: schema}
	e := engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: func(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) { return nil, errFault }})
	if out, err := e.Run(t.Context(), imp, openSink(sink{})); !errors.Is(err, errFault) || out != nil {
		t.Errorf("loading fails: outcome %+v, error %v", out, err)
	}
	if err := e.Finish(t.Context(), imp, &engine.Outcome{}, nil); !errors.Is(err, errFault) {
		t.Errorf("loading for Finish fails: error %v", err)
	}
	closed := 0
	e = engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: func(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) {
		return failingHooks{goHooks{}, &closed}, nil
	}})
	if out, err := e.Run(t.Context(), imp, openSink(sink{})); !errors.Is(err, errFault) || out != nil || closed != 1 {
		t.Errorf("closing fails: outcome %+v, error %v, closed %d times", out, err, closed)
	}
	out := &engine.Outcome{}
	if err := e.Finish(t.Context(), imp, out, nil); !errors.Is(err, errFault) || closed != 2 {
		t.Errorf("closing after Finish fails: error %v, closed %d times", err, closed)
	}
	if runner, err := engine.New(engine.Config{}).LoadHooks(t.Context(), schema.Hooks, intray.HookEnv{}); runner != nil || err != nil {
		t.Errorf("without a loader: %v, %v", runner, err)
	}
	for _, step := range []string{intray.UploadStep, intray.ReviewStep, intray.ReviewStepPost} {
		hooks := goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step == step {
				return nil, errFault
			}
			return nil, nil
		}}
		e := engine.New(engine.Config{Formats: formats.Formats(""), LoadHooks: hooks.open})
		if out, err := e.Run(t.Context(), imp, openSink(sink{})); !errors.Is(err, errFault) || out != nil {
			t.Errorf("%s fails: outcome %+v, error %v", step, out, err)
		}
	}
}

// TestRefusedStepChanges checks that step hooks fail if they request a change that is not
// allowed in their step.
func TestRefusedStepChanges(t *testing.T) {
	row := 0
	field := &intray.AddedField{Field: intray.Field{Key: "new", Label: "New", Type: intray.FieldType{Name: intray.TypeString}}}
	message := []intray.Change{{HasInfos: true}}
	added := []intray.AddedRow{{ID: "n"}}
	long := strings.Repeat("é", 41)
	for _, c := range []struct {
		step   string
		change intray.StepChange
		want   string
	}{
		{intray.ReviewStep, intray.StepChange{HeaderRow: &row}, "hook.header_row_settled"},
		{intray.ReviewStepPost, intray.StepChange{HeaderRow: &row}, "hook.header_row_settled"},
		{intray.UploadStep, intray.StepChange{AddRows: added}, "hook.rows_not_open"},
		{intray.ReviewStepPost, intray.StepChange{AddRows: added}, "hook.rows_not_open"},
		{intray.UploadStep, intray.StepChange{RemoveRows: []string{"1"}}, "hook.rows_not_open"},
		{intray.ReviewStepPost, intray.StepChange{RemoveRows: []string{"1"}}, "hook.rows_not_open"},
		{intray.UploadStep, intray.StepChange{Infos: message}, "hook.messages_too_early"},
		{intray.ReviewStepPost, intray.StepChange{AddField: field}, "hook.fields_settled"},
		{intray.ReviewStepPost, intray.StepChange{RemoveField: "name"}, "hook.fields_settled"},
		{intray.ReviewStep, intray.StepChange{RemoveField: "unknown"}, "hook.method_failed removeField hook.unknown_field"},
		{intray.ReviewStep, intray.StepChange{AddField: &intray.AddedField{Field: intray.Field{Key: "name"}}}, "hook.method_failed addField hook.field_exists"},
		{intray.ReviewStep, intray.StepChange{AddField: &intray.AddedField{Field: field.Field, Before: "x"}}, "hook.method_failed addField hook.unknown_neighbor"},
		{intray.ReviewStep, intray.StepChange{RemoveRows: []string{"-1"}}, "hook.method_failed removeRows hook.unknown_row -1"},
		{intray.ReviewStep, intray.StepChange{RemoveRows: []string{long[:80]}}, "hook.method_failed removeRows hook.unknown_row " + long[:80]},
		{intray.ReviewStep, intray.StepChange{RemoveRows: []string{long}}, "hook.method_failed removeRows hook.unknown_row " + long[:80] + "…"},
		{intray.ReviewStep, intray.StepChange{AddField: field, RemoveField: "name"}, ""},
		{intray.ReviewStep, intray.StepChange{RemoveRows: []string{"0"}}, ""},
	} {
		c.change.Hook, c.change.Line = "stepHooks[1]", 7
		out, _, _ := importWithHooks(t, goHooks{step: func(call intray.StepCall) (intray.StepChanges, error) {
			if call.Step != c.step {
				return nil, nil
			}
			return intray.StepChanges{c.change}, nil
		}}, listFile)
		got := ""
		if out.Hook != nil {
			got = out.Hook.Text.Code
			params := out.Hook.Text.Params()
			if reason, ok := params["reason"].(intray.Message); ok {
				got += fmt.Sprintf(" %v %s", params["method"], reason.Code)
				if id, ok := reason.Params()["id"]; ok {
					got += fmt.Sprint(" ", id)
				}
			}
		}
		if got != c.want || (out.Verdict == engine.Broken) != (c.want != "") || c.want != "" && (out.Hook.Hook != "stepHooks[1]" || out.Hook.Line != 7) {
			t.Errorf("%s, %+v: got %q, want %q (%+v)", c.step, c.change, got, c.want, out.Notices)
		}
	}
}

// TestChoicesOfColumns checks the maximum number of choices, and the labels and examples of
// choices for columns with and without headers.
func TestChoicesOfColumns(t *testing.T) {
	header := numberedWords(22, "c", ",") + ",\n"
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "zip", Label: "Zip", RequireMapping: true, Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "hidden", Label: "Hidden", Hidden: true, Type: intray.FieldType{Name: intray.TypeString}},
	}}
	out := importInto(t, engine.Config{}, header+strings.Repeat(numberedWords(23, "x", ",")+"\n", 7), schema, sink{})
	if len(out.Questions) != 1 || out.Questions[0].ID != "column:zip" || len(out.Questions[0].Choices) != 20 || !out.Questions[0].AnyColumn {
		t.Fatalf("questions %+v", out.Questions)
	}
	last := out.Questions[0].Choices[19]
	if last.Value != "19" || last.Label.String() != `c19 (column 20)` || !slices.Equal(last.Examples, []string{"x19", "x19", "x19", "x19", "x19"}) {
		t.Errorf("the last choice is %+v, %s", last, last.Label)
	}
	out = importInto(t, engine.Config{}, ",b\n1,2\n3,4\n", schema, sink{})
	if len(out.Questions) != 1 || out.Questions[0].Choices[0].Label.Code != "column.number" || out.Questions[0].Choices[0].Label.Params()["column"] != int64(1) {
		t.Errorf("a column without a header: %+v", out.Questions)
	}
}

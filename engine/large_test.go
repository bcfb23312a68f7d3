package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// peopleSchema is a schema for the files of package benchdata.
func peopleSchema() *intray.Schema {
	text, mail := intray.FieldType{Name: intray.TypeString}, intray.FieldType{Name: intray.TypeEmail}
	s := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: mail, Validators: []intray.Validator{{Rule: "required"}}},
		{Key: "name", Label: "Name", Type: text, AlternateMatches: []string{"last_name"}},
		{Key: "notes", Label: "Notes", Type: text},
	}}
	s.Settings.PassThroughUnmappedColumns = true
	return s
}

// stageFile imports a file and stages its rows in memory.
func stageFile(t *testing.T, text string, schema *intray.Schema, workers int) (*engine.Outcome, *blobtest.Memory) {
	t.Helper()
	s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
	in := inputOf("people.csv", text)
	out, err := engine.New(engine.Config{Formats: formats.Formats(""), Workers: workers}).Run(t.Context(), engine.Import{Input: in, Schema: schema}, s.open)
	if err != nil {
		t.Fatal(err)
	}
	if s.writer != nil {
		defer s.writer.Abort()
		if _, err := s.writer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return out, s.blobs
}

// TestRunsAreDeterministic checks that runs with one worker and with several workers yield the
// same outcome and byte-identical stages for a file of many batches.
func TestRunsAreDeterministic(t *testing.T) {
	rows, parallel := 60_000, []int{2, 8, 8}
	if testing.Short() {
		rows, parallel = 2*intray.BatchRows+100, []int{8}
	}
	var file strings.Builder
	if err := benchdata.Write(&file, rows, 7); err != nil {
		t.Fatal(err)
	}
	first, blobs := stageFile(t, file.String(), peopleSchema(), 1)
	if first.DataRows != int64(rows) || first.ErrorRows < int64(rows/100) || first.ErrorRows > int64(rows/25) {
		t.Fatalf("%d rows, %d with an error", first.DataRows, first.ErrorRows)
	}
	want := stageFiles(t, blobs)
	if len(want) < 3 {
		t.Fatalf("the stage has %d files", len(want))
	}
	for _, workers := range parallel {
		out, blobs := stageFile(t, file.String(), peopleSchema(), workers)
		if diff := cmp.Diff(first, out, cmpopts.IgnoreFields(engine.Outcome{}, "Timings")); diff != "" {
			t.Errorf("outcome with one and with %d workers (-one +%d):\n%s", workers, workers, diff)
		}
		for name, text := range stageFiles(t, blobs) {
			if !bytes.Equal(text, want[name]) {
				t.Errorf("with %d workers, %s differs", workers, name)
			}
		}
	}
}

// stageFiles returns the content of all files of a stage.
func stageFiles(t *testing.T, blobs *blobtest.Memory) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names := []string{"manifest.json", "problems.parquet", "problems.roar"}
	for i := range 100 {
		names = append(names, fmt.Sprintf("seg-%04d.parquet", i))
	}
	for _, name := range names {
		r, err := blobs.Open(t.Context(), "stage/"+name)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[name], err = io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestManyProblems checks that an outcome stays small and its counts stay exact even if there
// are many problems.
func TestManyProblems(t *testing.T) {
	const rows = 40_000
	file := "email,Name\n" + strings.Repeat("nobody,x\nada@example.org,x\n", rows/2)
	out, _ := stageFile(t, file, peopleSchema(), 8)
	if out.DataRows != rows || out.ErrorRows != rows/2 || out.Problems != rows/2 {
		t.Errorf("%d rows, %d with an error, %d problems", out.DataRows, out.ErrorRows, out.Problems)
	}
	want := make([]int64, engine.MaxRowsWithError)
	for i := range want {
		want[i] = int64(2 * i)
	}
	if !slices.Equal(want, out.RowsWithError) {
		t.Errorf("%d rows with an error are listed, from %v on; want the first %d", len(out.RowsWithError), out.RowsWithError[:3], len(want))
	}
	notices := out.AllNotices()
	if len(notices) != engine.MaxNotices+1 {
		t.Fatalf("%d notices, want %d", len(notices), engine.MaxNotices+1)
	}
	for i, n := range notices[:engine.MaxNotices] {
		if n.Type != intray.Validation || *n.Row != int64(2*i) || *n.Value != "nobody" {
			t.Fatalf("notice %d is %+v", i, n)
		}
	}
	last := intray.Notice{Type: intray.Truncated, Level: intray.LevelInfo, Total: rows / 2, Text: intray.Literal("This list shows 1,000 of 20,000 notices.")}
	if diff := cmp.Diff(last, notices[engine.MaxNotices], asText); diff != "" {
		t.Errorf("the last notice (-want +got):\n%s", diff)
	}
}

// TestNoticesAtLimit checks that a list of exactly MaxNotices notices is not truncated.
func TestNoticesAtLimit(t *testing.T) {
	for n, want := range map[int]int{engine.MaxNotices: engine.MaxNotices, engine.MaxNotices + 1: engine.MaxNotices + 1} {
		schema := peopleSchema()
		schema.Settings.InvalidDataBehavior = intray.IncludeInvalidRows
		out, _ := stageFile(t, "email,Name\n"+strings.Repeat("nobody,x\n", n), schema, 2)
		list := out.AllNotices()
		if cut := list[len(list)-1].Type == intray.Truncated; len(list) != want || cut != (n > engine.MaxNotices) {
			t.Errorf("%d problems: %d notices, truncated %v", n, len(list), cut)
		}
	}
}

// TestMaxRecords checks record limits that are reached before, at and after the end of a batch.
func TestMaxRecords(t *testing.T) {
	const rows = 2*intray.BatchRows + 100
	file := "email,Name\n" + strings.Repeat("ada@example.org,x\n", rows)
	for _, limit := range []int64{1, intray.BatchRows - 1, intray.BatchRows, intray.BatchRows + 1, 2 * intray.BatchRows, rows - 1, rows, rows + 1} {
		schema := peopleSchema()
		schema.Settings.MaxRecords = limit
		out, _ := stageFile(t, file, schema, 8)
		cut := len(out.Notices) == 1 && out.Notices[0].Type == intray.MaxRecords
		if out.DataRows != min(limit, rows) || cut != (limit < rows) || len(out.Notices) > 1 {
			t.Errorf("a limit of %d: %d rows, notices %v", limit, out.DataRows, out.Notices)
		}
	}
}

func TestInvalidSchema(t *testing.T) {
	for name, invalidate := range map[string]func(f *intray.Field){
		"type":      func(f *intray.Field) { f.Type.Name = "odd" },
		"validator": func(f *intray.Field) { f.Validators = []intray.Validator{{Rule: "odd"}} },
	} {
		schema := peopleSchema()
		invalidate(&schema.Fields[0])
		in := inputOf("", "email\nx\n")
		_, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(context.Background(), engine.Import{Input: in, Schema: schema},
			openSink(&batchSizes{}))
		if err == nil || !strings.Contains(err.Error(), "email") {
			t.Errorf("%s: error %v, want one that names the field", name, err)
		}
	}
}

func TestSystemErrors(t *testing.T) {
	in := source.Input{Name: "a.csv", ReaderAt: strings.NewReader("email\nada@example.org\n"), Size: 22}
	e := engine.New(engine.Config{Formats: formats.Formats("")})
	_, err := e.Run(t.Context(), engine.Import{Input: in, Schema: peopleSchema()}, func([]string, []int) (engine.Sink, error) { return nil, errFault })
	if !errors.Is(err, errFault) {
		t.Errorf("opening the sink fails: error %v", err)
	}
	in.ReaderAt = failingReaderAt{}
	_, err = e.Run(t.Context(), engine.Import{Input: in, Schema: peopleSchema()}, nil)
	if !errors.Is(err, errFault) {
		t.Errorf("reading the file fails: error %v", err)
	}
}

type failingReaderAt struct{}

func (failingReaderAt) ReadAt([]byte, int64) (int, error) { return 0, errFault }

// TestProblemsOfRow checks that an import is rejected if a row has more problems than allowed, and
// that its other rows do not count.
func TestProblemsOfRow(t *testing.T) {
	field := intray.Field{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}
	for i := range 5 {
		field.Validators = append(field.Validators, intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": fmt.Sprint("x", i)}})
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{field}}
	for limit, want := range map[int]engine.Verdict{4: engine.Broken, 5: engine.Done} {
		for _, rows := range []int{1, 3} {
			e := engine.New(engine.Config{Formats: formats.Formats(""), RowProblems: limit})
			out, err := e.Run(t.Context(), engine.Import{Input: inputOf("a.csv", "name\n"+strings.Repeat("a\n", rows)), Schema: schema}, openSink(&batchSizes{}))
			if err != nil || out.Verdict != want {
				t.Fatalf("%d rows, limit %d: outcome %+v, error %v", rows, limit, out, err)
			}
			reason := "The file exceeds a limit: one of its rows has more than 4 problems; fix the columns or the schema first."
			if want == engine.Broken && (out.Notices[0].Type != intray.TooLarge || out.Notices[0].Text.String() != reason) {
				t.Errorf("%d rows, limit %d: %+v", rows, limit, out.Notices)
			}
		}
	}
}

package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

var update = flag.Bool("update", false, "rewrite the expected results of the cases")

// cases is the pattern of the archives in testdata/cases at the root of the repository.
const cases = "../testdata/cases/*.txtar"

// TestCases checks the outcome, the problems and the rows of each case.
//
// A case is a txtar archive. The comment describes the case. The input file is named
// input.EXTENSION, or input.EXTENSION.quoted if it consists of quoted Go strings, one per
// line, because it is not plain text. schema.json is a schema document, and the optional
// answers.json has answers to questions. The expected results are outcome (the verdict, the
// mapping and the notices), problems (those of the staged rows) and rows.json (the result,
// if there is one). The flag -update rewrites them.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(cases)
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("the case has no description")
			}
			c := readCase(t, archive)
			got := c.run(t, 1)
			if diff := gocmp.Diff(got, c.run(t, 8)); diff != "" {
				t.Errorf("outcome with one worker and with 8 (-one +8):\n%s", diff)
			}
			if *update {
				archive.Files = slices.Concat(c.files, got.files())
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// testCase is a parsed archive: a file, a schema and the expected results.
type testCase struct {
	files   []txtar.File
	input   source.Input
	schema  *intray.Schema
	answers intray.Answers
	want    expected
}

// expected holds the results of a case as text.
type expected struct{ Outcome, Problems, Rows string }

func (e expected) files() []txtar.File {
	var list []txtar.File
	for _, f := range []txtar.File{{Name: "outcome", Data: []byte(e.Outcome)}, {Name: "problems", Data: []byte(e.Problems)}, {Name: "rows.json", Data: []byte(e.Rows)}} {
		if len(f.Data) > 0 {
			list = append(list, f)
		}
	}
	return list
}

func readCase(t *testing.T, archive *txtar.Archive) testCase {
	t.Helper()
	var c testCase
	for _, f := range archive.Files {
		switch f.Name {
		case "outcome":
			c.want.Outcome = string(f.Data)
			continue
		case "problems":
			c.want.Problems = string(f.Data)
			continue
		case "rows.json":
			c.want.Rows = string(f.Data)
			continue
		case "schema.json":
			schema, err := schema.Read(bytes.NewReader(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			c.schema = schema
		case "answers.json":
			if err := json.Unmarshal(f.Data, &c.answers); err != nil {
				t.Fatal(err)
			}
		default:
			c.input = caseInput(t, f)
		}
		c.files = append(c.files, f)
	}
	if c.schema == nil || c.input.ReaderAt == nil {
		t.Fatal("the case has no schema.json or no input")
	}
	return c
}

func caseInput(t *testing.T, f txtar.File) source.Input {
	t.Helper()
	name, quoted := strings.CutSuffix(f.Name, ".quoted")
	if !strings.HasPrefix(name, "input.") {
		t.Fatalf("a case has no file %q", f.Name)
	}
	text := f.Data
	if quoted {
		text = nil
		for line := range strings.Lines(string(f.Data)) {
			part, err := strconv.Unquote(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			text = append(text, part...)
		}
	}
	return source.Input{Name: name, ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
}

// run imports the file of the case, stages its rows and writes the result.
func (c testCase) run(t *testing.T, workers int) expected {
	t.Helper()
	ctx := t.Context()
	s := stageOpener{blobs: blobtest.NewMemory(), ctx: ctx}
	e := engine.New(engine.Config{Formats: formats.Formats(""), Workers: workers})
	out, err := e.Run(ctx, engine.Import{Input: c.input, Schema: c.schema, Answers: c.answers}, s.open)
	if err != nil {
		t.Fatal(err)
	}
	got := expected{Outcome: formatOutcome(c.schema, out)}
	if s.writer == nil {
		return got
	}
	if out.Verdict == engine.Broken {
		s.writer.Abort()
		return got
	}
	staged := s.openStage(t)
	if err := out.FillValues(ctx, c.schema.Fields, staged.Window); err != nil {
		t.Fatal(err)
	}
	got.Outcome = formatOutcome(c.schema, out)
	got.Problems = formatProblems(t, c.schema, staged)
	if out.Verdict != engine.Done {
		return got
	}
	var rows strings.Builder
	if _, err := output.Write(ctx, &rows, output.JSON, c.schema, staged.Batches(ctx)); err != nil {
		t.Fatal(err)
	}
	got.Rows = strings.TrimSuffix(rows.String(), "\n") + "\n"
	return got
}

// stageOpener opens a stage in memory as the sink of one run.
type stageOpener struct {
	ctx    context.Context
	blobs  *blobtest.Memory
	writer *staging.Writer
}

func (s *stageOpener) open(fields []string, unmapped []int) (engine.Sink, error) {
	s.writer = staging.NewWriter(s.ctx, s.blobs, "stage", staging.Layout{Fields: fields, Unmapped: unmapped}, staging.Config{})
	return s.writer, nil
}

// openStage completes the stage and opens it until the end of the test.
func (s *stageOpener) openStage(t *testing.T) *staging.Stage {
	t.Helper()
	defer s.writer.Abort()
	if _, err := s.writer.Close(s.ctx); err != nil {
		t.Fatal(err)
	}
	staged, err := staging.Open(s.ctx, s.blobs, "stage")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { staged.Close() })
	return staged
}

var verdicts = map[engine.Verdict]string{engine.Done: "done", engine.Open: "open", engine.Broken: "broken"}

// formatOutcome returns an outcome as text.
func formatOutcome(schema *intray.Schema, out *engine.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d data rows, %d with an error %v\n", verdicts[out.Verdict], out.DataRows, out.ErrorRows, out.RowsWithError)
	for i, match := range out.Mapping.Fields {
		if match.Column == intray.NoColumn {
			fmt.Fprintf(&b, "%s: no column\n", schema.Fields[i].Key)
			continue
		}
		columns := fmt.Sprintf("column %d", match.Column)
		if match.Columns != nil {
			columns = fmt.Sprintf("columns %v", match.Columns)
		}
		fmt.Fprintf(&b, "%s: %s %q, %v, %s\n", schema.Fields[i].Key, columns, match.Header, match.Score, strings.Join(intray.RenderAll(match.Reasons), "; "))
	}
	if len(out.Mapping.Unmapped) > 0 {
		fmt.Fprintf(&b, "unmapped: %v\n", out.Mapping.Unmapped)
	}
	for _, n := range out.AllNotices() {
		fmt.Fprintf(&b, "%s %s%s: %s\n", n.Type, n.Level, noticeLocation(n), n.Text)
	}
	return b.String()
}

func noticeLocation(n intray.Notice) string {
	text := ""
	if n.Row != nil {
		text += fmt.Sprintf(" row %d", *n.Row)
	}
	if n.Field != "" {
		text += " field " + n.Field
	}
	if n.Part != nil {
		text += fmt.Sprintf(" part %d", *n.Part)
	}
	if n.Header != "" {
		text += fmt.Sprintf(" header %q", n.Header)
	}
	if n.Value != nil {
		text += fmt.Sprintf(" value %q", *n.Value)
	}
	if n.Total > 0 {
		text += fmt.Sprintf(" total %d", n.Total)
	}
	return text
}

// formatProblems returns the problems of the staged rows, one per line.
func formatProblems(t *testing.T, schema *intray.Schema, staged *staging.Stage) string {
	t.Helper()
	text := ""
	for b, err := range staged.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range b.Problems {
			key := ""
			if p.Field != intray.NoField {
				key = schema.Fields[p.Field].Key
			}
			if p.Part > 0 {
				key += fmt.Sprintf(" part %d", p.Part)
			}
			text += fmt.Sprintf("line %d, row %d, %s: %s %s\n", b.Lines[p.Row], b.First+int64(p.Row), cmp.Or(key, "whole row"), p.Level, p.Code)
		}
	}
	return text
}

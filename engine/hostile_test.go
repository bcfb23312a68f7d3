package engine_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
	"github.com/intraydata/intray/source/sourcetest"
)

// numberedWords returns n copies of a word, each with its number appended, separated by the
// given string.
func numberedWords(n int, word, between string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(word, i)
	}
	return strings.Join(list, between)
}

// wideSchema returns a schema with n text fields, named f0, f1 and so on.
func wideSchema(n int, rules ...intray.Validator) *intray.Schema {
	s := &intray.Schema{Settings: intray.DefaultSettings()}
	for i := range n {
		s.Fields = append(s.Fields, intray.Field{
			Key: fmt.Sprint("f", i), Label: fmt.Sprint("F ", i), Type: intray.FieldType{Name: intray.TypeString}, Validators: rules,
		})
	}
	return s
}

// batchSizes is a sink that records the sizes of the largest batches.
type batchSizes struct {
	mu              sync.Mutex
	cells, problems int
}

func (l *batchSizes) StageBatch(b *intray.Batch) (func() error, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cells = max(l.cells, b.Rows()*(len(b.Fields)+len(b.Unmapped)))
	l.problems = max(l.problems, len(b.Problems))
	return func() error { return nil }, nil
}

func importInto(t *testing.T, cfg engine.Config, file string, schema *intray.Schema, to engine.Sink) *engine.Outcome {
	t.Helper()
	cfg.Formats = formats.Formats("")
	in := inputOf("x.csv", file)
	out, err := engine.New(cfg).Run(t.Context(), engine.Import{Input: in, Schema: schema}, openSink(to))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBatchSizeIsBounded checks that batches have a bounded number of cells and problems even
// if the rows of a small file have very many of them.
func TestBatchSizeIsBounded(t *testing.T) {
	rows := 1000
	if testing.Short() {
		rows = 250
	}
	must := intray.Validator{Rule: "required"}
	passing := wideSchema(1)
	passing.Settings.PassThroughUnmappedColumns = true
	for name, c := range map[string]struct {
		header string
		schema *intray.Schema
		// problems is the number of problems of each row.
		problems int
	}{
		"required fields in empty rows": {numberedWords(2000, "f", ","), wideSchema(2000, must), 2000},
		"repeated validators":           {numberedWords(500, "f", ","), wideSchema(500, must, must, must, must), 1997},
		"fields without a column":       {"f0", wideSchema(2000), 0},
		"unmapped columns":              {numberedWords(8000, "f", ","), passing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var most batchSizes
			out := importInto(t, engine.Config{}, c.header+"\n"+strings.Repeat("a\n", rows), c.schema, &most)
			if out.DataRows != int64(rows) || out.Problems != int64(rows*c.problems) {
				t.Errorf("%d rows and %d problems", out.DataRows, out.Problems)
			}
			row := max(len(c.schema.Fields), strings.Count(c.header, ",")+1)
			if most.cells > intray.BatchCells+row || most.problems > intray.BatchCells/8 {
				t.Errorf("a batch holds %d cells and %d problems", most.cells, most.problems)
			}
		})
	}
}

// TestCellLimit checks that cells that the file does not store count toward the cell limit.
func TestCellLimit(t *testing.T) {
	cfg := engine.Config{Options: source.Options{Limits: source.Limits{Cells: 1000}}}
	for name, c := range map[string]struct {
		header string
		schema *intray.Schema
		rows   int
		fits   bool
	}{
		"fields, at the limit":   {"f0", wideSchema(10), 100, true},
		"fields, one row more":   {"f0", wideSchema(10), 101, false},
		"columns, at the limit":  {numberedWords(10, "f", ","), wideSchema(1), 100, true},
		"columns, one row more":  {numberedWords(10, "f", ","), wideSchema(1), 101, false},
		"rows beyond maxRecords": {"f0", limited(wideSchema(10), 100), 500, true},
	} {
		out := importInto(t, cfg, c.header+"\n"+strings.Repeat("a\n", c.rows), c.schema, sink{})
		if c.fits && out.Verdict != engine.Done {
			t.Errorf("%s: %v", name, out.Notices)
		}
		if !c.fits {
			expectTooLarge(t, out, "its rows add up to more than 1,000 cells, at 10 per row")
		}
	}
}

func limited(s *intray.Schema, rows int64) *intray.Schema {
	s.Settings.MaxRecords = rows
	return s
}

func TestTooManyProblems(t *testing.T) {
	schema := wideSchema(2, intray.Validator{Rule: "required"})
	file := func(rows int) string { return "f0,f1\n" + strings.Repeat("a,\n", rows) }
	if out := importInto(t, engine.Config{Problems: 50}, file(50), schema, sink{}); out.Problems != 50 || out.Verdict != engine.Done {
		t.Errorf("at the limit: %d problems, %v", out.Problems, out.Notices)
	}
	commits := 0
	out := importInto(t, engine.Config{Problems: 50}, file(51), schema, sink{commit: func(int64) error { commits++; return nil }})
	expectTooLarge(t, out, "it has more than 50 problems")
	if commits > 0 {
		t.Error("the batch that exceeds the limit was committed")
	}
}

func expectTooLarge(t *testing.T, out *engine.Outcome, words string) {
	t.Helper()
	if out.Verdict != engine.Broken || out.Notices[0].Type != intray.TooLarge || !strings.Contains(out.Notices[0].Text.String(), words) {
		t.Errorf("verdict %d, notices %v; want %q", out.Verdict, out.Notices, words)
	}
}

// TestManyQuestions checks that the notices are truncated if more fields are undecided than an
// outcome can list.
func TestManyQuestions(t *testing.T) {
	const fields = engine.MaxNotices + 500
	schema := wideSchema(fields, intray.Validator{Rule: "required"})
	out := importInto(t, engine.Config{}, "f0\na\n", schema, sink{})
	list := out.AllNotices()
	last := list[len(list)-1]
	if len(out.Notices) != engine.MaxNotices || out.OmittedNotices != 499 || len(list) != engine.MaxNotices+1 || last.Type != intray.Truncated || last.Total != fields-1 {
		t.Errorf("%d notices, %d omitted; AllNotices returns %d, the last %+v", len(out.Notices), out.OmittedNotices, len(list), last)
	}
}

// TestLongHeaders checks that headers are truncated in notices but not in Outcome.Headers.
func TestLongHeaders(t *testing.T) {
	long := strings.Repeat("h", 4000)
	schema := wideSchema(1, intray.Validator{Rule: "required"})
	schema.Fields[0].Label = long
	conflict := importInto(t, engine.Config{}, long+","+long+"\na,b\n", schema, sink{})
	invalid := importInto(t, engine.Config{}, long+",x\n,b\n", schema, sink{})
	for _, n := range append(conflict.Notices, invalid.Listed...) {
		if len(n.Header) > 110 || !strings.HasSuffix(n.Header, "…") || len(n.Text.String()) > 1000 {
			t.Errorf("%s: a header of %d bytes and a text of %d", n.Type, len(n.Header), len(n.Text.String()))
		}
	}
	if len(conflict.Notices)+len(invalid.Listed) != 2 || invalid.Headers[0] != long {
		t.Errorf("%v, %v", conflict.Notices, invalid.Listed)
	}
}

// TestHostileTextsRoundTrip checks that strings that often break programs reach the result
// unchanged from files in three formats.
func TestHostileTextsRoundTrip(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetest.Corpus(t, "naughty-strings"), "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) < 500 {
		t.Fatalf("only %d texts", len(texts))
	}
	for name, write := range map[string]func(*testing.T, []string) []byte{"rows.csv": asCSV, "rows.json": asJSON, "rows.ndjson": asLines} {
		t.Run(name, func(t *testing.T) {
			got := importedTexts(t, name, write(t, texts))
			if len(got) != len(texts) {
				t.Fatalf("%d rows of %d in the result", len(got), len(texts))
			}
			for i, want := range texts {
				if got[i] != want {
					t.Errorf("text %d: %q is imported as %q", i, want, got[i])
				}
			}
		})
	}
}

func asCSV(t *testing.T, texts []string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{{"Id", "Text"}}
	for i, text := range texts {
		rows = append(rows, []string{strconv.Itoa(i + 1), text})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func records(texts []string) []map[string]string {
	rows := make([]map[string]string, len(texts))
	for i, text := range texts {
		rows[i] = map[string]string{"Id": strconv.Itoa(i + 1), "Text": text}
	}
	return rows
}

func asJSON(t *testing.T, texts []string) []byte {
	text, err := json.Marshal(records(texts))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func asLines(t *testing.T, texts []string) []byte {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for _, row := range records(texts) {
		if err := lines.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// importedTexts imports a file and returns the values of the result, row by row.
func importedTexts(t *testing.T, name string, file []byte) []string {
	t.Helper()
	plain := intray.FieldType{Name: intray.TypeString}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "id", Label: "Id", Type: plain}, {Key: "text", Label: "Text", Type: plain},
	}}
	s := stageOpener{ctx: t.Context(), blobs: blobtest.NewMemory()}
	out, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(t.Context(), engine.Import{
		Input:  source.Input{Name: name, ReaderAt: bytes.NewReader(file), Size: int64(len(file))},
		Schema: schema,
	}, s.open)
	if err != nil || s.writer == nil {
		t.Fatalf("no row moved: %v, %+v", err, out)
	}
	staged := s.openStage(t)
	var result bytes.Buffer
	if _, err := output.Write(t.Context(), &result, output.JSON, schema, staged.Batches(t.Context())); err != nil {
		t.Fatal(err)
	}
	var rows []struct{ ID, Text string }
	if err := json.Unmarshal(result.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	back := make([]string, len(rows))
	for i, row := range rows {
		back[i] = row.Text
	}
	return back
}

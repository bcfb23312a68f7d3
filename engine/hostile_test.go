package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// numbered joins n words with their numbers.
func numbered(n int, word, between string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(word, i)
	}
	return strings.Join(list, between)
}

// wideSchema has n text fields named f0 and so on.
func wideSchema(n int, rules ...intray.Validator) *intray.Schema {
	s := &intray.Schema{Settings: intray.DefaultSettings()}
	for i := range n {
		s.Fields = append(s.Fields, intray.Field{
			Key: fmt.Sprint("f", i), Label: fmt.Sprint("F ", i), Type: intray.FieldType{Name: intray.TypeString}, Validators: rules,
		})
	}
	return s
}

// largest is what the largest batch of a run held.
type largest struct {
	mu              sync.Mutex
	cells, problems int
}

func (l *largest) StageBatch(b *intray.Batch) (func() error, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cells = max(l.cells, b.Rows()*(len(b.Fields)+len(b.Unmapped)))
	l.problems = max(l.problems, len(b.Problems))
	return func() error { return nil }, nil
}

func runInto(t *testing.T, cfg engine.Config, file string, schema *intray.Schema, to engine.Sink) *engine.Outcome {
	t.Helper()
	cfg.Formats = formats.Formats("")
	in := source.Input{Name: "x.csv", ReaderAt: strings.NewReader(file), Size: int64(len(file))}
	out, err := engine.New(cfg).Run(t.Context(), engine.Import{Input: in, Schema: schema}, func([]string, []int) (engine.Sink, error) { return to, nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSmallFilesStaySmall runs files of few bytes whose rows come to very many
// cells or problems: no batch may hold more than a bounded number of them.
func TestSmallFilesStaySmall(t *testing.T) {
	const rows = 1000
	must := intray.Validator{Rule: "required"}
	passing := wideSchema(1)
	passing.Settings.PassThroughUnmappedColumns = true
	for name, c := range map[string]struct {
		header string
		schema *intray.Schema
		// problems is how many each row has.
		problems int
	}{
		"required fields over an empty row": {numbered(2000, "f", ","), wideSchema(2000, must), 2000},
		"rules told twice":                  {numbered(500, "f", ","), wideSchema(500, must, must, must, must), 1997},
		"fields without a column":           {"f0", wideSchema(2000), 0},
		"columns that are passed through":   {numbered(8000, "f", ","), passing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var most largest
			out := runInto(t, engine.Config{}, c.header+"\n"+strings.Repeat("a\n", rows), c.schema, &most)
			if out.DataRows != rows || out.Problems != int64(rows*c.problems) {
				t.Errorf("%d rows and %d problems", out.DataRows, out.Problems)
			}
			row := max(len(c.schema.Fields), strings.Count(c.header, ",")+1)
			if most.cells > intray.BatchCells+row || most.problems > intray.BatchCells/8 {
				t.Errorf("a batch holds %d cells and %d problems", most.cells, most.problems)
			}
		})
	}
}

// TestRowsAreCountedByTheirWidth counts cells that no record writes down.
func TestRowsAreCountedByTheirWidth(t *testing.T) {
	cfg := engine.Config{Options: source.Options{Limits: source.Limits{Cells: 1000}}}
	for name, c := range map[string]struct {
		header string
		schema *intray.Schema
		rows   int
		fits   bool
	}{
		"fields, at the limit":      {"f0", wideSchema(10), 100, true},
		"fields, one row beyond":    {"f0", wideSchema(10), 101, false},
		"columns, at the limit":     {numbered(10, "f", ","), wideSchema(1), 100, true},
		"columns, one row beyond":   {numbered(10, "f", ","), wideSchema(1), 101, false},
		"rows that are not counted": {"f0", limited(wideSchema(10), 100), 500, true},
	} {
		out := runInto(t, cfg, c.header+"\n"+strings.Repeat("a\n", c.rows), c.schema, sink{})
		if c.fits && out.Verdict != engine.Done {
			t.Errorf("%s: %v", name, out.Notices)
		}
		if !c.fits {
			tooLarge(t, out, "its rows add up to more than 1,000 cells, at 10 per row")
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
	if out := runInto(t, engine.Config{Problems: 50}, file(50), schema, sink{}); out.Problems != 50 || out.Verdict != engine.Done {
		t.Errorf("at the limit: %d problems, %v", out.Problems, out.Notices)
	}
	commits := 0
	out := runInto(t, engine.Config{Problems: 50}, file(51), schema, sink{commit: func(int64) error { commits++; return nil }})
	tooLarge(t, out, "it has more than 50 problems")
	if commits > 0 {
		t.Error("the batch that went beyond the limit was committed")
	}
}

func tooLarge(t *testing.T, out *engine.Outcome, words string) {
	t.Helper()
	if out.Verdict != engine.Broken || out.Notices[0].Type != intray.TooLarge || !strings.Contains(out.Notices[0].Text.String(), words) {
		t.Errorf("verdict %d, notices %v; want %q", out.Verdict, out.Notices, words)
	}
}

// TestManyQuestions asks about more fields than an outcome lists.
func TestManyQuestions(t *testing.T) {
	const fields = engine.MaxNotices + 500
	schema := wideSchema(fields, intray.Validator{Rule: "required"})
	out := runInto(t, engine.Config{}, "f0\na\n", schema, sink{})
	list := out.AllNotices()
	last := list[len(list)-1]
	if len(out.Notices) != engine.MaxNotices || out.OmittedNotices != 499 || len(list) != engine.MaxNotices+1 || last.Type != intray.Truncated || last.Total != fields-1 {
		t.Errorf("%d notices, %d untold; %d in all, the last %+v", len(out.Notices), out.OmittedNotices, len(list), last)
	}
}

// TestLongHeadersAreCut: a header stands whole among the headers, and cut in
// each of many notices.
func TestLongHeadersAreCut(t *testing.T) {
	long := strings.Repeat("h", 4000)
	schema := wideSchema(1, intray.Validator{Rule: "required"})
	schema.Fields[0].Label = long
	conflict := runInto(t, engine.Config{}, long+","+long+"\na,b\n", schema, sink{})
	invalid := runInto(t, engine.Config{}, long+",x\n,b\n", schema, sink{})
	for _, n := range append(conflict.Notices, invalid.Listed...) {
		if len(n.Header) > 110 || !strings.HasSuffix(n.Header, "…") || len(n.Text.String()) > 1000 {
			t.Errorf("%s: a header of %d bytes and a text of %d", n.Type, len(n.Header), len(n.Text.String()))
		}
	}
	if len(conflict.Notices)+len(invalid.Listed) != 2 || invalid.Headers[0] != long {
		t.Errorf("%v, %v", conflict.Notices, invalid.Listed)
	}
}

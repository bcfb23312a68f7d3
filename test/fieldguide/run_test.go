package fieldguide

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// trial is a small import: a schema as JSON, and a table of cells.
type trial struct {
	fields, settings string
	header           []string
	rows             [][]string
}

// found is the result of a trial.
type found struct {
	schema *intray.Schema
	*engine.Outcome
	// lines contains the rows of the result as NDJSON. It is empty if the import has a question.
	lines []string
}

// run imports a trial and returns its result.
func (tr trial) run(t *testing.T) found {
	t.Helper()
	schema := tr.schema(t)
	kept := &memorySink{batches: map[int64]*intray.Batch{}}
	text := tr.table(t)
	in := source.Input{Name: "rows.json", ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
	e := engine.New(engine.Config{Formats: formats.Formats(t.TempDir()), Temp: t.TempDir()})
	out, err := e.Run(t.Context(), engine.Import{Input: in, Schema: schema}, func([]string, []int) (engine.Sink, error) { return kept, nil })
	if err != nil {
		t.Fatal(err)
	}
	f := found{schema: schema, Outcome: out}
	if out.Verdict != engine.Done {
		return f
	}
	var rows bytes.Buffer
	if _, err := output.Write(t.Context(), &rows, output.NDJSON, schema, kept.inOrder()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(rows.String()) {
		if line = strings.TrimSpace(line); line != "" {
			f.lines = append(f.lines, line)
		}
	}
	return f
}

func (tr trial) schema(t *testing.T) *intray.Schema {
	t.Helper()
	s, issues := schema.Parse(schema.Doc{Fields: decoded(t, tr.fields), Settings: decoded(t, tr.settings)})
	if len(issues) > 0 {
		t.Fatalf("%s %s: %v", tr.fields, tr.settings, issues)
	}
	return s
}

// decoded decodes JSON as the program does. It returns nil for "".
func decoded(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// table returns the rows as a JSON array of objects, so that Intray need not detect the
// header, delimiter and encoding.
func (tr trial) table(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, row := range tr.rows {
		b.WriteByte("[,"[min(i, 1)])
		for c, cell := range row {
			b.WriteByte("{,"[min(c, 1)])
			b.Write(quoted(t, tr.header[c]))
			b.WriteByte(':')
			b.Write(quoted(t, cell))
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes()
}

func quoted(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// memorySink is a sink that stores batches in memory.
type memorySink struct {
	mu      sync.Mutex
	batches map[int64]*intray.Batch
}

func (k *memorySink) StageBatch(b *intray.Batch) (func() error, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	mine := new(intray.Batch)
	if err := json.Unmarshal(text, mine); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.batches[b.First] = mine
	return func() error { return nil }, nil
}

// AddProblem adds a problem to rows that are already stored.
func (k *memorySink) AddProblem(problem intray.Problem, rows *roaring.Bitmap) error {
	for first, b := range k.batches {
		for row := range b.Rows() {
			if rows.Contains(uint32(first) + uint32(row)) {
				problem.Row = row
				b.Problems = append(b.Problems, problem)
			}
		}
		slices.SortStableFunc(b.Problems, func(x, y intray.Problem) int { return x.Row - y.Row })
	}
	return nil
}

func (k *memorySink) inOrder() iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		firsts := make([]int64, 0, len(k.batches))
		for first := range k.batches {
			firsts = append(firsts, first)
		}
		slices.Sort(firsts)
		for _, first := range firsts {
			if !yield(k.batches[first], nil) {
				return
			}
		}
	}
}

// cell describes the value and the problems of a cell.
func (f found) cell(t *testing.T, row int, key string) string {
	t.Helper()
	if len(f.lines) <= row {
		return f.asked(row)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(f.lines[row]), &values); err != nil {
		t.Fatal(err)
	}
	notes, wrong := "", false
	for _, n := range f.Listed {
		if n.Row != nil && *n.Row == int64(row) && n.Field == key {
			notes += ", " + n.Level.String() + ": " + n.Text.String()
			wrong = wrong || n.Level == intray.LevelError
		}
	}
	if wrong && string(values[key]) == "null" {
		return strings.TrimPrefix(notes, ", ")
	}
	return code(string(values[key])) + notes
}

// asked returns the question if row is the first row, and "same question" otherwise.
func (f found) asked(row int) string {
	if row > 0 {
		return "same question"
	}
	var texts []string
	for _, q := range f.Questions {
		texts = append(texts, q.Text.String())
	}
	if len(texts) == 0 {
		for _, n := range f.Notices {
			texts = append(texts, n.Text.String())
		}
	}
	return "question: " + strings.Join(texts, " ")
}

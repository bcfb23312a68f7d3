package server

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// runText imports text as people.csv and traces the given rows.
func runText(t *testing.T, text string, behavior intray.InvalidDataBehavior, rows ...int64) (RunReport, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "people.csv")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
	}}
	schema.Settings.InvalidDataBehavior = behavior
	var out bytes.Buffer
	report, err := Run(t.Context(), RunConfig{File: file, Schema: schema, Out: "-", Stdout: &out, Format: output.JSON, Explain: rows})
	must(t, err)
	return report, out.String()
}

// TestCheckOutputs checks that no output overwrites an input or the other output, even if the
// first output is omitted or is the standard output.
func TestCheckOutputs(t *testing.T) {
	folder := t.TempDir()
	name := func(name string) string { return filepath.Join(folder, name) }
	for _, file := range []string{"in.csv", "schema.json", "old.json"} {
		must(t, os.WriteFile(name(file), nil, 0o600))
	}
	for _, c := range []struct {
		out, problems string
		allowed       bool
	}{
		{"", "", true},
		{"-", "", true},
		{name("new.json"), name("new.csv"), true},
		{name("old.json"), "-", true},
		{name("in.csv"), "", false},
		{name("schema.json"), "", false},
		{"", name("in.csv"), false},
		{"-", name("in.csv"), false},
		{"-", name("schema.json"), false},
		{name("new.json"), name("in.csv"), false},
		{name("new.json"), name("new.json"), false},
		{name("old.json"), folder + "/./old.json", false},
	} {
		err := (&RunConfig{File: name("in.csv"), SchemaFile: name("schema.json"), Out: c.out, Problems: c.problems}).checkOutputs()
		var usage UsageError
		if (err == nil) != c.allowed || err != nil && !errors.As(err, &usage) {
			t.Errorf("output %q, problems %q: %v", c.out, c.problems, err)
		}
	}
}

// stepsOf returns the steps of a trace, each with the value of the cell after the step.
func stepsOf(t intray.Trace) (steps []string) {
	for _, s := range t.Steps {
		text := "none"
		if s.Text != nil {
			text = *s.Text
		}
		steps = append(steps, s.Step+" "+text)
	}
	return steps
}

func TestExplain(t *testing.T) {
	const text = "E-Mail,Name\n ada@example.org,Ada\nnobody,Bob\n"
	report, out := runText(t, text, intray.IncludeInvalidValues, 1, 2, 0)
	if len(report.Traces) != 3 || report.Traces[1] != nil {
		t.Fatalf("traces of %d rows: %+v", len(report.Traces), report.Traces)
	}
	bob, ada := report.Traces[0], report.Traces[2]
	for _, c := range []struct {
		trace intray.Trace
		want  []string
	}{
		{ada[0], []string{"read  ada@example.org", "map  ada@example.org", "parse ada@example.org", "check ada@example.org", `output "ada@example.org"`}},
		{ada[1], []string{"read Ada", "map Ada", "parse Ada", "check Ada", `output "Ada"`}},
		{bob[0], []string{"read nobody", "map nobody", "parse none", "check none", `output "nobody"`}},
	} {
		if diff := cmp.Diff(c.want, stepsOf(c.trace)); diff != "" {
			t.Errorf("%s of row %d: %s", c.trace.Field, c.trace.Row, diff)
		}
		if written := c.trace.Steps[4].Text; !strings.Contains(out, `"`+c.trace.Field+`":`+*written) {
			t.Errorf("%s is missing in the result: %s", *written, out)
		}
	}
	if bob[0].Row != 1 || bob[0].Line != 3 || len(bob[0].Problems) != 1 {
		t.Errorf("the second row: %+v", bob[0])
	}
}

func TestExplainWithoutResult(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		// step is the reason for the last step in the trace of row 0, or "" if no row is traced.
		step string
	}{
		"open by rows":     {"E-Mail,Name\nada@example.org,Ada\nnobody,Bob\n", "nothing was written: a row has an error, and invalidDataBehavior is BLOCK_SUBMIT"},
		"open by question": {"E-Mail,E-Mail\nada@example.org,b@example.org\n", ""},
		"broken":           {"", ""},
	} {
		report, out := runText(t, c.text, intray.BlockSubmit, 0)
		if c.step == "" {
			if report.Traces != nil {
				t.Errorf("%s: traces of rows that were not imported: %+v", name, report.Traces)
			}
			continue
		}
		steps := report.Traces[0][0].Steps
		if last := steps[len(steps)-1]; last.Step != "output" || last.Text != nil || strings.Join(intray.RenderAll(last.Reasons), "") != c.step || out != "" {
			t.Errorf("%s: %+v; the output is %q", name, last, out)
		}
	}
	if report, _ := runText(t, "E-Mail,Name\n", intray.RemoveInvalidRows, 0); len(report.Traces) != 1 || report.Traces[0] != nil {
		t.Errorf("a file without rows: %+v", report.Traces)
	}
	if report, _ := runText(t, "E-Mail,Name\nada@example.org,Ada\n", intray.RemoveInvalidRows); report.Traces != nil {
		t.Errorf("unexpected traces: %+v", report.Traces)
	}
}

// oneBatch yields a batch with a problem, and then err if it is not nil.
func oneBatch(err error) iter.Seq2[*intray.Batch, error] {
	b := &intray.Batch{First: 4, Lines: []int64{6}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendNull([]byte("x"))
	b.Problems = []intray.Problem{{Code: "email", Text: intray.Literal("Mend it.")}}
	return func(yield func(*intray.Batch, error) bool) {
		if yield(b, nil) && err != nil {
			yield(nil, err)
		}
	}
}

func TestProblemsAlong(t *testing.T) {
	cfg := RunConfig{Problems: "-", Schema: &intray.Schema{Fields: []intray.Field{{Key: "mail"}}}}
	const want = "line,row,field,level,code,message,value\n6,5,mail,error,email,Mend it.,x\n"
	var out bytes.Buffer
	cfg.Stdout = &out
	must(t, cfg.writeProblems(new(time.Duration), func(l *problemList) error { return drain(l.teeBatches(oneBatch(nil))) }))
	if out.String() != want {
		t.Errorf("the output is %q, want %q", out.String(), want)
	}
	cfg.Problems = filepath.Join(t.TempDir(), "problems.csv")
	if err := cfg.writeProblems(new(time.Duration), func(l *problemList) error { return drain(l.teeBatches(oneBatch(errTest))) }); !errors.Is(err, errTest) {
		t.Errorf("error %v, want that of the batches", err)
	}
	if _, err := os.Stat(cfg.Problems); err == nil {
		t.Error("an incomplete file of problems remains")
	}
	seen := 0
	must(t, cfg.writeProblems(new(time.Duration), func(l *problemList) error {
		for range l.teeBatches(oneBatch(errTest)) {
			seen++
			break // stops the iteration early
		}
		return nil
	}))
	if seen != 1 || content(t, cfg.Problems) != want {
		t.Errorf("%d batches; the file contains %q", seen, content(t, cfg.Problems))
	}
}

func TestProblemsFull(t *testing.T) {
	cfg := RunConfig{Problems: "-", Schema: &intray.Schema{Fields: []intray.Field{{Key: "mail"}}}, Stdout: fullDisk{}}
	if err := cfg.writeProblems(new(time.Duration), func(l *problemList) error { return drain(l.teeBatches(oneBatch(nil))) }); !errors.Is(err, errTest) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errTest }

// TestFindingS9Problems checks that no column of the list of problems contains a formula, whatever
// character a spreadsheet splits it at.
func TestFindingS9Problems(t *testing.T) {
	var out bytes.Buffer
	cfg := RunConfig{Problems: "-", Stdout: &out, Schema: &intray.Schema{Fields: []intray.Field{{Key: "k;=1"}}}}
	b := &intray.Batch{Lines: []int64{2}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendNull([]byte("a\t=1"))
	b.Problems = []intray.Problem{{Code: "c|+1", Text: intray.Literal("Not x;@A1, =2.")}}
	must(t, cfg.writeProblems(new(time.Duration), func(l *problemList) error { return l.writeBatch(b) }))
	const want = "line,row,field,level,code,message,value\n2,1,k;'=1,error,c|'+1,\"Not x;'@A1, =2.\",a\t'=1\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/source"
)

// peopleSchema has a unique field, so that some problems are found only after the last row.
const peopleSchema = `{"fields": [
	{"key": "id", "label": "ID", "validators": [{"validate": "unique"}]},
	{"key": "email", "label": "E-mail", "type": "email"}], "settings": {"invalidDataBehavior": "BEHAVIOR"}}`

// openText imports a file with the given content.
func openText(t *testing.T, behavior, text string) *Import {
	t.Helper()
	s, err := schema.Read(strings.NewReader(strings.Replace(peopleSchema, "BEHAVIOR", behavior, 1)))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	in := source.Input{Name: "people.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))}
	imp, err := OpenInput(t.Context(), in, s, Config{TempDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := imp.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("temporary files remain: %v, %v", left, err)
		}
	})
	return imp
}

func TestRowsAndProblems(t *testing.T) {
	imp := openText(t, "REMOVE_INVALID_ROWS", "ID,E-mail\n1,ada@example.org\n2,bob\n1,\n3,\n")
	var rows []map[string]string
	var indexes []int64
	for row, err := range imp.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := row.Value("email"); ok != (row.Text("email") != "") || row.Text("no such key") != "" {
			t.Errorf("row %d: Value and Text differ", row.Index())
		}
		rows, indexes = append(rows, row.Values()), append(indexes, row.Index(), row.Line())
	}
	if diff := cmp.Diff([]map[string]string{{"id": "3"}}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{3, 5}, indexes); diff != "" {
		t.Errorf("index and line (-want +got):\n%s", diff)
	}
	var problems []string
	for p, err := range imp.Problems(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(p.String(), ":")
		problems = append(problems, before+" "+p.Code)
	}
	if diff := cmp.Diff([]string{`row 1, id "1" unique`, `row 2, email "bob" email`, `row 3, id "1" unique`}, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	var out strings.Builder
	if n, err := imp.Write(t.Context(), &out, output.NDJSON); n != 1 || err != nil || out.String() != `{"id":"3","email":null}`+"\n" {
		t.Errorf("wrote %d rows, %v: %s", n, err, out.String())
	}
	b, err := imp.Window(t.Context(), 1, 2)
	if err != nil || b.First != 1 || b.Rows() != 2 {
		t.Errorf("a window of %d rows from %d, %v", b.Rows(), b.First, err)
	}
}

// TestProblemGroups checks the groups of more problems than an outcome lists.
func TestProblemGroups(t *testing.T) {
	var text strings.Builder
	text.WriteString("ID,E-mail\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,bob%d\n", i, i%2)
	}
	text.WriteString("7,bob@example.org\n")
	imp := openText(t, "REMOVE_INVALID_ROWS", text.String())
	groups, err := imp.ProblemGroups(t.Context(), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s %s %s: %d problems, %d rows", g.Level, g.Field, g.Code, g.Problems, g.Rows))
		for _, p := range g.Examples {
			got = append(got, fmt.Sprintf("line %d, row %d: %s", p.Line, p.Row, p.Value))
		}
	}
	want := []string{
		"error email email: 3000 problems, 3000 rows",
		"line 2, row 0: bob0", "line 3, row 1: bob1", "line 4, row 2: bob0",
		"error id unique: 2 problems, 2 rows",
		"line 9, row 7: 7", "line 3002, row 3000: 7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if groups, err = imp.ProblemGroups(t.Context(), 1, 1); err != nil || len(groups) != 2 || len(groups[0].Examples) != 1 || len(groups[1].Examples) != 0 {
		t.Errorf("with one example in one group: %v, %v", groups, err)
	}
	if groups, err = openText(t, "REMOVE_INVALID_ROWS", "").ProblemGroups(t.Context(), 1, 1); err != nil || groups != nil {
		t.Errorf("without rows: %v, %v", groups, err)
	}
}

// TestNoResult checks that imports without a result return the reason and no rows.
// TestFindingB15LateQuote checks that the problem of a row with too many cells names the quote
// that joined several rows.
func TestFindingB15LateQuote(t *testing.T) {
	imp := openText(t, "INCLUDE_INVALID_ROWS", "ID,E-mail,City\n\"1,ada@example.org,Ulm\n2,bob@example.org,Bonn\n3\",cy@example.org,Kiel,x\n4,dan@example.org,Jena\n5,e@example.org,Jena\n6,f@example.org,y,z\n")
	var got []string
	for p, err := range imp.Problems(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.String())
	}
	if len(got) != 2 || !strings.Contains(got[0], "A quotation mark opened in line 2 is closed only in line 4.") || !strings.Contains(got[1], "4 cells") {
		t.Errorf("%q", got)
	}
}

func TestNoResult(t *testing.T) {
	for _, c := range []struct{ name, behavior, text, want string }{
		{"blocked", "BLOCK_SUBMIT", "ID,E-mail\n1,bob\n", "rows with errors: 1"},
		{"empty", "REMOVE_INVALID_ROWS", "", "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			imp := openText(t, c.behavior, c.text)
			var verdict *VerdictError
			rows := 0
			for _, err := range imp.Rows(t.Context()) {
				rows++
				if !errors.As(err, &verdict) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one with %q", err, c.want)
				}
			}
			if n, err := imp.Write(t.Context(), nil, output.JSON); rows != 1 || n != 0 || !errors.As(err, &verdict) {
				t.Errorf("%d results of Rows, and Write returns %d, %v", rows, n, err)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	s, err := schema.Read(strings.NewReader(`{"fields": [{"key": "a", "label": "A"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("A\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), file+".missing", s, Config{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Open(t.Context(), file, s, Config{TempDir: file}); err == nil {
		t.Error("a temporary folder that is a file is accepted")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	folder := t.TempDir()
	if _, err := Open(ended, file, s, Config{TempDir: folder}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
	imp, err := Open(t.Context(), file, s, Config{})
	if err != nil || imp.Outcome.Verdict != engine.Done {
		t.Fatalf("%v, %v", imp, err)
	}
	if err := imp.Close(); err != nil {
		t.Error(err)
	}
}

func TestRawText(t *testing.T) {
	many, one := &intray.Field{ManyToOne: true}, &intray.Field{}
	for _, c := range []struct {
		field *intray.Field
		text  string
		part  int
		want  string
	}{
		{one, `["a","b"]`, 0, `["a","b"]`}, {one, "x", 0, "x"},
		{many, `["a","b"]`, 0, "a"}, {many, `["a","b"]`, 1, "b"}, {many, `["a"]`, 1, ""}, {many, "", 1, ""},
	} {
		if got := rawText(c.field, []byte(c.text), c.part); got != c.want {
			t.Errorf("%q, column %d: %q, want %q", c.text, c.part, got, c.want)
		}
	}
}

// TestCancelledIteration checks that iterating over rows and problems fails if the context was
// already canceled.
func TestCancelledIteration(t *testing.T) {
	imp := openText(t, "REMOVE_INVALID_ROWS", "ID,E-mail\n1,ada@example.org\n2,bob\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results := 0
	for row, err := range imp.Rows(ctx) {
		if results++; !errors.Is(err, context.Canceled) || row.batch != nil {
			t.Errorf("Rows: %v, %v", row, err)
		}
	}
	for problem, err := range imp.Problems(ctx) {
		if results++; !errors.Is(err, context.Canceled) || problem != (Problem{}) {
			t.Errorf("Problems: %v, %v", problem, err)
		}
	}
	if results != 2 {
		t.Errorf("%d results, want one error of each", results)
	}
	if b, err := imp.Window(ctx, 0, 1); err == nil {
		t.Errorf("Window returns %d rows", b.Rows())
	}
	for range imp.Rows(t.Context()) {
		break
	}
	for range imp.Problems(t.Context()) {
		break
	}
}

func TestRowIndex(t *testing.T) {
	b := &intray.Batch{First: 10, Lines: []int64{5, 6}}
	if got := (Row{batch: b, at: 1}).Index(); got != 11 {
		t.Errorf("index %d, want 11", got)
	}
	b.Numbers = []int64{3, 8}
	if got := (Row{batch: b, at: 1}).Index(); got != 8 {
		t.Errorf("index %d, want 8", got)
	}
}

package app

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray"
)

// oneBatch gives a batch with a problem, and then an error where there is one.
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
	must(t, cfg.writeProblems(func(l *problemList) error { return drain(l.along(oneBatch(nil))) }))
	if out.String() != want {
		t.Errorf("written was %q, want %q", out.String(), want)
	}
	cfg.Problems = filepath.Join(t.TempDir(), "problems.csv")
	if err := cfg.writeProblems(func(l *problemList) error { return drain(l.along(oneBatch(errTest))) }); !errors.Is(err, errTest) {
		t.Errorf("error %v, want that of the batches", err)
	}
	if _, err := os.Stat(cfg.Problems); err == nil {
		t.Error("a file of some problems was left")
	}
	seen := 0
	must(t, cfg.writeProblems(func(l *problemList) error {
		for range l.along(oneBatch(errTest)) {
			seen++
			break // as who has enough of them
		}
		return nil
	}))
	if seen != 1 || content(t, cfg.Problems) != want {
		t.Errorf("%d batches were seen; the file holds %q", seen, content(t, cfg.Problems))
	}
}

func TestProblemsFull(t *testing.T) {
	cfg := RunConfig{Problems: "-", Schema: &intray.Schema{Fields: []intray.Field{{Key: "mail"}}}, Stdout: fullDisk{}}
	if err := cfg.writeProblems(func(l *problemList) error { return drain(l.along(oneBatch(nil))) }); !errors.Is(err, errTest) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errTest }

func TestRawOf(t *testing.T) {
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
		if got := rawOf(c.field, []byte(c.text), c.part); got != c.want {
			t.Errorf("%q, column %d: %q, want %q", c.text, c.part, got, c.want)
		}
	}
}

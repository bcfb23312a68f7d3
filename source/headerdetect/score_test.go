package headerdetect

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the results in testdata/layouts.txt")

const layoutsFile = "testdata/layouts.txt"

// TestLayouts compares the layouts of the tables in testdata/layouts.txt, and the scores of
// their first rows, with the results in that file.
func TestLayouts(t *testing.T) {
	file, err := os.ReadFile(layoutsFile)
	if err != nil {
		t.Fatal(err)
	}
	about, rest, _ := strings.Cut(string(file), "\n# ")
	rewritten := about
	for one := range strings.SplitSeq(rest, "\n# ") {
		name, text, _ := strings.Cut(one, "\n")
		text, want, _ := strings.Cut(text, "\n= ")
		rows := rowsOf(strings.TrimSuffix(text, "\n"))
		got := describeLayout(t, rows)
		rewritten += "\n# " + name + "\n" + strings.TrimSuffix(text, "\n") + "\n= " + strings.ReplaceAll(got, "\n", "\n= ") + "\n"
		if diff := cmp.Diff(strings.ReplaceAll(strings.TrimSpace(want), "\n= ", "\n"), got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(layoutsFile, []byte(rewritten), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// describeLayout returns text that describes the layout of rows and the scores of the first
// ten rows.
func describeLayout(t *testing.T, rows [][]string) string {
	t.Helper()
	l := find(t, rows, 0)
	text := fmt.Sprintf("width %d, first %d, headers %d, doubt %.3f, alternative %d: %s", l.Width, l.First, l.Headers, l.Doubt, l.Alternative, l.Reason)
	if l.Headers > 0 {
		text += "\nnames " + strings.Join(l.ColumnNames(rows), "|")
	}
	f := &layoutFinder{rows: rows, width: l.Width}
	if err := f.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	text += fmt.Sprintf("\nrows %d to %d", f.first, f.last)
	for at := f.first; at < min(len(rows), f.first+10); at++ {
		s := f.scoreRow(at, f.first)
		text += fmt.Sprintf("\nrow %d: score %.3f, found %.3f, %d differ, %d same, body from %d", at, s.score, s.found, s.why.differs, s.why.same, f.bodyStart(at, certain))
	}
	return text
}

// endingContext is a context that is canceled after a number of calls to Err.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestFindEndsWithContext checks that FindLayout returns the error of the context if it is
// canceled at any check.
func TestFindEndsWithContext(t *testing.T) {
	rows := rowsOf("a|b|c\nd|e|f\n1|2|3\n4|5|6")
	for checks := 0; ; checks++ {
		ctx := &endingContext{t.Context(), checks}
		_, err := FindLayout(ctx, rows, 0)
		if ctx.left >= 0 {
			if err != nil || checks < len(rows) {
				t.Errorf("error %v after %d checks", err, checks)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d checks: error %v, want context.Canceled", checks, err)
		}
	}
}

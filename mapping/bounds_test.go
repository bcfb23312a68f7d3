package mapping_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/mapping/lexicon"
)

// sameLabel returns n fields that have different keys and the same label.
func sameLabel(n int, label string) []intray.Field {
	list := make([]intray.Field, n)
	for i := range list {
		list[i] = field(fmt.Sprintf("key%d", i), label, fmt.Sprintf("other %d", i), label)
	}
	return list
}

// requireLinearWork calls Suggest with few columns and fields, and with four times as many of
// both. The second call may allocate five times as often as the first: comparing every field with
// every column would take sixteen times as many allocations.
func requireLinearWork(t *testing.T, fields func(n int) []intray.Field, header func(i int) string, check func(intray.Mapping, []mapping.Question, int)) {
	t.Helper()
	var work [2]uint64
	for i, scale := range []int{1, 4} {
		headers := make([]string, 2048*scale)
		for i := range headers {
			headers[i] = header(i)
		}
		list := fields(scale)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, questions := suggest(t, list, headers...)
		runtime.ReadMemStats(&after)
		work[i] = after.Mallocs - before.Mallocs
		check(m, questions, len(headers))
	}
	if work[1] > 5*work[0] {
		t.Errorf("%d allocations, and %d with four times as many columns and fields", work[0], work[1])
	}
}

// TestSuggestIsLinear checks the work of Suggest for files that are designed to slow it down.
func TestSuggestIsLinear(t *testing.T) {
	for what, header := range hostileHeaders {
		t.Run(what, func(t *testing.T) {
			fields := 0
			requireLinearWork(t, func(scale int) []intray.Field {
				fields = 250 * scale
				return sameLabel(fields, "x")
			}, header, func(m intray.Mapping, questions []mapping.Question, columns int) {
				mapped := columns - len(m.Unmapped)
				if asked := len(questions); mapped+asked != fields {
					t.Errorf("%d fields have a column and %d have a question", mapped, asked)
				}
			})
		})
	}
}

// hostileHeaders returns the header of a column of a file that is designed to slow Suggest down.
var hostileHeaders = map[string]func(i int) string{
	"alike":        func(int) string { return "x" },
	"one for each": func(i int) string { return fmt.Sprintf("KEY %d", i) },
}

// TestInferIsLinear checks the work of Suggest for headers that are not names of fields but are
// related to them by meaning or spelling.
func TestInferIsLinear(t *testing.T) {
	if _, err := lexicon.Standard(); err != nil { // its allocations do not count
		t.Fatal(err)
	}
	words := strings.Fields("billing shipping customer email address city postal code first last phone date birth order invoice total tax net unit status")
	for what, header := range map[string]func(i int) string{
		"words":     func(i int) string { return words[i%20] + " " + words[i/20%20] + " " + words[i/400%20] },
		"compounds": func(i int) string { return fmt.Sprintf("rechnungs%snummerlieferadresse%d", words[i%20], i) },
		"dense":     func(i int) string { return strings.Repeat("注文番号日付", 1+i%7) + fmt.Sprint(i) },
		"letters":   func(i int) string { return strings.Repeat("é", 300) + fmt.Sprint(i) },
	} {
		t.Run(what, func(t *testing.T) {
			requireLinearWork(t, func(scale int) []intray.Field {
				fields := make([]intray.Field, 120*scale)
				for i := range fields {
					fields[i] = field(fmt.Sprintf("key%d", i), header(7*i))
				}
				return fields
			}, func(i int) string { return header(i) + " x" }, func(intray.Mapping, []mapping.Question, int) {})
		})
	}
}

// TestColumnsOfOneMeaning checks that a meaning or a spelling that 64 columns share leads to a
// question, and that one that more columns share is ignored.
func TestColumnsOfOneMeaning(t *testing.T) {
	for what, header := range map[string]string{"meaning": "Correo electrónico", "spelling": "Êmail"} {
		for n, want := range map[int]int{64: 5, 65: 0} {
			_, questions := suggest(t, []intray.Field{required(field("k", "Email"))}, slices.Repeat([]string{header}, n)...)
			if len(questions) != 1 || len(questions[0].Columns) != want {
				t.Errorf("%d columns with the same %s: %+v, want %d columns in a question", n, what, questions, want)
			}
		}
	}
}

// BenchmarkSuggest measures Suggest with many fields and the maximum number of columns of a file.
func BenchmarkSuggest(b *testing.B) {
	headers := make([]string, 16384)
	for i := range headers {
		headers[i] = fmt.Sprintf("Key_%d", i)
	}
	fields, file := sameLabel(2000, "y"), columns(headers...)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := mapping.Suggest(b.Context(), fields, file); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSuggestEndsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := mapping.Suggest(ctx, sameLabel(1, "x"), columns("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the word that it was cancelled", err)
	}
}

// countingContext counts how often its error was requested, and is canceled after a number of
// requests, unless the number is 0.
type countingContext struct {
	context.Context
	requests, cancelAfter int
}

func (c *countingContext) Err() error {
	if c.requests++; c.cancelAfter > 0 && c.requests > c.cancelAfter {
		return context.Canceled
	}
	return nil
}

// TestFindingS1CanceledMapping cancels the mapping of large files at many points. Suggest must
// check for that at least once for each field and column in each stage, and stop at once.
func TestFindingS1CanceledMapping(t *testing.T) {
	words := strings.Fields("billing shipping customer email address city postal code first last phone date birth order invoice total tax net unit status")
	for what, c := range map[string]struct {
		header  func(i int) string
		fields  func(n int) []intray.Field
		atLeast int
	}{
		"names":    {func(i int) string { return fmt.Sprintf("KEY %d", i) }, func(n int) []intray.Field { return sameLabel(n, "x") }, 33_000},
		"meanings": {func(i int) string { return words[i%20] + " " + words[i/20%20] + " " + words[i/400%20] }, nil, 43_000},
		"spelling": {func(i int) string { return fmt.Sprintf("gizmo %x plugh", uint32(i)*2654435761) }, nil, 43_000},
	} {
		t.Run(what, func(t *testing.T) {
			headers := make([]string, 8192)
			for i := range headers {
				headers[i] = c.header(i)
			}
			if c.fields == nil {
				c.fields = func(n int) (list []intray.Field) {
					for i := range n {
						list = append(list, field(fmt.Sprintf("key%d", i), c.header(7*i)+"s"))
					}
					return list
				}
			}
			fields, file := c.fields(500), columns(headers...)
			ctx := &countingContext{Context: t.Context()}
			if _, _, err := mapping.Suggest(ctx, fields, file); err != nil {
				t.Fatal(err)
			}
			if ctx.requests < c.atLeast {
				t.Fatalf("Suggest checked %d times for the end of its run, want at least %d", ctx.requests, c.atLeast)
			}
			for i := range 10 {
				canceled := &countingContext{Context: t.Context(), cancelAfter: 1 + i*(ctx.requests-2)/9}
				_, _, err := mapping.Suggest(canceled, fields, file)
				if !errors.Is(err, context.Canceled) || canceled.requests != canceled.cancelAfter+1 {
					t.Errorf("canceled after check %d of %d: error %v, %d further checks", canceled.cancelAfter, ctx.requests, err, canceled.requests-canceled.cancelAfter)
				}
			}
		})
	}
}

// TestTextsAreShort checks that messages stay short for twelve fields, for twelve columns and
// for names of a thousand letters.
func TestTextsAreShort(t *testing.T) {
	long := strings.Repeat("é", 1000)
	cut := strings.Repeat("é", 100) + "…"
	for what, c := range map[string]struct {
		fields    []intray.Field
		headers   []string
		texts     []string
		columns   int
		competing int
	}{
		"many columns": {[]intray.Field{field("k", long)}, slices.Repeat([]string{long}, 12),
			[]string{"12 columns match the field", `"` + cut + `" (column 5) and 7 more.`}, 5, 0},
		"six columns":  {[]intray.Field{field("k", "x")}, slices.Repeat([]string{"x"}, 6), []string{"6 columns", "(column 5) and 1 more."}, 5, 0},
		"five columns": {[]intray.Field{field("k", "x")}, slices.Repeat([]string{"x"}, 5), []string{"5 columns", `"x" (column 5).`}, 5, 0},
		"columns of two names": {[]intray.Field{field("k", "x")}, []string{"x", "k", "x", "k", "x", "k", "x"},
			[]string{`"x" (column 1), "k" (column 2), "x" (column 3), "k" (column 4), "x" (column 5) and 2 more.`}, 5, 0},
		"many fields":  {sameLabel(12, long), []string{long}, []string{`"` + cut + `", "` + cut + `" and 7 more.`}, 1, 12},
		"a gap":        {[]intray.Field{required(field("k", long)), field("x", "x")}, []string{"x"}, []string{`"` + cut + `" needs a column`}, 0, 0},
		"a short name": {sameLabel(2, "x"), []string{"x"}, []string{`"x", "x".`}, 1, 2},
	} {
		t.Run(what, func(t *testing.T) {
			_, questions := suggest(t, c.fields, c.headers...)
			if len(questions) != 1 {
				t.Fatalf("%d questions, want 1", len(questions))
			}
			q := questions[0]
			if len(q.Columns) != c.columns || len(q.CompetingFields) != c.competing || len(q.Text.String()) > 2000 {
				t.Errorf("%d columns, %d rivals, %d bytes of text", len(q.Columns), len(q.CompetingFields), len(q.Text.String()))
			}
			for _, text := range c.texts {
				if !strings.Contains(q.Text.String(), text) {
					t.Errorf("no %q in %s", text, q.Text)
				}
			}
		})
	}
}

func TestReasonsAreShort(t *testing.T) {
	long := strings.Repeat("x", 4000)
	m, _ := suggest(t, []intray.Field{field("k", long), field("l", "Z"+long)}, long, "z"+long)
	for i, match := range m.Fields {
		if match.Column != i || len(match.Reasons[0].String()) > 400 || !strings.Contains(match.Reasons[0].String(), "…") {
			t.Errorf("field %d: column %d, %s", i, match.Column, match.Reasons)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("é", 100), "x" + strings.Repeat("é", 100), strings.Repeat("\x80", 200)} {
		got := mapping.Shorten(text)
		if n := utf8.RuneCountInString(text); n <= 100 && got != text {
			t.Errorf("%d characters become %q", n, got)
		} else if rest, cut := strings.CutSuffix(got, "…"); n > 100 && (!cut || utf8.RuneCountInString(rest) != 100 || !strings.HasPrefix(text, rest)) {
			t.Errorf("%d characters become %q", n, got)
		}
	}
}

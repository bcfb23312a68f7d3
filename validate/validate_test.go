package validate_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

func compiled(t testing.TB, fields ...intray.Field) *validate.Rules {
	t.Helper()
	r, err := validate.Compile(fields)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// apply applies rules to a batch, with a new budget.
func apply(t testing.TB, r *validate.Rules, b *intray.Batch) {
	t.Helper()
	if err := r.Apply(b, validate.NewBudget()); err != nil {
		t.Fatal(err)
	}
}

func required(level intray.Level, message string) intray.Field {
	return intray.Field{Key: "f", Validators: []intray.Validator{{Rule: "required", Level: level, Message: message}}}
}

// batch returns a batch with the given numbers of fields and rows, to which the caller adds the
// cells.
func batch(fields, rows int) *intray.Batch {
	b := &intray.Batch{Lines: make([]int64, rows)}
	b.Fields = make([]intray.Cells, fields)
	return b
}

func TestRequired(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(c *intray.Cells)
		want bool
	}{
		"a value":                          {func(c *intray.Cells) { c.AppendValue([]byte("x")) }, false},
		"zero":                             {func(c *intray.Cells) { c.AppendValue([]byte("0")) }, false},
		"a value out of other text":        {func(c *intray.Cells) { c.AppendParsed([]byte("x"), []byte(" x ")) }, false},
		"no text":                          {func(c *intray.Cells) { c.AppendValue(nil) }, true},
		"white space":                      {func(c *intray.Cells) { c.AppendValue([]byte(" \t\u00a0")) }, true},
		"null":                             {func(c *intray.Cells) { c.AppendNull(nil) }, true},
		"null out of white space":          {func(c *intray.Cells) { c.AppendNull([]byte("  ")) }, true},
		"null out of text that is wrong":   {func(c *intray.Cells) { c.AppendNull([]byte("nobody")) }, false},
		"an empty value out of some text":  {func(c *intray.Cells) { c.AppendParsed(nil, []byte("-")) }, false},
		"white space out of some text":     {func(c *intray.Cells) { c.AppendParsed([]byte(" "), []byte("x")) }, false},
		"an empty value out of white text": {func(c *intray.Cells) { c.AppendParsed(nil, []byte(" ")) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := batch(1, 1)
			c.put(&b.Fields[0])
			apply(t, compiled(t, required(intray.LevelError, "")), b)
			var want []intray.Problem
			if c.want {
				want = []intray.Problem{{Code: "required", Level: intray.LevelError, Text: intray.NewMessage("required.empty", nil)}}
			}
			if diff := cmp.Diff(want, b.Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLevelAndWords(t *testing.T) {
	for _, level := range []intray.Level{intray.LevelError, intray.LevelWarning, intray.LevelInfo} {
		b := batch(1, 1)
		b.Fields[0].AppendNull(nil)
		apply(t, compiled(t, required(level, "Who is it?")), b)
		want := []intray.Problem{{Code: "required", Level: level, Text: intray.Literal("Who is it?")}}
		if diff := cmp.Diff(want, b.Problems); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
	}
}

// TestRulesServeSeveralBatchesAtOnce checks that rules can be applied to several batches at the
// same time, and that each batch receives only the problems of its own rows.
func TestRulesServeSeveralBatchesAtOnce(t *testing.T) {
	rules := compiled(t, required(intray.LevelError, ""))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			b := batch(1, 2000)
			for range b.Lines {
				b.Fields[0].AppendNull(nil)
			}
			if err := rules.Apply(b, validate.NewBudget()); err != nil {
				t.Error(err)
			}
			for i, p := range b.Problems {
				if p.Row != i {
					t.Errorf("problem %d is of row %d", i, p.Row)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestUnknownRulesAreRefused(t *testing.T) {
	_, err := validate.Compile([]intray.Field{{Key: "amount", Validators: []intray.Validator{{Rule: "odd"}}}})
	if err == nil || !strings.Contains(err.Error(), "amount") || !strings.Contains(err.Error(), "odd") {
		t.Errorf("error %v, want one that names the field and the rule", err)
	}
}

// TestProblemsAreInOrder checks that earlier problems and new ones are sorted by row and then by
// field. Problems of a whole row come first, and the sort is stable.
func TestProblemsAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, fields := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "fields")
		b := batch(fields, rows)
		list := make([]intray.Field, fields)
		for f := range fields {
			list[f] = required(intray.LevelError, "")
			for range rows {
				b.Fields[f].AppendNull(nil)
			}
		}
		n := rapid.IntRange(0, 10).Draw(t, "problems before")
		for i := range n {
			b.Problems = append(b.Problems, intray.Problem{
				Row: rapid.IntRange(0, rows-1).Draw(t, "row"), Field: rapid.IntRange(-1, fields-1).Draw(t, "field"),
				Code: "before", Text: intray.Literal(string(rune('a' + i))),
			})
		}
		rules, err := validate.Compile(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Apply(b, validate.NewBudget()); err != nil {
			t.Fatal(err)
		}
		if len(b.Problems) != n+rows*fields {
			t.Fatalf("%d problems, want %d", len(b.Problems), n+rows*fields)
		}
		for i := 1; i < len(b.Problems); i++ {
			x, y := b.Problems[i-1], b.Problems[i]
			sameCell := x.Row == y.Row && x.Field == y.Field
			if x.Row > y.Row || x.Row == y.Row && x.Field > y.Field || sameCell && x.Code == y.Code && x.Text.String() >= y.Text.String() {
				t.Fatalf("%+v is before %+v", x, y)
			}
		}
	})
}

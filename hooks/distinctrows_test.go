package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/internal/distinct"
)

// repeatingFields are the fields of repeatingTable.
var repeatingFields = []intray.Field{
	textField("a"), typedField("n", intray.TypeNumber), typedField("d", intray.TypeDate), textField("out"),
	{Key: "s", Label: "S", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}},
}

// encode stores each distinct value of a column once, as an import does if its values repeat.
func encode(c *intray.Cells) {
	var table distinct.Table
	table.Reset()
	var codes []int32
	for i := range c.Values.Len() {
		codes = append(codes, table.Code(c.Values.At(i), 0))
	}
	c.Values = intray.TextColumn{Texts: table.Texts, Codes: codes}
}

// repeatingTable draws a batch whose cells repeat. Some are empty, cannot be parsed or have messages.
func repeatingTable(t *rapid.T) *intray.Batch {
	value := map[string][]any{
		"a":   {"x", "", nil, "constructor", "1", parsedCell{"x", " x"}, invalidCell("?")},
		"n":   {"1", "2.5", nil, invalidCell("two"), "-0.1", parsedCell{"1", "1,0"}},
		"d":   {"2026-01-02", nil, invalidCell("2026"), "2026-02-01"},
		"out": {"x", nil, "y"},
		"s":   {"1", "2", nil, invalidCell("three")},
	}
	kinds := rapid.IntRange(1, 7).Draw(t, "kinds")
	count := rapid.IntRange(1, 300).Draw(t, "rows")
	var rows [][]any
	for range count {
		var row []any
		for _, f := range repeatingFields {
			row = append(row, rapid.SampledFrom(value[f.Key][:min(kinds, len(value[f.Key]))]).Draw(t, f.Key))
		}
		rows = append(rows, row)
	}
	b := batch(rapid.Int64Range(0, 1000).Draw(t, "first"), rows...)
	for f := range b.Fields {
		if rapid.IntRange(0, 9).Draw(t, "encoded") > 0 {
			encode(&b.Fields[f])
		}
	}
	for row := range count {
		if rapid.IntRange(0, 19).Draw(t, "problem") == 0 {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: rapid.IntRange(-1, len(b.Fields)-1).Draw(t, "field"), Level: intray.LevelError, Text: intray.Literal("wrong")})
		}
	}
	if rapid.IntRange(0, 19).Draw(t, "options") == 0 {
		b.Options = append(b.Options, intray.CellOptions{Row: 0, Field: 4, Options: []intray.SelectOption{{Label: "Own", Value: "1"}}})
	}
	return b
}

// repeatedHooks are pure hooks, of which some fail for some rows.
var repeatedHooks = []string{
	`(r) => ({ row: { out: { value: r.row.a.value } } })`,
	`({row}) => ({ row: { a: { value: row.a.value + "!" }, out: { value: row.n.resultValue, info: [{ message: "m " + row.a.value, level: "info" }] } } })`,
	`(r) => ({ row: { a: { info: [{ message: "wrong" }] }, n: { value: r.row.n.resultValue * 2 } } })`,
	`({row}) => { if (row.s.value === "One") return { row: { s: { value: row.s.resultValue, selectOptions: [{ label: "L", value: row.d.value || "v" }] } } }; }`,
	`(r) => { if (r.row.a.value === "1" && r.row.n.resultValue === 2.5) throw new Error("row " + r.row.d.value); return { row: { out: { value: [1, r.row.n.value] } } }; }`,
	`(r) => ({ row: { out: { value: r.row.d.value === null ? "x" : r.row.d.value.split("-")[1] } } })`,
	`(r) => ({ row: { n: { value: r.row.n.value.trim() } } })`,
	`() => ({ row: { out: { value: "same" } } })`,
	`(r) => ({ row: { a: { value: r.row.a.value === "x" ? { x: 1 } : null } } })`,
	`(r) => ({ row: { absent: r.row.a.value === "1" ? {} : undefined } })`,
	`(r) => { if (r.row.a.value === "1") return { row: { out: { value: r.row.n.value } } }; }`,
}

// outcome calls the row hook of a session with each batch, and describes the results.
func outcome(session *hooks.Session, batches []*intray.Batch) (list []string) {
	for _, b := range batches {
		changes, err := session.RunRows(context.Background(), 0, rowsOf(repeatingFields, b))
		list = append(list, describeChanges(changes)...)
		var failed *intray.HookError
		if errors.As(err, &failed) {
			row := int64(-1)
			if failed.Row != nil {
				row = *failed.Row
			}
			list = append(list, fmt.Sprint(failed.Hook, row, failed.Line, failed.Column, failed.Error()))
		} else if err != nil {
			list = append(list, err.Error())
		}
	}
	return list
}

// TestDistinctRows compares calls with distinct rows only with calls with every row, over random tables.
func TestDistinctRows(t *testing.T) {
	runtimes := []sandbox.Runtime{sandbox.QuickJS}
	if isFull() {
		runtimes = append(runtimes, sandbox.Node)
	}
	for _, runtime := range runtimes {
		t.Run(string(runtime), func(t *testing.T) {
			r, reduced := newRunner(t, runtime, hooks.Config{}, sandbox.Config{}), 0
			rapid.Check(t, func(t *rapid.T) {
				source := rapid.SampledFrom(repeatedHooks).Draw(t, "hook")
				batches := []*intray.Batch{repeatingTable(t), repeatingTable(t), repeatingTable(t)}
				var both [2][]string
				for i := range both {
					session, err := r.Open(context.Background(), rowHooks(source), intray.HookEnv{})
					if err != nil {
						t.Fatal(err)
					}
					if i == 1 {
						hooks.CallWithEveryRow(session)
					}
					both[i] = outcome(session, batches)
					for _, counts := range hooks.DistinctCounts(session) {
						reduced += min(len(counts), 1)
					}
					_ = session.Close()
				}
				if diff := cmp.Diff(both[1], both[0]); diff != "" {
					t.Fatalf("%s: every row (-) and distinct rows (+) differ:\n%s", source, diff)
				}
			})
			if reduced == 0 {
				t.Error("no call was reduced to distinct rows")
			}
		})
	}
}

// repeatedRows returns a batch of rows with two alternating values.
func repeatedRows(rows int, values ...string) *intray.Batch {
	var list [][]any
	for i := range rows {
		list = append(list, []any{values[i%len(values)], "1", nil, nil, "1"})
	}
	b := batch(0, list...)
	for f := range b.Fields {
		encode(&b.Fields[f])
	}
	return b
}

// TestNotReduced checks that hooks which can tell how often they are called are called with every row.
func TestNotReduced(t *testing.T) {
	forEachRuntimeWith(t, hooks.Config{MaxWorkers: 1}, sandbox.Config{}, func(t *testing.T, r *hooks.Runner) {
		for _, source := range []string{
			`(() => { let n = 0; return (r) => ({ row: { out: { value: r.row.a.value + ++n } } }) })()`,
			`function hook(r) { hook.n = (hook.n || 0) + 1; return { row: { out: { value: r.row.a.value + hook.n } } } }`,
			`(r) => { globalThis.n = (globalThis.n || 0) + 1; return { row: { out: { value: r.row.a.value + n } } } }`,
			`(r) => { String.prototype.n = ("".n || 0) + 1; return { row: { out: { value: r.row.a.value + "".n } } } }`,
			`(r) => ({ row: { out: { value: r.row.a.value + r.index } } })`,
			`(r) => ({ row: { out: { value: r.row.a.value + r.rowId } } })`,
			`(r) => ({ row: { out: { value: r.row.a.value + Math.random() } } })`,
		} {
			session := openSession(t, r, rowHooks(source))
			first := outcome(session, []*intray.Batch{repeatedRows(2000, "x", "y")})
			second := outcome(session, []*intray.Batch{repeatedRows(2000, "x", "y")})
			distinct := map[string]bool{}
			for _, change := range append(first, second...) {
				_, value, _ := strings.Cut(change, " ")
				distinct[value] = true
			}
			if len(first) != 2000 || len(distinct) < 2000 {
				t.Errorf("%s makes %d changes with %d values, such as %.200s", source, len(first), len(distinct), first[0])
			}
			if counts := hooks.DistinctCounts(session); len(counts) != 1 || len(counts[0]) > 0 {
				t.Errorf("%s was called with distinct rows: %v", source, counts)
			}
		}
		// A hook is also called with every row if another hook of the process could change what it uses.
		session := openSession(t, r, intray.Hooks{Row: []string{`(r) => ({ row: { out: { value: r.row.a.value.trim() } } })`, `(r) => { String.prototype.trim = () => "" }`}})
		outcome(session, []*intray.Batch{repeatedRows(2000, "x", "y"), repeatedRows(2000, "x", "y")})
		if counts := hooks.DistinctCounts(session); len(counts) != 1 || len(counts[0]) > 0 {
			t.Errorf("a hook next to an impure one was called with distinct rows: %v", counts)
		}
	})
}

// TestReuse checks that the changes of row hooks use the memory that their caller passes.
func TestReuse(t *testing.T) {
	for name, source := range map[string]string{"every row": `(r) => ({ row: { out: { value: r.rowId } } })`, "distinct rows": `(r) => ({ row: { out: { value: r.row.a.value } } })`} {
		t.Run(name, func(t *testing.T) {
			session := openSession(t, newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{}), rowHooks(source))
			rows := rowsOf(repeatingFields, repeatedRows(3000, "x", "y"))
			want, err := session.RunRows(t.Context(), 0, rows)
			if err != nil || len(want) != 3000 {
				t.Fatalf("%d changes: %v", len(want), err)
			}
			rows.Reuse = make([]intray.Change, 7, 4000)
			got, err := session.RunRows(t.Context(), 0, rows)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("the changes differ (-first +second): %v\n%s", err, diff)
			}
			if &got[0] != &rows.Reuse[0] {
				t.Error("the changes are in new memory")
			}
		})
	}
}

// TestDistinctRowsLimits checks that a hook which exceeds a limit if it is called with every row does so too if it
// could be called with distinct rows only, and that the counts are those of the rows.
func TestDistinctRowsLimits(t *testing.T) {
	const first = `(r) => { if (r.row.a.value === "x") return { row: { out: { value: "1" } } }; `
	forEachRuntimeWith(t, hooks.Config{MaxAnswer: 1 << 20}, sandbox.Config{}, func(t *testing.T, r *hooks.Runner) {
		learn := repeatedRows(100, "x")
		for name, c := range map[string]struct {
			source, value, message string
			rows                   int
			// counts are those of the last call with distinct rows.
			counts []int32
		}{
			"equal rows":    {first + `}`, "z", "", 1000, []int32{500, 500}},
			"large changes": {first + `return { row: { out: { value: r.row.a.value.repeat(5000) } } }; }`, "z", "larger than", 1000, nil},
			"long messages": {first + `return { row: { out: { info: [{ message: r.row.a.value.repeat(20000) }] } } }; }`, "z", "larger than", 120, nil},
			"failing row":   {first + `if (r.row.a.value === "z") throw new Error("no z"); }`, "z", "no z", 1000, nil},
			"long cells":    {first + `}`, strings.Repeat("z", 5000), "", 1000, nil},
			"much memory":   {first + `}`, strings.Repeat("z", 300), "", 1000, nil}, // with the answer, an eighth of MaxAnswer
		} {
			t.Run(name, func(t *testing.T) {
				session := openSession(t, r, rowHooks(c.source))
				if got := outcome(session, []*intray.Batch{learn}); len(got) != 100 {
					t.Fatalf("the first call has %d changes", len(got))
				}
				got := strings.Join(outcome(session, []*intray.Batch{repeatedRows(c.rows, "x", c.value)}), "\n")
				if !strings.Contains(got, c.message) || c.message == "" && strings.Count(got, "\n") != c.rows/2-1 {
					t.Errorf("got %.500s, want %q", got, c.message)
				}
				if c.message == "" && c.counts != nil {
					if diff := cmp.Diff([][]int32{c.counts}, hooks.DistinctCounts(session)); diff != "" {
						t.Errorf("rows of each input (-want +got):\n%s", diff)
					}
				}
			})
		}
	})
}

package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// describeX is a hook that returns the properties of the field x as JSON.
const describeX = `({row}) => ({row: {out: {value: JSON.stringify([row.x.value, row.x.resultValue, row.x.info])}}})`

func TestCellsAsHooksSeeThem(t *testing.T) {
	options := func(name intray.TypeName, option, format any) intray.Field {
		f := typedField("x", name)
		f.Type.Options = map[string]any{option.(string): format}
		return f
	}
	choice, several := typedField("x", intray.TypeSelect), typedField("x", intray.TypeMultiSelect)
	choice.SelectOptions = []intray.SelectOption{{Label: "North", Value: "n"}, {Label: "South", Value: "s"}}
	several.SelectOptions = choice.SelectOptions
	problem := intray.Problem{Field: 0, Code: "x", Level: intray.LevelWarning, Text: intray.Literal("Look at it.")}
	cases := []struct {
		name     string
		field    intray.Field
		cell     any
		problems []intray.Problem
		want     string
	}{
		{"text", textField("x"), "Ann", nil, `["Ann","Ann",[]]`},
		{"empty", textField("x"), nil, nil, `["",null,[]]`},
		{"empty text", textField("x"), "", nil, `["","",[]]`},
		{"number", typedField("x", intray.TypeNumber), parsedCell{"1250.5", "1,250.50"}, nil, `["1250.5",1250.5,[]]`},
		{"wrong number", typedField("x", intray.TypeNumber), invalidCell("many"), []intray.Problem{problem}, `["many",null,[{"message":"Look at it.","level":"warning"}]]`},
		{"number as written", options(intray.TypeNumber, "outputFormat", map[string]any{"thousandSeparated": true, "mantissa": 2.0}), "1250", nil, `["1250","1,250.00",[]]`},
		{"date", typedField("x", intray.TypeDate), "2021-03-04", nil, `["2021-03-04","2021-03-04",[]]`},
		{"date as written", options(intray.TypeDate, "outputFormat", "dd.MM.yyyy"), "2021-03-04", nil, `["2021-03-04","04.03.2021",[]]`},
		{"date as shown", options(intray.TypeDate, "displayFormat", "dd.MM.yyyy"), "2021-03-04", nil, `["04.03.2021","2021-03-04",[]]`},
		{"checkbox", typedField("x", intray.TypeCheckbox), parsedCell{"true", "yes"}, nil, `["true",true,[]]`},
		{"select", choice, parsedCell{"n", "north"}, nil, `["North","n",[]]`},
		{"unknown option", choice, "w", nil, `["w","w",[]]`},
		{"multi-select", several, parsedCell{`["s","n"]`, "s;n"}, nil, `["South, North",["s","n"],[]]`},
		{"quotes and lines", textField("x"), "a\"b\\\n\u2028é😀", nil, `["a\"b\\\n` + "\u2028é😀" + `","a\"b\\\n` + "\u2028é😀" + `",[]]`},
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(describeX))
		for _, tt := range cases {
			t.Run(tt.name, func(t *testing.T) {
				b := batch(0, []any{tt.cell, nil})
				b.Problems = tt.problems
				changes, err := session.RunRows(t.Context(), 0, rowsOf([]intray.Field{tt.field, textField("out")}, b))
				if diff := cmp.Diff([]string{"0.1 " + tt.want}, describeChanges(changes)); diff != "" || err != nil {
					t.Error(err, diff)
				}
			})
		}
	})
}

func TestChanges(t *testing.T) {
	fields := []intray.Field{textField("a"), typedField("n", intray.TypeNumber)}
	cases := []struct {
		name, source string
		want         []string
	}{
		{"nothing", `() => {}`, nil},
		{"what is there", `({row}) => ({row: {a: {value: row.a.value}}})`, nil},
		{"text", `() => ({row: {a: {value: "b"}}})`, []string{"0.0 b"}},
		{"text of a number", `() => ({row: {n: {value: "5"}}})`, []string{"0.1 5"}},
		{"number", `() => ({row: {n: {value: 5.25}}})`, []string{"0.1 #5.25"}},
		{"large number", `() => ({row: {n: {value: 1e21}}})`, []string{"0.1 #1e+21"}},
		{"null", `() => ({row: {a: {value: null}}})`, []string{"0.0 null"}},
		{"true", `() => ({row: {a: {value: true}}})`, []string{"0.0 true"}},
		{"list", `() => ({row: {a: {value: ["x", 1, null]}}})`, []string{`0.0 ["x",1,null]`}},
		{"infos", `() => ({row: {a: {info: [{message: "Hm.", level: "info"}, {message: "No."}]}}})`, []string{"0.0 infos[{info Hm.} {error No.}]"}},
		{"options", `() => ({row: {a: {selectOptions: [{label: "L", value: "v"}]}}})`, []string{"0.0 options[{L v []}]"}},
		{"no options", `() => ({row: {a: {selectOptions: []}}})`, []string{"0.0 options[]"}},
		{"all at once", `() => ({row: {n: {value: 7, info: [{message: "m", level: "warning"}], selectOptions: []}}})`, []string{"0.1 #7 infos[{warning m}] options[]"}},
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		var sources []string
		for _, tt := range cases {
			sources = append(sources, tt.source)
		}
		session := openSession(t, s, rowHooks(sources...))
		for i, tt := range cases {
			t.Run(tt.name, func(t *testing.T) {
				changes, err := session.RunRows(t.Context(), i, rowsOf(fields, batch(0, []any{"a", "12"})))
				if diff := cmp.Diff(tt.want, describeChanges(changes)); diff != "" || err != nil {
					t.Error(err, diff)
				}
			})
		}
	})
}

func TestInfosAreReplaced(t *testing.T) {
	b := batch(0, []any{"a"}, []any{"b"}, []any{"c"})
	b.Problems = []intray.Problem{{Row: 1, Text: intray.Literal("one")}, {Row: 1, Text: intray.Literal("two"), Level: intray.LevelInfo}, {Row: 2, Field: intray.NoField, Text: intray.Literal("the row")}}
	hook := `({row}) => row.a.info.length ? ({row: {a: {info: row.a.info.slice(1)}}}) : null`
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	changes, err := openSession(t, s, rowHooks(hook)).RunRows(t.Context(), 0, rowsOf([]intray.Field{textField("a")}, b))
	if diff := cmp.Diff([]string{"1.0 infos[{info two}]"}, describeChanges(changes)); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// TestManyRows checks that each row has the right change and the right index, even if the rows
// are split into several batches and calls to the hook.
func TestManyRows(t *testing.T) {
	const hook = `(r) => ({row: {out: {value: r.row.n.value + " " + r.index + " " + r.rowId}}})`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		changes, err := openSession(t, s, rowHooks(hook)).RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(7000, 2500), numberedRows(9500, 1), numberedRows(9501, 1001)))
		if err != nil || len(changes) != 3502 {
			t.Fatal(len(changes), err)
		}
		for i, c := range changes {
			if n := 7000 + i; c.Row != i || c.Field != 2 || *c.Value != fmt.Sprintf("%d %d %d", n, n, n) {
				t.Fatalf("change %d is %v", i, describeChanges(changes[i:i+1]))
			}
		}
	})
}

// TestPatternsOfChanges checks changes in fields that alternate from row to row, with regular and
// random patterns. Positions of changes that follow a pattern are not sent.
func TestPatternsOfChanges(t *testing.T) {
	const hook = `({row}) => {
		const cells = {};
		for (const one of row.plan.value.split(" ")) {
			cells[parseInt(one)] = one.endsWith("n") ? {value: null} : one.endsWith("i") ? {info: [{message: one}]} : {value: one};
		}
		const out = {};
		for (const one of row.plan.value.split(" ")) out["f" + parseInt(one)] = cells[parseInt(one)];
		return {row: out};
	}`
	random := rand.New(rand.NewPCG(1, 2))
	patterns := []string{"2", "3 1", "1 66 5i", "70 2 69", "4 68n 3", "67"}
	fields := []intray.Field{textField("plan")}
	for f := range 70 {
		fields = append(fields, textField(fmt.Sprint("f", f+1)))
	}
	var rows [][]any
	var want []string
	for i, pattern := 0, patterns[0]; i < 1500; i++ {
		switch random.IntN(12) {
		case 0:
			pattern = patterns[random.IntN(len(patterns))]
		case 1:
			var plan []string
			for _, f := range random.Perm(70)[:1+random.IntN(4)] {
				plan = append(plan, fmt.Sprint(f+1, []string{"", "", "n", "i"}[random.IntN(4)]))
			}
			pattern = strings.Join(plan, " ")
		}
		rows = append(rows, append([]any{pattern}, make([]any, 70)...))
		for _, one := range strings.Fields(pattern) {
			field, text := strings.TrimRight(one, "in"), one
			switch {
			case strings.HasSuffix(one, "n"):
				text = "null"
			case strings.HasSuffix(one, "i"):
				text = "infos[{error " + one + "}]"
			}
			want = append(want, fmt.Sprintf("%d.%s %s", i, field, text))
		}
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		all := intray.Hooks{Row: []string{hook, strings.Replace(hook, "{row}", "{row, ...rest}", 1)}, BulkRow: []string{`(rows) => rows.map((r) => ({index: r.index, ...(` + hook + `)(r)}))`}}
		session := openSession(t, s, all)
		for name, run := range map[string]func() ([]intray.Change, error){
			"a hook that only reads": func() ([]intray.Change, error) {
				return session.RunRows(t.Context(), 0, rowsOf(fields, batch(0, rows...)))
			},
			"a hook that may do more": func() ([]intray.Change, error) {
				return session.RunRows(t.Context(), 1, rowsOf(fields, batch(0, rows...)))
			},
			"a bulk hook": func() ([]intray.Change, error) {
				return session.RunBulk(t.Context(), 0, rowsOf(fields, batch(0, rows...)))
			},
		} {
			changes, err := run()
			if diff := cmp.Diff(want, describeChanges(changes)); diff != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, diff[:min(len(diff), 2000)])
			}
		}
	})
}

// TestFurtherColumns checks that a hook that reads a further column late is called again
// with that column, and that no change is counted twice.
func TestFurtherColumns(t *testing.T) {
	const hook = `(r) => { kept = typeof kept === "undefined" ? 1 : kept + 1;
		const n = r.row.n.value;
		try { if (r.index >= 1500) return {row: {out: {value: n + r.row.b.value}}}; } catch {}
		return {row: {out: {value: n}}}; }`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(hook))
		for first := range 3 {
			changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(int64(first)*1200, 1200)))
			if err != nil || len(changes) != 1200 {
				t.Fatal(len(changes), err)
			}
			for i, c := range changes {
				want := strconv.Itoa(first*1200 + i)
				if first*1200+i >= 1500 {
					want += "text"
				}
				if *c.Value != want {
					t.Fatalf("row %d: got %s, want %s", c.Row, *c.Value, want)
				}
			}
		}
	})
}

func TestPartsOfAField(t *testing.T) {
	many, numbers, none := textField("many"), typedField("numbers", intray.TypeNumber), textField("none")
	many.ManyToOne, numbers.ManyToOne, none.ManyToOne = true, true, true
	rows := intray.HookRows{Fields: []intray.Field{many, numbers, none, textField("out")}, Parts: []int{2, 2, 0, 0}}
	b := batch(0,
		[]any{`["a","b"]`, parsedCell{`[1,null]`, `["1,0","x"]`}, nil, nil},
		[]any{nil, parsedCell{`[null,2.5]`, `["","2,5"]`}, nil, nil})
	b.Problems = []intray.Problem{{Field: 1, Part: 1, Text: intray.Literal("No number.")}}
	rows.Batches = []*intray.Batch{b}
	const hook = `({row}) => ({row: {
		out: {value: JSON.stringify([row.many.value, row.numbers.manyToOne.map((c) => [c.value, c.resultValue, c.info.length]), row.none.manyToOne])},
		many: {manyToOne: [{}, {value: "new"}]},
		numbers: {manyToOne: [{info: [{message: "m"}]}, {value: 3}]},
		none: {manyToOne: []}}})`
	// For a number, hooks see the canonical form; for an invalid cell, the raw text.
	want := []string{
		`0.3 [["a","b"],[["1",1,0],["x",null,1]],[]]`, "0.0/1 new", "0.1 infos[{error m}]", "0.1/1 #3",
		`1.3 [["",""],[["",null,0],["2.5",2.5,0]],[]]`, "1.0/1 new", "1.1 infos[{error m}]", "1.1/1 #3",
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		changes, err := openSession(t, s, rowHooks(hook)).RunRows(t.Context(), 0, rows)
		got := describeChanges(changes)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
		_, err = openSession(t, s, rowHooks(`() => ({row: {none: {manyToOne: [{value: "x"}]}}})`)).RunRows(t.Context(), 0, rows)
		if failed := hookError(t, err); !strings.Contains(failed.Text.String(), "none") {
			t.Error(failed)
		}
	})
}

// TestSeveralAtOnce checks that a session can be used from more goroutines than it has
// worker slots.
func TestSeveralAtOnce(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 2}, sandbox.Config{})
	session := openSession(t, s, rowHooks(`({row}) => ({row: {out: {value: row.n.value + "!"}}})`))
	var wait sync.WaitGroup
	for n := range 6 {
		wait.Go(func() {
			changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(int64(n)*5000, 1100)))
			if err != nil || len(changes) != 1100 {
				t.Error(len(changes), err)
				return
			}
			for i, c := range changes {
				if *c.Value != strconv.Itoa(n*5000+i)+"!" {
					t.Errorf("goroutine %d got %v", n, describeChanges(changes[i:i+1]))
					return
				}
			}
		})
	}
	wait.Wait()
	if took := session.HookTimes()["rowHooks[0]"]; took <= 0 {
		t.Errorf("the hook took %v", took)
	}
}

// TestOptionsOfCells checks that hooks see the select options of individual cells, and that
// values are displayed as labels.
func TestOptionsOfCells(t *testing.T) {
	one, several := typedField("x", intray.TypeSelect), typedField("y", intray.TypeMultiSelect)
	one.SelectOptions = []intray.SelectOption{{Label: "Red", Value: "r"}}
	several.SelectOptions, several.ManyToOne = one.SelectOptions, true
	blue := []intray.SelectOption{{Label: "Blue", Value: "r"}, {Label: "Bleu", Value: "b", AlternateMatches: []string{"bl"}}}
	const hook = `({row: {x, y}}) => ({row: {out: {value: JSON.stringify([x.value, x.selectOptions, y.manyToOne.map((c) => [c.value, c.selectOptions?.length])])}}})`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		b := batch(0, []any{"r", parsedCell{`[["r"],["r","b"]]`, `["r","r;b"]`}, ""}, []any{"r", nil, ""}, []any{"r", nil, ""})
		b.Options = []intray.CellOptions{{Row: 0, Field: 1, Part: 1, Options: blue}, {Row: 1, Field: 0, Options: one.SelectOptions}, {Row: 1, Field: 0, Options: blue}}
		rows := intray.HookRows{Fields: []intray.Field{one, several, textField("out")}, Parts: []int{0, 2, 0}, Batches: []*intray.Batch{b}}
		want := []string{
			`0.2 ["Red",null,[["Red",null],["Blue, Bleu",2]]]`,
			`1.2 ["Blue",[{"label":"Blue","value":"r","alternateMatches":[]},{"label":"Bleu","value":"b","alternateMatches":["bl"]}],[["",null],["",null]]]`,
			`2.2 ["Red",null,[["",null],["",null]]]`,
		}
		session := openSession(t, s, intray.Hooks{Row: []string{hook}, BulkRow: []string{`(records) => records.map((r) => ({index: r.index, row: (` + hook + `)(r).row}))`}})
		for _, call := range []func(context.Context, int, intray.HookRows) ([]intray.Change, error){session.RunRows, session.RunBulk} {
			changes, err := call(t.Context(), 0, rows)
			if diff := cmp.Diff(want, describeChanges(changes)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		}
	})
}

func TestBulk(t *testing.T) {
	declared := intray.Hooks{BulkRow: []string{
		`(records, mode) => records.filter((r) => r.index % 1000 === 3).map((r) => ({index: r.index, row: {out: {value: records.length + mode}}}))`,
		`(records) => [{index: 13, row: {b: {value: records[3].row.n.value}}}]`,
	}}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, declared)
		for hook, want := range [][]string{{"993.2 2200init", "1993.2 2200init"}, {"3.1 13"}} {
			changes, err := session.RunBulk(t.Context(), hook, rowsOf(numberedFields, numberedRows(10, 1500), numberedRows(1510, 700)))
			if diff := cmp.Diff(want, describeChanges(changes)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		}
	})
}

func TestColumn(t *testing.T) {
	many := textField("many")
	many.ManyToOne = true
	rows := intray.HookRows{Fields: []intray.Field{textField("a"), many}, Parts: []int{0, 2}, Batches: []*intray.Batch{
		batch(0, []any{"x", `["p","q"]`}, []any{nil, nil}), batch(2, []any{"z", parsedCell{`["r",null]`, `["r",""]`}}),
	}}
	declared := intray.Hooks{Column: []intray.ColumnHook{
		{Field: "a", Source: `(values) => values.map(({index, value}) => ({index, value: value + index}))`},
		{Field: "many", Source: `(values) => values.filter((v) => v.value).map(({index, value}) => ({index, value: value + values.length, info: [{message: "m", level: "info"}]}))`},
		{Field: "gone", Source: `(values) => values`},
	}}
	want := [][]string{
		{"0.0 x0", "1.0 1", "2.0 z2"},
		{"0.1 p3 infos[{info m}]", "2.1 r3 infos[{info m}]", "0.1/1 q3 infos[{info m}]"},
		nil,
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, declared)
		for hook := range declared.Column {
			changes, err := session.RunColumn(t.Context(), hook, rows)
			if diff := cmp.Diff(want[hook], describeChanges(changes)); diff != "" || err != nil {
				t.Error(hook, err, diff)
			}
		}
	})
}

// TestLargeCallFails checks that a failed call with more than 1,000 rows has no effect: the
// result is the same as with calls of 1,000 rows.
func TestLargeCallFails(t *testing.T) {
	const rows, failing = 2400, 1234
	source := `({row, index}) => { %s; return {row: {out: {value: row.n.value + "!"}}}; }`
	for _, test := range []struct {
		name, body, fails string
		timeout           time.Duration
		slow              bool
	}{
		{"works", ``, "", generousTimeout, false},
		{"throws", `if (index === 1234) throw new Error("no")`, "no", generousTimeout, false},
		{"exceeds the time", `if (index === 1234) for (;;);`, "it took longer than 1 s", time.Second, true},
		// The changes of 2,000 of these rows exceed the limit of an answer; those of 1,000
		// rows do not.
		{"changes much", `row.n.value += "x".repeat(700)`, "", generousTimeout, true},
	} {
		if test.slow && testing.Short() {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			forEachRuntimeWith(t, hooks.Config{BatchTimeout: test.timeout, MaxAnswer: 1 << 20}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
				session := openSession(t, s, rowHooks(fmt.Sprintf(source, test.body)))
				session.SetCallRows(0, 2000)
				changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, rows)))
				if test.fails != "" {
					failed := hookError(t, err)
					if failed.Row == nil || *failed.Row != failing || !strings.Contains(failed.Text.String(), test.fails) {
						t.Errorf("got %v", failed)
					}
					return
				}
				if err != nil || len(changes) != rows {
					t.Fatalf("%d changes, %v", len(changes), err)
				}
				for i, c := range changes {
					if text := strings.ReplaceAll(*c.Value, "x", ""); c.Row != i || text != fmt.Sprintf("%d!", i) {
						t.Fatalf("change %d is %q in row %d", i, text, c.Row)
					}
				}
			})
		})
	}
}

// TestChangedRows checks that rows that a user changed have the mode update and their index
// among all rows.
func TestChangedRows(t *testing.T) {
	const source = `{out: {value: mode + " " + record.index + " " + record.rowId + " " + record.row.x.value}}`
	fields := []intray.Field{textField("x"), textField("out")}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		b := batch(3, []any{"a", nil}, []any{"b", nil}, []any{"c", nil})
		b.Numbers = []int64{3, 70, 1000}
		rows := rowsOf(fields, b)
		rows.Update = true
		want := []string{"0.1 update 3 3 a", "1.1 update 70 70 b", "2.1 update 1000 1000 c"}
		changes, err := openSession(t, s, rowHooks(`(record, mode) => ({row: `+source+`})`)).RunRows(t.Context(), 0, rows)
		if diff := cmp.Diff(want, describeChanges(changes)); diff != "" || err != nil {
			t.Error(err, diff)
		}
		bulk := intray.Hooks{BulkRow: []string{`(records, mode) => records.map(record => ({index: record.index, row: ` + source + `}))`}}
		changes, err = openSession(t, s, bulk).RunBulk(t.Context(), 0, rows)
		if diff := cmp.Diff(want, describeChanges(changes)); diff != "" || err != nil {
			t.Error(err, diff)
		}
		var failed *intray.HookError
		_, err = openSession(t, s, rowHooks(`record => { if (record.index === 70) record.row.nobody.value }`)).RunRows(t.Context(), 0, rows)
		if !errors.As(err, &failed) || failed.Row == nil || *failed.Row != 70 {
			t.Errorf("a row that fails: %v", err)
		}
	})
}

// TestDeletedRows checks that row delete hooks are called once for each deleted row.
func TestDeletedRows(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		b := batch(3, []any{"a"}, []any{"b"})
		b.Numbers = []int64{3, 70}
		rows := rowsOf([]intray.Field{textField("x")}, b)
		session := openSession(t, s, intray.Hooks{RowDelete: []string{`record => { console.log("gone", record.rowId, record.row.x.value); return {row: {x: {value: "no"}}} }`}})
		if err := session.NotifyDeleted(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(session.Console(), "\n"); !strings.Contains(got, "gone 3 a") || !strings.Contains(got, "gone 70 b") {
			t.Errorf("the hook printed %q", got)
		}
		fails := openSession(t, s, intray.Hooks{RowDelete: []string{`record => { throw new Error("keep it") }`}})
		var failed *intray.HookError
		if err := fails.NotifyDeleted(t.Context(), rows); !errors.As(err, &failed) || failed.Hook != "rowDeleteHooks[0]" || failed.Row == nil || *failed.Row != 3 {
			t.Errorf("a hook that fails: %v", err)
		}
	})
}

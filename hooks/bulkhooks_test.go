package hooks_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// lazyRows is a number of rows for which calls are lazy. Batches and packs end at different rows.
const lazyRows = 23_456

// lazyInput returns lazyRows rows with a number, a text field, a many-to-one field of two
// columns, and a text field that is empty.
func lazyInput() (fields []intray.Field, rows intray.HookRows) {
	tags := textField("tags")
	tags.ManyToOne = true
	fields = []intray.Field{typedField("n", intray.TypeNumber), textField("b"), tags, textField("out")}
	rows = intray.HookRows{Fields: fields, Parts: []int{0, 0, 2, 0}}
	for first := 0; first < lazyRows; first += 4000 {
		b := &intray.Batch{}
		b.Reset(len(fields))
		b.First = int64(first)
		for i := first; i < min(lazyRows, first+4000); i++ {
			b.Lines = append(b.Lines, int64(i)+2)
			b.Fields[0].AppendParsed(strconv.AppendInt(nil, int64(i), 10), []byte("#"+strconv.Itoa(i)))
			b.Fields[1].AppendValue([]byte("Größe \U0001F600 " + strconv.Itoa(i%7)))
			b.Fields[2].AppendParsed(fmt.Appendf(nil, `["p%d",null]`, i), fmt.Appendf(nil, `["p%d",""]`, i))
			if i%2 == 0 {
				b.Fields[3].AppendNull([]byte("raw"))
			} else {
				b.Fields[3].AppendNull(nil)
			}
			if i == 20_001 {
				b.Problems = append(b.Problems, intray.Problem{Row: i - first, Field: 1, Level: intray.LevelWarning, Text: intray.Literal("odd")})
			}
		}
		rows.Batches = append(rows.Batches, b)
	}
	return fields, rows
}

// TestLazyCalls checks that bulk hooks, column hooks and beforeFinishCallback see every
// cell of many rows, even though only the columns that they read are sent.
func TestLazyCalls(t *testing.T) {
	t.Parallel()
	bulk := `(records) => records.filter((r) => r.index % 1000 === 999 || r.index === 20001).map((r) => ({index: r.index, row: {out: {
		value: [r.row.n.value, r.row.n.resultValue + 1, r.row.b.value.length, r.row.tags.manyToOne[0].value, r.row.tags.manyToOne[1].value, r.row.out.value, r.row.b.info.length].join(),
	}, tags: {manyToOne: [undefined, {value: "set"}]}}}))`
	again := `(records) => { const r = records[1999]; r.row.b.value = r.row.n.value + records.length + r.row.tags.value; return [r]; }`
	column := `(values) => { values[20001].value += "!"; return values.slice(20000, 20002); }`
	part := `(values) => [{index: 23455, value: values[23455].value + values.length}]`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		fields, rows := lazyInput()
		session := openSession(t, s, intray.Hooks{
			BulkRow: []string{bulk, again}, Column: []intray.ColumnHook{{Field: "b", Source: column}, {Field: "tags", Source: part}},
			BeforeFinish: `(rows, about) => ({cancel: true, message: [rows.length, rows[23455].n, rows[23454].out, rows[1].tags[0], about.filename].join()})`,
		})
		changes, err := session.RunBulk(t.Context(), 0, rows)
		more, second := session.RunBulk(t.Context(), 1, rows)
		list := append(describeChanges(changes), describeChanges(more)...)
		if err = errors.Join(err, second); err != nil || len(list) != 24*2+1 {
			t.Fatalf("%v: %d changes: %.500s", err, len(list), list)
		}
		for _, want := range []string{"999.3 999,1000,10,p999,,,0", "20001.3 20001,20002,10,p20001,,,1", "1999.2/1 set", "1999.1 199923456p1999,"} {
			if !strings.Contains(strings.Join(list, "\n")+"\n", want+"\n") {
				t.Errorf("%q is missing in\n%.900s\n%s", want, strings.Join(list, "\n"), list[len(list)-1])
			}
		}
		for hook, want := range []string{"20001.1 Größe \U0001F600 2!", "23455.2 p2345523456 23455.2/1 23456"} {
			changes, err := session.RunColumn(t.Context(), hook, rows)
			if got := strings.ReplaceAll(strings.Join(describeChanges(changes), " "), "null", ""); err != nil || got != want {
				t.Errorf("column %d: %q, %v, want %q", hook, got, err, want)
			}
		}
		about := intray.FinishCall{Filename: "f.csv", Mapping: intray.Mapping{Fields: make([]intray.Match, len(fields))}}
		cancel, err := session.Finish(t.Context(), &intray.Schema{Fields: fields}, sequence(nil, rows.Batches...), about)
		if err != nil || cancel == nil || *cancel != "23456,23455,,p1,f.csv" {
			t.Errorf("%v, %v", cancel, err)
		}
	})
}

// TestPacksAndBatches checks that each row has the right cells, wherever a pack starts in a
// batch.
func TestPacksAndBatches(t *testing.T) {
	same := `(records) => records.map((r) => ({index: r.index, row: {out: {value: r.row.n.value}}}))`
	column := `(values) => values.map((v) => ({index: v.index, value: v.value + "!"}))`
	sizes, counts := []int{9_999}, []int{10_001}
	switch {
	case isFull():
		sizes, counts = []int{7, 9_999, 10_000, 10_001, 16_384, 35_000}, append(counts, 20_001, 34_567)
	case !testing.Short():
		sizes = append(sizes, 7, 10_000)
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, intray.Hooks{BulkRow: []string{same}, Column: []intray.ColumnHook{{Field: "n", Source: column}}})
		for _, size := range sizes {
			for _, rows := range counts {
				if size == 7 && rows > 10_001 {
					continue
				}
				var list []*intray.Batch
				for first := 0; first < rows; first += size {
					list = append(list, numberedRows(int64(first), min(size, rows-first)))
				}
				all := rowsOf(numberedFields, list...)
				bulk, err := session.RunBulk(t.Context(), 0, all)
				ofColumn, failed := session.RunColumn(t.Context(), 0, all)
				if err != nil || failed != nil || len(bulk) != rows || len(ofColumn) != rows {
					t.Fatalf("%d rows in batches of %d: %d and %d changes, %v, %v", rows, size, len(bulk), len(ofColumn), err, failed)
				}
				for i := range rows {
					if a, b := *bulk[i].Value, *ofColumn[i].Value; bulk[i].Row != i || ofColumn[i].Row != i || a != strconv.Itoa(i) || b != a+"!" {
						t.Fatalf("%d rows in batches of %d: row %d has %q and %q", rows, size, i, a, b)
					}
				}
			}
		}
	})
}

// TestManyChanges checks that all changes to very many rows arrive, and that their size may be
// at most four times MaxAnswer.
func TestManyChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: Node takes some seconds")
	}
	s := newRunner(t, sandbox.Node, hooks.Config{MaxAnswer: 8 << 20}, sandbox.Config{})
	_, rows := lazyInput()
	session := openSession(t, s, intray.Hooks{BulkRow: []string{
		`() => {}`,
		`(records) => records.map((r) => ({index: r.index, row: {out: {value: "x".repeat(1500)}}}))`,
	}})
	_, err := session.RunBulk(t.Context(), 1, rows)
	if failed := hookError(t, err); failed.Hook != "bulkRowHooks[1]" || !strings.Contains(failed.Text.String(), "larger than 33554432 bytes") {
		t.Error(failed)
	}
	session = openSession(t, s, intray.Hooks{BulkRow: []string{`(records) => records.map((r) => ({index: r.index, row: {out: {value: "x".repeat(500) + r.index}}}))`}})
	changes, err := session.RunBulk(t.Context(), 0, rows)
	if err != nil || len(changes) != lazyRows {
		t.Fatal(len(changes), err)
	}
	for i, c := range changes {
		if c.Row != i || !strings.HasSuffix(*c.Value, "x"+strconv.Itoa(i)) {
			t.Fatalf("change %d is of row %d: %.20s", i, c.Row, *c.Value)
		}
	}
}

// TestLongRows checks that a batch that is too long for one call is split, and that a
// single row that is too long is an error.
func TestLongRows(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{MaxRequest: 1 << 20})
	session := openSession(t, s, rowHooks(`(r) => ({row: {out: {value: r.index + r.row.n.value.length}}})`))
	long := func(n, size int) *intray.Batch {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{strings.Repeat("x", size), "", nil}
		}
		return batch(10, rows...)
	}
	changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 10), long(50, 100_000)))
	if err != nil || len(changes) != 60 || describeChanges(changes)[59] != "59.2 #100059" {
		t.Fatal(len(changes), err, describeChanges(changes))
	}
	_, err = session.RunRows(t.Context(), 0, rowsOf(numberedFields, long(3, 2<<20)))
	if failed := hookError(t, err); !strings.Contains(failed.Text.String(), "exceeds the limit of 1 MB per call") {
		t.Error(failed)
	}
}

// TestColumnsReadLate checks that Intray sends a column that a hook first reads in a late row,
// even if the hook catches the exception that reading an unsent column throws. A hook that
// changes the prototypes of arrays fails.
func TestColumnsReadLate(t *testing.T) {
	quiet := `const quiet = (f) => { try { return f(); } catch { return "MISSED"; } };`
	bend := `Object.defineProperty(Object.prototype, 0, {set() {}, configurable: true});`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(`(r) => { `+quiet+` return {row: {out: {get value() { return r.index < 2999 ? "x" : quiet(() => r.row.b.value); }}}}; }`))
		changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 3000)))
		if err != nil || len(changes) != 3000 || *changes[2999].Value != "text" || *changes[2998].Value != "x" {
			t.Errorf("rows: %d changes, %v, the last is %q", len(changes), err, describeChanges(changes[max(0, len(changes)-1):]))
		}
		session = openSession(t, s, intray.Hooks{BulkRow: []string{`(rs) => { ` + quiet + ` return [{index: 5, row: {out: {get value() { return quiet(() => rs[5].row.b.value); }}}}]; }`}})
		changes, err = session.RunBulk(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 10_001)))
		if err != nil || len(changes) != 1 || *changes[0].Value != "text" {
			t.Errorf("bulk: %v, %v", describeChanges(changes), err)
		}
		session = openSession(t, s, rowHooks(`(r) => { if (r.index < 2999) return {row: {out: {value: "set"}}}; `+bend+` return {row: {out: {value: r.row.b.value}}}; }`))
		changes, err = session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 3000)))
		if err == nil || !strings.Contains(hookError(t, err).Text.String(), "the hook changes built-in prototypes") {
			t.Errorf("bent lists: %d changes, %v", len(changes), err)
		}
	})
}

// TestMovedCells checks that cells and rows that a hook moves, and rows that it returns twice,
// have the same effect with few rows and with many.
func TestMovedCells(t *testing.T) {
	bulk := []string{
		`(rs) => { for (let i = 0; i < 9; i++) { const {row} = rs[i]; const old = row.n; row.n = row.out; row.out = {value: old.value + "?"}; } return rs; }`,
		`(rs) => { for (let i = 0; i < 9; i++) { const {row} = rs[i]; const old = row.n; row.n = row.b; row.b = old; } return rs; }`,
		`(rs) => { for (let i = 0; i < 9; i++) { const r = rs[i]; [r.row.n, r.row.b] = [r.row.b, r.row.n]; r.row.b.value += "!"; } return rs; }`,
		`(rs) => { for (let i = 0; i < 5; i++) rs[i].row.n = rs[i + 1].row.n; return rs; }`,
		`(rs) => { for (let i = 8; i > 0; i--) rs[i].row.n = rs[i - 1].row.n; rs[3].row.n.value = "both"; return rs; }`,
		`(rs) => { rs[0].row = rs[1].row; return rs; }`,
		`(rs) => { rs[0].row = rs[1].row; rs[0].row.n.value = "both"; return rs.slice(0, 3); }`,
		`(rs) => { const {row} = rs[0]; rs[0].row = rs[1].row; rs[1].row = row; row.out = {value: "moved"}; return rs; }`,
		`(rs) => { [rs[0].row.n, rs[1].row.n] = [rs[1].row.n, rs[0].row.n]; return [rs[0], rs[1]]; }`,
		`(rs) => { rs[0].row = rs[0].row; rs[0].row.n = rs[0].row.n; rs[0].row.n.value += "!"; return rs; }`,
		`(rs) => { const {n} = rs[2].row; rs[2].row.n = {value: "new"}; n.value = "old"; return [{index: 4, row: {n, b: rs[2].row.n}}, rs[2]]; }`,
		`(rs) => { const {row} = rs[2]; rs[2].row = {n: {value: "new"}}; return [{index: 4, row}, rs[2]]; }`,
		`(rs) => { delete rs[1].row.n; rs[2].row.n = undefined; rs[2].row.b = {value: "set", info: [{message: "odd"}]}; return rs; }`,
		`(rs) => [{index: 3, row: {n: {value: "first", info: [{message: "first"}]}}}, ...rs]`,
		`(rs) => [...rs, {index: 3, row: {n: {value: "last"}}}]`,
		`(rs) => [{index: 3, row: {n: {value: "first"}}}, {index: 3, row: rs[3].row}]`,
		`(rs) => [{index: 3, row: {n: {value: "first"}, b: {value: "first"}}}, {index: 3, row: {n: rs[3].row.n}}]`,
		`(rs) => { rs[0].index = 3; return rs; }`,
		`(rs) => { rs[0].index = 3; rs[0].row.b.value = "moved"; return rs.slice(0, 3); }`,
		`(rs) => { rs[0] = {index: 3, row: {n: {value: "first"}}}; return rs; }`,
		`(rs) => [{index: 2, row: rs[5].row}, {index: 6, row: {n: rs[5].row.b, b: rs[7].row.n}}]`,
	}
	column := []string{
		`(vs) => [{index: 3, value: "first", info: [{message: "first"}]}, ...vs]`,
		`(vs) => [...vs, {index: 3, value: "last"}]`,
		`(vs) => { vs[0].index = 3; return vs; }`,
		`(vs) => { vs[0].index = 3; return vs.slice(0, 3); }`,
		`(vs) => { vs[0].value = "set"; vs[0].index = 3; return [vs[0], vs[1]]; }`,
		`(vs) => { [vs[0].value, vs[1].value] = [vs[1].value, vs[0].value]; vs[2] = vs[1]; return vs; }`,
	}
	step := 1
	switch {
	case testing.Short():
		step = 8
	case !isFull():
		step = 2
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		declared := intray.Hooks{BulkRow: bulk}
		for _, source := range column {
			declared.Column = append(declared.Column, intray.ColumnHook{Field: "n", Source: source})
		}
		session := openSession(t, s, declared)
		compare := func(name string, lots int, do func(rows intray.HookRows) ([]intray.Change, error)) {
			want, err := do(rowsOf(numberedFields, numberedRows(0, 20)))
			got, failed := do(rowsOf(numberedFields, numberedRows(0, lots)))
			if diff := cmp.Diff(lastChanges(want), lastChanges(got)); diff != "" || err != nil || failed != nil || len(want) == 0 {
				t.Errorf("%s: few rows (-) and many rows (+) differ: %v, %v\n%s", name, err, failed, diff)
			}
		}
		for i, source := range bulk {
			if i%step > 0 {
				continue
			}
			compare(source, 10_020, func(rows intray.HookRows) ([]intray.Change, error) { return session.RunBulk(t.Context(), i, rows) })
		}
		for i, source := range column {
			if i%step > 0 {
				continue
			}
			compare(source, 10_020, func(rows intray.HookRows) ([]intray.Change, error) { return session.RunColumn(t.Context(), i, rows) })
		}
	})
}

// lastChanges returns the last change to each cell of numberedRows, by row and field. It omits
// changes that do not affect the value.
func lastChanges(changes []intray.Change) map[string]string {
	before := []string{"", "text", ""}
	all := map[string]string{}
	for _, c := range changes {
		before[0] = strconv.Itoa(c.Row)
		name := fmt.Sprintf("%d.%d", c.Row, c.Field)
		if c.HasValue {
			all[name] = textOf(c.Value)
			if all[name] == before[c.Field] {
				delete(all, name)
			}
		}
		if c.HasInfos {
			all[name+" infos"] = fmt.Sprint(c.Infos)
			if len(c.Infos) == 0 {
				delete(all, name+" infos")
			}
		}
	}
	return all
}

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

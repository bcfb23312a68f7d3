package realm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/script/realm"
)

// TestPlacesOfErrors: both runtimes name the place of an error, which the sign ¦ stands
// before, as the same one. Columns count characters.
func TestPlacesOfErrors(t *testing.T) {
	sources := []string{
		`(r) => { throw ¦new Error("x"); }`,
		`(r) => { throw ¦new   Error; }`,
		`(r) => { throw ¦Error("x"); }`,
		"(r) => {\n\t// a line\n\n\tthrow ¦new RangeError(\n\t\t\"x\" + r.index);\n}",
		`(r) => { const error = ¦new Error("x"); throw error; }`,
		`(r) => { const late = { Error }; throw ¦new late.Error("x"); }`,
		`async (r) => { await 0; throw ¦new Error("x"); }`,
		`async (r) => { await Promise.reject(¦new Error("x")); }`,
		`(r) => { const f = () => { throw ¦new TypeError("x"); }; f(); }`,
		`(r) => { r.row.a.value.replace("x", () => { throw ¦new Error("x"); }); }`,
		`function hook(r) { return { get a() { throw ¦new Error("x"); } }.a; }`,
		`({ hook(r) { throw ¦new Error("x"); } }).hook`,
		`hook(r) { throw ¦new Error("x"); }`,
		`(r) => { null.¦b; }`,
		`(r) => { r.row.b.¦value; }`,
		"(r) => {\n\tr.row\n\t\t.b\n\t\t.¦value;\n}",
		`(r) => { r.row.b¦["value"]; }`,
		`(r) => { r.row.a.¦b(); }`,
		`(r) => { r.row.a["b"]¦(); }`,
		`(r) => { ¦wrong.b; }`,
		`(r) => { return 1 + ¦wrong; }`,
		`(r) => { const x = ¦y; let y = 1; }`,
		`(r) => { [1].map((x) => x.b.¦c); }`,
		`(r) => { const x = JSON.¦parse("{\n\n\n\n  x"); }`,
		`(r) => { class Wrong extends Error { constructor(m) { super(m + 1); } } class Worse extends Wrong { } throw ¦new Worse("x"); }`,
		`(r) => { "😀😀 ä"; throw ¦new Error("x"); }`,
		"(r) => {\n\t\"😀😀\"; r.row.b.¦value;\n}",
	}
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, marked := range sources {
				before, _, _ := strings.Cut(marked, "¦")
				lines := strings.Split(before, "\n")
				want := fmt.Sprint(len(lines), ":", len([]rune(lines[len(lines)-1]))+1)
				source := strings.Replace(marked, "¦", "", 1)
				if strings.Contains(source, "JSON") {
					source = strings.ReplaceAll(source, "\n", `\n`)
				}
				if f := failureOf(t, w, source); f == nil || fmt.Sprint(f.Line, ":", f.Column) != want {
					t.Errorf("%s: got %+v, want %s", marked, f, want)
				}
			}
		})
	}
}

// failureOf calls a row hook with one row.
func failureOf(t *testing.T, w worker, source string) *realm.Failure {
	t.Helper()
	load := &realm.Load{Fields: []realm.Field{{Key: "a"}}, Hooks: []realm.Hook{{Kind: realm.HookRow, Name: "rowHooks[0]", Source: source}}}
	if raw, err := w.Handle(load.Append(nil)); err != nil || string(raw) != `{"faults":[]}` {
		t.Fatalf("%s: %s, %v", source, raw, err)
	}
	values := cellsOf(1, func(int) any { return "x" })
	raw, err := w.Handle((&realm.RowsCall{Kind: realm.HookRow, Rows: realm.Rows{Count: 1, Columns: []*realm.Column{{Value: values}}}}).Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAnswer(raw, realm.Bounds{Rows: 1, Parts: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Failure
}

// TestPlacesOfSyntax: what an engine refuses when it compiles has a line in both.
func TestPlacesOfSyntax(t *testing.T) {
	for source, line := range map[string]int{
		"(r) => r.#a": 1, "(r) => {\n  return r.#other;\n}": 2, "(r) => {\n  class A { #b; m() { return [this.#b, this.#c]; } }\n}": 2,
		"(r) => {\n  let a;\n  let a;\n}": 3, "(r) => {\n  return 1 = 2;\n}": 2, "(r) => {\n  break;\n}": 2, "(r) => {\n  \"use strict\";\n  with (r) {}\n}": 3,
		"(r) => {\n  const x = /(/;\n}": 2, "(r) => {\n  await 1;\n}": 2, "(r) => {\n  yield x;\n  return ];\n}": 2,
	} {
		for _, runtime := range runtimes {
			w := runtime.open(t)
			load := &realm.Load{Fields: []realm.Field{{Key: "a"}}, Hooks: []realm.Hook{{Kind: realm.HookRow, Name: "rowHooks[0]", Source: source}}}
			raw, err := w.Handle(load.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			faults, err := realm.ReadLoaded(string(raw))
			if err != nil || len(faults) != 1 || faults[0].Name != "SyntaxError" || faults[0].Line != line || faults[0].Column == 0 {
				t.Errorf("%s: %s: %+v, %v, want line %d", runtime.name, source, faults, err, line)
			}
		}
	}
}

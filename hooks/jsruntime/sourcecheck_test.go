package jsruntime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

func TestCheckFindsImport(t *testing.T) {
	for source, want := range map[string][2]int{
		`() => import("fs")`: {1, 7},
		"async () => {\n  const fs = await import(\"fs\");\n}":     {2, 20},
		`() => import /* c */ ("fs")`:                              {1, 7},
		"() => import // c\n (\"fs\")":                             {1, 7},
		"() => [...import('x')]":                                   {1, 11},
		"() => `a${import('x')}b`":                                 {1, 11},
		"() => `a${`b${{ a: import('x') }.a}`}`":                   {1, 20},
		"() => import.meta":                                        {1, 7},
		"() => { return /'/.test(import('x')) }":                   {1, 25},
		"() => 'a\\'b' + import('x')":                              {1, 16},
		"// line\u2028import('x')":                                 {1, 9},
		"(a) => a[0] / import('x') / 2":                            {1, 15},
		"() => import\u00a0('x')":                                  {1, 7},
		"(x) => { if (x) /'/.test(x); import('fs'); // '\n}":       {1, 30}, // ambiguous
		"(x) => { x\n<!-- /*\nimport('fs')\n/* */ }":               {3, 1},
		"(x) => x++ /'/ import('fs') //'":                          {1, 16},
		"function* f() { yield /'/; import('fs') } //'":            {1, 28},
		`(x) => { if (x) {} /"/.exec(x); return "import (all)"; }`: {1, 41}, // refused although it is harmless
	} {
		faults := jsruntime.CheckSources([]jsruntime.Hook{{Name: "rowHooks[0]", Source: source}})
		if len(faults) != 1 {
			t.Errorf("%q: %v", source, faults)
			continue
		}
		if got := [2]int{faults[0].Line, faults[0].Column}; got != want || faults[0].Hook != "rowHooks[0]" {
			t.Errorf("%q: got %v, want %v", source, got, want)
		}
	}
}

func TestCheckAcceptsOtherNames(t *testing.T) {
	for _, source := range []string{
		`() => "ready for import (all rows)"`,
		"() => 'import(' + \"import(\" + `import(`",
		"// import('x')\n() => 1",
		"/* import('x') */ () => 1",
		"(row) => row.import(1)",
		"() => /import(a|b)/.test('x')",
		"() => { const important = f => f; return important(1) / 2; }",
		"(a) => a.b[0] / 2 + `${a ? { import: 1 } : '}'} import(`",
		"() => reimport('x') + import_('x') + $import('x')",
		"(a) => [/[/]import(/, 'x', a]",
		"",
		"'", "`", "/", "/*", "`${", "\\", "'\\",
		"() => {};;\n // done\n; /* ) */", "(a) => a.b / (1) / [2] / 3", "async f() { for await (const x of y) /[)]/.test(x); }",
		"function ({ a = /[}]/, b = ')' } = {}, c) { return (a, b, c); }", "(x) => { {} /[)]/.test(x) }", "(x) => { while (x --> 0) /)/; }",
		"(x) => `${{ a: `}` }.a}` + x /* ` */", "(a) => a ? { b: 1 } : ([, 2])", "(a) => a.if (1) / 2",
	} {
		if faults := jsruntime.CheckSources([]jsruntime.Hook{{Source: source}}); faults != nil {
			t.Errorf("%q: %v", source, faults)
		}
	}
}

func TestCheckFindsMoreThanOneFunction(t *testing.T) {
	for source, want := range map[string][2]int{
		"() => {}); for (;;); (() => {}":                             {1, 9},
		"() => {}\n}); ({ f() {}":                                    {2, 1},
		"() => {}, () => {}":                                         {1, 9},
		"function a() {}; function b() {}":                           {1, 18},
		"() => {}; /* and */ 7":                                      {1, 21},
		"() => {}; `x`":                                              {1, 11},
		"() => /[)]/.test(')') // )\n) ":                             {2, 1},
		"() => { if (a) /[)]/.test(b); })":                           {1, 32},
		"(x) => (x) / 2 )/ 1":                                        {1, 16},
		"() => `${`)`}${')'}` )":                                     {1, 22},
		"(x) => x.if(1) / 2 / 3 ]":                                   {1, 24},
		"(a) => { for (const b of a) /\\//.test(b) } /* ) */ ] // ]": {1, 52},
	} {
		faults := jsruntime.CheckSources([]jsruntime.Hook{{Name: "rowHooks[0]", Source: source}})
		if len(faults) != 1 || !strings.Contains(faults[0].Message, "more than one function") || [2]int{faults[0].Line, faults[0].Column} != want {
			t.Errorf("%q: %v, want %v", source, faults, want)
		}
	}
}

// TestEnginesFindSecondFunction checks that the engines find a second function that the
// lexer cannot find.
func TestEnginesFindSecondFunction(t *testing.T) {
	for _, runtime := range runtimes {
		w := runtime.open(t)
		for _, source := range []string{
			"() => {}); globalThis.ran = 1; (() => {}", "f() {}}); ({g() {}", "() => { {} /[/]/.x }); globalThis.ran = 1; (() => {} // ]/",
			"() => {}\n-->)\n); globalThis.ran = 1; (() => {}",
		} {
			load := jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}}
			if faults := loadFaults(t, w, &load); len(faults) != 1 || !strings.Contains(faults[0].Message, "more than one function") && faults[0].Name != "SyntaxError" {
				t.Errorf("%s: %q: %v", runtime.name, source, faults)
			}
		}
		load := jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: "() => { console.log(typeof ran); }"}}}
		_, _ = w.Handle(load.Append(nil))
		if raw, err := w.Handle((&jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: jsruntime.Rows{Count: 1}}).Append(nil)); err != nil || !strings.Contains(string(raw), `"undefined"`) {
			t.Errorf("%s: what follows the first function ran: %s, %v", runtime.name, raw, err)
		}
	}
}

// TestCheckAcceptsValidHooks checks that no valid hook in testdata is refused.
func TestCheckAcceptsValidHooks(t *testing.T) {
	n := 0
	for _, s := range scenes(t) {
		for _, hook := range s.hooks {
			for _, fault := range jsruntime.CheckSources([]jsruntime.Hook{hook}) {
				if n++; !strings.Contains(strings.Join([]string{s.want[""], s.want["node"], s.want["quickjs"]}, ""), "fault "+hook.Name) {
					t.Errorf("%s: %q: %v", s.title, hook.Source, fault)
				}
			}
		}
	}
	t.Logf("%d were refused that no engine takes either", n)
}

// FuzzCheck checks that the lexer always terminates, and finds an import on a separate
// line.
func FuzzCheck(f *testing.F) {
	f.Add("(x) => { if (x) /'/.test(x) }")
	f.Add("`${a}`/b/'c'")
	f.Fuzz(func(t *testing.T, source string) {
		jsruntime.CheckSources([]jsruntime.Hook{{Source: source}})
		plain := !strings.ContainsAny(source, "'\"`/\\<>") && !strings.HasSuffix(source, ".")
		if plain && jsruntime.CheckSources([]jsruntime.Hook{{Source: source + "\nimport('x')"}}) == nil && !strings.HasSuffix(strings.TrimSpace(source), ".") {
			t.Errorf("no import was found after %q", source)
		}
	})
}

// TestReadOnlyHooks checks for which hooks all rows share one record.
func TestReadOnlyHooks(t *testing.T) {
	for source, want := range map[string]bool{
		`(record) => ({ row: { a: { value: record.row.a.value.toLowerCase() } } })`:                                 true,
		`r => ({ row: { a: { value: r.row.b.resultValue + r.index } } })`:                                           true,
		`(record, mode) => { if (record.row.a.value === "") { return; } return { row: { b: { value: mode } } }; };`: true,
		"(r) => ({ row: { a: { value: `${r.row.a.value} ${ r . row\n. b . value }` } } })":                          true,
		`(r) => { for (const c of r.row.a.value) if (c === "r.row") return null; /* r */ }`:                         true,
		`(r) => ({ row: { a: { value: (r.row.a.value ?? "").trim() || r.row.b.value?.length } } })`:                 true,
		`(r) => ({ row: { a: { value: x.r.row } } })`:                                                               true,
		`(record) => record`:                                        false,
		`(record) => ({ row: record.row })`:                         false,
		`(record) => ({ row: { a: record.row.a } })`:                false,
		`(record) => { const { row } = record; return { row }; }`:   false,
		`(record) => ({ record })`:                                  false,
		`({ row }) => ({ row })`:                                    false,
		`(record = {}) => null`:                                     false,
		`(...records) => null`:                                      false,
		`(r) => ({ row: { a: { value: r.rowId } } })`:               false,
		`(r) => ({ row: { a: { value: r.row["a"].value } } })`:      false,
		`(r) => ({ row: { a: { value: r.row?.a.value } } })`:        false,
		`(r) => ({ row: { a: { value: r.row.a.value$ } } })`:        false,
		`(r) => ({ row: { a: { value: r.row.a.valueé } } })`:        false,
		`(r) => ({ row: { a: { info: r.row.a.info } } })`:           false,
		`(r) => ({ row: { a: { value: r.row.absent.value } } })`:    false,
		`(r) => ({ row: { a: { value: r.row.__proto__.value } } })`: false,
		`(r) => { r.row.a.value = "x"; }`:                           false,
		`(r) => { r.row.a.value(); }`:                               false,
		`(r) => { ((r.row.a.value) )(); }`:                          false,
		`(r) => { r.row.a.value/**/(); }`:                           false,
		`(r) => { r.row.a.value?.(); }`:                             false,
		"(r) => { r.row.a.value\u00a0(); }":                         false,
		"(r) => { r.row.a.value`x`; }":                              false,
		`(r) => { delete r.row.a.value; }`:                          false,
		`(r) => { keep = () => r.row.a.value; }`:                    false,
		`(r) => { keep = { m() { return r.row.a.value; } }; }`:      false,
		`(r) => { keep = { get m() { return r.row.a.value; } }; }`:  false,
		`(r) => { keep = class { m = r.row.a.value; }; }`:           false,
		`(r) => { \u0072.row; return r.row.a.value; }`:              false,
		`async (r) => { await 1; return r.row.a.value; }`:           false,
		`function (r) { return r.row.a.value; }`:                    false,
		`((r) => r.row.a.value)`:                                    false,
	} {
		load := jsruntime.LoadCall{
			Fields: []jsruntime.Field{{Key: "a"}, {Key: "b"}},
			Hooks:  []jsruntime.Hook{{Kind: jsruntime.HookRow, Source: source}},
		}
		if got := strings.Contains(string(load.Append(nil)), `,"reads":true}`); got != want {
			t.Errorf("%s: it only reads: %v, want %v", source, got, want)
		}
		if load.Hooks[0].Kind = jsruntime.HookRowDelete; strings.Contains(string(load.Append(nil)), `"reads"`) {
			t.Errorf("%s: as a delete hook it counts as one that only reads", source)
		}
	}
}

// TestOneRecordForAllRows compares the results of read-only hooks, for which all rows share
// one record, with those of the same hooks with an additional parameter, for which each row
// has a separate record.
func TestOneRecordForAllRows(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, body := range []string{
				`({ row: { a: { value: r.row.a.value + r.row.b.value + r.index } } })`,
				`({ row: { a: { value: r.row.a.resultValue }, b: { value: r.row.a.value } } })`,
				`r.row.a.value === "a1" ? { row: { b: { value: null, info: [{ message: r.row.b.value }] } } } : undefined`,
				`{ row: { c: { value: r.row.c.value } } }`,
				`({ row: { a: { value: [r.row.a.value, r.row.b.value] } } })`,
				`({ row: { a: { value: Math.random() } } })`,
				`r.index === 1 ? r.row.a.value.absent() : undefined`,
			} {
				one, own := answersOf(t, w, "(r       ) => "+body), answersOf(t, w, "(r, m = 0) => "+body)
				if diff := cmp.Diff(own, one); diff != "" {
					t.Errorf("%s: separate records (-) and one record (+) differ:\n%s", body, diff)
				}
			}
		})
	}
}

// answersOf loads a row hook, calls it with Learn, with only the columns a and b, and with
// infos, and returns the answers.
func answersOf(t *testing.T, w worker, source string) (list []string) {
	t.Helper()
	load := &jsruntime.LoadCall{
		Fields: []jsruntime.Field{{Key: "a"}, {Key: "b"}, {Key: "c"}},
		Hooks:  []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}},
	}
	mustLoad(t, w, load)
	columns := make([]*jsruntime.Column, 3)
	for f := range columns {
		texts := &intray.Texts{}
		for i := range 4 {
			texts.AppendString(fmt.Sprintf("%s%d", load.Fields[f].Key, i))
		}
		columns[f] = &jsruntime.Column{Value: jsruntime.Cells{Texts: texts}}
	}
	infos := *columns[0]
	infos.Infos = []jsruntime.CellInfos{{Row: 2, Infos: []jsruntime.Info{{Message: "before"}}}}
	for _, call := range []jsruntime.RowsCall{
		{Learn: true, Rows: jsruntime.Rows{Columns: columns}},
		{Rows: jsruntime.Rows{Columns: []*jsruntime.Column{columns[0], columns[1], nil}}},
		{Rows: jsruntime.Rows{Columns: []*jsruntime.Column{&infos, columns[1], columns[2]}}},
	} {
		call.Kind, call.Mode, call.Rows.Count = jsruntime.HookRow, "init", 4
		answer := mustAnswer(t, w, call.Append(nil), jsruntime.Bounds{Rows: 4, Fields: make([]jsruntime.FieldBounds, 3), Learn: call.Learn, MaxChanges: 12})
		list = append(list, fmt.Sprintf("%+v %v %v %+v", answer.Changes, answer.Used, answer.Missed, answer.Failure))
	}
	return list
}

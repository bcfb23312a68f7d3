package realm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/script/realm"
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
		"(x) => { if (x) /'/.test(x); import('fs'); // '\n}":       {1, 30}, // in doubt
		"(x) => { x\n<!-- /*\nimport('fs')\n/* */ }":               {3, 1},
		"(x) => x++ /'/ import('fs') //'":                          {1, 16},
		"function* f() { yield /'/; import('fs') } //'":            {1, 28},
		`(x) => { if (x) {} /"/.exec(x); return "import (all)"; }`: {1, 41}, // refused though it does no harm
	} {
		faults := realm.Check([]realm.Hook{{Name: "rowHooks[0]", Source: source}})
		if len(faults) != 1 {
			t.Errorf("%q: %v", source, faults)
			continue
		}
		if got := [2]int{faults[0].Line, faults[0].Column}; got != want || faults[0].Hook != "rowHooks[0]" {
			t.Errorf("%q: got %v, want %v", source, got, want)
		}
	}
}

func TestCheckLetsOthersPass(t *testing.T) {
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
	} {
		if faults := realm.Check([]realm.Hook{{Source: source}}); faults != nil {
			t.Errorf("%q: %v", source, faults)
		}
	}
}

func TestNames(t *testing.T) {
	source := `async (record) => { const r = await fetch("setTimeout"); record.process(); /* require */ return ` + "`${window}`" + ` }`
	got := realm.Names(source, "fetch", "setTimeout", "process", "require", "window")
	if diff := cmp.Diff([]string{"fetch", "window"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzCheck: it ends, whatever it reads, and an import alone is always found.
func FuzzCheck(f *testing.F) {
	f.Add("(x) => { if (x) /'/.test(x) }")
	f.Add("`${a}`/b/'c'")
	f.Fuzz(func(t *testing.T, source string) {
		realm.Names(source, "a")
		plain := !strings.ContainsAny(source, "'\"`/\\<>") && !strings.HasSuffix(source, ".")
		if plain && realm.Check([]realm.Hook{{Source: source + "\nimport('x')"}}) == nil && !strings.HasSuffix(strings.TrimSpace(source), ".") {
			t.Errorf("no import was found behind %q", source)
		}
	})
}

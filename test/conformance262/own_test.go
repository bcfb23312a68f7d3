package conformance262

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/hooks/sandbox"
)

// ownHarness is the harness of this package. It uses the file names of the suite.
var ownHarness = map[string]string{
	"assert.js": `function assert(fine, text) { if (fine !== true) throw new Test262Error(text); }`,
	"sta.js":    `class Test262Error { constructor(message) { this.message = String(message); } }`,
	doneFile:    `function $DONE(wrong) { print(wrong ? "Test262:AsyncTestFailure:" + wrong : "Test262:AsyncTestComplete"); }`,
	"same.js":   `function same(a, b) { assert(Object.is(a, b), a + " and " + b); }`,
	"made.js":   `var everything = new Function("return this;")();`,
}

// ownTests contains tests in the format of Test262, keyed by name.
var ownTests = map[string]string{
	"language/a-passes":       "/*---\ndescription: it passes\n---*/\nassert(1 + 1 === 2, 'sum');",
	"language/b-fails":        "/*---\n---*/\nassert(1 + 1 === 3, 'the sum is wrong');",
	"language/c-includes":     "/*---\nincludes:\n  - same.js\n---*/\nsame(NaN, NaN);",
	"language/d-strict":       "/*---\nflags: [onlyStrict]\n---*/\nassert((function () { return this; })() === undefined, 'this');",
	"language/e-sloppy":       "/*---\nflags: [noStrict]\n---*/\nassert((function () { return this; })() === globalThis, 'this');",
	"language/f-both":         "/*---\n---*/\nassert((function () { return this; })() === globalThis, 'strict has no this');",
	"language/g-global":       "/*---\n---*/\nassert(this === globalThis, 'this of a script');",
	"language/h-syntax":       "/*---\nnegative:\n  phase: parse\n  type: SyntaxError\n---*/\n$DONOTEVALUATE();\nlet let = 1 +;",
	"language/i-no-syntax":    "/*---\nnegative:\n  phase: parse\n  type: SyntaxError\n---*/\nlet fine = 1;",
	"language/j-throws":       "/*---\nnegative:\n  phase: runtime\n  type: TypeError\n---*/\nnull.x;",
	"language/k-other":        "/*---\nnegative:\n  phase: runtime\n  type: Test262Error\n---*/\nnull.x;",
	"language/l-unthrown":     "/*---\nnegative: {phase: runtime, type: TypeError}\n---*/\nassert(false, 'a head that is not understood passes nothing');",
	"language/m-async":        "/*---\nflags: [async]\n---*/\nPromise.resolve(3).then((n) => assert(n === 3, 'n')).then($DONE, $DONE);",
	"language/n-async-fails":  "/*---\nflags: [async]\n---*/\nPromise.resolve(3).then((n) => assert(n === 4, 'no four')).then($DONE, (e) => $DONE(e.message));",
	"language/o-never":        "/*---\nflags: [async]\n---*/\nnew Promise(() => {}).then($DONE);",
	"language/p-spoils":       "/*---\n---*/\nArray.prototype.map = () => 'spoilt';\nglobalThis.spoilt = true;",
	"language/q-after":        "/*---\n---*/\nassert([1].map((n) => n + 1)[0] === 2, 'map');\nassert(typeof spoilt === 'undefined', 'a global of another test');",
	"language/r-raw":          "/*---\nflags: [raw]\nnegative:\n  phase: parse\n  type: SyntaxError\n---*/\nvar 1;",
	"language/s-refused":      "/*---\n---*/\nlet 1;",
	"built-ins/Array/t-fails": "/*---\nfeatures: [Symbol, BigInt]\n---*/\nthrow new RangeError('out of it');",

	"language/left/module":   "/*---\nflags: [module]\n---*/\nimport './x.js';",
	"language/left/new":      "/*---\nfeatures: [Symbol, class-fields-public]\n---*/\nclass A { x = 1; }",
	"language/left/intl":     "/*---\nfeatures: [Intl.ListFormat]\n---*/\n",
	"language/left/realms":   "/*---\n---*/\n$262.createRealm();",
	"language/left/threads":  "/*---\nfeatures: [Atomics]\n---*/\n",
	"language/left/agents":   "/*---\n---*/\n$262.agent.start('');",
	"language/left/eval":     "/*---\n---*/\neval('1');",
	"language/left/function": "/*---\n---*/\nnew Function('a', 'return a');",
	"language/left/included": "/*---\nincludes: [made.js]\n---*/\nassert(true, everything);",
	"language/left/unknown":  "/*---\nincludes: [nowhere.js]\n---*/\n",
	"language/left/raw":      "/*---\nflags: [raw]\n---*/\n'use strict'",
	"language/left/timer":    "/*---\nflags: [async]\n---*/\nsetTimeout(() => $DONE(), 5);",

	"language/eval-code/direct": "/*---\n---*/\nassert(true, '');",
	"language/u-comment":        "/*---\n---*/\n// eval and $262 in a comment\n/* new Function('') */\nassert(true, '');",
}

// ownWrong contains the beginning of the error of each test that fails in both runtimes.
var ownWrong = map[string]string{
	"language/b-fails":        "the sum is wrong",
	"language/f-both":         "strict has no this (strict mode)",
	"language/i-no-syntax":    "it succeeds, want a SyntaxError",
	"language/k-other":        "Error: it throws TypeError, and must throw a Test262Error",
	"language/l-unthrown":     "a head that is not understood passes nothing",
	"language/n-async-fails":  "Error: Test262:AsyncTestFailure:no four",
	"language/o-never":        "its promise never settles",
	"language/s-refused":      "the source is rejected: SyntaxError",
	"built-ins/Array/t-fails": "RangeError: out of it",
}

// writeTests writes the tests and the harness to a folder with the layout of a checkout.
func writeTests(t *testing.T, tests map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range ownHarness {
		write("harness/"+name, text)
	}
	for name, text := range tests {
		write("test/"+name+".js", text)
	}
	write("test/language/module_FIXTURE.js", "export default 1;")
	return folder
}

// TestOwn checks the verdicts on tests of this package.
func TestOwn(t *testing.T) {
	s, err := openSuite(writeTests(t, ownTests))
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]int{
		"modules": 1, "newer than ES2020": 2, "its harness file is not there": 1,
		missing[1].what: 2, missing[2].what: 1, missing[3].what: 4, missing[5].what: 1,
		"not for hooks: raw text outside a function": 1,
	}
	if diff := cmp.Diff(left, s.left); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if s.found != len(ownTests) || len(s.scripts) != 21 {
		t.Errorf("found %d tests, want %d, of which %d are run, want 21", s.found, len(ownTests), len(s.scripts))
	}
	if text := s.summary(); !strings.Contains(text, "34 tests") || !strings.Contains(text, "skipped, newer than ES2020: 2") {
		t.Errorf("the report is: %s", text)
	}
	for _, runtime := range []sandbox.Runtime{sandbox.QuickJS, sandbox.Node} {
		t.Run(string(runtime), func(t *testing.T) {
			verdicts, err := (&runner{suite: s, pool: open(t, runtime), budget: 10 * time.Second}).runAll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range verdicts {
				name := strings.TrimSuffix(v.script.name, ".js")
				if want := ownWrong[name]; (want == "") != (v.wrong == "") || !strings.HasPrefix(v.wrong, want) {
					t.Errorf("%s: %q, want %q", name, v.wrong, want)
				}
			}
			if text := formatVerdicts("x", verdicts, 0); !strings.Contains(text, "x passes 12 of 21 tests, 57.1 %") || !strings.Contains(text, "built-ins/Array  0 of 1") {
				t.Errorf("the report is: %s", text)
			}
		})
	}
}

// TestWorkerReuse checks that a worker is reused until a test fails, and that a failed test
// does not affect the next one.
func TestWorkerReuse(t *testing.T) {
	s, err := openSuite(writeTests(t, map[string]string{
		"language/a-fine":    ownTests["language/a-passes"],
		"language/b-spoils":  ownTests["language/p-spoils"],
		"language/c-after":   ownTests["language/q-after"],
		"language/d-endless": "/*---\nflags: [onlyStrict]\n---*/\nfor (;;);",
		"language/e-fine":    ownTests["language/a-passes"],
	}))
	if err != nil {
		t.Fatal(err)
	}
	one := &workerSlot{runner: &runner{suite: s, pool: open(t, sandbox.QuickJS), budget: 300 * time.Millisecond}}
	defer one.closeWorker()
	var before *sandbox.Worker
	for i, want := range []struct {
		wrong string
		same  bool
	}{{same: false}, {same: true}, {same: false}, {wrong: "(strict mode)"}, {same: false}} {
		wrong, err := one.runModes(t.Context(), &s.scripts[i])
		if (wrong == "") != (want.wrong == "") || !strings.Contains(wrong, want.wrong) || err != nil {
			t.Errorf("%s: %q, %v; want %q", s.scripts[i].name, wrong, err, want.wrong)
		}
		if same := one.worker == before && before != nil; same != want.same {
			t.Errorf("%s: the worker of the test before it was used: %t, want %t", s.scripts[i].name, same, want.same)
		}
		before = one.worker
	}
}

func TestNoSuite(t *testing.T) {
	for name, folder := range map[string]string{"empty": t.TempDir(), "without tests": writeTests(t, map[string]string{})} {
		if name == "without tests" {
			if err := os.RemoveAll(filepath.Join(folder, "test")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := openSuite(folder); err == nil || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHead(t *testing.T) {
	for text, want := range map[string]head{
		"no head": {},
		"// Copyright\n/*---\ninfo: |\n  - a text\n  flags: [raw]\nflags: [async, noStrict]\nfeatures: [ BigInt ]\n---*/\nflags: [module]": {
			flags: []string{"async", "noStrict"}, features: []string{"BigInt"},
		},
		"/*---\r\nincludes:\r\n  - a.js\r\n  - b.js\r\nnegative:\r\n  type: SyntaxError\r\n  phase: parse\r\n---*/": {
			includes: []string{"a.js", "b.js"}, phase: "parse", wrong: "SyntaxError",
		},
		"/*---\nincludes:\n- a.js\nauthor: x\n---*/": {includes: []string{"a.js"}},
	} {
		if diff := cmp.Diff(want, headOf(text), cmp.AllowUnexported(head{})); diff != "" {
			t.Errorf("the head of %q (-want +got):\n%s", text, diff)
		}
	}
}

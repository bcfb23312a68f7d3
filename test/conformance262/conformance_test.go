// Package conformance262 measures how much of the JavaScript language is available to hooks.
// It runs each test of Test262, the conformance suite of the language, inside a hook in a
// sandboxed worker.
//
// A suite is a checkout of Test262, a script is one of its tests, and a runner runs scripts
// with one runtime. The package runs only tests of features that hooks could support: the
// language and its built-ins as of ES2020, without modules and other features that hooks
// omit on purpose (see missing). It counts all other tests as skipped.
//
// The suite is not part of this project. TestConformance runs if TEST262 is the path of a
// checkout. The runner itself is always tested, with scripts of this package.
//
// # What the numbers mean
//
// Test262 tests are scripts in the global scope. In this package, a test is the body of a nested
// function, after the harness, because a hook is a function and cannot create code from strings.
// This tests the language as hooks use it. Some tests fail only because they are not in the
// global scope. They look for a top-level variable on the global object, expect a top-level
// return or new.target to be a syntax error, or use names that collide only in the global scope.
// Folders that contain only such tests are skipped. Tests also fail if they check features that
// the runtime changes on purpose: the names, lengths and descriptors of functions that it
// replaces (Date, Math.random, eval and Function), formats that need locales, and dates other
// than the frozen one.
package conformance262

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
	testsuite "github.com/intraydata/intray/test/suite"
)

// TestMain runs a worker instead of the tests if a pool started the test binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hook-worker" {
		_ = sandbox.Serve(func([]byte) (sandbox.Handler, error) {
			engine, err := jsruntime.New(jsruntime.Config{Memory: 96 << 20, MaxAnswer: 64 << 20})
			if err != nil {
				return nil, err
			}
			return engine.Handle, nil
		})
		os.Exit(0)
	}
	os.Exit(testsuite.Run(m, testsuite.Conformance))
}

// open opens a pool of workers with a runtime.
func open(t *testing.T, runtime sandbox.Runtime) *sandbox.Pool {
	t.Helper()
	cfg := sandbox.Config{Runtime: runtime, IdleWorkers: 2}
	if runtime == sandbox.Node {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("SKIPPED: Node is not installed, and is NOT tested here")
		}
		cfg.Script = jsruntime.NodeScript()
	}
	c, err := sandbox.New(cfg)
	var refused *sandbox.RefusedError
	if errors.As(err, &refused) {
		t.Skipf("SKIPPED: hooks are NOT tested here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestConformance prints how many tests of the suite each runtime passes. A failing test of the
// suite does not make TestConformance fail.
func TestConformance(t *testing.T) {
	folder := os.Getenv("TEST262")
	if folder == "" {
		t.Skip("SKIPPED: the conformance of hooks is NOT tested: set TEST262 to a checkout of github.com/tc39/test262")
	}
	s, err := openSuite(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s.summary())
	for _, runtime := range []sandbox.Runtime{sandbox.QuickJS, sandbox.Node} {
		t.Run(string(runtime), func(t *testing.T) {
			began := time.Now()
			verdicts, err := (&runner{suite: s, pool: open(t, runtime), budget: 10 * time.Second}).runAll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(formatVerdicts(string(runtime), verdicts, time.Since(began)))
		})
	}
}

// summary describes how many tests are run, and how many are skipped for each reason.
func (s *suite) summary() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d tests of the language and its built-ins, of which %d are run\n", s.folder, s.found, len(s.scripts))
	for _, why := range slices.Sorted(maps.Keys(s.left)) {
		fmt.Fprintf(&text, "  skipped, %s: %d\n", why, s.left[why])
	}
	return text.String()
}

// formatVerdicts describes how many tests a runtime passed, in total and by folder, and
// which tests failed.
func formatVerdicts(runtime string, verdicts []verdict, took time.Duration) string {
	type count struct{ all, passed int }
	folders := map[string]count{}
	var all count
	var failed []string
	for _, v := range verdicts {
		folder := folderOf(v.script.name)
		one := folders[folder]
		one.all++
		all.all++
		if v.wrong == "" {
			one.passed++
			all.passed++
		} else {
			failed = append(failed, v.script.name+": "+v.wrong)
		}
		folders[folder] = one
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s passes %d of %d tests, %.1f %%, in %.0f s\n", runtime, all.passed, all.all, 100*float64(all.passed)/float64(max(all.all, 1)), took.Seconds())
	names := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		x, y := folders[a], folders[b]
		return cmp.Or(cmp.Compare(y.all-y.passed, x.all-x.passed), strings.Compare(a, b))
	})
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, name := range names {
		one := folders[name]
		fmt.Fprintf(w, "  %s\t%d of %d\t%d fail\n", name, one.passed, one.all, one.all-one.passed)
	}
	w.Flush()
	for _, line := range failed {
		fmt.Fprintf(&text, "  fails: %s\n", line)
	}
	return text.String()
}

// folderOf returns the folder of a test's feature, such as built-ins/Array.
func folderOf(name string) string {
	parts := strings.Split(path.Dir(filepath.ToSlash(name)), "/")
	depth := 2
	if parts[0] == "language" {
		depth = 3
	}
	return strings.Join(parts[:min(len(parts), depth)], "/")
}

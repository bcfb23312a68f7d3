package hooks_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/source/sourcetest"
)

// hostileTimeout is the time limit of a hostile hook for 1,000 rows.
const hostileTimeout = 500 * time.Millisecond

// sample returns a random twentieth of a list, a sixtieth in short mode, or the whole list
// if isFull returns true.
func sample(t *testing.T, list []string) []string {
	t.Helper()
	if isFull() {
		return list
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("INTRAY_TORTURE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("INTRAY_TORTURE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	part := 20
	if testing.Short() {
		part = 60
	}
	return list[:(len(list)+part-1)/part]
}

// runHostile runs a hook over three rows. The hook may fail. The hook must not change cells in
// a way that shows that it escaped, and its error must not name a row other than these three.
func runHostile(t *testing.T, s *hooks.Runner, source string) {
	t.Helper()
	session, err := s.Open(t.Context(), rowHooks(source), intray.HookEnv{})
	var changes []intray.Change
	if err == nil {
		changes, err = session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(40, 3)))
		_ = session.Close()
	}
	if text := strings.Join(describeChanges(changes), " "); strings.Contains(text, "ESCAPED") {
		t.Errorf("the hook escaped: %s", text)
	}
	var failed *intray.HookError
	switch {
	case err == nil:
		return
	case !errors.As(err, &failed):
		t.Fatalf("got %v, want no error or that of a hook", err)
	}
	t.Logf("%.300s", failed.Error())
	if failed.Row != nil && (*failed.Row < 40 || *failed.Row > 42) {
		t.Errorf("the error names row %d, want 40 to 42", *failed.Row)
	}
}

// residentMemory returns the resident memory of this process, in bytes.
func residentMemory(t *testing.T) int64 {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// maxGrowth is the maximum growth of the memory of this process, in bytes, after a hostile hook.
const maxGrowth = 50 << 20

// hostileIdleWorkers is the number of idle workers in the pool.
const hostileIdleWorkers = 2

// testHostileHooks runs hooks one after another. Each must end and free its memory, and
// must not affect another session.
func testHostileHooks(t *testing.T, runtime sandbox.Runtime, sources map[string]string) {
	pool := newPool(t, runtime, sandbox.Config{IdleWorkers: hostileIdleWorkers})
	s := hooks.New(pool, hooks.Config{BatchTimeout: hostileTimeout, MaxWorkers: 1})
	others := hooks.New(pool, hooks.Config{BatchTimeout: generousTimeout, MaxWorkers: 1})
	neighbor := openSession(t, others, rowHooks(`(r) => ({row: {out: {value: r.row.n.value}}})`))
	if _, err := neighbor.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(7, 2))); err != nil {
		t.Fatal(err)
	}
	before := residentMemory(t)
	for _, name := range sample(t, slices.Sorted(maps.Keys(sources))) {
		t.Run(name, func(t *testing.T) {
			runHostile(t, s, sources[name])
			if grown := residentMemory(t) - before; grown > maxGrowth {
				t.Errorf("this process holds %d MiB more than before", grown>>20)
			}
			changes, err := neighbor.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(7, 2)))
			if got := strings.Join(describeChanges(changes), " "); got != "0.2 7 1.2 8" || err != nil {
				t.Errorf("the other session returns %q, %v", got, err)
			}
		})
	}
	_ = neighbor.Close()
	waitForWorkers(t, hostileIdleWorkers)
}

// readHooks reads at least minCount files with hooks. functions reports whether each file
// contains a function rather than the body of one.
func readHooks(t *testing.T, functions bool, minCount int, patterns ...string) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source := string(text)
			if !functions {
				source = "function (record) {\n" + source + "\n}"
			}
			sources[filepath.Base(file)] = source
		}
	}
	if len(sources) < minCount {
		t.Fatalf("found %d files, want at least %d", len(sources), minCount)
	}
	return sources
}

func TestHostileHooks(t *testing.T) {
	sources := readHooks(t, true, 145, "../testdata/hooks/hostile/*.js", "testdata/hostile/*.js")
	t.Run("quickjs", func(t *testing.T) { testHostileHooks(t, sandbox.QuickJS, sources) })
	if !testing.Short() {
		t.Run("node", func(t *testing.T) { testHostileHooks(t, sandbox.Node, sources) })
	}
}

// TestHostileCorpus runs the same checks as TestHostileHooks on hooks whose bodies are
// statements from a corpus.
func TestHostileCorpus(t *testing.T) {
	sources := readHooks(t, false, 1, filepath.Join(sourcetest.Corpus(t, "hostile-hooks"), "*.js"))
	t.Run("quickjs", func(t *testing.T) { testHostileHooks(t, sandbox.QuickJS, sources) })
	if isFull() {
		t.Run("node", func(t *testing.T) { testHostileHooks(t, sandbox.Node, sources) })
	}
}

package hooks_test

import (
	"cmp"
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

const (
	hostileBatch = 500 * time.Millisecond
	// bound is how long a hostile hook may take.
	bound = 2*hostileBatch + 500*time.Millisecond
)

// some gives a twentieth of a list, so that the two runtimes have a tenth, and
// all of it where INTRAY_TORTURE is full.
func some(t *testing.T, list []string) []string {
	t.Helper()
	if os.Getenv("INTRAY_TORTURE") == "full" {
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
	return list[:(len(list)+19)/20]
}

// ending is what came of a hostile hook.
type ending struct {
	name string
	took time.Duration
	text string
}

// hostile runs a hook over three rows.
func hostile(t *testing.T, s *hooks.Runner, name, source string) ending {
	t.Helper()
	began := time.Now()
	session, err := s.Open(t.Context(), rowHooks(source), intray.HookEnv{})
	var changes []intray.Change
	if err == nil {
		changes, err = session.RunRows(t.Context(), 0, rowsOf(countFields, count(40, 3)))
		_ = session.Close()
	}
	end := ending{name: name, took: time.Since(began), text: strings.Join(describeChanges(changes), " ")}
	var failed *intray.HookError
	if err != nil && !errors.As(err, &failed) {
		t.Errorf("it ended with a fault of the machinery: %v", err)
	}
	if strings.Contains(end.text, "ESCAPED") {
		t.Errorf("it got what it must not have: %s", end.text)
	}
	if failed == nil {
		return end
	}
	end.text = failed.Error()
	t.Logf("%v: %.300s", end.took.Round(time.Millisecond), end.text)
	if failed.Row != nil && (*failed.Row < 40 || *failed.Row > 42) {
		t.Errorf("there is no row %d", *failed.Row)
	}
	return end
}

// resident is the memory of this process, in bytes.
func resident(t *testing.T) int64 {
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

// mostGrowth is how much more memory than idle this process may hold after a
// hostile hook.
const mostGrowth = 50 << 20

// hostiles runs hooks one after another. Each ends in time and leaves nothing
// behind, and a session beside it goes on.
func hostiles(t *testing.T, s *hooks.Runner, sources map[string]string) {
	names := slices.Sorted(maps.Keys(sources))
	neighbour := open(t, s, rowHooks(`(r) => ({row: {out: {value: r.row.n.value}}})`))
	if _, err := neighbour.RunRows(t.Context(), 0, rowsOf(countFields, count(7, 2))); err != nil {
		t.Fatal(err)
	}
	idle := resident(t)
	var all []ending
	for _, name := range some(t, names) {
		t.Run(name, func(t *testing.T) {
			end := hostile(t, s, name, sources[name])
			if end.took > bound {
				end.took = min(end.took, hostile(t, s, name, sources[name]).took) // others use this machine too
			}
			if end.took > bound {
				t.Errorf("it took %v, more than %v", end.took, bound)
			}
			if grown := resident(t) - idle; grown > mostGrowth {
				t.Errorf("this process holds %d MiB more than before", grown>>20)
			}
			changes, err := neighbour.RunRows(t.Context(), 0, rowsOf(countFields, count(7, 2)))
			if got := strings.Join(describeChanges(changes), " "); got != "0.2 7 1.2 8" || err != nil {
				t.Errorf("the neighbour says %q, %v", got, err)
			}
			all = append(all, end)
		})
	}
	logSlowest(t, all)
	_ = neighbour.Close()
	outlast(t, hostileSpares)
}

// logSlowest logs the ten that took longest.
func logSlowest(t *testing.T, all []ending) {
	slices.SortFunc(all, func(a, b ending) int { return cmp.Compare(b.took, a.took) })
	t.Logf("of %d hooks these took longest; %v are allowed:", len(all), bound)
	for _, end := range all[:min(10, len(all))] {
		t.Logf("%8v  %-28s %.120s", end.took.Round(time.Millisecond), end.name, end.text)
	}
}

const hostileSpares = 2

func hostileScript(t *testing.T, runtime sandbox.Runtime) *hooks.Runner {
	return newScript(t, runtime, hooks.Config{BatchTimeout: hostileBatch, MaxWorkers: 1}, sandbox.Config{IdleWorkers: hostileSpares})
}

// hooksIn reads the files of hooks; whole says that each is a function, and not
// the body of one.
func hooksIn(t *testing.T, whole bool, least int, patterns ...string) map[string]string {
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
			if !whole {
				source = "function (record) {\n" + source + "\n}"
			}
			sources[filepath.Base(file)] = source
		}
	}
	if len(sources) < least {
		t.Fatalf("there are %d files, and %d were promised", len(sources), least)
	}
	return sources
}

func TestHostileHooks(t *testing.T) {
	sources := hooksIn(t, true, 145, "../testdata/hooks/hostile/*.js", "testdata/hostile/*.js")
	for _, runtime := range []sandbox.Runtime{sandbox.QuickJS, sandbox.Node} {
		t.Run(string(runtime), func(t *testing.T) { hostiles(t, hostileScript(t, runtime), sources) })
	}
}

// TestHostileCorpus runs statements of others as the bodies of hooks.
func TestHostileCorpus(t *testing.T) {
	sources := hooksIn(t, false, 1, filepath.Join(sourcetest.Corpus(t, "hostile-hooks"), "*.js"))
	runtimes := []sandbox.Runtime{sandbox.QuickJS, sandbox.Node}
	if os.Getenv("INTRAY_TORTURE") != "full" {
		runtimes = runtimes[:1]
	}
	for _, runtime := range runtimes {
		t.Run(string(runtime), func(t *testing.T) { hostiles(t, hostileScript(t, runtime), sources) })
	}
}

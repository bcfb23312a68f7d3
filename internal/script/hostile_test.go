package script_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script"
	"github.com/intraydata/intray/internal/script/cage"
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

// hostile runs a hook over three rows, and gives how long that took.
func hostile(t *testing.T, s *script.Script, source string) time.Duration {
	t.Helper()
	began := time.Now()
	session, err := s.Open(t.Context(), rowHooks(source), intray.Pins{})
	if err == nil {
		_, err = session.Rows(t.Context(), rowsOf(countFields, count(40, 3)))
		_ = session.Close()
	}
	took := time.Since(began)
	var failed *intray.HookError
	if err != nil && !errors.As(err, &failed) {
		t.Errorf("it ended with a fault of the machinery: %v", err)
	}
	if failed != nil {
		t.Logf("%v: %.300v", took.Round(time.Millisecond), failed)
	}
	if failed != nil && failed.Row != nil && (*failed.Row < 40 || *failed.Row > 42) {
		t.Errorf("there is no row %d", *failed.Row)
	}
	return took
}

// hostiles runs hooks one after another. Each ends in time, and a session beside
// it goes on.
func hostiles(t *testing.T, s *script.Script, sources map[string]string) {
	names := make([]string, 0, len(sources))
	for name := range sources {
		names = append(names, name)
	}
	slices.Sort(names)
	neighbour := open(t, s, rowHooks(`(r) => ({row: {out: {value: r.row.n.value}}})`))
	for _, name := range some(t, names) {
		t.Run(name, func(t *testing.T) {
			took := hostile(t, s, sources[name])
			if took > bound {
				took = min(took, hostile(t, s, sources[name])) // others use this machine too
			}
			if took > bound {
				t.Errorf("it took %v, more than %v", took, bound)
			}
			changes, err := neighbour.Rows(t.Context(), rowsOf(countFields, count(7, 2)))
			if got := strings.Join(told(changes), " "); got != "0.2 7 1.2 8" || err != nil {
				t.Errorf("the neighbour says %q, %v", got, err)
			}
		})
	}
}

func hostileScript(t *testing.T, runtime cage.Runtime) *script.Script {
	return newScript(t, runtime, script.Config{Batch: hostileBatch, Seats: 1}, cage.Config{Spares: 2})
}

func TestHostileHooks(t *testing.T) {
	files, err := filepath.Glob("../../testdata/hooks/hostile/*.js")
	if err != nil || len(files) < 60 {
		t.Fatalf("there are %d files, %v", len(files), err)
	}
	sources := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(file)] = string(text)
	}
	for _, runtime := range []cage.Runtime{cage.QuickJS, cage.Node} {
		t.Run(string(runtime), func(t *testing.T) { hostiles(t, hostileScript(t, runtime), sources) })
	}
}

// TestHostileCorpus runs statements of others as the bodies of hooks.
func TestHostileCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sourcetest.Corpus(t, "hostile-hooks"), "*.js"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %d files, %v", len(files), err)
	}
	sources := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(file)] = "function (record) {\n" + string(text) + "\n}"
	}
	runtimes := []cage.Runtime{cage.QuickJS, cage.Node}
	if os.Getenv("INTRAY_TORTURE") != "full" {
		runtimes = runtimes[:1]
	}
	for _, runtime := range runtimes {
		t.Run(string(runtime), func(t *testing.T) { hostiles(t, hostileScript(t, runtime), sources) })
	}
}

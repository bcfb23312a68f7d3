// Package simulation runs random histories of imports and checks what must be true about each of them.
//
// A history has up to three processes with the use cases of the server, clients that call them, a
// database and blobs in memory, and a receiver of webhooks, all in one bubble of testing/synctest.
// Clients create, upload, answer, review, submit, download and delete imports and sessions.
// Meanwhile, processes crash and start again, freeze, and have clocks that differ; transactions and
// writes fail, before they take effect or after.
//
// The scheduler decides about each step. Goroutines wait for it before and after each transaction,
// before they open, commit or delete a blob, before and after they send a message, and at each
// crash point. It lets one of them proceed, waits until all goroutines are blocked, and decides
// again. Its decisions depend on the seed only.
//
// The same seed gives the same history, because goroutines between two steps share nothing that
// others can observe, the engine runs with one worker, and ids come from a random source that the
// seed determines. The order in which goroutines run between two steps is not determined. It must
// not matter; TestSameSeed notices if it does. Two things differ from a real server to achieve
// that: deliveries begin only at the ticks of the worker, and two calls to one process that review
// the same import wait for each other before they enter the process, because a goroutine that waits
// for a mutex would prevent the bubble from settling.
//
// The oracle checks each commit, each deletion of blobs, and the state at the end. The package does not
// cover SQL, the order of locks in PostgreSQL, HTTP, files on a disk, or a machine that loses unflushed
// data. Package torture kills the built program to test these.
package simulation

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/test/suite"
)

// simulate runs the history of a seed. It returns its trace, and the first violation or "".
func simulate(t *testing.T, seed uint64) (trace []string, failure string) {
	synctest.Test(t, func(*testing.T) {
		w := newWorld(seed)
		w.run()
		trace, failure = w.lines(), w.failure
	})
	return trace, failure
}

// report fails the test with the end of the trace of a history. INTRAY_SIMULATION_TRACE is the name of a
// file for the whole trace.
func report(t *testing.T, seed uint64, trace []string, failure string) {
	t.Helper()
	if name := os.Getenv("INTRAY_SIMULATION_TRACE"); name != "" {
		if err := os.WriteFile(name, []byte(strings.Join(trace, "\n")), 0o600); err != nil {
			t.Error(err)
		}
	}
	const shown = 400
	if len(trace) > shown {
		trace = append([]string{"…"}, trace[len(trace)-shown:]...)
	}
	t.Fatalf("seed %d: %s\nRepeat it with INTRAY_SIMULATION_SEED=%d.\n%s", seed, failure, seed, strings.Join(trace, "\n"))
}

// TestSimulation runs the histories of the seeds from 1: as many as fit in 5 s, 1 s in short mode,
// or two minutes if the suite torture is selected. With INTRAY_TORTURE=full, it runs 20,000.
// INTRAY_SIMULATION_FIRST is another first seed. INTRAY_SIMULATION_SEED runs a single one.
func TestSimulation(t *testing.T) {
	if seed, isSet := seedFrom(t, "INTRAY_SIMULATION_SEED"); isSet {
		if trace, failure := simulate(t, seed); failure != "" {
			report(t, seed, trace, failure)
		}
		return
	}
	limit, most := 5*time.Second, 1_000_000
	switch {
	case suite.Selected(suite.Torture):
		limit = 2 * time.Minute
	case testing.Short():
		limit = time.Second
	}
	if os.Getenv("INTRAY_TORTURE") == "full" {
		limit, most = 24*time.Hour, 20_000
	}
	first, isSet := seedFrom(t, "INTRAY_SIMULATION_FIRST")
	if !isSet {
		first = 1
	}
	began, seeds := time.Now(), 0
	for ; seeds < most && time.Since(began) < limit; seeds++ {
		seed := first + uint64(seeds)
		if trace, failure := simulate(t, seed); failure != "" {
			report(t, seed, trace, failure)
		}
	}
	t.Logf("%d seeds, %.1f per second", seeds, float64(seeds)/time.Since(began).Seconds())
}

// seedFrom returns the seed in an environment variable. It reports whether the variable is set.
func seedFrom(t *testing.T, variable string) (seed uint64, isSet bool) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return seed, true
}

// TestSameSeed checks that a seed always gives the same history.
func TestSameSeed(t *testing.T) {
	seeds := uint64(20)
	if suite.Selected(suite.Torture) {
		seeds = 500
	}
	for seed := range seeds {
		first, _ := simulate(t, seed)
		again, _ := simulate(t, seed)
		for i := range min(len(first), len(again)) {
			if first[i] != again[i] {
				t.Fatalf("seed %d, line %d: %s, and then %s, after\n%s", seed, i, first[i], again[i], strings.Join(first[max(0, i-30):i], "\n"))
			}
		}
		if !slices.Equal(first, again) {
			t.Fatalf("seed %d: %d lines, and then %d", seed, len(first), len(again))
		}
	}
}

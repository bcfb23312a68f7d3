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

// report fails the test with the trace of a history.
func report(t *testing.T, seed uint64, trace []string, failure string) {
	t.Helper()
	if name := os.Getenv("INTRAY_SIMULATION_TRACE"); name != "" {
		_ = os.WriteFile(name, []byte(strings.Join(trace, "\n")), 0o600)
	}
	const shown = 400
	if len(trace) > shown {
		trace = append([]string{"…"}, trace[len(trace)-shown:]...)
	}
	t.Fatalf("seed %d: %s\nRepeat it with INTRAY_SIMULATION_SEED=%d.\n%s", seed, failure, seed, strings.Join(trace, "\n"))
}

// TestSimulation runs the histories of many seeds: as many as fit 5 s, or two minutes if the suite
// torture is selected. With INTRAY_TORTURE=full, it runs 20,000.
func TestSimulation(t *testing.T) {
	if text := os.Getenv("INTRAY_SIMULATION_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("INTRAY_SIMULATION_SEED: %v", err)
		}
		trace, failure := simulate(t, seed)
		if failure != "" {
			report(t, seed, trace, failure)
		}
		return
	}
	limit, most := 5*time.Second, 1_000_000
	if suite.Selected(suite.Torture) {
		limit = 2 * time.Minute
	}
	if os.Getenv("INTRAY_TORTURE") == "full" {
		limit, most = 24*time.Hour, 20_000
	}
	first := uint64(1)
	if text := os.Getenv("INTRAY_SIMULATION_FIRST"); text != "" {
		first, _ = strconv.ParseUint(text, 10, 64)
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

// TestSameSeed checks that a seed always gives the same history.
func TestSameSeed(t *testing.T) {
	for seed := range uint64(200) {
		first, _ := simulate(t, seed)
		again, _ := simulate(t, seed)
		for i := range min(len(first), len(again)) {
			if first[i] != again[i] {
				t.Fatalf("seed %d, line %d: %s, and then %s\n%s\n----\n%s", seed, i, first[i], again[i], strings.Join(first[max(0, i-30):i+20], "\n"), strings.Join(again[max(0, i):i+20], "\n"))
			}
		}
		if !slices.Equal(first, again) {
			t.Fatalf("seed %d: %d lines, and then %d", seed, len(first), len(again))
		}
	}
}

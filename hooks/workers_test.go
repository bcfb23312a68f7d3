package hooks_test

import (
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// TestMoreSessionsThanWorkers checks that sessions never wait for each other, although
// each wants several of a few workers and some workers are killed.
func TestMoreSessionsThanWorkers(t *testing.T) {
	sessions, callers := 12, 3
	if testing.Short() {
		sessions, callers = 4, 2
	}
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 3, BatchTimeout: 700 * time.Millisecond}, sandbox.Config{MaxWorkers: 3, IdleWorkers: 1})
	var all sync.WaitGroup
	for i := range sessions {
		source, hangs := `(r) => ({row: {out: {value: r.row.n.value}}})`, i%4 == 0
		if hangs {
			source = `(r) => { if (r.index === 25) [].includes.call({length: 2 ** 53 - 1}, 1); }`
		}
		session := open(t, s, intray.Hooks{Row: []string{source}, BulkRow: []string{"() => {}"}})
		for caller := range callers {
			all.Go(func() {
				for n := range 4 {
					changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(int64(n*10), 10)))
					switch {
					case hangs && n == 2:
						if failed := hookError(t, err); failed.Hook != "rowHooks[0]" {
							t.Error(failed)
						}
					case err != nil || !hangs && len(changes) != 10:
						t.Errorf("session %d, %d: %d changes, %v", i, caller, len(changes), err)
					}
				}
			})
		}
		all.Go(func() {
			if _, err := session.RunBulk(t.Context(), 0, rowsOf(countFields, count(0, 10))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait() // sessions that wait for each other exceed the time of all tests
}

// TestOneWorkerIsEnough checks that a session continues with its only worker while another
// import has all others.
func TestOneWorkerIsEnough(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 4}, sandbox.Config{MaxWorkers: 2, IdleWorkers: 1})
	other, session := open(t, s, rowHooks(`() => {}`)), open(t, s, rowHooks(`() => {}`))
	for _, one := range []*hooks.Session{other, session} {
		if _, err := one.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 1))); err != nil {
			t.Fatal(err)
		}
	}
	// Each holds a worker now, and there is no third.
	errs := make(chan error)
	for n := range 8 {
		go func() {
			one := []*hooks.Session{other, session}[n%2]
			_, err := one.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 500)))
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if left := len(workers()); left > 3 {
		t.Errorf("there are %d processes", left)
	}
}

package hooks_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// TestMoreSessionsThanWorkers checks that sessions never deadlock, even if each needs several
// workers, there are only a few, and some of them end.
func TestMoreSessionsThanWorkers(t *testing.T) {
	sessions, callers, endless := 12, 3, 0
	if testing.Short() {
		// In short mode, no session has an endless hook, because such a hook keeps a processor
		// busy for a second.
		sessions, callers, endless = 4, 2, -1
	}
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 3, BatchTimeout: time.Second}, sandbox.Config{MaxWorkers: 3, IdleWorkers: 1})
	var all sync.WaitGroup
	for i := range sessions {
		source, failing := `(r) => ({row: {out: {value: r.row.n.value}}})`, ""
		switch {
		case i == endless: // only the first caller waits for the timeout
			failing = `(r) => { if (r.index === 25) [].includes.call({length: 2 ** 53 - 1}, 1); }`
		case i%4 == 1: // an error also ends the worker
			failing = `(r) => { if (r.index % 1000 === 25) throw new Error("no"); }`
		}
		if failing != "" {
			source = failing
		}
		session := openSession(t, s, intray.Hooks{Row: []string{source}, BulkRow: []string{"() => {}"}})
		for caller := range callers {
			all.Go(func() {
				for n := range 4 {
					changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(int64(caller*1000+n*10), 10)))
					var failed *intray.HookError
					switch fails := n == 2 && (i == endless && caller == 0 || i%4 == 1); {
					case fails && (!errors.As(err, &failed) || failed.Hook != "rowHooks[0]" || *failed.Row != int64(caller*1000+25)):
						t.Errorf("session %d, caller %d: got %v, want the error of a hook", i, caller, err)
					case !fails && (err != nil || failing == "" && len(changes) != 10):
						t.Errorf("session %d, caller %d: %d changes, %v", i, caller, len(changes), err)
					}
				}
			})
		}
		all.Go(func() {
			if _, err := session.RunBulk(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 10))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait() // a deadlock exceeds the timeout of the test binary
}

// TestOneWorkerIsEnough checks that a session continues with its only worker while another
// session has all the other workers.
func TestOneWorkerIsEnough(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 4}, sandbox.Config{MaxWorkers: 2, IdleWorkers: 1})
	other, session := openSession(t, s, rowHooks(`() => {}`)), openSession(t, s, rowHooks(`() => {}`))
	for _, one := range []*hooks.Session{other, session} {
		if _, err := one.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 1))); err != nil {
			t.Fatal(err)
		}
	}
	// Each session now has one of the two workers.
	errs := make(chan error)
	for n := range 8 {
		go func() {
			one := []*hooks.Session{other, session}[n%2]
			_, err := one.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 500)))
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if left := len(workers()); left > 3 {
		t.Errorf("%d workers are running, want at most 3", left)
	}
}

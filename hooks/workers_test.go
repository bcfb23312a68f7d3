package hooks_test

import (
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// TestMoreSessionsThanWorkers: sessions that each want several workers, of which
// there are few, and of which some die, never wait for each other.
func TestMoreSessionsThanWorkers(t *testing.T) {
	s := newScript(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 3, BatchTimeout: 700 * time.Millisecond}, sandbox.Config{MaxWorkers: 3, IdleWorkers: 1})
	began := time.Now()
	var all sync.WaitGroup
	for i := range 12 {
		source := `(r) => ({row: {out: {value: r.row.n.value}}})`
		if i%4 == 0 {
			source = `(r) => { if (r.index === 25) [].includes.call({length: 2 ** 53 - 1}, 1); }`
		}
		session := open(t, s, intray.Hooks{Row: []string{source}, BulkRow: []string{"() => {}"}})
		for worker := range 3 {
			all.Go(func() {
				for n := range 4 {
					changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(int64(n*10), 10)))
					switch {
					case i%4 == 0 && n == 2:
						if failed := hookError(t, err); failed.Hook != "rowHooks[0]" {
							t.Error(failed)
						}
					case err != nil || i%4 != 0 && len(changes) != 10:
						t.Errorf("session %d, %d: %d changes, %v", i, worker, len(changes), err)
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
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
		t.Logf("it took %v", time.Since(began))
	case <-time.After(60 * time.Second):
		t.Fatal("sessions wait for each other")
	}
}

// TestOneWorkerIsEnough: where another import has all other workers, a session goes
// on with the one that it has.
func TestOneWorkerIsEnough(t *testing.T) {
	s := newScript(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 4}, sandbox.Config{MaxWorkers: 2, IdleWorkers: 1})
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
		select {
		case err := <-errs:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("it waits for a worker that another import has")
		}
	}
	if left := len(workers()); left > 3 {
		t.Errorf("there are %d processes", left)
	}
}

package servertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// ErrInjected is the error that every injected fault returns.
var ErrInjected = errors.New("injected fault")

// Faults makes the n-th use of a store, of blobs or of another dependency fail. Each
// dependency reports its uses by calling [Faults.Use]. The zero value injects no faults.
type Faults struct {
	mu sync.Mutex
	// failAt is the number of the use that fails, counted from 1. 0 means none.
	failAt, uses int
	failed       string
	// only is the name of the uses that are counted. "" means all uses.
	only string
}

// Arm makes the n-th use after this call fail, counted from 1.
func (f *Faults) Arm(n int) { f.ArmUse("", n) }

// ArmUse makes the n-th use with the given name fail, counted from 1.
func (f *Faults) ArmUse(name string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt, f.uses, f.failed, f.only = n, 0, "", name
}

// Disarm stops the injection of faults. It returns the name of the use that failed,
// or "" if none did.
func (f *Faults) Disarm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt = 0
	return f.failed
}

// Use counts a use. It returns ErrInjected if this use is to fail.
func (f *Faults) Use(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failAt == 0 || f.only != "" && name != f.only {
		return nil
	}
	if f.uses++; f.uses != f.failAt {
		return nil
	}
	f.failed = name
	return ErrInjected
}

// Call counts a use, and calls a function unless the use fails.
func Call(f *Faults, name string, function func() error) error {
	if err := f.Use(name); err != nil {
		return err
	}
	return function()
}

// Get counts a use, and returns the result of a function unless the use fails.
func Get[T any](f *Faults, name string, function func() (T, error)) (T, error) {
	if err := f.Use(name); err != nil {
		var zero T
		return zero, err
	}
	return function()
}

// faultySequence yields the elements of the sequence all. Each element counts as a use, and so
// does the end.
func faultySequence[T any](f *Faults, name string, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		for element, err := range all {
			if fault := f.Use(name); fault != nil {
				yield(zero, fault)
				return
			}
			if !yield(element, err) {
				return
			}
		}
		if fault := f.Use(name); fault != nil {
			yield(zero, fault)
		}
	}
}

// EachFault calls a function once for each use that can fail, from the first to the
// last. The function must set up its own environment, arm the faults for use n, and
// return the name of the use that failed, or "" if there is no use n. In short
// mode, EachFault skips four of every five uses.
func EachFault(t *testing.T, call func(t *testing.T, n int) string) {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 5
	}
	failed := map[string]int{}
	for n := 1; ; n += step {
		ended := true // remains true if -failfast skips the test
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			name := call(t, n)
			failed[name]++
			ended = name == ""
		})
		if ended || t.Failed() {
			t.Logf("uses that failed: %v", failed)
			return
		}
	}
}

// Operation is a call that must return the error from every fault that occurs in it.
type Operation = struct {
	Name string
	Call func() error
}

// CheckOperations makes each use in each operation fail once, and checks that the operation
// returns the error. The last call to each operation must succeed. If the response of a commit
// was lost, CheckOperations continues with the next operation, because a repeated call may
// find that its work is done.
func (f *Faults) CheckOperations(t *testing.T, operations []Operation) {
	t.Helper()
	for _, operation := range operations {
		for n := 1; ; n++ {
			f.Arm(n)
			err := operation.Call()
			failed := f.Disarm()
			if failed == "" {
				if n == 1 {
					t.Errorf("%s uses nothing that can fail", operation.Name)
				}
				if err != nil {
					t.Errorf("%s without a fault: %v", operation.Name, err)
				}
				break
			}
			if !errors.Is(err, ErrInjected) {
				t.Errorf("%s: %s failed, and the error is %v", operation.Name, failed, err)
			}
			if failed == lostResponse || t.Failed() {
				break
			}
		}
	}
}

// Rand returns a source of random bytes. Reading from it counts as a use.
func (f *Faults) Rand() io.Reader { return faultyRand{f} }

type faultyRand struct{ faults *Faults }

func (r faultyRand) Read(p []byte) (int, error) {
	return Get(r.faults, "Rand.Read", func() (int, error) { return rand.Read(p) })
}

// lostResponse is the name of the use after a commit. If it fails, the transaction
// is committed, but its caller gets an error.
const lostResponse = "response of commit"

// Store returns a store in which each call counts as a use. A commit counts as two:
// it can fail before and after it takes effect.
func (f *Faults) Store(store model.Store) model.Store { return &faultyStore{store, f} }

type faultyStore struct {
	model.Store
	faults *Faults
}

func (s *faultyStore) Update(ctx context.Context, work func(model.Tx) error) error {
	return s.update(ctx, s.Store.Update, work)
}

func (s *faultyStore) UpdateOne(ctx context.Context, work func(model.Tx) error) error {
	return s.update(ctx, s.Store.UpdateOne, work)
}

func (s *faultyStore) update(ctx context.Context, update func(context.Context, func(model.Tx) error) error, work func(model.Tx) error) error {
	err := update(ctx, func(tx model.Tx) error {
		if err := work(s.faults.Wrap(tx)); err != nil {
			return err
		}
		return s.faults.Use("commit")
	})
	if err != nil {
		return err
	}
	return s.faults.Use(lostResponse)
}

func (s *faultyStore) View(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.View(ctx, func(tx model.Tx) error { return work(s.faults.Wrap(tx)) })
}

func (s *faultyStore) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.ViewOne(ctx, func(tx model.Tx) error { return work(s.faults.Wrap(tx)) })
}

func (s *faultyStore) Forget(ctx context.Context) error {
	return Call(s.faults, "Forget", func() error { return s.Store.Forget(ctx) })
}

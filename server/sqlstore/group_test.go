package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
)

// crowd calls Update with n callers that are waiting at the same time. The work of caller i is that of
// the function work. It returns the errors.
func crowd(t *testing.T, s *Store, n int, work func(i int, tx model.Tx) error) []error {
	t.Helper()
	s.writer.groupTime = time.Minute // on a slow machine, callers would otherwise not be in one group
	errs := make([]error, n)
	var group sync.WaitGroup
	blocked, first := make(chan struct{}), make(chan struct{})
	started := sync.OnceFunc(func() { close(first) }) // the call may run again
	group.Go(func() {
		err := s.Update(t.Context(), func(model.Tx) error {
			started()
			<-blocked
			return nil
		})
		if err != nil {
			t.Errorf("the call before the others: %v", err)
		}
	})
	<-first
	for i := range n {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			errs[i] = s.Update(t.Context(), func(tx model.Tx) error { return work(i, tx) })
		})
		waitFor(t, func() bool { return s.writer.waitingCallers() == i+1 })
	}
	close(blocked)
	group.Wait()
	return errs
}

func (w *writer) waitingCallers() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.urgent) + len(w.waiting)
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen within 30 s")
		}
	}
}

func insertOrg(ctx context.Context, tx model.Tx, i int) error {
	name := fmt.Sprintf("org %02d", i)
	return tx.Accounts.InsertOrg(ctx, model.Org{ID: name, Name: name, Created: time.Unix(int64(i)+1, 0)})
}

func orgNumbers(t *testing.T, s *Store) (numbers []string) {
	t.Helper()
	all, err := model.View(t.Context(), s, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(t.Context()) })
	if err != nil {
		t.Fatal(err)
	}
	for _, org := range all {
		numbers = append(numbers, strings.TrimPrefix(org.Name, "org "))
	}
	return numbers
}

func numbers(n int, without ...int) (list []string) {
	for i := range n {
		if !slices.Contains(without, i) {
			list = append(list, fmt.Sprintf("%02d", i))
		}
	}
	return list
}

// TestGroupsShareCommits checks that callers that wait at the same time are committed together,
// that all of them find their rows, and that only the work that failed is undone.
func TestGroupsShareCommits(t *testing.T) {
	errWork := errors.New("this call fails")
	for name, c := range map[string]struct {
		fail func(i int, tx model.Tx) error
		// wrong are the callers that fail, each with an error that contains problem.
		wrong   []int
		problem string
	}{
		"all succeed":        {func(int, model.Tx) error { return nil }, nil, ""},
		"one returns error":  {func(i int, _ model.Tx) error { return map[int]error{3: errWork}[i] }, []int{3}, "this call fails"},
		"the first fails":    {func(i int, _ model.Tx) error { return map[int]error{0: errWork}[i] }, []int{0}, "this call fails"},
		"the last fails":     {func(i int, _ model.Tx) error { return map[int]error{19: errWork}[i] }, []int{19}, "this call fails"},
		"each second fails":  {func(i int, _ model.Tx) error { return map[int]error{1: errWork}[i%2] }, []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, "this call fails"},
		"one panics":         {func(i int, _ model.Tx) error { mayPanic(i == 5); return nil }, []int{5}, "panic: on purpose"},
		"one is rolled back": {rollBack(7, 1), nil, ""},
		"always rolled back": {rollBack(7, 99), []int{7}, "member"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openFaulty(t)
			ctx := t.Context()
			errs := crowd(t, s, 20, func(i int, tx model.Tx) error {
				if err := insertOrg(ctx, tx, i); err != nil {
					return err
				}
				return c.fail(i, tx)
			})
			for i, err := range errs {
				if wrong := slices.Contains(c.wrong, i); wrong != (err != nil) || wrong && !strings.Contains(err.Error(), c.problem) {
					t.Errorf("caller %d: error %v", i, err)
				}
			}
			if got, want := orgNumbers(t, s), numbers(20, c.wrong...); !slices.Equal(got, want) {
				t.Errorf("the rows are %v, want %v", got, want)
			}
			if s.writer.group != nil || s.writer.busy {
				t.Error("the writer is still busy")
			}
		})
	}
	s, f := openFaulty(t)
	before := f.begun
	crowd(t, s, 20, func(i int, tx model.Tx) error { return insertOrg(t.Context(), tx, i) })
	if begun := f.begun - before; begun > 15 {
		t.Errorf("20 callers at the same time needed %d transactions", begun)
	}
}

func mayPanic(now bool) {
	if now {
		panic("on purpose")
	}
}

// rollBack returns a function that, when caller i calls it, ends the transaction as SQLite does
// after some errors, at most the given number of times.
func rollBack(caller, times int) func(i int, tx model.Tx) error {
	return func(i int, tx model.Tx) error {
		if i != caller || times == 0 {
			return nil
		}
		times--
		t := tx.Accounts.(accountRows).txn
		_, err := t.exec(context.Background(), "roll back", "ROLLBACK")
		return err
	}
}

// TestGroupCommitFails checks that all members of a group are stored although its commit fails, and
// that a caller whose own commit fails reports this.
func TestGroupCommitFails(t *testing.T) {
	s, f := openFaulty(t)
	ctx := t.Context()
	var once sync.Once
	errs := crowd(t, s, 8, func(i int, tx model.Tx) error {
		if err := insertOrg(ctx, tx, i); err != nil {
			return err
		}
		if i == 7 { // the next call but one is the commit
			once.Do(func() { f.arm(1, 1, errFault) })
		}
		return nil
	})
	if !f.wasHit() {
		t.Error("the commit did not fail")
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if got, want := orgNumbers(t, s), numbers(8); !slices.Equal(got, want) {
		t.Errorf("the rows are %v, want %v", got, want)
	}
	f.arm(-1, 0, nil)
	err := s.Update(ctx, func(tx model.Tx) error {
		f.arm(3, 1, errFault) // the statement, its result, the savepoint and the commit
		return insertOrg(ctx, tx, 50)
	})
	if !errors.Is(err, errFault) {
		t.Errorf("a failed commit of one caller: error %v", err)
	}
}

// TestGroupMemberCanceled checks that a caller whose context ends during its work fails alone.
func TestGroupMemberCanceled(t *testing.T) {
	s, _ := openFaulty(t)
	errs := crowd(t, s, 6, func(i int, tx model.Tx) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := insertOrg(ctx, tx, i); err != nil {
			return err
		}
		if i == 2 {
			cancel()
		}
		return insertOrg(ctx, tx, i+10)
	})
	for i, err := range errs {
		if i == 2 && !errors.Is(err, context.Canceled) || i != 2 && err != nil {
			t.Errorf("caller %d: error %v", i, err)
		}
	}
	if got := orgNumbers(t, s); len(got) != 10 {
		t.Errorf("the rows are %v", got)
	}
}

// TestAfterCommit checks that jobs of a group start after its commit, and that those of members
// that failed do not.
func TestAfterCommit(t *testing.T) {
	s, _ := openFaulty(t)
	started, errWork := 0, errors.New("this call fails")
	crowd(t, s, 5, func(i int, tx model.Tx) error {
		tx.Accounts.(accountRows).tx.AfterCommit(func() {
			started++
			if !slices.Contains(orgNumbers(t, s), fmt.Sprintf("%02d", i)) {
				t.Error("a job started before the commit")
			}
		})
		if err := insertOrg(t.Context(), tx, i); err != nil {
			return err
		}
		return map[int]error{4: errWork}[i]
	})
	if started != 4 {
		t.Errorf("%d jobs started, want 4", started)
	}
}

// TestErrorsOfFailedGroups checks that a call does not fail because of a row that was never
// committed.
func TestErrorsOfFailedGroups(t *testing.T) {
	s, f := openFaulty(t)
	runs := 0
	var once sync.Once
	errs := crowd(t, s, 2, func(i int, tx model.Tx) error {
		if i == 0 {
			if runs++; runs > 1 {
				return errors.New("the second attempt fails")
			}
			return insertOrg(t.Context(), tx, 0)
		}
		err := insertOrg(t.Context(), tx, 0) // a conflict in the group
		once.Do(func() { f.arm(2, 1, errFault) })
		return err
	})
	if !f.wasHit() || runs != 2 {
		t.Fatalf("the commit of the group did not fail; the first call ran %d times", runs)
	}
	if errs[0] == nil || errs[1] != nil {
		t.Errorf("errors: %v and %v, want one of the first call only", errs[0], errs[1])
	}
	if got := orgNumbers(t, s); !slices.Equal(got, numbers(1)) {
		t.Errorf("the rows are %v", got)
	}
}

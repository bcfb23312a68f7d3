package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
)

// TestFindingReliability6WriterOrder checks that writers are admitted in the order of arrival, and
// that urgent ones come first. The pool of database/sql chose the next one at random, so that under
// load some waited for 21 s while others took 0.3 s, and heartbeats failed.
func TestFindingReliability6WriterOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writer
		if err := w.acquire(t.Context(), false, w.release); err != nil {
			t.Fatal(err)
		}
		var got []string
		var group sync.WaitGroup
		enter := func(name string, urgent bool) {
			group.Go(func() {
				if err := w.acquire(t.Context(), urgent, w.release); err != nil {
					t.Error(err)
					return
				}
				got = append(got, name)
				w.release()
			})
			synctest.Wait()
		}
		for n := range 10 {
			enter(fmt.Sprint(n), false)
		}
		enter("heartbeat 1", true)
		enter("heartbeat 2", true)
		time.Sleep(time.Second) // of the clock of synctest
		w.release()
		group.Wait()
		if waited := time.Duration(w.waited.Load()); waited != 12*time.Second {
			t.Errorf("12 writers waited %v in total, want 12 s", waited)
		}
		if diff := cmp.Diff([]string{"heartbeat 1", "heartbeat 2", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, got); diff != "" {
			t.Errorf("order of the writers (-want +got):\n%s", diff)
		}
	})
}

// TestWriterGivesUp checks that a caller that gives up does not become the writer, even if its turn
// comes at the same time.
func TestWriterGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writer
		canceled, cancel := context.WithCancel(t.Context())
		if err := w.acquire(canceled, false, w.release); err != nil {
			t.Fatal(err)
		}
		for _, releaseFirst := range []bool{false, true} {
			waiting, giveUp := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.acquire(waiting, false, w.release) }()
			synctest.Wait()
			if releaseFirst {
				w.release()
			}
			giveUp()
			if err := <-ended; err == nil {
				w.release() // the turn came first
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("acquire: %v", err)
			}
		}
		if err := w.acquire(t.Context(), false, w.release); err != nil || len(w.waiting) != 0 {
			t.Errorf("acquire: %v, %d callers wait", err, len(w.waiting))
		}
		cancel()
		if err := w.acquire(canceled, true, w.release); !errors.Is(err, context.Canceled) {
			t.Errorf("acquire with a canceled context: %v", err)
		}
	})
}

// TestFindingReliability6Busy checks that a write that runs into a deadline of this program while
// others write is reported as busy. It was an internal error (status 500).
func TestFindingReliability6Busy(t *testing.T) {
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "intray.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	nothing := func(model.Tx) error { return nil }
	err = s.Update(t.Context(), func(model.Tx) error {
		late, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		<-late.Done()
		for name, update := range map[string]func(context.Context, func(model.Tx) error) error{"Update": s.Update, "UpdateOne": s.UpdateOne} {
			var busy *model.Error
			if err := update(late, nothing); !errors.As(err, &busy) || busy.Code != "busy" || busy.RetryAfter == 0 {
				t.Errorf("%s: %v, want busy", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), nothing); err != nil {
		t.Errorf("Update after that: %v", err)
	}
}

package sqlstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

// TestOneWaitsPerProcess checks that of several transactions that wait for a lock which another
// process holds, only one waits in the database, and that all of them get it.
func TestOneWaitsPerProcess(t *testing.T) {
	ctx := model.AcrossOrgs(t.Context())
	url := storetest.PostgresURL(t)
	var stores [2]*Store
	for i := range stores {
		s, err := Open(ctx, Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stores[i] = s
	}
	// Locked twice in a transaction, a lock must not wait for itself.
	claim := func(ctx context.Context, s *Store, then func()) error {
		return s.Update(ctx, func(tx model.Tx) error {
			for range 2 {
				if _, _, err := tx.Outbox.Claimed(ctx, "org", "target"); err != nil {
					return err
				}
				if _, err := tx.Imports.Claim(ctx, "node", model.RunLimits{PerOrg: 1, PerOrgAndNode: 1}, time.Now()); !model.IsKind(err, model.NotFound) {
					return errors.Join(errors.New("there is no import to claim"), err)
				}
			}
			then()
			return nil
		})
	}
	waiting := func() (n int) {
		const count = `SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
		if err := stores[0].read.QueryRowContext(ctx, count).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all sync.WaitGroup
	claimers := func() {
		for range 6 {
			all.Go(func() {
				if err := claim(ctx, stores[1], func() {}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	err := claim(ctx, stores[0], func() {
		claimers()
		for waiting() == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond) // for the other transactions
		if n := waiting(); n != 1 {
			t.Errorf("%d transactions wait in the database, want 1", n)
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if err := claim(short, stores[1], func() {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a transaction that may no longer wait: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i, s := range stores {
		if len(s.locks.held) != 0 {
			t.Errorf("process %d still holds %v", i, s.locks.held)
		}
	}
}

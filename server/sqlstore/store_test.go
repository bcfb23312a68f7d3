package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store that is closed when its test ends.
func open(t testing.TB, cfg sqlstore.Config) *sqlstore.Store {
	t.Helper()
	cfg.Queue.Node = "node"
	s, err := sqlstore.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// databases are the ways to a new database.
func databases() map[string]func(t *testing.T) sqlstore.Config {
	return map[string]func(t *testing.T) sqlstore.Config{
		"sqlite": func(t *testing.T) sqlstore.Config {
			return sqlstore.Config{Path: filepath.Join(t.TempDir(), "intray.db")}
		},
		"postgres": func(t *testing.T) sqlstore.Config {
			return sqlstore.Config{URL: storetest.PostgresURL(t)}
		},
	}
}

func onEach(t *testing.T, test func(t *testing.T, cfg sqlstore.Config)) {
	for name, config := range databases() {
		t.Run(name, func(t *testing.T) { test(t, config(t)) })
	}
}

func TestConformance(t *testing.T) {
	for name, config := range databases() {
		t.Run(name, func(t *testing.T) {
			config(t) // skips here rather than in each case
			storetest.Run(t, func(t *testing.T) model.Store { return open(t, config(t)) })
		})
	}
}

// TestExpireNode kills a node, as far as the store can see, in the middle of a job.
func TestExpireNode(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		ctx := t.Context()
		// The worker is busy, so that the job stays where it is put.
		cfg.Queue.Workers = 1
		s := open(t, cfg)
		begun, end := make(chan struct{}, 2), make(chan struct{})
		err := s.Queue().Start(ctx, map[string]queue.Handler{"run": func(context.Context, queue.Job) error {
			begun <- struct{}{}
			<-end
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			close(end)
			if err := s.Queue().Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		must(t, s.Update(ctx, func(tx model.Tx) error {
			if err := tx.Nodes.Heartbeat(ctx, "node"); err != nil {
				return err
			}
			return tx.Jobs.Enqueue(ctx, queue.Job{Kind: "run", Key: "k"})
		}))
		<-begun
		for _, want := range []struct {
			node    string
			waiting int
		}{{"other", 0}, {"node", 1}} {
			must(t, s.Update(ctx, func(tx model.Tx) error {
				if err := tx.Nodes.Remove(ctx, want.node); err != nil {
					return err
				}
				n, err := tx.Jobs.Waiting(ctx, "run")
				if n != want.waiting {
					t.Errorf("%d jobs wait after %s was buried, want %d", n, want.node, want.waiting)
				}
				return err
			}))
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

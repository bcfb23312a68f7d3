package sqlstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store and closes it at the end of the test.
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

// databases returns, for each kind of database, a function that configures a new one.
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
			config(t) // skips the test here and not in each subtest
			storetest.Run(t, func(t *testing.T) model.Store { return open(t, config(t)) })
		})
	}
}

// TestExpireNode checks that a running job returns to the queue if its node is removed, as if
// the process had died.
func TestExpireNode(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		if cfg.Path != "" {
			return // the jobs of the only process end with it
		}
		ctx := model.AcrossOrgs(t.Context())
		// The only worker is busy, so the job stays in the queue.
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
			if _, err := tx.Nodes.Heartbeat(ctx, model.Heartbeat{ID: "node"}); err != nil {
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
					t.Errorf("%d jobs wait after %s was removed, want %d", n, want.node, want.waiting)
				}
				return err
			}))
		}
	})
}

// TestFindingScale4Indexes checks that the search for expired parts reads only imports that still
// have the part. Without an index, it read all imports, every 5 minutes.
func TestFindingScale4Indexes(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		s := open(t, cfg)
		for part, index := range map[model.KeptPart]string{
			model.Originals: "imports_originals", model.Results: "imports_results", model.Problems: "imports_problems",
		} {
			for _, schema := range []string{"", "own"} {
				plan, err := sqlstore.OverduePlan(model.AcrossOrgs(t.Context()), s, model.Retention{Org: "o", SchemaID: schema}, part)
				must(t, err)
				if !strings.Contains(plan, index+" ") {
					t.Errorf("%s with schema %q does not use %s:\n%s", part, schema, index, plan)
				}
			}
		}
	})
}

// TestBacklogUsesIndexes checks that counting the work that waits reads only indexes. Metrics do this
// every few seconds.
func TestBacklogUsesIndexes(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		s := open(t, cfg)
		plan, err := sqlstore.BacklogPlan(model.AcrossOrgs(t.Context()), s)
		must(t, err)
		for _, index := range []string{"imports_status", "deliveries_due", "deliveries_waiting", "webhooks_failing", "connectors_failing", "pulled_failing"} {
			if !strings.Contains(plan, index) {
				t.Errorf("%s is not used:\n%s", index, plan)
			}
		}
		for step := range strings.Lines(plan) {
			if strings.Contains(step, "Seq Scan") || strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, " INDEX ") && !strings.Contains(step, "CONSTANT ROW") {
				t.Errorf("the step %q reads a whole table", step)
			}
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkInsertImport(b *testing.B) {
	s := open(b, sqlstore.Config{Path: filepath.Join(b.TempDir(), "intray.db")})
	ctx := model.AcrossOrgs(b.Context())
	must(b, s.Update(ctx, func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(ctx, model.Org{ID: "o", Name: "Org"})
	}))
	fields := []byte(`["` + strings.Repeat("x", 2000) + `"]`)
	var mu sync.Mutex
	n := 0
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			n++
			imp := model.Import{ID: fmt.Sprint(n), Org: "o", Schema: model.Document{Fields: fields}}
			mu.Unlock()
			if err := s.Update(ctx, func(tx model.Tx) error { return tx.Imports.Insert(ctx, imp) }); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
}

func BenchmarkImports(b *testing.B) {
	s := open(b, sqlstore.Config{Path: filepath.Join(b.TempDir(), "intray.db")})
	ctx := model.AcrossOrgs(b.Context())
	must(b, s.Update(ctx, func(tx model.Tx) error {
		if err := tx.Accounts.InsertOrg(ctx, model.Org{ID: "o", Name: "Org"}); err != nil {
			return err
		}
		for i := range 100 {
			if err := tx.Imports.Insert(ctx, model.Import{ID: fmt.Sprint(i), Org: "o", Status: model.Pending}); err != nil {
				return err
			}
		}
		return nil
	}))
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(b, s.View(ctx, func(tx model.Tx) error { _, err := tx.Imports.Get(ctx, "o", "7"); return err }))
		}
	})
	b.Run("list", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(b, s.View(ctx, func(tx model.Tx) error {
				_, err := tx.Imports.List(ctx, "o", model.PageRequest{Limit: 100})
				return err
			}))
		}
	})
}

// TestFrozenTransaction checks that a process that is frozen in a transaction does not keep its
// locks from other processes. The transaction has no effect when the process continues.
func TestFrozenTransaction(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the test waits for 5 s")
	}
	cfg := sqlstore.Config{URL: storetest.PostgresURL(t)}
	frozen, other := open(t, cfg), open(t, cfg)
	claim := func(ctx context.Context, tx model.Tx) error {
		_, err := tx.Connectors.ClaimDue(ctx, "node", time.Now())
		return model.IgnoreKind(err, model.NotFound)
	}
	claimed, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- frozen.Update(model.AcrossOrgs(t.Context()), func(tx model.Tx) error {
			err := claim(t.Context(), tx)
			close(claimed)
			<-proceed
			return err
		})
	}()
	<-claimed
	ctx, cancel := context.WithTimeout(model.AcrossOrgs(t.Context()), 20*time.Second)
	defer cancel()
	if err := other.Update(ctx, func(tx model.Tx) error { return claim(ctx, tx) }); err != nil {
		t.Errorf("another process cannot claim: %v", err)
	}
	close(proceed)
	if err := <-ended; !model.IsKind(err, model.Unavailable) {
		t.Errorf("the frozen transaction returned %v, want Unavailable", err)
	}
}

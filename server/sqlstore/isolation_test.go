package sqlstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

// openIsolated opens a PostgreSQL database with rows of the organizations org-a and org-b.
func openIsolated(t *testing.T) (*Store, string) {
	t.Helper()
	ctx := model.AcrossOrgs(t.Context())
	database := storetest.PostgresURL(t)
	s, err := Open(ctx, Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Update(ctx, insertOfEach(ctx)); err != nil {
		t.Fatal(err)
	}
	return s, database
}

// importsOf returns the number of imports of each organization that a query without a condition
// finds, once in a transaction and once without.
func importsOf(ctx context.Context, s *Store) (counts map[string]int64, err error) {
	count := func(tx model.Tx) error {
		t, counted := tx.Retention.(retentionRows).txn, map[string]int64{}
		for _, org := range []string{"org-a", "org-b"} {
			n, err := t.count(ctx, "imports", `SELECT count(*) FROM imports WHERE org = $1`, org)
			if err != nil {
				return err
			}
			counted[org] = n
		}
		if counts != nil && (counts["org-a"] != counted["org-a"] || counts["org-b"] != counted["org-b"]) {
			return errors.New("a call in a transaction finds other rows than one without")
		}
		counts = counted
		return nil
	}
	return counts, errors.Join(s.View(ctx, count), s.ViewOne(ctx, count))
}

// TestIsolation checks that calls see only the rows in their scope, even if their queries select
// the rows of another organization.
func TestIsolation(t *testing.T) {
	s, database := openIsolated(t)
	for _, c := range []struct {
		name string
		ctx  context.Context
		a, b int64
	}{
		{"all organizations", model.AcrossOrgs(t.Context()), 6, 1},
		{"the first organization", model.InOrg(t.Context(), "org-a"), 6, 0},
		{"the second organization", model.InOrg(t.Context(), "org-b"), 0, 1},
		{"an unknown organization", model.InOrg(t.Context(), "org-c"), 0, 0},
	} {
		got, err := importsOf(c.ctx, s)
		if err != nil || got["org-a"] != c.a || got["org-b"] != c.b {
			t.Errorf("%s: %v, %v, want %d and %d", c.name, got, err, c.a, c.b)
		}
	}
	if _, err := importsOf(t.Context(), s); !errors.Is(err, errNoScope) {
		t.Errorf("a call without a scope returned %v", err)
	}
	var visible int64
	if err := s.read.QueryRowContext(t.Context(), `SELECT count(*) FROM imports`).Scan(&visible); err != nil || visible != 0 {
		t.Errorf("a query without a scope finds %d rows, %v", visible, err)
	}
	inOrg := model.InOrg(t.Context(), "org-a")
	if err := s.Update(inOrg, func(tx model.Tx) error {
		return tx.Imports.Insert(inOrg, model.Import{ID: "stray", Org: "org-b"})
	}); err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("inserting a row of another organization returned %v", err)
	}
	if err := s.Update(inOrg, func(tx model.Tx) error { return tx.Imports.Delete(inOrg, "org-b", "deleted") }); !model.IsKind(err, model.NotFound) {
		t.Errorf("deleting a row of another organization returned %v", err)
	}
	// A process of the previous version sets no scope.
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM imports`).Scan(&visible); err != nil || visible != 7 {
		t.Errorf("the previous version finds %d rows, %v", visible, err)
	}
}

// TestTablesAreIsolated checks that each table with rows of organizations has a policy.
func TestTablesAreIsolated(t *testing.T) {
	_, database := openIsolated(t)
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	rows, err := conn.Query(t.Context(), `
		SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind = 'r' AND NOT (
			c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	open, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	const shared = "goose_db_version marks nodes rates river_job river_leader river_migration river_notification river_queue trash"
	if got := strings.Join(open, " "); got != shared {
		t.Errorf("tables without a policy: %s\nwant: %s", got, shared)
	}
}

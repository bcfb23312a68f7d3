package livetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestPostgresServer checks that committed rows survive an immediate stop, and that a frozen server
// does not respond.
func TestPostgresServer(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starting PostgreSQL takes a few seconds")
	}
	server := StartPostgres(t)
	query := func(limit time.Duration, sql string) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		conn, err := pgx.Connect(ctx, server.URL)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, sql)
		return err
	}
	must := func(sql string) {
		t.Helper()
		if err := query(10*time.Second, sql); err != nil {
			t.Fatal(err)
		}
	}
	must("CREATE TABLE kept (n INT)")
	server.Restart()
	must("SELECT n FROM kept")
	server.Freeze()
	if err := query(500*time.Millisecond, "SELECT n FROM kept"); err == nil {
		t.Error("a frozen server responded")
	}
	server.Unfreeze()
	must("SELECT n FROM kept")
	server.Stop()
	if err := query(500*time.Millisecond, "SELECT n FROM kept"); err == nil {
		t.Error("a stopped server responded")
	}
	server.Start()
	must("SELECT n FROM kept")
}

package sqlstore

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
)

// TestCachedStatements runs a query while its rows are being read, more queries than a connection keeps
// prepared, and queries whose table has changed.
func TestCachedStatements(t *testing.T) {
	ctx := t.Context()
	db := sql.OpenDB(sqliteConnector{filepath.Join(t.TempDir(), "db")})
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(ctx, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE t (n INTEGER)")
	for n := range 5 {
		exec("INSERT INTO t (n) VALUES ($1)", n)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const query = "SELECT n FROM t WHERE n >= $1 ORDER BY n"
	readNested(t, conn, query)
	for n := range 2 * maxStatements {
		var found int
		if err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT %d + count(*) FROM t WHERE n < $1", n), 3).Scan(&found); err != nil || found != n+3 {
			t.Fatalf("query %d returned %d, %v", n, found, err)
		}
	}
	if err := conn.Raw(func(opened any) error {
		if kept := len(opened.(*cachingConn).statements); kept != maxStatements {
			t.Errorf("%d statements are prepared, want %d", kept, maxStatements)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	exec("ALTER TABLE t RENAME COLUMN n TO m")
	exec("ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 7")
	var changed int
	if err := db.QueryRowContext(ctx, query, 7).Scan(&changed); err != nil || changed != 7 {
		t.Errorf("after the table has changed: %d, %v", changed, err)
	}
	if err := db.QueryRowContext(ctx, "SELECT nothing FROM t WHERE n = $1", 1).Scan(&changed); err == nil {
		t.Error("an invalid query returned no error")
	}
}

// readNested runs a query for each of its five rows while these are being read.
func readNested(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	outer, err := conn.QueryContext(t.Context(), query, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = outer.Close() }()
	var got []int
	for outer.Next() {
		var n, inner int
		if err := outer.Scan(&n); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRowContext(t.Context(), query, n).Scan(&inner); err != nil || inner != n {
			t.Fatalf("the inner query returned %d, %v; want %d", inner, err, n)
		}
		got = append(got, n)
	}
	if err := outer.Err(); err != nil || len(got) != 5 {
		t.Fatalf("the outer query returned %v, %v", got, err)
	}
}

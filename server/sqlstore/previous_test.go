package sqlstore

import (
	"bufio"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/server/sqlstore/storetest"
)

// insertInto finds the table and the columns of a query that inserts rows.
var insertInto = regexp.MustCompile(`^INSERT INTO (\w+) \(([^)]+)\)`)

// TestQueriesOfPreviousVersion checks that processes of the previous version can use a database
// that this version has migrated, as they do during a rolling upgrade. testdata/queries-23.sql
// contains their queries, as the conformance suite made them in PostgreSQL with version 23 of the
// tables.
func TestQueriesOfPreviousVersion(t *testing.T) {
	ctx := t.Context()
	database := storetest.PostgresURL(t)
	s, err := Open(ctx, Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	file, err := os.Open("testdata/queries-23.sql")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	queries := 0
	for lines := bufio.NewScanner(file); lines.Scan(); queries++ {
		query := strings.TrimSuffix(lines.Text(), ";")
		if _, err := conn.Prepare(ctx, "", query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if insert := insertInto.FindStringSubmatch(query); insert != nil {
			for _, column := range requiredColumns(t, conn, insert[1], strings.Split(insert[2], ", ")) {
				t.Errorf("%s: the column %s has no default", query, column)
			}
		}
	}
	if queries < 100 {
		t.Errorf("only %d queries were checked", queries)
	}
}

// requiredColumns returns the columns of a table, other than those that a query sets, that need a value.
func requiredColumns(t *testing.T, conn *pgx.Conn, table string, set []string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		SELECT column_name FROM information_schema.columns
		WHERE table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL AND column_name <> ALL ($2)`, table, set)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

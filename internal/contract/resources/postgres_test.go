package resources_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// postgresURL makes an empty database that is dropped with owner.
func postgresURL(t *testing.T, owner testing.TB) string {
	t.Helper()
	server := os.Getenv("INTRAY_TEST_POSTGRES_URL")
	if server == "" {
		t.Skip("SKIPPED: no PostgreSQL, INTRAY_TEST_POSTGRES_URL is not set (see .ci/postgres)")
	}
	name := "intray_contract_" + strings.ToLower(rand.Text())
	if err := execPostgres(server, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	owner.Cleanup(func() {
		if err := execPostgres(server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, "drop the database of a test:", err)
		}
	})
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/" + name
	return at.String()
}

func execPostgres(server, command string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to the server of INTRAY_TEST_POSTGRES_URL: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, command)
	return err
}

// stored gives the files and tables of a site that hold a text.
func (s *site) stored(t *testing.T, text string) []string {
	t.Helper()
	found := filesWith(t, s.Data(), text)
	if s.database != "" {
		found = append(found, tablesWith(t, s.database, text)...)
	}
	return found
}

// filesWith gives the files in a folder that hold a text. Files that go away
// meanwhile hold nothing.
func filesWith(t *testing.T, folder, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tablesWith gives the tables that hold a text in any column, as text or as
// bytes.
func tablesWith(t *testing.T, database, text string) (found []string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		var n int
		query := fmt.Sprintf(`SELECT count(*) FROM %s t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`, pgx.Identifier{table}.Sanitize())
		if err := conn.QueryRow(ctx, query, text, fmt.Sprintf("%x", text)).Scan(&n); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		if n > 0 {
			found = append(found, table)
		}
	}
	return found
}

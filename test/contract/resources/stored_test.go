package resources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/apitest"
)

// stored returns the files and tables of a site that contain a text.
func stored(t *testing.T, s *apitest.Site, text string) []string {
	t.Helper()
	found := filesWith(t, s.DataDir(), text)
	if s.Database != "" {
		found = append(found, tablesWith(t, s.Database, text)...)
	}
	return found
}

// filesWith returns the files in a folder that contain a text. It ignores files that are
// deleted meanwhile.
func filesWith(t *testing.T, folder, text string) (found []string) {
	t.Helper()
	looked := 0
	look := func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return nil
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			err = look(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if looked == 0 {
		t.Fatalf("no files in %s", folder)
	}
	return found
}

// tablesWith returns the tables that contain a text in any column, as text or as bytes.
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

package sqlstore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// unmovedTables are the tables that MoveTo does not copy: they concern the running processes, caches, or the
// database itself.
var unmovedTables = []string{"nodes", "rates", "memory_versions", "goose_db_version"}

// TestMovedTables checks that MoveTo copies or deliberately omits each table, and that a table follows those
// that it refers to.
func TestMovedTables(t *testing.T) {
	t.Parallel()
	ctx := model.AcrossOrgs(t.Context())
	s, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	names := func(query string, args ...any) (list []string) {
		rows, err := s.read.QueryContext(ctx, query, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			list = append(list, name)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := names(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	listed := slices.Sorted(slices.Values(slices.Concat(movedTables, comparedTables, unmovedTables)))
	if !slices.Equal(all, listed) {
		t.Errorf("the tables are\n%v, but the lists of MoveTo contain\n%v", all, listed)
	}
	for i, table := range movedTables {
		for _, other := range names(`SELECT "table" FROM pragma_foreign_key_list($1)`, table) {
			if !slices.Contains(movedTables[:i+1], other) {
				t.Errorf("%s refers to %s, but precedes it", table, other)
			}
		}
	}
}

package sqlstore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOrgTables checks that every table with data of organizations is emptied when one is deleted.
func TestOrgTables(t *testing.T) {
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "intray.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	rows, err := s.read.QueryContext(t.Context(), `
		SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name IN ('org', 'delivery_id', 'connector_id') GROUP BY m.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var got []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		got = append(got, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	// Imports and sessions are deleted one by one, and the others with the rows to which they refer.
	want := []string{"imports", "sessions", "edits", "attempts", "pulls", "import_link_logos", "org_usage", "upload_days", "memory_versions"}
	for _, table := range orgTables {
		want = append(want, table.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables with data of organizations (-deleted +database):\n%s", diff)
	}
}

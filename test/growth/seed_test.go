package growth

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

// seeder copies rows in a database. The same SQL works in SQLite and PostgreSQL.
type seeder struct {
	t  *testing.T
	db *sql.DB
	// postgres is set if the database is PostgreSQL.
	postgres bool
}

// batch is the maximum number of rows that one statement inserts.
const batch = 50_000

// identifier returns an SQL expression for a UUID that depends on the number n and on the kind of row.
func identifier(kind int) string {
	return fmt.Sprintf("CAST(10000000 + (n * 7919) %% 89999989 AS TEXT) || '-0000-4000-8%03d-' || CAST(100000000000 + n AS TEXT)", kind)
}

// owner is an SQL expression for the organization of row n. one is the copied row, whose
// organization has 60 % of the rows.
const owner = "CASE WHEN n % 10 < 6 THEN one.org ELSE '20000000-0000-4000-8000-' || CAST(100000000000 + n % 999 AS TEXT) END"

// spread returns an SQL expression for the creation time of row n of the given number, in the 600 days
// before now.
func spread(rows int) string {
	return fmt.Sprintf("%d - n * %d", time.Now().UnixMicro(), (600*24*time.Hour).Microseconds()/int64(max(rows, 1)))
}

// copyRows inserts rows from position first up to last. They equal the row that the SQL condition in
// where selects, except for the columns in changed, which maps names to SQL expressions. In these, n is
// the position, and one is the copied row.
func (s *seeder) copyRows(table, where string, first, last int, changed map[string]string) {
	s.t.Helper()
	columns := s.columns(table)
	values := make([]string, len(columns))
	for i, column := range columns {
		if values[i] = changed[column]; values[i] == "" {
			values[i] = "one." + column
		}
	}
	for from := first; from < last; from += batch {
		s.exec(fmt.Sprintf(`
			INSERT INTO %s (%s)
			WITH RECURSIVE series (n) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT n + 1 FROM series WHERE n + 1 < %d)
			SELECT %s FROM (SELECT * FROM %s WHERE %s LIMIT 1) AS one, series`,
			table, strings.Join(columns, ", "), from, min(from+batch, last), strings.Join(values, ", "), table, where))
	}
}

func (s *seeder) columns(table string) []string {
	s.t.Helper()
	rows, err := s.db.QueryContext(context.Background(), "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil || rows.Err() != nil {
		s.t.Fatal(err, rows.Err())
	}
	return slices.Clone(names)
}

func (s *seeder) exec(query string, args ...any) {
	s.t.Helper()
	if _, err := s.db.ExecContext(context.Background(), query, args...); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
}

// count returns the number of rows in a table.
func (s *seeder) count(table string) (n int64) {
	s.t.Helper()
	if err := s.db.QueryRowContext(context.Background(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// templates are the ids of the rows that are copied.
type templates struct{ importID, uploadID, schemaID, deliveryID string }

// addOrgs adds the other 1,000 organizations.
func (s *seeder) addOrgs() {
	s.exec(`
		INSERT INTO orgs (id, name, created)
		WITH RECURSIVE series (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < 999)
		SELECT '20000000-0000-4000-8000-' || CAST(100000000000 + n AS TEXT), 'org ' || CAST(n AS TEXT), 1 FROM series`)
}

// seed adds rows until there are as many as in a service that has stored the given number of
// imports. done is the number of imports of the last call, and mappings the number of learned
// mappings of one import identifier.
//
// In PostgreSQL, triggers would update one row of counts once for each import in the same transaction,
// which takes longer the more there are. They are disabled, and the counts are stored afterwards.
func (s *seeder) seed(from templates, done, imports, mappings int) {
	tables := []string{"imports", "uploads", "schemas", "receipts", "sessions"}
	for _, table := range tables {
		if s.postgres {
			s.exec("ALTER TABLE " + table + " DISABLE TRIGGER USER")
			defer s.exec("ALTER TABLE " + table + " ENABLE TRIGGER USER")
		}
	}
	importID, uploadID := identifier(1), identifier(2)
	rename := func(column string) string {
		return fmt.Sprintf("replace(one.%s, '%s', %s)", column, from.importID, importID)
	}
	s.copyRows("imports", "id = '"+from.importID+"'", done, imports, map[string]string{
		"id": importID, "upload_id": uploadID, "org": owner, "created": spread(imports), "modified": spread(imports), "queued": spread(imports),
		"raw_key": rename("raw_key"), "stage": rename("stage"), "result_key": rename("result_key"),
	})
	s.copyRows("uploads", "id = '"+from.uploadID+"'", done, imports, map[string]string{
		"id": uploadID, "import_id": importID, "org": owner, "created": spread(imports), "raw_key": rename("raw_key"), "result_key": rename("result_key"),
	})
	s.copyRows("schemas", "id = '"+from.schemaID+"'", done/10, imports/10, map[string]string{
		"id": identifier(3), "org": "CASE WHEN n % 10 < 2 THEN one.org ELSE '20000000-0000-4000-8000-' || CAST(100000000000 + n % 999 AS TEXT) END",
		"name": "'schema ' || CAST(n AS TEXT)", "created": spread(imports / 10), "modified": spread(imports / 10),
	})
	s.copyRows("replays", "status <> 0", done, imports, map[string]string{"org": owner, "call_key": identifier(4), "created": fmt.Sprintf("%d - n", time.Now().UnixMicro())})
	s.copyRows("receipts", "TRUE", done/5, imports/5, map[string]string{"id": identifier(5), "org": owner, "made": spread(imports / 5)})
	message := "'msg_' || " + identifier(6)
	s.copyRows("deliveries", "id = '"+from.deliveryID+"'", done/10, imports/10, map[string]string{"id": message, "created": spread(imports / 10), "due": spread(imports / 10), "import_id": importID})
	s.copyRows("attempts", "delivery_id = '"+from.deliveryID+"'", done/10, imports/10, map[string]string{"delivery_id": message})
	s.copyRows("sessions", "TRUE", done/100, imports/100, map[string]string{"id": identifier(7), "org": owner, "created": spread(imports / 100), "saved": fmt.Sprint(time.Now().UnixMicro())})
	s.copyRows("memories", "kind = 'column'", 0, mappings, map[string]string{
		"import_identifier": fmt.Sprintf("'%d mappings'", mappings), "place": identifier(8), "kind": "'value'", "field": "'email'", "text": `'"mapped ' || CAST(n AS TEXT) || '"'`,
		"remembered": spread(mappings), "import_id": "''",
	})
	if !s.postgres {
		s.exec("ANALYZE")
		return
	}
	for column, query := range map[string]string{
		"successful":        "count(*) AS n FROM imports WHERE status = 'SUCCESSFUL'",
		"file_bytes":        "sum(raw_size + result_size) AS n FROM imports WHERE raw_key <> ''",
		"listed_imports":    "count(*) AS n FROM imports WHERE sync_mode = ''",
		"processed_uploads": "count(*) AS n FROM uploads WHERE status = 'PROCESSED'",
		"schemas":           "count(*) AS n FROM schemas WHERE NOT inline",
		"receipts":          "count(*) AS n FROM receipts WHERE TRUE",
		"sessions":          "count(*) AS n FROM sessions WHERE TRUE",
	} {
		s.exec("UPDATE org_usage SET " + column + " = counted.n FROM (SELECT org, " + query + " GROUP BY org) AS counted WHERE counted.org = org_usage.org")
	}
	s.exec("DELETE FROM upload_days")
	s.exec("INSERT INTO upload_days (org, day, n) SELECT org, created - created % 86400000000, count(*) FROM uploads WHERE status = 'PROCESSED' GROUP BY 1, 2")
	s.exec("VACUUM (ANALYZE)")
}

package sqlstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestSubstitutedFS(t *testing.T) {
	files := fstest.MapFS{"a.sql": {Data: []byte("x ${ID} ${BYTES} ${ID} ${X}")}}
	for _, c := range []struct {
		dialect dialect
		want    string
	}{
		{sqliteDialect(), "x TEXT BLOB TEXT ${X}"},
		{postgresDialect(), `x TEXT COLLATE "C" BYTEA TEXT COLLATE "C" ${X}`},
	} {
		f, err := substitutedFS{files, c.dialect.substitutions}.Open("a.sql")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != c.want {
			t.Errorf("%q and %v, want %q", got, err, c.want)
		}
	}
	if _, err := (substitutedFS{files, sqliteDialect().substitutions}).Open("b.sql"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v, want no such file", err)
	}
}

// TestMigrationsAreSubstituted checks that the dialects replace all placeholder
// words in the migrations.
func TestMigrationsAreSubstituted(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []dialect{sqliteDialect(), postgresDialect()} {
			if strings.Contains(d.substitutions.Replace(string(text)), "${") {
				t.Errorf("%s has a word that %s does not replace", name, d.goose)
			}
		}
	}
}

// TestUsageBackfill checks that the migration that creates the table org_usage counts existing rows
// in the same way as the triggers.
func TestUsageBackfill(t *testing.T) {
	text, err := fs.ReadFile(migrations, "migrations/00016_usage.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n);\n")
	backfill, _, found := strings.Cut(rest, "${USAGE_TRIGGERS}")
	if !found || !strings.HasPrefix(backfill, "INSERT INTO org_usage") {
		t.Fatalf("no backfill in the migration:\n%s", text)
	}
	for name, cfg := range map[string]func(*testing.T) Config{
		"sqlite":   func(t *testing.T) Config { return Config{Path: filepath.Join(t.TempDir(), "intray.db")} },
		"postgres": func(t *testing.T) Config { return Config{URL: storetest.PostgresURL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := model.AcrossOrgs(t.Context())
			c := cfg(t)
			c.Queue.Node = "node"
			s, err := Open(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			list := func() (all []model.Usage) {
				t.Helper()
				all, err := model.View(ctx, s, func(tx model.Tx) ([]model.Usage, error) { return tx.Usage.List(ctx) })
				if err != nil {
					t.Fatal(err)
				}
				return all
			}
			if err := s.Update(ctx, insertOfEach(ctx)); err != nil {
				t.Fatal(err)
			}
			want := list()
			if len(want) != 2 || want[0].Of(model.ImportQuota) != 6 || want[0].Of(model.StoredBytesQuota) != 6*11+5+3 {
				t.Errorf("usage %+v", want)
			}
			for _, statement := range append([]string{"DELETE FROM org_usage"}, strings.Split(strings.TrimSuffix(strings.TrimSpace(backfill), ";"), ";\n")...) {
				if _, err := s.write.ExecContext(ctx, statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			if diff := cmp.Diff(want, list()); diff != "" {
				t.Errorf("unexpected usage (-want +got):\n%s", diff)
			}
		})
	}
}

// insertOfEach inserts rows that count as usage, and rows that do not.
func insertOfEach(ctx context.Context) func(tx model.Tx) error {
	return func(tx model.Tx) error {
		errs := []error{tx.Accounts.InsertOrg(ctx, model.Org{ID: "org-a", Name: "A"}), tx.Accounts.InsertOrg(ctx, model.Org{ID: "org-b", Name: "B"})}
		for _, status := range []model.Status{model.AwaitingUpload, model.Pending, model.Running, model.NeedsReview, model.Successful, model.Failed} {
			errs = append(errs, tx.Imports.Insert(ctx, model.Import{ID: string(status), Org: "org-a", Status: status, Raw: model.File{Key: "k", Size: 10}, Result: model.File{Key: "k", Size: 1}}))
		}
		errs = append(errs, tx.Imports.Insert(ctx, model.Import{ID: "deleted", Org: "org-b", Status: model.Failed, Raw: model.File{Size: 10}}),
			tx.Schemas.Insert(ctx, model.Schema{ID: "saved", Org: "org-a", Name: "S"}), tx.Schemas.Insert(ctx, model.Schema{ID: "inline", Org: "org-a", Name: "S", Inline: true}),
			tx.Credentials.Insert(ctx, model.Credential{ID: "c", Org: "org-a"}), tx.Sessions.Insert(ctx, model.Session{ID: "s", Org: "org-a", File: model.File{Key: "k", Size: 5}}),
			tx.Sessions.SaveState(ctx, model.Session{ID: "s", Org: "org-a", File: model.File{Key: "k", Size: 5}}, []byte("abc")))
		return errors.Join(errs...)
	}
}

// TestMigrationNextToWriters checks that a migration counts the rows of a transaction of the previous
// version that is still open when it begins, and that it runs again if both wait for each other.
func TestMigrationNextToWriters(t *testing.T) {
	for name, then := range map[string]string{
		"commit":   `SELECT 1`,
		"deadlock": `LOCK TABLE imports IN ROW EXCLUSIVE MODE`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := model.AcrossOrgs(t.Context())
			s := &Store{logger: slog.New(slog.DiscardHandler)}
			if err := s.open(ctx, Config{URL: storetest.PostgresURL(t)}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			previous, err := s.migrations()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := previous.UpTo(ctx, 24); err != nil {
				t.Fatal(err)
			}
			if _, err := s.write.ExecContext(ctx, `INSERT INTO orgs (id, name, created) VALUES ('o', 'o', 0)`); err != nil {
				t.Fatal(err)
			}
			tx, err := s.write.BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback() }()
			if _, err := tx.ExecContext(ctx, `INSERT INTO receipts (id, org, import_id, made, reason, parts) VALUES ('r', 'o', '', 0, '', '')`); err != nil {
				t.Fatal(err)
			}
			migrated := make(chan error, 1)
			go func() { migrated <- s.migrate(ctx) }()
			for waiting := false; !waiting; time.Sleep(10 * time.Millisecond) {
				const isWaiting = `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
				if err := s.read.QueryRowContext(ctx, isWaiting).Scan(&waiting); err != nil {
					t.Fatal(err)
				}
			}
			_, err = tx.ExecContext(ctx, then)
			if err == nil {
				err = tx.Commit()
			} else if isSerializationFailure(err) { // PostgreSQL ended this transaction instead of the migration
				err = tx.Rollback()
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := <-migrated; err != nil {
				t.Fatalf("the migration failed: %v", err)
			}
			var counted, stored int64
			const count = `SELECT receipts, (SELECT count(*) FROM receipts) FROM org_usage WHERE org = 'o'`
			if err := s.read.QueryRowContext(ctx, count).Scan(&counted, &stored); err != nil || counted != stored {
				t.Errorf("%d of %d receipts were counted, %v", counted, stored, err)
			}
		})
	}
}

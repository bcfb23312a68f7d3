package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  sqlstore.Config
		want string
	}{
		"nothing":   {sqlstore.Config{}, "neither"},
		"both":      {sqlstore.Config{Path: "a", URL: "postgres://b"}, "both"},
		"no folder": {sqlstore.Config{Path: filepath.Join(t.TempDir(), "no", "file")}, "no such file"},
		"a folder":  {sqlstore.Config{Path: t.TempDir()}, "is a directory"},
		"no URL":    {sqlstore.Config{URL: "postgres://me:secret@host:port/"}, "invalid database URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sqlstore.Open(t.Context(), c.cfg)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Open: %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error contains the password: %v", err)
			}
		})
	}
}

func TestCheckURL(t *testing.T) {
	for _, valid := range []string{
		"postgres://me:secret@host:5432/db?sslmode=disable&pool_max_conns=4",
		"postgresql://me:s%40cr%2Ft%25#?@host/db",
		"postgres://me@one,two:5433/db?target_session_attrs=read-write",
		"postgres:///db?host=/run/postgresql&user=me@tenant&password=s@cret",
		"postgres://[::1]/db",
	} {
		if err := sqlstore.CheckURL(valid); err != nil {
			t.Errorf("%s: %v", valid, err)
		}
	}
	for invalid, want := range map[string]string{
		"postgres://me:s@cret@host/db":           "write @ as %40",
		"postgres://me:s@cr/t#@host/db?x=y":      "write @ as %40",
		"postgres://me:12/secret@host/db":        "write @ as %40",
		"postgres://me:s@secret?x=secret@host":   "write @ as %40",
		"postgres://me:secret/s@host/db":         "write @ as %40",
		"postgres://me:secret%@host/db":          "% as %25",
		"postgres://me:secret@host:port/db":      "invalid database URL",
		"postgres://host/db?sslrootcert=/no.pem": "open /no.pem: no such file",
	} {
		err := sqlstore.CheckURL(invalid)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %s", invalid, err, want)
		}
		_, opened := sqlstore.Open(t.Context(), sqlstore.Config{URL: invalid})
		if opened == nil || !strings.Contains(opened.Error(), fmt.Sprint(err)) {
			t.Errorf("%s: Open returns %v, want %v", invalid, opened, err)
		}
	}
}

func TestOpenOutOfReach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	_, err = sqlstore.Open(t.Context(), sqlstore.Config{URL: "postgres://me:secret@" + l.Addr().String() + "/x"})
	if !model.IsKind(err, model.Unavailable) {
		t.Errorf("Open: %v, want Unavailable", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error contains the password: %v", err)
	}
}

func TestOpenNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	must(t, os.WriteFile(path, []byte(strings.Repeat("these are notes\n", 100)), 0o600))
	if _, err := sqlstore.Open(t.Context(), sqlstore.Config{Path: path}); err == nil || !strings.Contains(err.Error(), "not a database") {
		t.Errorf("Open: %v, want that it is not a database", err)
	}
}

func TestReopen(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		first := open(t, cfg)
		must(t, first.Update(model.AcrossOrgs(t.Context()), func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(t.Context(), model.Org{ID: "o", Name: "Org"})
		}))
		must(t, open(t, cfg).View(model.AcrossOrgs(t.Context()), func(tx model.Tx) error {
			_, err := tx.Accounts.OrgByName(t.Context(), "Org")
			return err
		}))
	})
}

func TestNewerDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		open(t, cfg)
		driver, address := "sqlite", cfg.Path
		if cfg.URL != "" {
			driver, address = "pgx", cfg.URL
		}
		db, err := sql.Open(driver, address)
		must(t, err)
		defer func() { _ = db.Close() }()
		_, err = db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, $1)`, true)
		must(t, err)
		if _, err := sqlstore.Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "has version 999, but this program supports") {
			t.Errorf("Open: %v, want that the database is newer", err)
		}
	})
}

func TestOpenAtOnce(t *testing.T) {
	cfg := sqlstore.Config{URL: storetest.PostgresURL(t)}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := sqlstore.Open(t.Context(), cfg)
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestConnectionsLost checks that the store recovers after the server closed all
// connections during a transaction and before a query.
func TestConnectionsLost(t *testing.T) {
	cfg := sqlstore.Config{URL: storetest.PostgresURL(t)}
	s := open(t, cfg)
	ctx := model.AcrossOrgs(t.Context())
	err := s.Update(ctx, func(tx model.Tx) error {
		endConnections(t, cfg.URL)
		return tx.Accounts.InsertOrg(ctx, model.Org{ID: "o", Name: "Org"})
	})
	if !model.IsKind(err, model.Unavailable) {
		t.Errorf("Update: %v, want Unavailable", err)
	}
	must(t, s.Update(ctx, func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(ctx, model.Org{ID: "o", Name: "Org"})
	}))
	endConnections(t, cfg.URL)
	orgs, err := model.Get(ctx, s, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(ctx) })
	if err != nil || len(orgs) != 1 {
		t.Errorf("Get: %v, %v", orgs, err)
	}
}

func endConnections(t *testing.T, url string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	must(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	must(t, err)
}

func TestTextThatCannotBeStored(t *testing.T) {
	s := open(t, sqlstore.Config{URL: storetest.PostgresURL(t)})
	for _, name := range []string{"a\x00b", "a\xffb"} {
		err := s.Update(model.AcrossOrgs(t.Context()), func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(t.Context(), model.Org{ID: "o", Name: name})
		})
		if !model.IsKind(err, model.Invalid) {
			t.Errorf("%q: %v, want Invalid", name, err)
		}
	}
}

// TestForget checks that deleted text is in none of the files of the database.
func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "intray.db")
	s := open(t, sqlstore.Config{Path: path})
	const secret = "the text that must not stay behind"
	update := func(work func(tx model.Tx) error) { must(t, s.Update(model.AcrossOrgs(t.Context()), work)) }
	update(func(tx model.Tx) error {
		if err := tx.Accounts.InsertOrg(t.Context(), model.Org{ID: "o", Name: "Org"}); err != nil {
			return err
		}
		return tx.Imports.Insert(t.Context(), model.Import{ID: "i", Org: "o", Filename: secret})
	})
	if !inFiles(t, path, secret) {
		t.Fatal("the text is in no file, so the test searches the wrong ones")
	}
	update(func(tx model.Tx) error { return tx.Imports.Delete(t.Context(), "o", "i") })
	must(t, s.Forget(t.Context()))
	if inFiles(t, path, secret) {
		t.Error("the deleted text is still in the files")
	}
}

func inFiles(t *testing.T, path, text string) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	must(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		if strings.Contains(string(b), text) {
			return true
		}
	}
	return false
}

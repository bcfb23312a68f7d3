package server

import (
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// TestDatabaseErrors checks that a command states why it cannot open the database, without advice
// for clients of the API and without the password.
func TestDatabaseErrors(t *testing.T) {
	wantError := func(t *testing.T, database, want string) {
		t.Helper()
		cfg := good()
		cfg.Data, cfg.DatabaseURL, cfg.Log = filepath.Join(t.TempDir(), "data"), database, slog.New(slog.DiscardHandler)
		for name, err := range map[string]error{"migrate": Migrate(t.Context(), cfg), "admin": admin(t.Context(), cfg), "serve": serveOnce(t, cfg)} {
			if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
	t.Run("no server", func(t *testing.T) {
		address := freeAddress(t)
		wantError(t, "postgres://someone:secret@"+address+"/none", "cannot open the database: dial tcp "+address+": connect: connection refused")
		wantError(t, "postgres://someone:secret@no-host.invalid/none", "cannot open the database: lookup no-host.invalid")
	})
	t.Run("no database", func(t *testing.T) {
		address, err := url.Parse(livetest.Postgres(t))
		must(t, err)
		address.User, address.Path = url.UserPassword(address.User.Username(), "secret"), "/nosuchdb"
		wantError(t, address.String(), `cannot open the database: database "nosuchdb" does not exist`)
		address.User = url.UserPassword("nosuchuser", "secret")
		wantError(t, address.String(), "cannot open the database: ")
	})
	t.Run("sqlite", func(t *testing.T) {
		cfg := good()
		cfg.Data, cfg.Log = t.TempDir(), slog.New(slog.DiscardHandler)
		path := filepath.Join(cfg.Data, sqliteName)
		must(t, os.WriteFile(path, []byte(strings.Repeat("This is no database. ", 100)), 0o600))
		check := func(want string) {
			t.Helper()
			if err := admin(t.Context(), cfg); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "Try again") {
				t.Errorf("error %v, want %q and the cause", err, want)
			}
		}
		check("cannot open the database " + path + ": ")
		must(t, os.Remove(path))
		must(t, os.Mkdir(path, 0o700))
		check("cannot open the database: open " + path + ": is a directory")
	})
}

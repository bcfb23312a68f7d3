package sqlstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/server/sqlstore"
)

// TestSettings checks the SQLite settings of a store.
func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "intray.db")
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "secure_delete": "1"} {
		got, err := sqlstore.Pragma(t.Context(), open(t, sqlstore.Config{Path: path}), pragma)
		must(t, err)
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
}

// TestFile checks that a database file may have an unusual name and that only its
// owner can read it.
func TestFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a b%20c?mode=memory#ü")
	must(t, os.Mkdir(folder, 0o700))
	open(t, sqlstore.Config{Path: filepath.Join(folder, "intray.db")})
	files, err := os.ReadDir(folder)
	must(t, err)
	if len(files) == 0 {
		t.Error("the file is missing")
	}
	for _, f := range files {
		at, err := f.Info()
		must(t, err)
		if at.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o, want 600", f.Name(), at.Mode().Perm())
		}
	}
}

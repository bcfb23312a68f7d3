package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/test/livetest"
)

// begunFolder returns a configuration whose data folder contains a database and one blob.
func begunFolder(t *testing.T, database string) Config {
	t.Helper()
	cfg := good()
	cfg.Data, cfg.DatabaseURL, cfg.Log = filepath.Join(t.TempDir(), "data"), database, slog.New(slog.DiscardHandler)
	must(t, admin(model.AcrossOrgs(t.Context()), cfg))
	must(t, os.WriteFile(filepath.Join(cfg.Data, "blobs", "blobs", "anchor"), nil, 0o600))
	return cfg
}

func admin(ctx context.Context, cfg Config) error {
	_, closeAll, err := OpenAdmin(ctx, cfg)
	if err != nil {
		return err
	}
	return closeAll()
}

// TestMissingMasterKey checks that a missing master key is not replaced by a new one.
func TestMissingMasterKey(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{
		"sqlite": func(testing.TB) string { return "" }, "postgres": livetest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			address := database(t)
			cfg := begunFolder(t, address)
			path := filepath.Join(cfg.Data, "master.key")
			key := content(t, path)
			must(t, os.Remove(path))
			if err := admin(model.AcrossOrgs(t.Context()), cfg); err == nil || !strings.Contains(err.Error(), "restore the file") {
				t.Errorf("error %v, want advice about the key", err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a new key was created: %v", err)
			}
			elsewhere := cfg
			elsewhere.Data = t.TempDir()
			if address != "" && admin(model.AcrossOrgs(t.Context()), elsewhere) == nil {
				t.Error("a second folder got another key")
			}
			must(t, os.WriteFile(path, []byte(key), 0o600))
			must(t, admin(model.AcrossOrgs(t.Context()), cfg))
		})
	}
}

// TestMissingDatabase checks that no database is created in a folder that contains
// blobs of an earlier database.
func TestMissingDatabase(t *testing.T) {
	cfg := begunFolder(t, "")
	rows, file := filepath.Join(cfg.Data, "intray.db"), filepath.Join(cfg.Data, "blobs", "blobs", "raw+", "1")
	lose := func() {
		for _, ending := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(rows + ending)
		}
	}
	lose()
	must(t, admin(model.AcrossOrgs(t.Context()), cfg)) // stores only the key check value
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, admin(model.AcrossOrgs(t.Context()), cfg))
	for name, spoil := range map[string]func(){
		"missing": lose,
		"empty":   func() { lose(); must(t, os.WriteFile(rows, nil, 0o600)) },
	} {
		spoil()
		before := names(t, cfg.Data)
		for task, err := range map[string]error{"admin": admin(model.AcrossOrgs(t.Context()), cfg), "migrate": Migrate(t.Context(), cfg)} {
			if err == nil || !strings.Contains(err.Error(), "restore the database") {
				t.Errorf("%s, %s: error %v, want advice about the database", name, task, err)
			}
		}
		if diff := cmp.Diff(before, names(t, cfg.Data)); diff != "" {
			t.Errorf("%s: the folder has changed (-before +after):\n%s", name, diff)
		}
	}
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

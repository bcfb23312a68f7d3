package sqlstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/test/livetest"
)

// TestOpenToInspect checks that inspecting a database neither creates nor changes it, whether or not another
// store is open.
func TestOpenToInspect(t *testing.T) {
	ctx := model.AcrossOrgs(t.Context())
	folder := t.TempDir()
	sqlite := sqlstore.Config{Path: filepath.Join(folder, "intray.db")}
	if _, err := sqlstore.OpenToInspect(ctx, sqlite); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing database: %v", err)
	}
	inspect := func(cfg sqlstore.Config, wantVersion bool) {
		t.Helper()
		s, err := sqlstore.OpenToInspect(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		has, supported, err := s.SchemaVersion(ctx)
		if err != nil || supported == 0 || (has == supported) != wantVersion {
			t.Errorf("the versions are %d and %d, %v", has, supported, err)
		}
		if problems, err := s.QuickCheck(ctx); err != nil || len(problems) > 0 {
			t.Errorf("%v, %v", problems, err)
		}
	}
	open := func(cfg sqlstore.Config) *sqlstore.Store {
		t.Helper()
		s, err := sqlstore.Open(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(sqlite)
	inspect(sqlite, true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	inspect(sqlite, true)
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder contains %v, %v", entries, err)
	}

	postgres := sqlstore.Config{URL: livetest.Postgres(t)}
	inspect(postgres, false)
	inspect(postgres, false) // the first one has not migrated it
	s = open(postgres)
	defer func() { _ = s.Close() }()
	inspect(postgres, true)
}

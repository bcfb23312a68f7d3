package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// TestCopyTo checks that a copy that is made during writes contains exactly the transactions up to one of
// them, and that it is private.
func TestCopyTo(t *testing.T) {
	t.Parallel()
	ctx := model.AcrossOrgs(t.Context())
	folder := t.TempDir()
	s, err := Open(ctx, Config{Path: filepath.Join(folder, "db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	stop, stopped, written := make(chan struct{}), make(chan error), make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			err := s.Update(ctx, func(tx model.Tx) error {
				_, err := tx.Nodes.EnsureMark(ctx, fmt.Sprint("mark ", n), "set")
				return err
			})
			select {
			case written <- n:
			case <-stop:
				stopped <- err
				return
			default:
			}
		}
	}()
	for round := range 5 {
		before := <-written
		path := filepath.Join(folder, fmt.Sprint("copy", round))
		if err := s.CopyTo(ctx, path); err != nil {
			t.Fatal(err)
		}
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("the mode of the copy is %v, %v", stat.Mode(), err)
		}
		if last := lastMark(ctx, t, path); last < before {
			t.Errorf("the copy ends with mark %d, but mark %d had been written", last, before)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.CopyTo(canceled, filepath.Join(folder, "canceled")); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled copy: %v", err)
	}
	if err := s.CopyTo(ctx, filepath.Join(folder, "copy0")); !errors.Is(err, os.ErrExist) {
		t.Errorf("a copy over an existing file: %v", err)
	}
}

// lastMark returns the number of the last mark in a database that must be intact and contain all marks before.
func lastMark(ctx context.Context, t *testing.T, path string) int {
	t.Helper()
	s, err := Open(ctx, Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if problems, err := s.CheckIntegrity(ctx); err != nil || len(problems) > 0 {
		t.Errorf("the copy: %q, %v", problems, err)
	}
	last := -1
	for n := 0; n-last < 100; n++ { // 100 missing ones in a row are the end
		mark, err := model.Get(ctx, s, func(tx model.Tx) (string, error) { return tx.Nodes.EnsureMark(ctx, fmt.Sprint("mark ", n), "") })
		if err != nil {
			t.Fatal(err)
		}
		if mark != "" && n != last+1 {
			t.Fatalf("the copy contains mark %d, but not mark %d", n, last+1)
		}
		if mark != "" {
			last = n
		}
	}
	return last
}

// TestNewestVersion checks that NewestVersion is the version of a migrated database.
func TestNewestVersion(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	newest, err := NewestVersion()
	has, knows, err2 := s.Versions(t.Context())
	if err != nil || err2 != nil || has != newest || knows != newest {
		t.Errorf("newest %d, %v; database %d, program %d, %v", newest, err, has, knows, err2)
	}
}

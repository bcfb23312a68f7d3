package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// serveOnce starts a service and stops it as soon as it accepts requests. It returns the error of
// the service.
func serveOnce(t *testing.T, cfg Config) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg.Listen, cfg.Out, cfg.Serving = "127.0.0.1:0", io.Discard, func(string) { cancel() }
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return Serve(ctx, cfg)
}

// TestFailedFirstStart checks that a first start whose blobs cannot be used creates no master key,
// so that the next start can use a different data folder.
func TestFailedFirstStart(t *testing.T) {
	// config returns a configuration with a new data folder.
	config := func(t *testing.T, database, blobs string) Config {
		cfg := good()
		cfg.Data, cfg.DatabaseURL, cfg.BlobURL = filepath.Join(t.TempDir(), "data"), database, blobs
		return cfg
	}
	check := func(t *testing.T, wrong, right Config) {
		t.Helper()
		if err := serveOnce(t, wrong); err == nil {
			t.Fatal("the service started")
		}
		if _, err := os.Stat(wrong.masterKeyPath()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the failed start created a master key: %v", err)
		}
		if err := serveOnce(t, right); err != nil {
			t.Errorf("the next start: %v", err)
		}
	}
	t.Run("disk", func(t *testing.T) {
		database := livetest.Postgres(t)
		wrong := config(t, database, "")
		must(t, os.MkdirAll(wrong.Data, 0o700))
		must(t, os.WriteFile(wrong.blobDir(), nil, 0o600)) // a file instead of a folder
		check(t, wrong, config(t, database, ""))
	})
	t.Run("S3", func(t *testing.T) {
		store := s3test.Start(t)
		store.SetEnv(t)
		bucket, folder := store.Bucket(t)
		used, _ := store.Bucket(t)
		must(t, serveOnce(t, config(t, livetest.Postgres(t), used)))
		for name, blobs := range map[string]string{"missing": "s3://missing-bucket", "used": used} {
			t.Run(name, func(t *testing.T) {
				database := livetest.Postgres(t)
				prefix := bucket + "/" + name
				check(t, config(t, database, blobs), config(t, database, prefix))
				if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// TestFilesOfOtherDatabase checks the advice if the files do not belong to the database.
func TestFilesOfOtherDatabase(t *testing.T) {
	wantError := func(t *testing.T, cfg Config, want string) {
		t.Helper()
		if err := serveOnce(t, cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	config := func(t *testing.T, database, blobs string) Config {
		cfg := good()
		cfg.Data, cfg.DatabaseURL, cfg.BlobURL, cfg.MasterKey = filepath.Join(t.TempDir(), "data"), database, blobs, firstKey
		return cfg
	}
	t.Run("sqlite", func(t *testing.T) {
		mine, other, mixed := config(t, "", ""), config(t, "", ""), config(t, "", "")
		must(t, serveOnce(t, mine))
		must(t, serveOnce(t, other))
		must(t, os.CopyFS(mixed.Data, os.DirFS(mine.Data)))
		must(t, os.WriteFile(filepath.Join(mixed.Data, sqliteName), []byte(content(t, filepath.Join(other.Data, sqliteName))), 0o600))
		wantError(t, mixed, mixed.blobDir()+" does not contain the files of this database; restore it and intray.db from the same backup")
	})
	t.Run("disk", func(t *testing.T) {
		database, used := livetest.Postgres(t), livetest.Postgres(t)
		cfg := config(t, used, "")
		must(t, serveOnce(t, cfg))
		wantError(t, config(t, used, ""), "this database stores its files elsewhere; set --blob-url, or share the blobs folder")
		cfg.DatabaseURL = database
		wantError(t, cfg, cfg.blobDir()+" belongs to a different database; check --database-url, or use a different --data folder")
	})
	t.Run("S3", func(t *testing.T) {
		store := s3test.Start(t)
		store.SetEnv(t)
		database, blobs := livetest.Postgres(t), func() string { address, _ := store.Bucket(t); return address }
		mine := blobs()
		must(t, serveOnce(t, config(t, database, mine)))
		var starts sync.WaitGroup // each waits for the files of a new database
		for _, other := range []string{blobs(), mine + "/other"} {
			starts.Go(func() {
				wantError(t, config(t, database, other), other+" does not contain the files of this database; set --blob-url to the value that the other processes use")
			})
		}
		starts.Go(func() {
			wantError(t, config(t, database, ""), "this database stores its files elsewhere; set --blob-url, or share the blobs folder")
		})
		starts.Wait()
		wantError(t, config(t, livetest.Postgres(t), mine), mine+" belongs to a different database; check --database-url, or choose a different prefix")
	})
}

// TestFirstStartOfProcesses checks that several processes can start at the same time with a new
// database.
func TestFirstStartOfProcesses(t *testing.T) {
	start := func(t *testing.T, blobURL string) {
		t.Helper()
		database, shared := livetest.Postgres(t), t.TempDir()
		var processes sync.WaitGroup
		for range 4 {
			cfg := good()
			cfg.Data, cfg.DatabaseURL, cfg.BlobURL, cfg.MasterKey = filepath.Join(t.TempDir(), "data"), database, blobURL, firstKey
			must(t, os.MkdirAll(cfg.Data, 0o700))
			if blobURL == "" {
				must(t, os.Symlink(shared, cfg.blobDir()))
			}
			processes.Go(func() {
				if err := serveOnce(t, cfg); err != nil {
					t.Error(err)
				}
			})
		}
		processes.Wait()
	}
	const rounds = 3
	t.Run("disk", func(t *testing.T) {
		for range rounds {
			start(t, "")
		}
	})
	t.Run("S3", func(t *testing.T) {
		store := s3test.Start(t)
		store.SetEnv(t)
		for range rounds {
			bucket, _ := store.Bucket(t)
			start(t, bucket)
		}
	})
}

// TestLogStores checks that the log of a start names the database and the place of the files, but no
// password.
func TestLogStores(t *testing.T) {
	for _, c := range []struct {
		database, blobs, want string
	}{
		{"", "", "msg=\"stores opened\" database=data/intray.db files=data/blobs\n"},
		{"postgres://intray:secret@db.example.org/rows?pool_max_conns=8", "s3://files/prefix", "msg=\"stores opened\" database=postgres://intray@db.example.org:5432/rows files=s3://files/prefix\n"},
		{"postgres://intray:secret@[::1]:5433/rows?password=secret", "", "msg=\"stores opened\" database=postgres://intray@[::1]:5433/rows files=data/blobs\n"},
		{"postgres://intray:secret@db.example.org:x/rows", "", "msg=\"stores opened\" database=PostgreSQL files=data/blobs\n"},
	} {
		var log strings.Builder
		cfg := good()
		cfg.DatabaseURL, cfg.BlobURL, cfg.Log = c.database, c.blobs, slog.New(slog.NewTextHandler(&log, nil))
		cfg.logStores()
		if got := log.String(); !strings.HasSuffix(got, " level=INFO "+c.want) {
			t.Errorf("%s: logged %q, want %q", c.database, got, c.want)
		}
	}
	log := &lines{more: make(chan struct{}, 1)}
	cfg := good()
	cfg.Data, cfg.Log = filepath.Join(t.TempDir(), "data"), slog.New(slog.NewTextHandler(log, nil))
	must(t, serveOnce(t, cfg))
	if !strings.Contains(log.String(), cfg.databaseName()) {
		t.Errorf("the log of a start does not name the database:\n%s", log)
	}
}

// TestRestartReclaims checks that a service reclaims the runs of the process that it replaces at
// once, but not those of a process with a copy of the data folder.
func TestRestartReclaims(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.DatabaseURL, cfg.MasterKey, cfg.Log = filepath.Join(t.TempDir(), "data"), livetest.Postgres(t), firstKey, slog.New(slog.DiscardHandler)
	first, unlock, err := openToServe(model.AcrossOrgs(t.Context()), cfg)
	must(t, err)
	must(t, first.service.VerifyStoreFingerprint(model.AcrossOrgs(t.Context())))
	must(t, first.service.Join(model.AcrossOrgs(t.Context())))
	first.lock.setNode(first.node)
	nodes := func(of *components) []string {
		list, err := model.View(model.AcrossOrgs(t.Context()), of.store, func(tx model.Tx) ([]string, error) { return tx.Nodes.List(model.AcrossOrgs(t.Context())) })
		must(t, err)
		slices.Sort(list)
		return list
	}

	copied := cfg
	copied.Data = filepath.Join(t.TempDir(), "copied")
	must(t, os.MkdirAll(copied.Data, 0o700))
	for _, name := range []string{"folder.id", "serve.lock"} {
		must(t, os.WriteFile(filepath.Join(copied.Data, name), []byte(content(t, filepath.Join(cfg.Data, name))), 0o600))
	}
	second, unlockCopy, err := openToServe(model.AcrossOrgs(t.Context()), copied)
	must(t, err)
	must(t, second.service.Join(model.AcrossOrgs(t.Context())))
	both := []string{first.node, second.node}
	slices.Sort(both)
	if got := nodes(second); !slices.Equal(got, both) {
		t.Errorf("the nodes are %v, want %v", got, both)
	}
	must(t, second.service.Leave(model.AcrossOrgs(t.Context())))
	must(t, errors.Join(second.close(), unlockCopy()))

	must(t, errors.Join(first.close(), unlock())) // without Leave, like a process that was killed
	restarted, unlock, err := openToServe(model.AcrossOrgs(t.Context()), cfg)
	must(t, err)
	must(t, restarted.service.Join(model.AcrossOrgs(t.Context())))
	if got := nodes(restarted); !slices.Equal(got, []string{restarted.node}) && bootID() != "" {
		t.Errorf("the nodes are %v, want %s", got, restarted.node)
	}
	must(t, errors.Join(restarted.close(), unlock()))
}

package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/intraydata/intray/internal/blob/disk"
)

// emptySpool makes the spool, and removes what an earlier process left in it.
func emptySpool(cfg Config) error {
	if err := os.RemoveAll(cfg.tempDir()); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	if err := os.MkdirAll(cfg.tempDir(), 0o700); err != nil {
		return fmt.Errorf("make the spool: %w", err)
	}
	return nil
}

// checkBlobsHaveRows refuses to begin a new SQLite database beside blobs of
// another one, whose files would lie there for ever without an owner.
func checkBlobsHaveRows(database, blobs string) error {
	stat, err := os.Stat(database)
	if err == nil && stat.Size() > 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for the database: %w", err)
	}
	held, err := disk.HoldsMore(blobs, "anchor")
	if err == nil && held {
		err = fmt.Errorf("%s is missing or empty, but %s holds files of its imports: "+
			"put the database back from its backup, or give another --data folder to begin anew", database, blobs)
	}
	return err
}

func (c *Config) blobs() string { return filepath.Join(c.Data, "blobs") }

func (c *Config) tempDir() string { return filepath.Join(c.Data, "spool") }

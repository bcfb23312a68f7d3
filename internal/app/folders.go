package app

import (
	"fmt"
	"os"
	"path/filepath"
)

// makeFolders makes the data folder and what is in it from the start. Spooled
// rows of an earlier process are removed.
func makeFolders(cfg Config) error {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	if err := os.RemoveAll(cfg.tempDir()); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	if err := os.MkdirAll(cfg.tempDir(), 0o700); err != nil {
		return fmt.Errorf("make the spool: %w", err)
	}
	return nil
}

func (c *Config) tempDir() string { return filepath.Join(c.Data, "spool") }

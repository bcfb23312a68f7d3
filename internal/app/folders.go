package app

import (
	"fmt"
	"os"
	"path/filepath"
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

func (c *Config) tempDir() string { return filepath.Join(c.Data, "spool") }

package server

import (
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/backup"
	"github.com/intraydata/intray/server/sqlstore"
)

// TestAcceptBackup checks which backups a program restores.
func TestAcceptBackup(t *testing.T) {
	newest, err := sqlstore.NewestVersion()
	must(t, err)
	for name, one := range map[string]struct {
		cfg  Config
		m    backup.Manifest
		want string
	}{
		"current version":          {Config{}, backup.Manifest{Schema: newest, MasterKey: "key"}, ""},
		"earlier version":          {Config{}, backup.Manifest{Schema: newest - 1, MasterKey: "key"}, ""},
		"newer version":            {Config{}, backup.Manifest{Schema: newest + 1, Version: "9.9.9", MasterKey: "key"}, "version 9.9.9"},
		"without the master key":   {Config{}, backup.Manifest{Schema: newest}, "set INTRAY_MASTER_KEY"},
		"key from the environment": {Config{MasterKey: "key"}, backup.Manifest{Schema: newest}, ""},
	} {
		err := one.cfg.acceptBackup(one.m)
		if (err == nil) != (one.want == "") || err != nil && !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v, want %q", name, err, one.want)
		}
	}
}

// TestOneBackupAtATime checks that a second backup of a data folder is refused while one is running.
func TestOneBackupAtATime(t *testing.T) {
	folder := t.TempDir()
	lock, err := lockBackup(folder)
	must(t, err)
	if _, known := lastBackup(folder); known {
		t.Error("a backup is known before the first one")
	}
	if _, err := lockBackup(folder); err == nil || !strings.Contains(err.Error(), "another backup") {
		t.Errorf("a second backup: %v", err)
	}
	must(t, recordBackup(lock))
	must(t, lock.Close())
	if at, known := lastBackup(folder); !known || time.Since(at) > time.Minute {
		t.Errorf("the last backup was at %v, %v", at, known)
	}
	lock, err = lockBackup(folder)
	must(t, err)
	must(t, lock.Close())
}

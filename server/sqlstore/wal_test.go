package sqlstore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore"
)

// TestFindingReliability4Log checks that a database is not opened if its write-ahead log lacks
// transactions that were committed before a crash. They were lost without a message.
func TestFindingReliability4Log(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the time of the system start is known only on Linux")
	}
	crashed := crashedDatabase(t)
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		lost   bool
	}{
		"intact":       {func(*testing.T, string) {}, false},
		"cut to half":  {func(t *testing.T, path string) { must(t, os.Truncate(path+"-wal", size(t, path+"-wal")/2)) }, true},
		"empty":        {func(t *testing.T, path string) { must(t, os.Truncate(path+"-wal", 0)) }, true},
		"last byte":    {func(t *testing.T, path string) { must(t, os.Truncate(path+"-wal", size(t, path+"-wal")-1)) }, true},
		"missing":      {func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) }, true},
		"one bit":      {func(t *testing.T, path string) { flipBit(t, path+"-wal", size(t, path+"-wal")/2) }, true},
		"header":       {func(t *testing.T, path string) { flipBit(t, path+"-wal", 20) }, true},
		"acknowledged": {func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")); must(t, os.Remove(path+"-shm")) }, false},
		"garbage after the end": {func(t *testing.T, path string) {
			log, err := os.ReadFile(path + "-wal")
			must(t, err)
			must(t, os.WriteFile(path+"-wal", append(log, bytes.Repeat([]byte{7}, 5000)...), 0o600))
		}, false},
		"damaged index": {func(t *testing.T, path string) { flipBit(t, path+"-shm", 16) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "intray.db")
			for suffix, content := range crashed {
				must(t, os.WriteFile(path+suffix, content, 0o600))
			}
			c.damage(t, path)
			s, err := sqlstore.Open(t.Context(), sqlstore.Config{Path: path})
			if err == nil {
				must(t, s.Close())
			}
			if lost := err != nil && strings.Contains(err.Error(), "write-ahead log") && strings.Contains(err.Error(), "delete "+path+"-shm"); lost != c.lost || err != nil && !c.lost {
				t.Errorf("Open: %v; a loss is reported: %v, want %v", err, lost, c.lost)
			}
		})
	}
}

// TestCheckpointedLog checks that a log whose transactions are all in the database file may be
// missing.
func TestCheckpointedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "intray.db")
	s := open(t, sqlstore.Config{Path: path})
	must(t, s.Forget(t.Context()))
	to := filepath.Join(t.TempDir(), "intray.db")
	for _, suffix := range []string{"", "-shm"} {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(to+suffix, content, 0o600))
	}
	open(t, sqlstore.Config{Path: to})
}

// crashedDatabase returns the files of a database after a crash, by the suffixes of their names.
func crashedDatabase(t *testing.T) map[string][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "intray.db")
	s := open(t, sqlstore.Config{Path: path})
	for n := range 20 {
		must(t, s.Update(t.Context(), func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(t.Context(), model.Org{ID: fmt.Sprint(n), Name: fmt.Sprint("Org ", n)})
		}))
	}
	files := map[string][]byte{}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		files[suffix] = content
	}
	return files
}

func size(t *testing.T, name string) int64 {
	t.Helper()
	stat, err := os.Stat(name)
	must(t, err)
	return stat.Size()
}

func flipBit(t *testing.T, name string, at int64) {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	content[at] ^= 4
	must(t, os.WriteFile(name, content, 0o600))
}

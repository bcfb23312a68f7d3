package server

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/model"
)

const (
	// reserveSize is the size of the reserve file, in bytes.
	reserveSize = 8 << 20
	// startRoom is the free space, in bytes, that is enough to open the database and the blobs.
	startRoom = 1 << 20
)

// reserve is a file that occupies disk space, so that deleting data is possible when the disk is
// full. It is safe for concurrent use.
type reserve struct {
	path string
	size int
	log  *slog.Logger

	mu   sync.Mutex
	held bool
}

var _ model.Reserve = (*reserve)(nil)

// openReserve reserves disk space in a folder. If the disk is full, it releases the space that an
// earlier process reserved, so that this process can start.
func openReserve(folder string, size int, log *slog.Logger) *reserve {
	r := &reserve{path: filepath.Join(folder, "reserve"), size: size, log: log}
	stat, err := os.Stat(r.path)
	r.held = err == nil && stat.Size() >= int64(size)
	if r.held {
		probe := r.path + ".tmp"
		err := writeRandom(probe, min(startRoom, size))
		_ = os.Remove(probe)
		if model.IsDiskFull(err) {
			r.Release()
		}
		return r
	}
	r.Refill()
	return r
}

// Held implements [model.Reserve].
func (r *reserve) Held() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}

// Release implements [model.Reserve].
func (r *reserve) Release() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held || os.Remove(r.path) != nil {
		return false
	}
	r.held = false
	r.log.Error("the disk is full; the reserve is used, and no imports are accepted or run until there is space again", "reserve", r.path)
	return true
}

// Refill implements [model.Reserve].
func (r *reserve) Refill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held {
		return
	}
	// Writing on a nearly full disk would occupy the space that deletions need.
	if free, known := filesys.FreeSpace(filepath.Dir(r.path)); known && free/2 < int64(r.size) {
		return
	}
	temp := r.path + ".tmp"
	if writeRandom(temp, r.size) == nil && os.Rename(temp, r.path) == nil {
		r.held = true
		return
	}
	_ = os.Remove(temp)
}

// writeRandom writes a file of random bytes, because some file systems store zeros without
// occupying space. It flushes the file, because some find that the disk is full only then. If
// that fails, the file may be incomplete.
func writeRandom(name string, size int) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<16)
	for left := size; left > 0 && err == nil; left -= len(block) {
		_, _ = rand.Read(block) // it never fails
		_, err = file.Write(block[:min(left, len(block))])
	}
	return errors.Join(err, file.Sync(), file.Close())
}

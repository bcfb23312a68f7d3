package server

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/source"
)

// OpenInput opens a file for reading. The caller must close it. If the file does
// not exist or cannot be read, the error is a UsageError.
func OpenInput(name string) (source.Input, func() error, error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return source.Input{}, nil, UsageError{err}
	}
	return file.Input, file.Close, nil
}

// WriteFile writes a file completely or not at all. It replaces an existing file only when
// everything is written and durable, and keeps the mode of the file. A new file has the mode
// that the umask allows. If the name is "-", WriteFile writes to out.
func WriteFile(name string, out io.Writer, write func(io.Writer) error) (err error) {
	if name == "-" {
		return buffered(out, write)
	}
	file, err := createTemp(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	long := newDirectFile(file)
	if err := write(long); err != nil {
		return err
	}
	if err := errors.Join(long.Flush(), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	if err := filesys.SyncFolder(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// createTemp creates a hidden file in the same folder as the named file, with the mode of that
// file or, if it does not exist, the mode that the umask allows.
func createTemp(name string) (*os.File, error) {
	before, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && !before.Mode().IsRegular():
		return nil, UsageError{errors.New("not a regular file; use - for standard output")}
	}
	// Unlike os.CreateTemp, os.OpenFile respects the umask.
	hidden := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text())
	file, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides, as for every new file
	if err != nil || before == nil {
		return file, err
	}
	if err := file.Chmod(before.Mode().Perm()); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(hidden))
	}
	return file, nil
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	// Writes that are larger than the buffer, such as the blocks of a result, bypass it.
	w := bufio.NewWriterSize(to, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

const (
	// blockSize is the size of a write to the file, in bytes.
	blockSize = 1 << 20
	// blockAlign is the alignment of memory and file offsets that direct I/O requires.
	blockAlign = 4096
)

// directFile writes a file that will be synced. If the system supports it, whole blocks bypass
// the page cache. A result is not read soon after it is written, so copying it to the cache
// would only cost time. Bypassing the cache also leaves little to write when the file is synced.
type directFile struct {
	file *os.File
	// block contains bytes that have not been written yet.
	block []byte
	// direct means that writes bypass the cache. cached means that they cannot.
	direct, cached bool
}

func newDirectFile(file *os.File) *directFile {
	return &directFile{file: file, block: alignedBlock(blockSize, blockAlign)}
}

// Write adds bytes to the current block and writes each full block to the file.
func (l *directFile) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		n := copy(l.block[len(l.block):cap(l.block)], b)
		l.block, b = l.block[:len(l.block)+n], b[n:]
		written += n
		if len(l.block) < cap(l.block) {
			continue
		}
		if err := l.writeBlock(); err != nil {
			return written, err
		}
	}
	return written, nil
}

// writeBlock writes the full block to the file.
func (l *directFile) writeBlock() error {
	if !l.direct && !l.cached {
		l.direct = setDirectIO(l.file, true) == nil
		l.cached = !l.direct
	}
	n, err := l.file.Write(l.block)
	if l.direct && errors.Is(err, syscall.EINVAL) { // direct I/O is not supported by this file system
		if err = l.endDirect(); err == nil {
			_, err = l.file.Write(l.block[n:])
		}
	}
	l.block = l.block[:0]
	return err
}

// endDirect makes later writes use the page cache.
func (l *directFile) endDirect() error {
	l.direct, l.cached = false, true
	return setDirectIO(l.file, false)
}

// Flush writes the last, incomplete block.
func (l *directFile) Flush() error {
	if l.direct {
		if err := l.endDirect(); err != nil {
			return err
		}
	}
	_, err := l.file.Write(l.block)
	l.block = l.block[:0]
	return err
}

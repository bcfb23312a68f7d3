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

	"github.com/intraydata/intray/source"
)

// OpenInput opens a file of this machine for reading. The caller closes it. An
// error is a UsageError: there is no such file, or it cannot be read.
func OpenInput(name string) (source.Input, func() error, error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return source.Input{}, nil, UsageError{err}
	}
	return file.Input, file.Close, nil
}

// WriteFile writes a file whole or not at all: what stood under the name before
// is replaced only when everything is written and durable, and its mode stays.
// A new file has the mode that the process gives to files. The name "-" means
// out.
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
	return syncFolder(filepath.Dir(name))
}

// createTemp makes a hidden file beside name, with the mode that name has or
// would have.
func createTemp(name string) (*os.File, error) {
	before, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && !before.Mode().IsRegular():
		return nil, UsageError{errors.New("it is no ordinary file, which could be replaced; - means standard output")}
	}
	// Unlike os.CreateTemp this leaves the mode to the umask.
	hidden := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text())
	file, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil || before == nil {
		return file, err
	}
	if err := file.Chmod(before.Mode().Perm()); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(hidden))
	}
	return file, nil
}

func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("make %s durable: %w", name, err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	// Larger pieces, such as the blocks of a result, pass by the buffer.
	w := bufio.NewWriterSize(to, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

const (
	// blockSize is how much is gathered before it is written.
	blockSize = 1 << 20
	// blockAlign is what memory and places in a file must be a multiple of to
	// pass by the system's cache.
	blockAlign = 4096
)

// directFile writes a file that is to be durable in the end. Where the system can,
// whole blocks go straight to the disk: a result is not read again soon, so that
// copying it into the system's cache would only cost time, and there is little
// left to wait for when the file is synced.
type directFile struct {
	file *os.File
	// block holds what was not written yet.
	block []byte
	// direct says that the file passes by the cache, cached that it cannot.
	direct, cached bool
}

func newDirectFile(file *os.File) *directFile {
	return &directFile{file: file, block: alignedBlock(blockSize, blockAlign)}
}

// Write writes to the file, a block at a time.
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

// writeBlock writes a whole block.
func (l *directFile) writeBlock() error {
	if !l.direct && !l.cached {
		l.direct = setDirectIO(l.file, true) == nil
		l.cached = !l.direct
	}
	n, err := l.file.Write(l.block)
	if l.direct && errors.Is(err, syscall.EINVAL) { // this file system cannot do it
		if err = l.endDirect(); err == nil {
			_, err = l.file.Write(l.block[n:])
		}
	}
	l.block = l.block[:0]
	return err
}

// endDirect lets what follows go through the cache.
func (l *directFile) endDirect() error {
	l.direct, l.cached = false, true
	return setDirectIO(l.file, false)
}

// Flush writes what is left, which is no whole block.
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

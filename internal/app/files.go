package app

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/intraydata/intray/source"
)

// OpenInput opens a file of this machine for reading. The caller closes it. An
// error is a UsageError: there is no such file, or it cannot be read.
func OpenInput(name string) (source.Input, func() error, error) {
	file, err := os.Open(name)
	if err != nil {
		return source.Input{}, nil, UsageError{err}
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file: give an ordinary file, not a folder or a pipe", name)
	}
	if err != nil {
		return source.Input{}, nil, UsageError{errors.Join(err, file.Close())}
	}
	return source.Input{Name: filepath.Base(name), ReaderAt: file, Size: stat.Size()}, file.Close, nil
}

// WriteFile writes a file whole or not at all: what stood under the name before
// is replaced only when everything is written and durable, and its mode stays.
// A new file has the mode that the process gives to files. The name "-" means
// out.
func WriteFile(name string, out io.Writer, write func(io.Writer) error) (err error) {
	if name == "-" {
		return buffered(out, write)
	}
	file, err := createBeside(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	long := newLongFile(file)
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

// createBeside makes a hidden file beside name, with the mode that name has or
// would have.
func createBeside(name string) (*os.File, error) {
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

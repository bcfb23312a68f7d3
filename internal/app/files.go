package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/intraydata/intray/source"
)

// OpenInput opens a file of this machine for reading. The caller closes it.
func OpenInput(name string) (source.Input, func() error, error) {
	file, err := os.Open(name)
	if err != nil {
		return source.Input{}, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return source.Input{}, nil, errors.Join(err, file.Close())
	}
	return source.Input{Name: filepath.Base(name), ReaderAt: file, Size: info.Size()}, file.Close, nil
}

// WriteFile writes a file whole or not at all: what stood under the name before
// is replaced only when everything is written and durable. The name "-" means
// out.
func WriteFile(name string, out io.Writer, write func(io.Writer) error) (err error) {
	if name == "-" {
		return buffered(out, write)
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err := buffered(file, write); err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(file.Name(), name)
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(to, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

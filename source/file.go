package source

import (
	"fmt"
	"os"
	"path/filepath"
)

// File is an open file of the local file system. Close it after reading.
type File struct {
	Input
	file *os.File
}

// OpenFile opens a regular file by name. Directories, pipes and devices are an error.
func OpenFile(name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = fmt.Errorf("%s is not an ordinary file", name)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &File{Input{Name: filepath.Base(name), ReaderAt: file, Size: stat.Size()}, file}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/source"
)

// stdinName is the argument that means standard input or standard output.
const stdinName = "-"

// inputName returns the name of an input for messages.
func inputName(file string) string {
	if file == stdinName {
		return "standard input"
	}
	return file
}

// inputFile returns the path of an input file. For "-", it copies standard input to a temporary
// file, because formats read any part of a file at any time. The caller must call remove.
func (s streams) inputFile(ctx context.Context, name string) (path string, remove func() error, err error) {
	if name != stdinName {
		return name, func() error { return nil }, nil
	}
	folder, err := os.MkdirTemp("", "intray-stdin-*")
	if err != nil {
		return "", nil, fmt.Errorf("create a folder for standard input: %w", err)
	}
	remove = func() error { return os.RemoveAll(folder) }
	path = filepath.Join(folder, "stdin")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("copy standard input: %w", err), remove())
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(file, s.in)
		copied <- errors.Join(err, file.Close())
	}()
	select {
	case err = <-copied:
	case <-ctx.Done(): // the copy may wait for a terminal, which only the end of the process ends
		err = context.Cause(ctx)
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("copy standard input: %w", err), remove())
	}
	return path, remove, nil
}

// openInput opens an input file, or a copy of standard input for "-". The returned function closes
// the file, and deletes the copy.
func (s streams) openInput(ctx context.Context, name string) (source.Input, func() error, error) {
	path, remove, err := s.inputFile(ctx, name)
	if err != nil {
		return source.Input{}, nil, err
	}
	in, closeFile, err := server.OpenInput(path)
	if err != nil {
		return source.Input{}, nil, errors.Join(err, remove())
	}
	return in, func() error { return errors.Join(closeFile(), remove()) }, nil
}

// readSchema reads a schema from a file, or from standard input for "-".
func (s streams) readSchema(ctx context.Context, name string, read func(io.Reader) (*intray.Schema, error)) (schema *intray.Schema, err error) {
	path, remove, err := s.inputFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if schema, err = read(file); err != nil {
		return nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return schema, nil
}

// checkOneStdin returns a usageError if more than one of the inputs is standard input.
func checkOneStdin(inputs ...string) error {
	n := 0
	for _, name := range inputs {
		if name == stdinName {
			n++
		}
	}
	if n > 1 {
		return usageError{errors.New("only one input can be - (standard input)")}
	}
	return nil
}

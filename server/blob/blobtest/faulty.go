package blobtest

import (
	"context"
	"errors"
	"sync"

	"github.com/intraydata/intray/server/blob"
)

// ErrFault is the error that a FaultyStore returns.
var ErrFault = errors.New("no space left")

// FaultyStore counts the calls to Create, Open, Write, Commit and ReadAt, and the
// bytes written. Call number FailAt, counted from 0, fails with ErrFault. So does a
// write that makes the total exceed Room bytes. If FailAt or Room is negative, it
// has no effect. A FaultyStore must not be copied.
type FaultyStore struct {
	blob.Store
	FailAt int
	Room   int
	// Short makes a failing call process too few bytes instead of returning an error.
	Short bool

	mu             sync.Mutex
	calls, written int
}

// Calls returns the number of counted calls so far.
func (f *FaultyStore) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Written returns the number of bytes written so far.
func (f *FaultyStore) Written() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.written
}

// countCall counts a call and reports whether it must fail.
func (f *FaultyStore) countCall() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return f.calls-1 == f.FailAt
}

// countBytes counts up to n written bytes. It returns how many of them fit into Room.
func (f *FaultyStore) countBytes(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Room >= 0 {
		n = min(n, f.Room-f.written)
	}
	f.written += n
	return n
}

// Create implements blob.Store.
func (f *FaultyStore) Create(ctx context.Context, key string) (blob.Writer, error) {
	if f.countCall() && !f.Short {
		return nil, ErrFault
	}
	w, err := f.Store.Create(ctx, key)
	return &faultyWriter{w, f}, err
}

// Open implements blob.Store.
func (f *FaultyStore) Open(ctx context.Context, key string) (blob.Reader, error) {
	if f.countCall() && !f.Short {
		return nil, ErrFault
	}
	r, err := f.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return &faultyReader{r, f}, nil
}

type faultyWriter struct {
	blob.Writer
	store *FaultyStore
}

func (w *faultyWriter) Write(b []byte) (int, error) {
	n := len(b)
	if w.store.countCall() {
		n /= 2
	}
	if n = w.store.countBytes(n); n == len(b) {
		return w.Writer.Write(b)
	}
	n, _ = w.Writer.Write(b[:n])
	if w.store.Short {
		return n, nil
	}
	return n, ErrFault
}

func (w *faultyWriter) Commit() error {
	if w.store.countCall() && !w.store.Short {
		return ErrFault
	}
	return w.Writer.Commit()
}

type faultyReader struct {
	blob.Reader
	store *FaultyStore
}

func (r *faultyReader) ReadAt(b []byte, offset int64) (int, error) {
	if !r.store.countCall() {
		return r.Reader.ReadAt(b, offset)
	}
	if !r.store.Short {
		clear(b)
		return len(b), ErrFault // callers must not use the bytes
	}
	return r.Reader.ReadAt(b[:len(b)/2], offset)
}

package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray/server/blob"
)

var errDropped = errors.New("deleted while it was written")

// Memory is a [blob.Store] in memory. It does not limit its size and loses all blobs when the
// process ends. Use NewMemory to create one.
type Memory struct {
	mu      sync.Mutex
	blobs   map[string][]byte
	writers map[*writer]struct{}
	// appending contains the open appenders by key.
	appending map[string]*appender
}

var _ blob.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{blobs: map[string][]byte{}, writers: map[*writer]struct{}{}, appending: map[string]*appender{}}
}

// Keys returns the keys that start with a prefix, sorted.
func (s *Memory) Keys(prefix string) (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.blobs {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Create starts writing a blob.
func (s *Memory) Create(ctx context.Context, key string) (blob.Writer, error) {
	if err := checkKey(ctx, key); err != nil {
		return nil, fmt.Errorf("create a blob: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &writer{store: s, key: key}
	s.writers[w] = struct{}{}
	return w, nil
}

// Open opens a blob for reading.
func (s *Memory) Open(ctx context.Context, key string) (blob.Reader, error) {
	if err := checkKey(ctx, key); err != nil {
		return nil, fmt.Errorf("open a blob: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	content, ok := s.blobs[key]
	if !ok {
		return nil, fmt.Errorf("open blob %s: %w", key, blob.ErrNotFound)
	}
	return reader{bytes.NewReader(content)}, nil
}

// Delete deletes a blob.
func (s *Memory) Delete(ctx context.Context, key string) error {
	if err := checkKey(ctx, key); err != nil {
		return fmt.Errorf("delete a blob: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delete(key)
	return nil
}

// delete deletes a blob. The caller must hold the lock.
func (s *Memory) delete(key string) {
	delete(s.blobs, key)
	if w := s.appending[key]; w != nil {
		w.dropped = true
		delete(s.appending, key)
	}
}

// DeleteAll deletes all blobs whose keys begin with prefix + "/".
func (s *Memory) DeleteAll(ctx context.Context, prefix string) error {
	if err := checkKey(ctx, prefix); err != nil {
		return fmt.Errorf("delete blobs: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.blobs {
		if strings.HasPrefix(key, prefix+"/") {
			s.delete(key)
		}
	}
	for w := range s.writers {
		if strings.HasPrefix(w.key, prefix+"/") {
			w.dropped = true
		}
	}
	return nil
}

// Append opens a blob for writing at its end.
func (s *Memory) Append(ctx context.Context, key string) (blob.Appender, error) {
	if err := checkKey(ctx, key); err != nil {
		return nil, fmt.Errorf("append to a blob: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.appending[key] != nil {
		return nil, fmt.Errorf("append to blob %s: %w", key, blob.ErrInUse)
	}
	if _, exists := s.blobs[key]; !exists {
		s.blobs[key] = nil
	}
	w := &appender{store: s, key: key}
	s.appending[key] = w
	return w, nil
}

// appender adds bytes to a blob. The mutex of the store guards it.
type appender struct {
	store           *Memory
	key             string
	closed, dropped bool
}

// change replaces the content of the blob, unless it was deleted.
func (w *appender) change(replace func(content []byte) []byte) error {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	switch {
	case w.closed:
		return fmt.Errorf("append to blob %s: %w", w.key, fs.ErrClosed)
	case w.dropped:
		return fmt.Errorf("append to blob %s: %w", w.key, errDropped)
	}
	w.store.blobs[w.key] = replace(w.store.blobs[w.key])
	return nil
}

func (w *appender) Write(p []byte) (int, error) {
	// Readers that are open keep the earlier content.
	if err := w.change(func(content []byte) []byte { return append(slices.Clip(content), p...) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *appender) Truncate(size int64) error {
	return w.change(func(content []byte) []byte { return content[:size] })
}

func (w *appender) Sync() error {
	return w.change(func(content []byte) []byte { return content })
}

func (w *appender) content() []byte {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.store.blobs[w.key]
}

func (w *appender) Size() int64 { return int64(len(w.content())) }

func (w *appender) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(w.content()).ReadAt(p, off)
}

func (w *appender) Close() error {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.store.appending[w.key] == w {
		delete(w.store.appending, w.key)
	}
	w.closed = true
	return nil
}

// CheckWritable returns an error only if ctx is done.
func (s *Memory) CheckWritable(ctx context.Context) error { return ctx.Err() }

func checkKey(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !blob.ValidKey(key) {
		return fmt.Errorf("%q is not a blob key", key)
	}
	return nil
}

// writer writes a blob. The mutex of the store guards it.
type writer struct {
	store   *Memory
	key     string
	content bytes.Buffer
	closed  bool
	dropped bool
}

func (w *writer) Write(p []byte) (int, error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if err := w.checkOpen(); err != nil {
		return 0, fmt.Errorf("write blob %s: %w", w.key, err)
	}
	return w.content.Write(p)
}

func (w *writer) Commit() error {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if err := w.checkOpen(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, err)
	}
	w.store.blobs[w.key] = w.content.Bytes()
	w.close()
	return nil
}

func (w *writer) Abort() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.close()
}

func (w *writer) checkOpen() error {
	if w.closed {
		return fs.ErrClosed
	}
	if w.dropped {
		return errDropped
	}
	return nil
}

func (w *writer) close() {
	w.closed = true
	w.content = bytes.Buffer{}
	delete(w.store.writers, w)
}

type reader struct{ *bytes.Reader }

func (reader) Close() error { return nil }

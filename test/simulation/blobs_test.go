package simulation

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
)

// blobs are the blobs that all processes share, with the times when they were committed.
type blobs struct {
	*blobtest.Memory
	mu       sync.Mutex
	modified map[string]time.Time
}

func newBlobs() *blobs { return &blobs{Memory: blobtest.NewMemory(), modified: map[string]time.Time{}} }

// content returns the content of a blob, or nil if it does not exist.
func (b *blobs) content(key string) []byte {
	r, err := b.Open(context.Background(), key)
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		return nil
	}
	return content
}

func (b *blobs) stamp(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.modified[key] = time.Now()
}

// blobStore is the access of one process to the blobs.
type blobStore struct {
	*blobs
	p *process
}

// wait waits until the scheduler lets an operation of an activity proceed.
func (s *blobStore) wait(activity, label string) error {
	switch s.p.w.wait(s.p, activity+": "+label) {
	case fail:
		return errBlob
	case crashed:
		return errCrashed
	}
	return nil
}

func (s *blobStore) Create(ctx context.Context, key string) (blob.Writer, error) {
	if s.p.w.isDead(s.p) {
		return nil, errCrashed
	}
	w, err := s.blobs.Create(ctx, key)
	return &blobWriter{Writer: w, s: s, activity: activityOf(ctx), key: key}, err
}

func (s *blobStore) Append(ctx context.Context, key string) (blob.Appender, error) {
	if err := s.wait(activityOf(ctx), "append "+key); err != nil {
		return nil, err
	}
	w, err := s.blobs.Append(ctx, key)
	if err != nil {
		return nil, err
	}
	s.stamp(key)
	return &appender{w, s, activityOf(ctx)}, nil
}

// appender adds bytes to a blob.
type appender struct {
	blob.Appender
	s        *blobStore
	activity string
}

func (a *appender) Write(p []byte) (int, error) {
	if a.s.p.w.isDead(a.s.p) {
		return 0, errCrashed
	}
	return a.Appender.Write(p)
}

func (a *appender) Sync() error {
	if err := a.s.wait(a.activity, "sync"); err != nil {
		return err
	}
	return a.Appender.Sync()
}

func (s *blobStore) Open(ctx context.Context, key string) (blob.Reader, error) {
	if err := s.wait(activityOf(ctx), "open "+key); err != nil {
		return nil, err
	}
	return s.blobs.Open(ctx, key)
}

func (s *blobStore) Delete(ctx context.Context, key string) error {
	if err := s.wait(activityOf(ctx), "delete "+key); err != nil {
		return err
	}
	s.p.w.checkDeletion(ctx, s.p, func(other string) bool { return other == key })
	return s.blobs.Delete(ctx, key)
}

func (s *blobStore) DeleteAll(ctx context.Context, prefix string) error {
	if err := s.wait(activityOf(ctx), "delete all "+prefix); err != nil {
		return err
	}
	s.p.w.checkDeletion(ctx, s.p, func(other string) bool { return strings.HasPrefix(other, prefix+"/") })
	return s.blobs.DeleteAll(ctx, prefix)
}

// List implements blob.Lister.
func (s *blobStore) List(context.Context) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		for _, key := range s.Keys("") {
			s.mu.Lock()
			modified := s.modified[key]
			s.mu.Unlock()
			if !yield(blob.Entry{Key: key, Size: int64(len(s.content(key))), Modified: modified}, nil) {
				return
			}
		}
	}
}

// blobWriter writes a blob. It keeps a copy of the content to compare it with the blob that it replaces.
type blobWriter struct {
	blob.Writer
	s             *blobStore
	activity, key string
	copy          bytes.Buffer
}

func (w *blobWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.copy.Write(p[:n])
	return n, err
}

func (w *blobWriter) Commit() error {
	if err := w.s.wait(w.activity, "commit "+w.key); err != nil {
		return err
	}
	w.s.p.w.checkReplacement(w.s.p, w.key, w.copy.Bytes())
	err := w.Writer.Commit()
	if err == nil {
		w.s.stamp(w.key)
	}
	return err
}

package servertest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
)

// Blobs is a blob store in memory whose calls can be made to fail.
type Blobs struct {
	*blobtest.Memory
	faults *Faults

	mu sync.Mutex
	// keys contains the keys of the finished blobs.
	keys  map[string]bool
	onUse func(ctx context.Context, use, key string) error
	room  int
}

func newBlobs(faults *Faults) *Blobs {
	return &Blobs{Memory: blobtest.NewMemory(), faults: faults, keys: map[string]bool{}, room: -1}
}

// OnUse sets a function that is called before each use of a key. The use is
// "create", "append", "open" or "delete". If the function returns an error, the use fails
// with it. If function is nil, nothing is called.
func (b *Blobs) OnUse(function func(ctx context.Context, use, key string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.onUse = function
}

// LimitSize makes writes fail as on a full disk if they would add more than size
// bytes to a blob. -1 means no limit.
func (b *Blobs) LimitSize(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = size
}

// Keys returns the keys of the finished blobs that begin with prefix, in sorted order.
func (b *Blobs) Keys(prefix string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for key := range b.keys {
		if strings.HasPrefix(key, prefix) {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

// Content returns the content of a blob.
func (b *Blobs) Content(t testing.TB, key string) string {
	t.Helper()
	r, err := b.Memory.Open(t.Context(), key)
	Must(t, err)
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	Must(t, err)
	return string(content)
}

func (b *Blobs) use(ctx context.Context, use, key string) error {
	b.mu.Lock()
	function := b.onUse
	b.mu.Unlock()
	if function != nil {
		if err := function(ctx, use, key); err != nil {
			return err
		}
	}
	return b.faults.Use("Blobs." + use)
}

// Create begins a new blob.
func (b *Blobs) Create(ctx context.Context, key string) (blob.Writer, error) {
	if err := b.use(ctx, "create", key); err != nil {
		return nil, err
	}
	w, err := b.Memory.Create(ctx, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	return &blobWriter{Writer: w, blobs: b, key: key, room: b.room}, err
}

// Append opens a blob for writing at its end.
func (b *Blobs) Append(ctx context.Context, key string) (blob.Appender, error) {
	if err := b.use(ctx, "append", key); err != nil {
		return nil, err
	}
	w, err := b.Memory.Append(ctx, key)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keys[key] = true
	return &blobAppender{Appender: w, faults: b.faults, room: b.room}, nil
}

// Open opens a blob for reading.
func (b *Blobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	if err := b.use(ctx, "open", key); err != nil {
		return nil, err
	}
	r, err := b.Memory.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return blobReader{r, b.faults}, nil
}

// OpenVersion opens a blob with an ETag for reading.
func (b *Blobs) OpenVersion(ctx context.Context, key, etag string) (blob.Reader, error) {
	if err := b.use(ctx, "open", key); err != nil {
		return nil, err
	}
	r, err := b.Memory.OpenVersion(ctx, key, etag)
	if err != nil {
		return nil, err
	}
	return blobReader{r, b.faults}, nil
}

// SendPresigned executes a request from PresignPut.
func (b *Blobs) SendPresigned(put blob.PresignedPut, body []byte) (etag string) {
	if etag = b.Memory.SendPresigned(put, body); etag != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		key := strings.TrimPrefix(strings.SplitN(put.URL, "?", 2)[0], "https://bucket.test/")
		b.keys[key] = true
	}
	return etag
}

// Delete deletes a blob.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if err := b.use(ctx, "delete", key); err != nil {
		return err
	}
	b.removeKeys(func(k string) bool { return k == key })
	return b.Memory.Delete(ctx, key)
}

// DeleteAll deletes all blobs whose keys begin with prefix and "/".
func (b *Blobs) DeleteAll(ctx context.Context, prefix string) error {
	if err := b.use(ctx, "delete", prefix); err != nil {
		return err
	}
	b.removeKeys(func(k string) bool { return strings.HasPrefix(k, prefix+"/") })
	return b.Memory.DeleteAll(ctx, prefix)
}

func (b *Blobs) removeKeys(selected func(key string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.keys {
		if selected(key) {
			delete(b.keys, key)
		}
	}
}

type blobWriter struct {
	blob.Writer
	blobs *Blobs
	key   string
	// room is the number of bytes that can still be written. -1 means no limit.
	room int
}

func (w *blobWriter) Write(p []byte) (int, error) {
	if err := w.blobs.faults.Use("Blobs.write"); err != nil {
		return 0, err
	}
	if w.room >= 0 {
		if len(p) > w.room {
			return 0, fmt.Errorf("write a blob: %w", syscall.ENOSPC)
		}
		w.room -= len(p)
	}
	return w.Writer.Write(p)
}

func (w *blobWriter) Commit() error {
	if err := w.blobs.faults.Use("Blobs.commit"); err != nil {
		return err
	}
	if err := w.Writer.Commit(); err != nil {
		return err
	}
	w.blobs.mu.Lock()
	defer w.blobs.mu.Unlock()
	w.blobs.keys[w.key] = true
	return nil
}

type blobAppender struct {
	blob.Appender
	faults *Faults
	// room is the maximum size of the blob in bytes. -1 means no limit.
	room int
}

func (w *blobAppender) Write(p []byte) (int, error) {
	if err := w.faults.Use("Blobs.write"); err != nil {
		return 0, err
	}
	if w.room >= 0 && w.Size()+int64(len(p)) > int64(w.room) {
		return 0, fmt.Errorf("append to a blob: %w", syscall.ENOSPC)
	}
	return w.Appender.Write(p)
}

func (w *blobAppender) Sync() error {
	if err := w.faults.Use("Blobs.sync"); err != nil {
		return err
	}
	return w.Appender.Sync()
}

type blobReader struct {
	blob.Reader
	faults *Faults
}

func (r blobReader) ReadAt(p []byte, off int64) (int, error) {
	return Get(r.faults, "Blobs.read", func() (int, error) { return r.Reader.ReadAt(p, off) })
}

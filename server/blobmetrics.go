package server

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/intraydata/intray/server/blob"
)

// blobOperations are the values of the label operation of blob errors.
var blobOperations = []string{"create", "write", "open", "read", "delete", "list", "check"}

// observedBlobs is a blob store that counts errors. Answers such as blob.ErrNotFound are no errors.
type observedBlobs struct {
	closableBlobs
	errors *prometheus.CounterVec
}

var (
	_ blob.Batcher = observedBlobs{}
	_ blob.Lister  = observedBlobs{}
)

// observeBlobs returns the store, with its errors added to the metrics.
func (m *metrics) observeBlobs(store closableBlobs) closableBlobs {
	failures := presetCounter(prometheus.CounterOpts{
		Name: "intray_blob_errors_total", Help: "Errors of the file storage, by operation.",
	}, "operation", blobOperations)
	m.registry.MustRegister(failures)
	return observedBlobs{store, failures}
}

func (b observedBlobs) count(operation string, err error) error {
	for _, expected := range []error{nil, io.EOF, context.Canceled, blob.ErrNotFound, blob.ErrInUse, blob.ErrOtherVersion} {
		if errors.Is(err, expected) {
			return err
		}
	}
	b.errors.WithLabelValues(operation).Inc()
	return err
}

func (b observedBlobs) Create(ctx context.Context, key string) (blob.Writer, error) {
	return b.createIn(ctx, b.closableBlobs, key)
}

func (b observedBlobs) createIn(ctx context.Context, store blob.Store, key string) (blob.Writer, error) {
	w, err := store.Create(ctx, key)
	if b.count("create", err) != nil {
		return nil, err
	}
	return observedWriter{w, b}, nil
}

func (b observedBlobs) Append(ctx context.Context, key string) (blob.Appender, error) {
	w, err := b.closableBlobs.Append(ctx, key)
	if b.count("create", err) != nil {
		return nil, err
	}
	return observedAppender{w, b}, nil
}

func (b observedBlobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	r, err := b.closableBlobs.Open(ctx, key)
	if b.count("open", err) != nil {
		return nil, err
	}
	return observedReader{r, b}, nil
}

func (b observedBlobs) Delete(ctx context.Context, key string) error {
	return b.count("delete", b.closableBlobs.Delete(ctx, key))
}

func (b observedBlobs) DeleteAll(ctx context.Context, prefix string) error {
	return b.count("delete", b.closableBlobs.DeleteAll(ctx, prefix))
}

func (b observedBlobs) CheckWritable(ctx context.Context) error {
	return b.count("check", b.closableBlobs.CheckWritable(ctx))
}

// Batch implements [blob.Batcher].
func (b observedBlobs) Batch() (blob.Store, func() error) {
	batch, flush := blob.Batch(b.closableBlobs)
	return observedBatch{b, batch}, func() error { return b.count("write", flush()) }
}

// List implements [blob.Lister]. If the store cannot list its blobs, List yields an error.
func (b observedBlobs) List(ctx context.Context) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		lister, ok := b.closableBlobs.(blob.Lister)
		if !ok {
			yield(blob.Entry{}, errors.New("the store of files cannot list them"))
			return
		}
		for entry, err := range lister.List(ctx) {
			if !yield(entry, b.count("list", err)) {
				return
			}
		}
	}
}

// observedBatch is a batch of an observed store.
type observedBatch struct {
	observedBlobs
	batch blob.Store
}

func (b observedBatch) Create(ctx context.Context, key string) (blob.Writer, error) {
	return b.createIn(ctx, b.batch, key)
}

// observedWriter, observedAppender and observedReader count the errors of open blobs.
type observedWriter struct {
	blob.Writer
	blobs observedBlobs
}

func (w observedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, w.blobs.count("write", err)
}

func (w observedWriter) Commit() error { return w.blobs.count("write", w.Writer.Commit()) }

type observedAppender struct {
	blob.Appender
	blobs observedBlobs
}

func (a observedAppender) Write(p []byte) (int, error) {
	n, err := a.Appender.Write(p)
	return n, a.blobs.count("write", err)
}

func (a observedAppender) Sync() error { return a.blobs.count("write", a.Appender.Sync()) }

type observedReader struct {
	blob.Reader
	blobs observedBlobs
}

func (r observedReader) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.Reader.ReadAt(p, offset)
	return n, r.blobs.count("read", err)
}

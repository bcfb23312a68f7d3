package s3

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

// segment is a part of a blob that was written in several steps.
type segment struct {
	name, etag  string
	start, size int64
}

func (s segment) equal(other segment) bool {
	const quotes = `"`
	return s.name == other.name && s.size == other.size && strings.Trim(s.etag, quotes) == strings.Trim(other.etag, quotes)
}

// endOf returns the size of a blob.
func endOf(list []segment) int64 {
	if len(list) == 0 {
		return 0
	}
	last := list[len(list)-1]
	return last.start + last.size
}

func segmentName(name string, start int64) string {
	return fmt.Sprintf("%s%s%016x", name, segments, start)
}

// listSegments returns the segments of a blob, in order. Segments after a gap are left over from a
// deleted blob and are ignored.
func (s *Store) listSegments(ctx context.Context, name string) (list []segment, err error) {
	for page, err := range s.pages(ctx, name+segments) {
		if err != nil {
			return nil, err
		}
		for _, object := range page {
			start, err := strconv.ParseInt(strings.TrimPrefix(aws.ToString(object.Key), name+segments), 16, 64)
			if err != nil || start != endOf(list) {
				return list, nil
			}
			if len(list) > 0 && list[len(list)-1].size == 0 {
				return list, nil
			}
			list = append(list, segment{aws.ToString(object.Key), aws.ToString(object.ETag), start, aws.ToInt64(object.Size)})
		}
	}
	return list, nil
}

// Append opens a blob for writing at its end. It returns ErrInUse if this process is already
// writing it. If another process is writing it, one of the two gets ErrInUse when it stores bytes.
func (s *Store) Append(ctx context.Context, key string) (blob.Appender, error) {
	name, err := s.object(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("append to a blob: %w", err)
	}
	w := &appender{Blob: unfinished.Blob{Key: key, Visible: true}, store: s, name: name, author: rand.Text()}
	if !s.open.Add(&w.Blob, true) {
		return nil, fmt.Errorf("append to blob %s: %w", key, blob.ErrInUse)
	}
	list, err := s.listSegments(ctx, name)
	if err != nil {
		s.open.Close(&w.Blob)
		return nil, fmt.Errorf("append to blob %s: %w", key, err)
	}
	w.change(list)
	w.others = len(list)
	w.begin, w.end = calls(ctx)
	return w, nil
}

// appender writes segments. It buffers one part.
type appender struct {
	unfinished.Blob
	store  *Store
	name   string
	author string
	// begin begins a request, and end ends all requests.
	begin func() (context.Context, context.CancelFunc)
	end   func()
	// list are the segments. Other appenders wrote the first ones, whose number is others.
	list   []segment
	others int
	// failed is the reason why nothing more can be written: ErrInUse if another process has
	// continued the blob, or the error of the request that was to store a segment. The segment
	// unsure may be stored then.
	failed error
	unsure *segment
	// stored reads the segments. It is nil if the blob has no segment.
	stored *reader
	// pending are the bytes after the last segment.
	pending []byte
}

var _ blob.Appender = (*appender)(nil)

func (w *appender) Size() int64 { return endOf(w.list) + int64(len(w.pending)) }

func (w *appender) Write(p []byte) (written int, err error) {
	if err := cmp.Or(w.Err(), w.failed); err != nil {
		return 0, fmt.Errorf("append to blob %s: %w", w.Key, err)
	}
	for len(p) > 0 {
		n := min(len(p), w.store.partBytes-len(w.pending))
		w.pending = append(w.pending, p[:n]...)
		written, p = written+n, p[n:]
		if len(w.pending) == w.store.partBytes {
			if err := w.storePending(); err != nil {
				w.pending = w.pending[:len(w.pending)-n]
				return written - n, fmt.Errorf("append to blob %s: %w", w.Key, err)
			}
		}
	}
	return written, nil
}

// storePending stores the pending bytes as a segment. After an error, it is not called again: a
// process that has lost the blob must not change it, and otherwise it is unknown what is stored.
func (w *appender) storePending() error {
	if w.failed != nil {
		return w.failed
	}
	at := segment{start: endOf(w.list), size: int64(len(w.pending))}
	at.name = segmentName(w.name, at.start)
	condition := func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }
	if n := len(w.list); n > 0 && w.list[n-1].size == 0 { // the blob was stored without content
		if at.size == 0 {
			return nil
		}
		condition = func(in *s3.PutObjectInput) { in.IfMatch = &w.list[n-1].etag }
	}
	ctx, cancel := w.begin()
	defer cancel()
	var err error
	at.etag, err = w.store.put(ctx, at.name, w.pending, w.author, condition)
	switch {
	case isConflict(err):
		w.failed = blob.ErrInUse
		return w.failed
	case err != nil:
		w.failed, w.unsure = err, &at
		return err
	}
	w.pending = nil
	w.add(at)
	if w.Dropped() { // the deletion may have missed the segment
		return w.drop(ctx)
	}
	return nil
}

// add adds a segment that this appender has stored. It replaces an empty one.
func (w *appender) add(at segment) {
	list := w.list
	if n := len(list); n > 0 && list[n-1].size == 0 {
		list = list[:n-1]
	}
	w.others = min(w.others, len(list))
	w.change(append(list, at))
}

// change sets the segments of the blob.
func (w *appender) change(list []segment) {
	w.list = list
	if w.stored != nil {
		_ = w.stored.Close()
	}
	w.stored = nil
	if len(list) > 0 {
		w.stored = w.store.newReader(context.Background(), list)
	}
}

// Sync stores the pending bytes and checks that no other process has deleted or continued the blob.
func (w *appender) Sync() error {
	err := cmp.Or(w.Err(), w.failed)
	if err == nil && (len(w.pending) > 0 || len(w.list) == 0) {
		err = w.storePending()
	}
	if err == nil {
		ctx, cancel := w.begin()
		defer cancel()
		err = w.checkStored(ctx)
	}
	if err != nil {
		return fmt.Errorf("flush blob %s: %w", w.Key, err)
	}
	return nil
}

// checkStored compares the segments with those in the store. It returns ErrInUse if another process
// has continued the blob, and ErrDropped if some are missing, because the blob was deleted.
func (w *appender) checkStored(ctx context.Context) error {
	list, err := w.store.listSegments(ctx, w.name)
	if err != nil {
		return err
	}
	for i, known := range w.list {
		switch {
		case w.Dropped() || i >= len(list):
			return w.drop(ctx)
		case known.size == 0 && list[i].size > 0: // another process has replaced the empty segment
			w.failed = blob.ErrInUse
		case !known.equal(list[i]):
			return w.drop(ctx)
		}
	}
	if len(list) > len(w.list) {
		w.failed = blob.ErrInUse
	}
	if errors.Is(w.failed, blob.ErrInUse) {
		return w.failed
	}
	return nil
}

// drop deletes the segments that this appender has stored, because the blob was deleted. Those of
// others are left to them and to the process that deletes the blob. It returns ErrDropped.
func (w *appender) drop(ctx context.Context) error {
	w.Drop()
	dropped := unfinished.ErrDropped
	for _, own := range slices.Backward(w.list[w.others:]) {
		etag, err := w.store.writtenBy(ctx, own.name, w.author)
		if err == nil && etag != "" {
			_, err = w.store.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.store.bucket, Key: &own.name})
		}
		if err != nil && !isNotFound(err) {
			return errors.Join(dropped, err)
		}
	}
	return dropped
}

func (w *appender) Truncate(size int64) error {
	err := w.Err()
	if err == nil && errors.Is(w.failed, blob.ErrInUse) {
		err = w.failed
	}
	if err == nil {
		err = w.truncate(size)
	}
	if err != nil {
		return fmt.Errorf("truncate blob %s: %w", w.Key, err)
	}
	return nil
}

// truncate deletes segments from the end, so that a crash leaves no gap, and then shortens the last
// one. It deletes nothing if another process has continued the blob.
func (w *appender) truncate(size int64) error {
	ctx, cancel := w.begin()
	defer cancel()
	if err := w.settle(ctx); err != nil {
		return err
	}
	if stored := endOf(w.list); size >= stored {
		w.pending = w.pending[:min(size-stored, int64(len(w.pending)))]
		return nil
	}
	if err := w.checkStored(ctx); err != nil {
		return err
	}
	w.pending = nil
	for endOf(w.list) > size {
		last := w.list[len(w.list)-1]
		rest := make([]byte, max(size-last.start, 0))
		if _, err := w.ReadAt(rest, last.start); err != nil {
			return err
		}
		if _, err := w.store.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.store.bucket, Key: &last.name}); err != nil && !isNotFound(err) {
			return err
		}
		w.change(w.list[:len(w.list)-1])
		w.others = min(w.others, len(w.list))
		w.pending = rest
	}
	return nil
}

// settle finds out whether the request that failed has stored its segment.
func (w *appender) settle(ctx context.Context) error {
	if w.unsure == nil {
		return nil
	}
	etag, err := w.store.writtenBy(ctx, w.unsure.name, w.author)
	if err != nil {
		return err
	}
	if etag != "" {
		w.unsure.etag = etag
		w.pending = nil // the segment contains these bytes
		w.add(*w.unsure)
	}
	w.unsure = nil
	return nil
}

// ReadAt reads stored and pending bytes.
func (w *appender) ReadAt(p []byte, offset int64) (n int, err error) {
	stored := endOf(w.list)
	if offset < stored {
		if n, err = w.stored.ReadAt(p[:min(int64(len(p)), stored-offset)], offset); err != nil {
			return n, err
		}
	}
	if n < len(p) {
		from := offset + int64(n) - stored
		if from < int64(len(w.pending)) {
			n += copy(p[n:], w.pending[from:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close stores the pending bytes, unless nothing more can be written.
func (w *appender) Close() error {
	err := w.failed
	if w.Err() == nil && len(w.pending) > 0 {
		err = w.storePending()
	}
	if !w.store.open.Close(&w.Blob) {
		return nil
	}
	w.end()
	if w.stored != nil {
		_ = w.stored.Close()
	}
	if err != nil {
		return fmt.Errorf("close blob %s: %w", w.Key, err)
	}
	return nil
}

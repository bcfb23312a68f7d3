package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/intraydata/intray/server/blob"
)

const (
	// tailBytes is the size of the end of an object that Open reads. It contains the footer of a
	// staged file, or the whole of a small object.
	tailBytes = 64 << 10
	// minRead is the minimum size of a read, and maxAhead the maximum size of one that follows the
	// previous one. Larger reads are not cached.
	minRead, maxAhead = 64 << 10, 4 << 20
	// windows is the number of parts of a blob that a reader keeps in memory.
	windows = 3
	// readAttempts is the maximum number of attempts of a read whose response is cut short.
	readAttempts = 8
)

// Open opens a blob for reading. It reads the end of the object, and learns the size from the
// response.
func (s *Store) Open(ctx context.Context, key string) (blob.Reader, error) {
	name, err := s.object(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open a blob: %w", err)
	}
	r, err := s.openObject(ctx, name)
	if isNotFound(err) {
		return s.openSegments(ctx, key, name)
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	return r, nil
}

func (s *Store) openObject(ctx context.Context, name string) (*reader, error) {
	begin, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		out, err := s.client.GetObject(begin, &s3.GetObjectInput{Bucket: &s.bucket, Key: &name, Range: aws.String(fmt.Sprintf("bytes=-%d", tailBytes))})
		if hasCode(err, "InvalidRange") { // the object is empty
			head, err := s.client.HeadObject(begin, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &name})
			if err != nil {
				return nil, err
			}
			return s.newReader(ctx, []segment{{name: name, etag: aws.ToString(head.ETag), size: aws.ToInt64(head.ContentLength)}}), nil
		}
		if err != nil {
			return nil, err
		}
		size := aws.ToInt64(out.ContentLength)
		if _, total, ok := strings.Cut(aws.ToString(out.ContentRange), "/"); ok {
			if size, err = strconv.ParseInt(total, 10, 64); err != nil {
				return nil, errors.Join(fmt.Errorf("the store returned the range %q", aws.ToString(out.ContentRange)), out.Body.Close())
			}
		}
		tail, err := io.ReadAll(io.LimitReader(out.Body, tailBytes+1))
		if err = errors.Join(err, out.Body.Close()); err == nil && int64(len(tail)) != min(size, tailBytes) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			if attempt == readAttempts || begin.Err() != nil {
				return nil, wrapUnavailable(err)
			}
			continue
		}
		r := s.newReader(ctx, []segment{{name: name, etag: aws.ToString(out.ETag), size: size}})
		r.kept = append(r.kept, window{start: size - int64(len(tail)), content: tail})
		return r, nil
	}
}

// openSegments opens a blob that consists of segments.
func (s *Store) openSegments(ctx context.Context, key, name string) (blob.Reader, error) {
	list, err := s.listSegments(ctx, name)
	if err == nil && len(list) == 0 {
		err = blob.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	return s.newReader(ctx, list), nil
}

// newReader returns a reader of a blob that consists of the given objects. There must be at least one.
func (s *Store) newReader(ctx context.Context, list []segment) *reader {
	r := &reader{store: s, list: list, size: endOf(list)}
	r.begin, r.end = calls(ctx)
	return r
}

// reader reads objects, with the ETags that they had when they were opened, as one blob.
type reader struct {
	store *Store
	list  []segment
	size  int64
	// begin begins a request, and end ends all requests.
	begin  func() (context.Context, context.CancelFunc)
	end    func()
	closed atomic.Bool

	mu sync.Mutex
	// kept are the parts of the blob in memory. The first is the end of the blob, and the last is
	// the one that was used last.
	kept []window
	// next is the position after the last read, and ahead the size of a read that starts there.
	next, ahead int64
}

// window is a part of a blob.
type window struct {
	start   int64
	content []byte
}

var _ blob.Reader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }

// Close ends reads in progress.
func (r *reader) Close() error {
	r.closed.Store(true)
	r.end()
	return nil
}

// ReadAt makes at most one request for each object that contains some of the bytes, unless a
// response is cut short.
func (r *reader) ReadAt(p []byte, offset int64) (int, error) {
	if r.closed.Load() {
		return 0, fmt.Errorf("read blob %s: %w", r.list[0].name, fs.ErrClosed)
	}
	if offset < 0 {
		return 0, fmt.Errorf("read blob %s: negative offset", r.list[0].name)
	}
	want := p[:max(min(int64(len(p)), r.size-offset), 0)]
	n := 0
	for n < len(want) {
		got, err := r.readSome(want[n:], offset+int64(n))
		n += got
		if err != nil {
			return n, fmt.Errorf("read blob %s: %w", r.list[0].name, err)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readSome reads at least one byte from memory or from the store, or returns an error.
func (r *reader) readSome(p []byte, offset int64) (int, error) {
	n, length := r.fromMemory(p, offset)
	if n > 0 {
		return n, nil
	}
	if length <= int64(len(p)) && len(p) >= maxAhead/2 {
		return r.fetch(p[:length], offset)
	}
	content := make([]byte, length)
	n, err := r.fetch(content, offset)
	if err != nil {
		return copy(p, content[:n]), err
	}
	r.keep(window{offset, content})
	return copy(p, content), nil
}

// fromMemory copies bytes that are in memory. Otherwise, it returns how many to read from the store.
func (r *reader) fromMemory(p []byte, offset int64) (n int, length int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.size
	for i, w := range r.kept {
		if offset >= w.start && offset < w.start+int64(len(w.content)) {
			n = copy(p, w.content[offset-w.start:])
			if i > 0 {
				r.kept = append(slices.Delete(r.kept, i, i+1), w)
			}
			r.next = max(r.next, offset+int64(n))
			return n, 0
		}
		if w.start > offset {
			end = min(end, w.start) // what follows is in memory already
		}
	}
	if offset == r.next && offset > 0 {
		r.ahead = min(max(2*r.ahead, minRead), maxAhead)
	} else {
		r.ahead = minRead
	}
	length = min(max(int64(len(p)), r.ahead), end-offset)
	r.next = offset + min(int64(len(p)), length)
	return 0, length
}

func (r *reader) keep(w window) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) > windows {
		r.kept = slices.Delete(r.kept, 1, 2)
	}
	r.kept = append(r.kept, w)
	if len(r.kept) == 1 { // the blob was opened without reading its end
		r.kept = slices.Insert(r.kept, 0, window{start: r.size})
	}
}

// fetch reads len(p) bytes from the store. If it returns an error, it has read the first n bytes.
func (r *reader) fetch(p []byte, offset int64) (n int, err error) {
	ctx, cancel := r.begin()
	defer cancel()
	for n < len(p) {
		at := offset + int64(n)
		i, found := slices.BinarySearchFunc(r.list, at, func(s segment, at int64) int { return cmp.Compare(s.start, at) })
		if !found {
			i--
		}
		from := at - r.list[i].start
		got, err := r.fetchFrom(ctx, r.list[i], p[n:min(int64(len(p)), int64(n)+r.list[i].size-from)], from)
		n += got
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// fetchFrom reads len(p) bytes of an object. If it returns an error, it has read the first n bytes.
// The client retries failed requests. fetchFrom continues after responses that are cut short.
func (r *reader) fetchFrom(ctx context.Context, object segment, p []byte, offset int64) (n int, err error) {
	for attempt := 1; ; attempt++ {
		from := offset + int64(n)
		out, err := r.store.client.GetObject(ctx, &s3.GetObjectInput{
			Bucket: &r.store.bucket, Key: &object.name, IfMatch: &object.etag, Range: aws.String(fmt.Sprintf("bytes=%d-%d", from, offset+int64(len(p))-1)),
		})
		if isNotFound(err) {
			return n, blob.ErrNotFound
		}
		if err != nil {
			return n, err
		}
		got, err := io.ReadFull(out.Body, p[n:])
		_ = out.Body.Close()
		if n += got; n == len(p) {
			return n, nil
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // this is not the end of the blob
		}
		if attempt == readAttempts || ctx.Err() != nil {
			return n, wrapUnavailable(err)
		}
	}
}

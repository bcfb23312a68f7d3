package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/test/s3test"
)

func TestConformance(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	blobtest.Run(t, func(t *testing.T) blob.Store { return open(t, bucket(t, server)) })
}

func TestSharedConformance(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	blobtest.RunShared(t, func(t *testing.T) (first, second blob.Store) {
		address := bucket(t, server)
		return open(t, address), open(t, address)
	})
}

// startBehindProxy starts a server that the stores of the test reach through a proxy, which counts the
// requests and causes faults.
func startBehindProxy(t *testing.T, faults s3test.Faults) (*s3test.Server, *s3test.Proxy) {
	t.Helper()
	server := s3test.Start(t)
	server.SetEnv(t)
	proxy := s3test.NewProxy(t, server, faults)
	t.Setenv("AWS_ENDPOINT_URL_S3", proxy.URL)
	return server, proxy
}

// TestConformanceBehindFaults runs the suite while 20 % of the requests fail or are cut short.
func TestConformanceBehindFaults(t *testing.T) {
	server, faults := startBehindProxy(t, s3test.Faults{Refused: 0.07, Lost: 0.07, Truncated: 0.07, Slow: 0.02})
	blobtest.Run(t, func(t *testing.T) blob.Store { return open(t, bucket(t, server)+"/some/prefix") })
	if faults.Failed.Load() < 50 {
		t.Errorf("only %d requests failed", faults.Failed.Load())
	}
}

func open(t *testing.T, address string) *s3.Store {
	t.Helper()
	s, err := s3.Open(t.Context(), address, s3.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func bucket(t *testing.T, server *s3test.Server) string {
	t.Helper()
	address, _ := server.Bucket(t)
	return address
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, s *s3.Store, key string, content []byte) {
	t.Helper()
	w, err := s.Create(t.Context(), key)
	must(t, err)
	defer w.Abort()
	// Writes of any size, so that some end within a part.
	for rest := content; len(rest) > 0; {
		n := min(len(rest), 1_000_003)
		_, err := w.Write(rest[:n])
		must(t, err)
		rest = rest[n:]
	}
	must(t, w.Commit())
}

func read(t *testing.T, s *s3.Store, key string) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	must(t, err)
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	must(t, err)
	return content
}

func noise(size int) []byte {
	content := make([]byte, size)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(content)
	return content
}

// TestLargeBlobs writes blobs of several parts, and reads them in order and at random positions.
func TestLargeBlobs(t *testing.T) {
	server, _ := startBehindProxy(t, s3test.Failing(0.1))
	s := open(t, bucket(t, server))
	content := noise(20<<20 + 17)
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 8 << 20, 8<<20 + 1, len(content)} {
		put(t, s, "large", content[:size])
		if got := read(t, s, "large"); !bytes.Equal(got, content[:size]) {
			t.Fatalf("%d bytes were written, and %d others read", size, len(got))
		}
	}
	r, err := s.Open(t.Context(), "large")
	must(t, err)
	defer func() { _ = r.Close() }()
	for range 60 {
		from, size := rand.IntN(len(content)), rand.IntN(1<<(10+rand.IntN(13)))
		got := make([]byte, size)
		n, err := r.ReadAt(got, int64(from))
		want := content[from:min(from+size, len(content))]
		if !bytes.Equal(got[:n], want) || (err != nil) != (len(want) < size) || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("%d bytes at %d: %d bytes, %v", size, from, n, err)
		}
	}
}

// TestRequests counts the requests of common calls.
func TestRequests(t *testing.T) {
	server, counter := startBehindProxy(t, s3test.Faults{})
	s := open(t, bucket(t, server))
	content := noise(3 << 20)
	var r blob.Reader
	readAt := func(from, size int) func() {
		return func() {
			got := make([]byte, size)
			if _, err := r.ReadAt(got, int64(from)); err != nil || !bytes.Equal(got, content[from:from+size]) {
				t.Fatalf("ReadAt(%d): %v", from, err)
			}
		}
	}
	for _, call := range []struct {
		name string
		want int64
		do   func()
	}{
		{"write a small blob", 1, func() { put(t, s, "a/small", content[:1000]) }},
		{"write a blob of two parts", 4, func() { put(t, s, "a/large", append(slices.Clone(content), make([]byte, 6<<20)...)) }},
		{"read a small blob", 1, func() { read(t, s, "a/small") }},
		{"open a large blob", 1, func() {
			put(t, s, "a/b", content)
			counter.Requests.Store(0)
			var err error
			r, err = s.Open(t.Context(), "a/b")
			must(t, err)
		}},
		{"read its end", 0, readAt(len(content)-60_000, 60_000)},
		{"read a megabyte", 1, readAt(100_000, 1<<20)},
		{"read it again", 0, readAt(100_000, 1<<20)},
		{"delete all", 3, func() { must(t, s.DeleteAll(t.Context(), "a")) }},
	} {
		counter.Requests.Store(0)
		call.do()
		if got := counter.Requests.Load(); got != call.want {
			t.Errorf("%s: %d requests, want %d", call.name, got, call.want)
		}
	}
	_ = r.Close()
}

// TestTwoProcesses lets two processes append to one blob. Each byte is stored once.
func TestTwoProcesses(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	address := bucket(t, server)
	first, second := open(t, address), open(t, address)
	a, err := first.Append(t.Context(), "up")
	must(t, err)
	b, err := second.Append(t.Context(), "up")
	must(t, err)
	_, err = a.Write([]byte("first"))
	must(t, errors.Join(err, a.Sync()))
	_, err = b.Write([]byte("second"))
	must(t, err)
	if err := b.Sync(); !errors.Is(err, blob.ErrInUse) {
		t.Errorf("the second process stored bytes at the same offset: %v", err)
	}
	if got := read(t, second, "up"); string(got) != "first" {
		t.Errorf("the blob is %q", got)
	}
	// A deletion by another process is noticed.
	must(t, second.Delete(t.Context(), "up"))
	_, err = a.Write([]byte(" more"))
	if err == nil {
		err = a.Sync()
	}
	if err == nil {
		t.Error("bytes were appended to a deleted blob")
	}
	if _, err := first.Open(t.Context(), "up"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the deleted blob: %v", err)
	}
}

// TestList checks that blobs in one object and in segments are listed once.
func TestList(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s := open(t, bucket(t, server)+"/prefix")
	put(t, s, "a/b", []byte("one"))
	w, err := s.Append(t.Context(), "a/c")
	must(t, err)
	for range 3 {
		_, err := w.Write([]byte("four"))
		must(t, errors.Join(err, w.Sync()))
	}
	must(t, w.Close())
	put(t, s, "b", nil)
	var got []string
	for entry, err := range s.List(t.Context()) {
		must(t, err)
		got = append(got, fmt.Sprint(entry.Key, " ", entry.Size))
		if entry.Modified.IsZero() {
			t.Errorf("%s has no time", entry.Key)
		}
	}
	if slices.Sort(got); strings.Join(got, ", ") != "a/b 3, a/c 12, b 0" {
		t.Errorf("the list is %q", got)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"s3://bucket": "bucket ", "s3://bucket/": "bucket ", "s3://b/a/c": "b a/c/", "s3://b/a/c/": "b a/c/",
		"": "", "s3:bucket": "", "s3:///a": "", "https://b/a": "", "s3://user@b": "", "s3://b?x=1": "", "s3://b/Ä": "", "s3://b/../c": "", "s3://b:80": "",
	} {
		bucket, prefix, err := s3.ParseURL(address)
		if got := bucket + " " + prefix; (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %q, %v, want %q", address, got, err, want)
		}
	}
	for _, address := range []string{"s3://key:secret@bucket", "s3://key:se/cret@bucket", "s3://key:/secret@bucket", "s3://bucket?secret", "s3://bucket#secret"} {
		if _, _, err := s3.ParseURL(address); !errors.Is(err, s3.ErrConfig) || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: %v, want ErrConfig without the secret", address, err)
		}
	}
}

// TestUnavailable checks that all calls return ErrUnavailable while the store is down, and that
// they then work again.
func TestUnavailable(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s, err := s3.Open(t.Context(), bucket(t, server), s3.Config{Attempts: 2})
	must(t, err)
	put(t, s, "some/blob", noise(200<<10))
	r, err := s.Open(t.Context(), "some/blob")
	must(t, err)
	defer func() { _ = r.Close() }()
	w, err := s.Create(t.Context(), "other/blob")
	must(t, err)
	server.Kill()
	calls := map[string]func() error{
		"open":           func() error { _, err := s.Open(t.Context(), "some/blob"); return err },
		"read":           func() error { _, err := r.ReadAt(make([]byte, 10), 0); return err },
		"commit":         w.Commit,
		"append":         func() error { _, err := s.Append(t.Context(), "third/blob"); return err },
		"delete":         func() error { return s.Delete(t.Context(), "some/blob") },
		"delete all":     func() error { return s.DeleteAll(t.Context(), "some") },
		"check writable": func() error { return s.CheckWritable(t.Context()) },
		"list": func() error {
			for _, err := range s.List(t.Context()) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Delete(cancelled, "some/blob"); errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("a canceled call returned %v", err)
	}
	server.Restart(t)
	if got := read(t, s, "some/blob"); len(got) != 200<<10 {
		t.Errorf("%d bytes after the restart", len(got))
	}
	if _, err := s.Open(t.Context(), "missing/blob"); !errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("a missing blob: %v", err)
	}
}

// TestTruncatedReads checks that a read returns ErrUnavailable if all responses end early.
func TestTruncatedReads(t *testing.T) {
	server, faults := startBehindProxy(t, s3test.Faults{})
	s := open(t, bucket(t, server))
	put(t, s, "some/blob", noise(200<<10))
	r, err := s.Open(t.Context(), "some/blob")
	must(t, err)
	defer func() { _ = r.Close() }()
	faults.SetFaults(s3test.Faults{Truncated: 1})
	if _, err := s.Open(t.Context(), "some/blob"); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("open: %v, want ErrUnavailable", err)
	}
	if n, err := r.ReadAt(make([]byte, 100<<10), 0); err == nil && n < 100<<10 {
		t.Errorf("read: %d bytes, %v", n, err)
	}
	faults.SetFaults(s3test.Faults{})
	if got := read(t, s, "some/blob"); len(got) != 200<<10 {
		t.Errorf("%d bytes without faults", len(got))
	}
}

// TestDamagedObject checks that a changed object can be read, whatever its size, so that its user
// can detect the damage.
func TestDamagedObject(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	address, folder := server.Bucket(t)
	s := open(t, address)
	for _, size := range []int{10, 200 << 10} {
		content := noise(size)
		put(t, s, "some/blob", content)
		content[size/2] ^= 1
		must(t, os.WriteFile(filepath.Join(folder, "some/blob"), content, 0o600))
		if got := read(t, s, "some/blob"); !bytes.Equal(got, content) {
			t.Errorf("%d bytes of a damaged object differ from what is stored", size)
		}
	}
}

// TestFailedReads checks that a read that fails returns the number of bytes that it has read, and
// that the client alone decides how often a request is repeated.
func TestFailedReads(t *testing.T) {
	server, faults := startBehindProxy(t, s3test.Faults{})
	s, err := s3.Open(t.Context(), bucket(t, server), s3.Config{Attempts: 2})
	must(t, err)
	content := noise(6 << 20)
	put(t, s, "some/blob", content)
	r, err := s.Open(t.Context(), "some/blob")
	must(t, err)
	defer func() { _ = r.Close() }()
	for _, size := range []int{10, 1 << 20, 3 << 20} { // the last one is not cached
		got := make([]byte, size)
		faults.SetFaults(s3test.Faults{Refused: 1})
		faults.Requests.Store(0)
		if n, err := r.ReadAt(got, 100); n != 0 || !errors.Is(err, blob.ErrUnavailable) || errors.Is(err, io.EOF) {
			t.Errorf("%d bytes: %d, %v, want 0, ErrUnavailable", size, n, err)
		}
		if requests := faults.Requests.Load(); requests != 2 {
			t.Errorf("%d bytes: %d requests, want 2", size, requests)
		}
		faults.SetFaults(s3test.Faults{Truncated: 1})
		n, err := r.ReadAt(got, 100)
		if size > 10 && n == size || n < size && (!errors.Is(err, blob.ErrUnavailable) || errors.Is(err, io.EOF)) || !bytes.Equal(got[:n], content[100:100+n]) {
			t.Errorf("%d bytes in truncated responses: %d, %v", size, n, err)
		}
	}
}

// TestMemoryOfSegments checks that a reader of a resumable upload keeps only a part of it in memory.
func TestMemoryOfSegments(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s, err := s3.Open(t.Context(), bucket(t, server), s3.Config{PartBytes: 4 << 20})
	must(t, err)
	content := noise(64<<20 + 17)
	w, err := s.Append(t.Context(), "up")
	must(t, err)
	_, err = w.Write(content)
	must(t, errors.Join(err, w.Sync(), w.Close()))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	r, err := s.Open(t.Context(), "up")
	must(t, err)
	defer func() { _ = r.Close() }()
	buf := make([]byte, 256<<10)
	for at := 0; at < len(content); at += len(buf) {
		n, err := r.ReadAt(buf, int64(at))
		want := content[at:min(at+len(buf), len(content))]
		if !bytes.Equal(buf[:n], want) || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("%d bytes at %d, %v", n, at, err)
		}
	}
	if grown := int64(heap()) - int64(before); grown > 24<<20 {
		t.Errorf("the reader keeps %d MiB in memory", grown>>20)
	}
	large := make([]byte, 10<<20) // from several segments at once
	if _, err := r.ReadAt(large, 3<<20); err != nil || !bytes.Equal(large, content[3<<20:13<<20]) {
		t.Errorf("a large read: %v", err)
	}
	runtime.KeepAlive(content)
}

// TestInterruptedUpload lets a second process ask for the size of a blob while the first one stores a
// segment, and then continue while the first one has bytes left. No stored byte is lost.
func TestInterruptedUpload(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	address := bucket(t, server)
	first, second := open(t, address), open(t, address)
	content := noise(8<<20 + 100)
	w, err := first.Append(t.Context(), "up")
	must(t, err)
	head, err := second.Append(t.Context(), "up")
	must(t, err)
	_, err = w.Write(content) // stores a segment and keeps the rest
	must(t, err)
	if err := head.Sync(); !errors.Is(err, blob.ErrInUse) {
		t.Errorf("the second process: %v, want ErrInUse", err)
	}
	_ = head.Close()
	next, err := second.Append(t.Context(), "up")
	must(t, err)
	if next.Size() != 8<<20 {
		t.Fatalf("%d bytes are stored", next.Size())
	}
	_, err = next.Write([]byte("the rest"))
	must(t, errors.Join(err, next.Sync(), next.Close()))
	// Close comes last, because the other calls fail for another reason after it.
	for i, err := range []error{w.Sync(), w.Truncate(0), w.Close()} {
		if !errors.Is(err, blob.ErrInUse) {
			t.Errorf("call %d in the first process: %v, want ErrInUse", i, err)
		}
	}
	if got := read(t, first, "up"); !bytes.Equal(got, append(content[:8<<20:8<<20], "the rest"...)) {
		t.Errorf("the blob has %d bytes", len(got))
	}
}

// TestUnknownResult checks that an appender writes nothing more after it is unknown whether the
// store has a segment, that Truncate deletes such a segment, and that the blob remains usable.
func TestUnknownResult(t *testing.T) {
	server, faults := startBehindProxy(t, s3test.Faults{})
	s, err := s3.Open(t.Context(), bucket(t, server), s3.Config{Attempts: 2})
	must(t, err)
	for truncate, want := range map[bool]string{true: "one", false: "one, two"} {
		w, err := s.Append(t.Context(), "up")
		must(t, err)
		_, err = w.Write([]byte("one"))
		must(t, errors.Join(err, w.Sync()))
		_, err = w.Write([]byte(", two"))
		must(t, err)
		faults.SetFaults(s3test.Faults{Lost: 1}) // the segment is stored
		if err := w.Sync(); !errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("Sync: %v, want ErrUnavailable", err)
		}
		faults.SetFaults(s3test.Faults{})
		if _, err := w.Write([]byte(", three")); !errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("Write: %v, want ErrUnavailable", err)
		}
		if truncate {
			must(t, w.Truncate(3))
		}
		_ = w.Close()
		if got := read(t, s, "up"); string(got) != want {
			t.Errorf("the blob is %q, want %q", got, want)
		}
		w, err = s.Append(t.Context(), "up")
		must(t, err)
		_, err = w.Write([]byte(", and the end"))
		must(t, errors.Join(err, w.Sync(), w.Close()))
		if got := read(t, s, "up"); string(got) != want+", and the end" {
			t.Errorf("the blob is %q in the end", got)
		}
		must(t, s.Delete(t.Context(), "up"))
	}
}

package sftp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/server/sftp"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// randomText returns random bytes that are the same in every run.
func randomText(size int) string {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return string(content)
}

func listOne(t testing.TB, s *sftp.Session, folder string) sftp.File {
	t.Helper()
	got, err := s.List(context.Background(), folder, sftp.Pattern{}, 0)
	if err != nil || len(got.Files) != 1 {
		t.Fatalf("the listing is %+v, %v", got, err)
	}
	return got.Files[0]
}

// onWrite is a writer that calls itself on each write.
type onWrite func(p []byte)

func (w onWrite) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

func TestFetchOpenSSH(t *testing.T) {
	t.Parallel()
	const chunk = 32 << 10
	s := openSSHSession(t)
	for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3<<20 + 7} {
		content := randomText(size)
		folder := makeFiles(t, map[string]string{"a.csv": content})
		f := listOne(t, s, folder)
		offsets := []int{0, 1, size / 2, chunk - 1, chunk, chunk + 1, size - 1, size}
		for _, offset := range offsets {
			if offset < 0 || offset > size {
				continue
			}
			var got bytes.Buffer
			n, err := s.Fetch(context.Background(), sftp.Download{File: f, Offset: int64(offset), MaxSize: int64(max(size, 1))}, &got)
			if err != nil || n != int64(size-offset) || got.String() != content[offset:] {
				t.Errorf("%d bytes from %d: wrote %d, %v", size, offset, n, err)
			}
		}
		if again := listOne(t, s, folder); !again.SameVersion(f) {
			t.Errorf("Fetch changed %+v to %+v", f, again)
		}
	}
}

func TestFetchWhileItChanges(t *testing.T) {
	t.Parallel()
	content := randomText(3 << 20)
	cases := map[string]struct {
		change func(path string) error
		kind   sftp.Kind
		want   string
	}{
		"grows": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("more")
			}
			return errors.Join(err, f.Close())
		}, sftp.Changed, "sftp.file_goes_on"},
		"shrinks": {func(path string) error { return os.Truncate(path, 2<<20+5) }, sftp.Changed, "sftp.file_ends_early"},
		// Overwrite the file in place: while a truncated file grows again, the
		// server may also report its end.
		"is written over": {func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(randomText(3 << 20))
			}
			return errors.Join(err, f.Close())
		}, sftp.Changed, "sftp.changed_time"},
		"only looks modified": {func(path string) error { return os.Chtimes(path, noon, noon.Add(time.Second)) }, sftp.Changed, `"before":"2026-03-01 12:00:00Z","time":"2026-03-01 12:00:01Z"`},
		"is replaced": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("other"), 0o600), os.Rename(path+".new", path))
		}, sftp.Changed, "sftp.changed_size"},
		"becomes a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.Symlink(path+".old", path))
		}, sftp.Changed, "sftp.symbolic_link"},
		"vanishes": {os.Remove, sftp.Missing, "sftp.missing"},
	}
	s := openSSHSession(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := listOne(t, s, makeFiles(t, map[string]string{"a.csv": content}))
			written := int64(0)
			n, err := s.Fetch(context.Background(), sftp.Download{File: f}, onWrite(func(p []byte) {
				if written == 0 {
					must(t, c.change(f.Path))
				}
				written += int64(len(p))
			}))
			wantError(t, err, c.kind, c.want, f.Path)
			if n != written {
				t.Errorf("%d bytes were reported, %d written", n, written)
			}
		})
	}
}

// An interrupted download resumes on a new connection.
func TestFetchFromKilledServer(t *testing.T) {
	t.Parallel()
	signer, mine := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	started := make(chan int, 10)
	cred := killableOpenSSH(t, started, signer.PublicKey(), host)
	cred.PrivateKey = mine
	content := randomText(8 << 20)
	folder := makeFiles(t, map[string]string{"a.csv": content})
	s := connect(t, cred, long)
	group := <-started
	f := listOne(t, s, folder)
	var got bytes.Buffer
	kill := onWrite(func([]byte) { _ = syscall.Kill(-group, syscall.SIGKILL) })
	n, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.MultiWriter(&got, kill))
	wantError(t, err, sftp.Lost, "sftp.connection_lost", "sftp.reading_file")
	if n == 0 || n != int64(got.Len()) || n >= int64(len(content)) {
		t.Fatalf("%d bytes were reported, %d written", n, got.Len())
	}
	if _, err := s.List(context.Background(), folder, sftp.Pattern{}, 0); err == nil {
		t.Error("the session still works")
	}
	more, err := connect(t, cred, long).Fetch(context.Background(), sftp.Download{File: f, Offset: n}, &got)
	if err != nil || n+more != int64(len(content)) || got.String() != content {
		t.Errorf("%d and %d bytes were fetched, %v", n, more, err)
	}
}

type failingDisk struct{}

var errDisk = errors.New("the disk is full")

func (failingDisk) Write([]byte) (int, error) { return 0, errDisk }

func (failingDisk) Read([]byte) (int, error) { return 0, errDisk }

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestFetchToBadWriters(t *testing.T) {
	t.Parallel()
	s := openSSHSession(t)
	f := listOne(t, s, makeFiles(t, map[string]string{"a.csv": randomText(1 << 20)}))
	for range 3 {
		if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, failingDisk{}); !errors.Is(err, errDisk) || n != 0 {
			t.Errorf("Fetch: %d, %v", n, err)
		}
	}
	if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, shortWriter{}); !errors.Is(err, io.ErrShortWrite) || n != 16<<10 {
		t.Errorf("Fetch: %d, %v", n, err)
	}
	if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.Discard); err != nil || n != 1<<20 {
		t.Errorf("Fetch after failures: %d, %v", n, err)
	}
}

// The memory that a download needs does not depend on the size of the file.
func TestFetchMemory(t *testing.T) {
	s, folder := openSSHSession(t), t.TempDir()
	file := writeFile(t, folder, "a.csv", "")
	const size = 64 << 20
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	before, peak, done := now.HeapAlloc, uint64(0), 0
	_, err := s.Fetch(context.Background(), sftp.Download{File: listOne(t, s, folder)}, onWrite(func(p []byte) {
		if done += len(p); done%(4<<20) == 0 {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}))
	if err != nil || peak > before+24<<20 {
		t.Errorf("the heap grew from %d to %d bytes, %v", before, peak, err)
	}
	t.Logf("the heap grew from %d to %d bytes", before, peak)
}

func TestEvilContent(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		replies map[byte]reply
		kind    sftp.Kind
	}{
		"no bytes, endlessly":     {map[byte]reply{opRead: replyWith(103, str(""))}, sftp.Misbehaved},
		"more than requested":     {map[byte]reply{opRead: replyWith(103, str("abcd"))}, sftp.Misbehaved},
		"a length beyond the end": {map[byte]reply{opRead: replyWith(103, u32(3)+"ab")}, sftp.Misbehaved},
		"endless content":         {map[byte]reply{opRead: endlessContent}, sftp.Changed},
		"ends early":              {map[byte]reply{opRead: replyStatus(1)}, sftp.Changed},
		"became a link":           {map[byte]reply{opLstat: replyWith(105, fileAttrs(3, 0o120777, 1_700_000_000))}, sftp.Changed},
		"has grown":               {map[byte]reply{opLstat: replyWith(105, fileAttrs(4, 0o100644, 1_700_000_000))}, sftp.Changed},
		"was modified":            {map[byte]reply{opLstat: replyWith(105, fileAttrs(3, 0o100644, 1_700_000_001))}, sftp.Changed},
		"an invalid size":         {map[byte]reply{opLstat: replyWith(105, fileAttrs(1<<63, 0o100644, 1_700_000_000))}, sftp.Changed},
		"no size":                 {map[byte]reply{opLstat: replyWith(105, u32(4)+u32(0o100644))}, sftp.Changed},
		"attributes cut short":    {map[byte]reply{opLstat: replyWith(105, u32(0xf))}, sftp.Misbehaved},
		"a long handle":           {map[byte]reply{opOpen: replyWith(102, str(strings.Repeat("h", 257)))}, sftp.Misbehaved},
		"vanished":                {map[byte]reply{opLstat: replyStatus(2)}, sftp.Missing},
		"changes meanwhile":       {map[byte]reply{opLstat: replyOnce(replyWith(105, fileAttrs(3, 0o100644, 1_700_000_000)), replyWith(105, fileAttrs(3, 0o100644, 1_700_000_001)))}, sftp.Changed},
		"vanishes meanwhile":      {map[byte]reply{opLstat: replyOnce(replyWith(105, fileAttrs(3, 0o100644, 1_700_000_000)), replyStatus(2))}, sftp.Missing},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{content: "abc", replies: c.replies}
			wantError(t, fetch(f.connect(t, long)), c.kind, "/in/a.csv")
		})
	}
}

func endlessContent(s *fakeServer, id uint32, body []byte) {
	want := body[len(body)-1]
	s.send(103, id, str(strings.Repeat("e", int(want))))
}

// A wrong file size in the listing is detected.
func TestWrongSize(t *testing.T) {
	t.Parallel()
	const tera = 1 << 40
	f := &fakeFS{content: "0123456789", replies: map[byte]reply{opLstat: replyWith(105, fileAttrs(tera, 0o100644, 1_700_000_000))}}
	s := f.connect(t, long)
	var got bytes.Buffer
	n, err := s.Fetch(context.Background(), sftp.Download{File: listed(tera)}, &got)
	wantError(t, err, sftp.Changed, "sftp.file_ends_early")
	if n != 0 || got.Len() != 0 {
		t.Errorf("%d bytes were reported and %d written of an incomplete chunk", n, got.Len())
	}
	_, err = s.Fetch(context.Background(), sftp.Download{File: listed(tera), MaxSize: 1 << 30}, &got)
	wantError(t, err, sftp.TooLarge, "sftp.file_too_large", `"limit":1073741824`)
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: 11}, &got); err == nil {
		t.Error("accepted an offset beyond the end")
	}
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: -1}, &got); err == nil {
		t.Error("accepted a negative offset")
	}
}

// A server may send less than was requested, and out of order.
func TestShortReads(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("0123456789abcdef", 8<<10) // four chunks
	var held []func()
	odd := func(s *fakeServer, id uint32, body []byte) {
		if s.lookups++; s.lookups > 4 {
			s.read(id, body)
			return
		}
		half := append(slices.Clone(body[:len(body)-4]), u32(1000)...)
		held = append(held, func() { s.read(id, half) })
		for i := len(held) - 1; i >= 0 && s.lookups == 4; i-- {
			held[i]()
		}
	}
	f := &fakeFS{content: content, replies: map[byte]reply{opRead: odd}}
	var got bytes.Buffer
	n, err := f.connect(t, long).Fetch(context.Background(), sftp.Download{File: listed(int64(len(content)))}, &got)
	if err != nil || n != int64(len(content)) || got.String() != content {
		t.Errorf("Fetch wrote %d bytes, %v", n, err)
	}
	if reads := f.count(opRead); reads != 4+4+1 {
		t.Errorf("%d reads were requested, want 9", reads)
	}
}

func BenchmarkFetch(b *testing.B) {
	const size = 64 << 20
	s := openSSHSession(b)
	f := listOne(b, s, makeFiles(b, map[string]string{"a.csv": randomText(size)}))
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

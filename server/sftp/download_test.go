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

// random gives the same bytes every time.
func random(size int) string {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return string(content)
}

func one(t testing.TB, s *sftp.Session, folder string) sftp.File {
	t.Helper()
	got, err := s.List(context.Background(), folder, sftp.Pattern{}, 0)
	if err != nil || len(got.Files) != 1 {
		t.Fatalf("the listing is %+v, %v", got, err)
	}
	return got.Files[0]
}

// onWrite is a writer that calls a function at each write.
type onWrite func(p []byte)

func (w onWrite) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

func TestFetchOpenSSH(t *testing.T) {
	const chunk = 32 << 10
	s := debian(t)
	for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3<<20 + 7} {
		content := random(size)
		folder := tree(t, map[string]string{"a.csv": content})
		f := one(t, s, folder)
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
		if again := one(t, s, folder); !again.SameVersion(f) {
			t.Errorf("fetching changed %+v to %+v", f, again)
		}
	}
}

func TestFetchWhileItChanges(t *testing.T) {
	content := random(3 << 20)
	cases := map[string]struct {
		meddle func(path string) error
		kind   sftp.Kind
		want   string
	}{
		"grows": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("more")
			}
			return errors.Join(err, f.Close())
		}, sftp.Changed, "goes on after 3,145,728 bytes"},
		"shrinks":             {func(path string) error { return os.Truncate(path, 2<<20+5) }, sftp.Changed, "ends before its 3,145,728 bytes"},
		"is written over":     {func(path string) error { return os.WriteFile(path, []byte(random(3<<20)), 0o600) }, sftp.Changed, "was modified at"},
		"only looks modified": {func(path string) error { return os.Chtimes(path, noon, noon.Add(time.Second)) }, sftp.Changed, "was modified at 2026-03-01 12:00:01Z and before that at 2026-03-01 12:00:00Z"},
		"is replaced": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("other"), 0o600), os.Rename(path+".new", path))
		}, sftp.Changed, "it has 5 bytes now and had 3,145,728"},
		"becomes a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.Symlink(path+".old", path))
		}, sftp.Changed, "symbolic link"},
		"vanishes": {os.Remove, sftp.Missing, "or no longer"},
	}
	s := debian(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := one(t, s, tree(t, map[string]string{"a.csv": content}))
			written := int64(0)
			n, err := s.Fetch(context.Background(), sftp.Download{File: f}, onWrite(func(p []byte) {
				if written == 0 {
					must(t, c.meddle(f.Path))
				}
				written += int64(len(p))
			}))
			wantError(t, err, c.kind, c.want, `the file "`+f.Path+`"`)
			if n != written {
				t.Errorf("%d bytes were reported, %d written", n, written)
			}
		})
	}
}

// A fetch that broke off carries on where it was, on another connection.
func TestFetchFromKilledServer(t *testing.T) {
	signer, mine := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	started := make(chan int, 10)
	cred := mortalSSH(t, started, signer.PublicKey(), host)
	cred.PrivateKey = mine
	content := random(8 << 20)
	folder := tree(t, map[string]string{"a.csv": content})
	s := connect(t, cred, long)
	group := <-started
	f := one(t, s, folder)
	var got bytes.Buffer
	kill := onWrite(func([]byte) { _ = syscall.Kill(-group, syscall.SIGKILL) })
	n, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.MultiWriter(&got, kill))
	wantError(t, err, sftp.Lost, "ended the connection while reading the file")
	if n == 0 || n != int64(got.Len()) || n >= int64(len(content)) {
		t.Fatalf("%d bytes were reported, %d written", n, got.Len())
	}
	if _, err := s.List(context.Background(), folder, sftp.Pattern{}, 0); err == nil {
		t.Error("the session serves on")
	}
	more, err := connect(t, cred, long).Fetch(context.Background(), sftp.Download{File: f, Offset: n}, &got)
	if err != nil || n+more != int64(len(content)) || got.String() != content {
		t.Errorf("%d and %d bytes were fetched, %v", n, more, err)
	}
}

type failing struct{}

var errDisk = errors.New("the disk is full")

func (failing) Write([]byte) (int, error) { return 0, errDisk }

func (failing) Read([]byte) (int, error) { return 0, errDisk }

type lazy struct{}

func (lazy) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestFetchToBadWriters(t *testing.T) {
	s := debian(t)
	f := one(t, s, tree(t, map[string]string{"a.csv": random(1 << 20)}))
	for range 3 {
		if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, failing{}); !errors.Is(err, errDisk) || n != 0 {
			t.Errorf("Fetch: %d, %v", n, err)
		}
	}
	if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, lazy{}); !errors.Is(err, io.ErrShortWrite) || n != 16<<10 {
		t.Errorf("Fetch: %d, %v", n, err)
	}
	if n, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.Discard); err != nil || n != 1<<20 {
		t.Errorf("Fetch afterwards: %d, %v", n, err)
	}
}

// The memory of a fetch does not depend on the size of the file.
func TestFetchMemory(t *testing.T) {
	s, folder := debian(t), t.TempDir()
	file := put(t, folder, "a.csv", "")
	const size = 64 << 20
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	before, peak, done := now.HeapAlloc, uint64(0), 0
	_, err := s.Fetch(context.Background(), sftp.Download{File: one(t, s, folder)}, onWrite(func(p []byte) {
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

// What a server says of one file or entry.
func TestEvilContent(t *testing.T) {
	listings := map[string]struct {
		say  reply
		kind sftp.Kind
	}{
		"more entries than it sends": {saying(104, u32(1<<31)+entry("a", u32(0))), sftp.Misbehaved},
		"a name of 4 GiB":            {saying(104, u32(1)+u32(0xffffffff)+"evil"), sftp.Misbehaved},
		"attributes cut short":       {saying(104, u32(1)+str("a")+str("a")+u32(0xf)), sftp.Misbehaved},
		"4 G extended attributes":    {saying(104, u32(1)+str("a")+str("a")+u32(0x80000000)+u32(0xffffffff)), sftp.Misbehaved},
		"the same file for ever":     {saying(104, string(names(slices.Repeat([]string{"a"}, 2000)...))), sftp.TooMany},
		"names for ever":             {everNew, sftp.TooMany},
	}
	for name, c := range listings {
		t.Run("list/"+name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{say: map[byte]reply{opReaddir: c.say}}
			wantError(t, list(f.connect(t, long)), c.kind, `the directory "/in"`)
		})
	}
	fetches := map[string]struct {
		say  map[byte]reply
		kind sftp.Kind
	}{
		"no bytes for ever":      {map[byte]reply{opRead: saying(103, str(""))}, sftp.Misbehaved},
		"more than asked for":    {map[byte]reply{opRead: saying(103, str("abcd"))}, sftp.Misbehaved},
		"a length beyond itself": {map[byte]reply{opRead: saying(103, u32(3)+"ab")}, sftp.Misbehaved},
		"goes on for ever":       {map[byte]reply{opRead: endless}, sftp.Changed},
		"ends early":             {map[byte]reply{opRead: status(1)}, sftp.Changed},
		"became a link":          {map[byte]reply{opLstat: saying(105, fileAttrs(3, 0o120777, 1_700_000_000))}, sftp.Changed},
		"became longer":          {map[byte]reply{opLstat: saying(105, fileAttrs(4, 0o100644, 1_700_000_000))}, sftp.Changed},
		"became younger":         {map[byte]reply{opLstat: saying(105, fileAttrs(3, 0o100644, 1_700_000_001))}, sftp.Changed},
		"an impossible size":     {map[byte]reply{opLstat: saying(105, fileAttrs(1<<63, 0o100644, 1_700_000_000))}, sftp.Changed},
		"no size":                {map[byte]reply{opLstat: saying(105, u32(4)+u32(0o100644))}, sftp.Changed},
		"attributes cut short":   {map[byte]reply{opLstat: saying(105, u32(0xf))}, sftp.Misbehaved},
		"a long handle":          {map[byte]reply{opOpen: saying(102, str(strings.Repeat("h", 257)))}, sftp.Misbehaved},
		"vanished":               {map[byte]reply{opLstat: status(2)}, sftp.Missing},
		"changes afterwards":     {map[byte]reply{opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1_700_000_000)), saying(105, fileAttrs(3, 0o100644, 1_700_000_001)))}, sftp.Changed},
		"vanishes afterwards":    {map[byte]reply{opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1_700_000_000)), status(2))}, sftp.Missing},
	}
	for name, c := range fetches {
		t.Run("fetch/"+name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{content: "abc", say: c.say}
			wantError(t, fetch(f.connect(t, long)), c.kind, `the file "/in/a.csv"`)
		})
	}
}

func endless(s *fakeServer, id uint32, body []byte) {
	want := body[len(body)-1]
	s.send(103, id, str(strings.Repeat("e", int(want))))
}

// A size is only believed where the bytes are there.
func TestSizeThatLies(t *testing.T) {
	t.Parallel()
	const tera = 1 << 40
	f := &fakeFS{content: "0123456789", say: map[byte]reply{opLstat: saying(105, fileAttrs(tera, 0o100644, 1_700_000_000))}}
	s := f.connect(t, long)
	var got bytes.Buffer
	n, err := s.Fetch(context.Background(), sftp.Download{File: listed(tera)}, &got)
	wantError(t, err, sftp.Changed, "ends before its 1,099,511,627,776 bytes")
	if n != 0 || got.Len() != 0 {
		t.Errorf("%d bytes were reported and %d written of a chunk that was not there", n, got.Len())
	}
	_, err = s.Fetch(context.Background(), sftp.Download{File: listed(tera), MaxSize: 1 << 30}, &got)
	wantError(t, err, sftp.TooLarge, "at most 1,073,741,824")
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: 11}, &got); err == nil {
		t.Error("an offset behind the end passed")
	}
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: -1}, &got); err == nil {
		t.Error("a negative offset passed")
	}
}

// A server may give less than was asked for, and in another order, and still be
// honest.
func TestOddButHonest(t *testing.T) {
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
	f := &fakeFS{content: content, say: map[byte]reply{opRead: odd}}
	var got bytes.Buffer
	n, err := f.connect(t, long).Fetch(context.Background(), sftp.Download{File: listed(int64(len(content)))}, &got)
	if err != nil || n != int64(len(content)) || got.String() != content {
		t.Errorf("Fetch wrote %d bytes, %v", n, err)
	}
	if reads := f.counts(opRead); reads != 4+4+1 {
		t.Errorf("%d reads were asked for, want 9", reads)
	}
}

func BenchmarkFetch(b *testing.B) {
	const size = 64 << 20
	s := debian(b)
	f := one(b, s, tree(b, map[string]string{"a.csv": random(size)}))
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Fetch(context.Background(), sftp.Download{File: f}, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

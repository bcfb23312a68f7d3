package sftp_test

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
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/sftp"
)

// debian opens a session on OpenSSH's server, as the current user.
func debian(t testing.TB) *sftp.Session {
	t.Helper()
	signer, mine := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), host)
	cred.PrivateKey = mine
	return connect(t, cred, long)
}

// tree makes files of these names and contents, all modified at the same time.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		file := put(t, folder, name, text)
		if err := os.Chtimes(file, noon, noon); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func parse(t *testing.T, text string) sftp.Pattern {
	t.Helper()
	p, err := sftp.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestListOpenSSH(t *testing.T) {
	const part = ".a.csv.intray-0123456789abcdef.part"
	folder := tree(t, map[string]string{
		"b.csv": "12", "a.csv": "1", "c.txt": "", "Bücher.csv": "123", "naïve \"x\".csv": "", part: "1234", ".hidden.csv": "",
		"line\nbreak.csv": "", "latin\xe9.csv": "", `back\slash.csv`: "", "bell\a.csv": "", "turn\u202evsc.exe": "", "\u2028.csv": "",
	})
	for name, target := range map[string]string{"link.csv": "a.csv", "dangling.csv": "nowhere", "up.csv": "/", "link.txt": "a.csv"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "dir.csv"), 0o700), syscall.Mkfifo(filepath.Join(folder, "pipe.csv"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s := debian(t)
	got, err := s.List(context.Background(), folder, parse(t, `\.csv$`), 0)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, size int64) sftp.File {
		return sftp.File{Path: folder + "/" + name, Size: size, Modified: noon}
	}
	slices.SortFunc(got.Skipped, func(a, b sftp.Skipped) int { return strings.Compare(a.Name, b.Name) })
	control, link := intray.NewMessage("sftp.name_with_control_character", nil), intray.NewMessage("sftp.symbolic_link", nil)
	want := sftp.Listing{
		Files: []sftp.File{file(".hidden.csv", 0), file("Bücher.csv", 3), file("a.csv", 1), file("b.csv", 2), file("naïve \"x\".csv", 0)},
		Skipped: []sftp.Skipped{
			{Name: `\u2028.csv`, Reason: control},
			{Name: `back\\slash.csv`, Reason: intray.NewMessage("sftp.name_with_slash", nil)},
			{Name: `bell\a.csv`, Reason: control},
			{Name: `dangling.csv`, Reason: link},
			{Name: `latin\xe9.csv`, Reason: intray.NewMessage("sftp.name_not_utf8", nil)},
			{Name: `line\nbreak.csv`, Reason: control},
			{Name: `link.csv`, Reason: link},
			{Name: `pipe.csv`, Reason: intray.NewMessage("sftp.not_regular_file", nil)},
			{Name: `turn\u202evsc.exe`, Reason: control},
			{Name: `up.csv`, Reason: link},
		},
		NumSkipped: 10,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the listing differs (-want +got):\n%s", diff)
	}
	if got.Files[3].Name() != "b.csv" {
		t.Errorf("the name is %q", got.Files[3].Name())
	}
	_, err = s.List(context.Background(), folder, parse(t, "csv"), 8)
	wantError(t, err, sftp.TooMany, "more than 8 files that fit in the directory")
	if all, err := s.List(context.Background(), folder+"/", sftp.Pattern{}, 0); err != nil || len(all.Files) != 6 || all.Files[0].Path != folder+"/.hidden.csv" {
		t.Errorf("the zero pattern gives %+v, %v", all.Files, err)
	}
}

func TestListRefusals(t *testing.T) {
	folder := tree(t, map[string]string{"a.csv": "1"})
	s := debian(t)
	cases := map[string]struct {
		path string
		kind sftp.Kind
		want string
	}{
		"vanished":     {folder + "/gone", sftp.Missing, `does not have the directory "` + folder + `/gone", or no longer`},
		"a file":       {folder + "/a.csv", sftp.Missing, "does not have the directory"},
		"upwards":      {folder + "/../x", sftp.BadPath, `without ".."`},
		"line break":   {folder + "\nx", sftp.BadPath, "line break"},
		"NUL":          {folder + "\x00", sftp.BadPath, "control character"},
		"no UTF-8":     {folder + "\xe9", sftp.BadPath, "UTF-8"},
		"without end":  {strings.Repeat("a/", 2049), sftp.BadPath, "longer than 4,096"},
		"a long label": {folder + "/" + strings.Repeat("x", 300), sftp.Failed, "could not read"},
	}
	for name, c := range cases {
		_, err := s.List(context.Background(), c.path, sftp.Pattern{}, 0)
		t.Run(name, func(t *testing.T) { wantError(t, err, c.kind, c.want) })
	}
	for _, path := range []string{"", ".", "./"} {
		if _, err := s.List(context.Background(), path, sftp.Pattern{}, 1_000_000); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// Names that no file system has, but that a server can say.
func TestListEvilNames(t *testing.T) {
	evil := map[string]string{
		"../../etc/passwd": "slash", "/etc/passwd": "slash", "a/b.csv": "slash", `..\..\x`: "slash", "../a.csv": "slash", "a.csv/": "slash", "/": "slash",
		"": "no name", "a\x00.csv": "control", "a\r\n.csv": "control", "\x1b[2Ja.csv": "control", "a\u0085": "control", "\xff\xfe": "UTF-8",
		strings.Repeat("x", 1025): "longer than 1,024 bytes",
	}
	for name, want := range evil {
		f := &fakeFS{entries: names(name, ".", "..", "...", "good.csv")}
		got, err := f.connect(t, long).List(context.Background(), "/in", sftp.Pattern{}, 0)
		if err != nil || len(got.Files) != 2 || got.Files[0].Path != "/in/..." || got.Files[1].Path != "/in/good.csv" {
			t.Errorf("%.20q: the files are %+v, %v", name, got.Files, err)
		}
		if len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason.String(), want) || strings.ContainsAny(got.Skipped[0].Name, "\x00\r\n\x1b") {
			t.Errorf("%.20q: skipped are %+v", name, got.Skipped)
		}
	}
	f := &fakeFS{entries: names(append(manyNames(3), slices.Repeat([]string{"/"}, 250)...)...)}
	got, err := f.connect(t, long).List(context.Background(), "/in", sftp.Pattern{}, 0)
	if err != nil || len(got.Files) != 3 || len(got.Skipped) != 100 || got.NumSkipped != 250 {
		t.Errorf("%d files, %d of %d skipped, %v", len(got.Files), len(got.Skipped), got.NumSkipped, err)
	}
}

// Some servers give no attributes with a listing, or leave out the kind.
func TestListAsksForWhatIsMissing(t *testing.T) {
	f := &fakeFS{content: "abc", entries: []byte(u32(3) + entry("a.csv", u32(0)) + entry("b.csv", u32(1)+u64(9)) + entry("c.txt", u32(0)))}
	s := f.connect(t, long)
	got, err := s.List(context.Background(), "/in", parse(t, "csv"), 0)
	b := listed(3)
	b.Path = "/in/b.csv"
	if want := []sftp.File{listed(3), b}; err != nil || !cmp.Equal(got.Files, want) || f.counts(opLstat) != 2 {
		t.Errorf("the files are %+v, %v after %d questions, want %+v", got.Files, err, f.counts(opLstat), want)
	}
	answers := map[string]struct {
		say     reply
		files   int
		skipped string
	}{
		"no kind":   {saying(105, u32(1)+u64(3)), 0, "the server does not tell whether it is a file"},
		"kind zero": {saying(105, fileAttrs(3, 0o644, 1)), 0, "the server does not tell whether it is a file"},
		"no size":   {saying(105, u32(4)+u32(0o100644)), 0, "the server does not tell its size"},
		"no time":   {saying(105, u32(5)+u64(3)+u32(0o100644)), 2, ""},
		"folders":   {saying(105, u32(4)+u32(0o040755)), 0, ""},
		"vanished":  {status(2), 0, ""},
	}
	for name, c := range answers {
		f.change(map[byte]reply{opLstat: c.say})
		got, err := s.List(context.Background(), "/in", parse(t, "csv"), 0)
		if err != nil || len(got.Files) != c.files || c.skipped == "" != (len(got.Skipped) == 0) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if c.skipped != "" && got.Skipped[0].Reason.String() != c.skipped {
			t.Errorf("%s: skipped because %q", name, got.Skipped[0].Reason)
		}
		if name == "no time" && !got.Files[0].Modified.IsZero() {
			t.Errorf("a time came from nowhere: %v", got.Files[0].Modified)
		}
	}
}

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

// onWrite is a writer that calls a function at each write.
type onWrite func(p []byte)

func (w onWrite) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
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
		"shrinks": {func(path string) error { return os.Truncate(path, 2<<20+5) }, sftp.Changed, "ends before its 3,145,728 bytes"},
		// Written in place: while a truncated file grows again, the server may also report its end.
		"is written over": {func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(random(3 << 20))
			}
			return errors.Join(err, f.Close())
		}, sftp.Changed, "was modified at"},
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
func (failing) Read([]byte) (int, error)  { return 0, errDisk }

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

func BenchmarkPut(b *testing.B) {
	const size = 64 << 20
	s, folder, content := debian(b), b.TempDir(), random(size)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader(content)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	s, folder := debian(b), b.TempDir()
	for i := range 10_000 {
		put(b, folder, fmt.Sprintf("orders-%05d.csv", i), "")
	}
	b.ReportAllocs()
	for b.Loop() {
		if got, err := s.List(context.Background(), folder, sftp.Pattern{}, 0); err != nil || len(got.Files) != 10_000 {
			b.Fatal(err)
		}
	}
}

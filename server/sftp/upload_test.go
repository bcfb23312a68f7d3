package sftp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

// holds checks what is in a folder.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if expected, known := want[e.Name()]; err != nil || !known || string(text) != expected {
			t.Errorf("%q holds %d bytes, %v; want one of %d files", e.Name(), len(text), err, len(want))
		}
	}
	if len(entries) != len(want) {
		t.Errorf("there are %d files, want %d", len(entries), len(want))
	}
}

func TestPutOpenSSH(t *testing.T) {
	s, folder := debian(t), t.TempDir()
	want := map[string]string{}
	long := strings.Repeat("l", 250) + ".csv"
	for i, name := range []string{"a.csv", "empty.csv", "Bücher \"x\".csv", long, "a.csv"} {
		want[name] = random([]int{5, 0, 32 << 10, 3<<20 + 1, 100_000}[i])
		must(t, s.Upload(context.Background(), folder, name, strings.NewReader(want[name])))
	}
	holds(t, folder, want)
}

func TestPutRefusals(t *testing.T) {
	s, folder := debian(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		path, name string
		kind       sftp.Kind
		want       string
	}{
		"no such directory": {folder + "/gone", "a", sftp.Missing, "does not have the directory"},
		"a directory there": {folder, "dir", sftp.Failed, "could not write the file"},
		"upwards":           {folder, "..", sftp.BadPath, "it names a directory"},
		"a path":            {folder, "../a", sftp.BadPath, "holds a slash"},
		"line break":        {folder, "a\nb", sftp.BadPath, `a file cannot be called "a\nb": its name holds a line break`},
		"empty":             {folder, "", sftp.BadPath, "no name"},
		"long":              {folder, strings.Repeat("x", 1025), sftp.BadPath, "longer than 1,024 bytes"},
		"a part":            {folder, ".a.intray-0123456789abcdef.part", sftp.BadPath, "unfinished"},
		"bad directory":     {folder + "\x00", "a", sftp.BadPath, "control character"},
	}
	for name, c := range cases {
		err := s.Upload(context.Background(), c.path, c.name, strings.NewReader("abc"))
		t.Run(name, func(t *testing.T) { wantError(t, err, c.kind, c.want) })
	}
	if err := os.Remove(filepath.Join(folder, "dir")); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, nil)
}

func TestPutFromBadReaders(t *testing.T) {
	s, folder := debian(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	readers := map[string]struct {
		ctx  context.Context
		from io.Reader
		want error
	}{
		"fails at once": {context.Background(), failing{}, errDisk},
		"fails later":   {context.Background(), io.MultiReader(strings.NewReader(random(3<<20)), failing{}), errDisk},
		"is cancelled":  {ctx, io.MultiReader(strings.NewReader(random(3<<20)), call(cancel), strings.NewReader(random(3<<20))), context.Canceled},
	}
	for name, c := range readers {
		if err := s.Upload(c.ctx, folder, "a.csv", c.from); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		holds(t, folder, nil)
	}
	if err := list(s); err == nil {
		t.Error("there is a folder /in here")
	}
	if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader("abc")); err != nil {
		t.Errorf("the session is of no use any more: %v", err)
	}
}

// call is a reader that does something and is empty.
type call func()

func (c call) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// A server that knows no extensions cannot replace a file in one step.
func TestPutWithoutExtensions(t *testing.T) {
	missing := map[byte]reply{opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1_700_000_000)), status(2))}
	f := &fakeFS{say: missing}
	if err := put3(f.connect(t, long)); err != nil || f.counts(opRename) != 1 || f.counts(opRemove) != 0 {
		t.Errorf("Put: %v, %d renames, %d removals", err, f.counts(opRename), f.counts(opRemove))
	}
	f = &fakeFS{content: "abc"}
	wantError(t, put3(f.connect(t, long)), sftp.Exists, `already has the file "/out/a.csv"`, "nothing was changed")
	if f.counts(opRename) != 0 || f.counts(opRemove) != 1 {
		t.Errorf("%d renames, %d removals", f.counts(opRename), f.counts(opRemove))
	}
	// One that announces what it does not know is asked the old way.
	f = &fakeFS{extensions: []string{"posix-rename@openssh.com", "fsync@openssh.com"}, say: map[byte]reply{opExtended: status(8), opLstat: missing[opLstat]}}
	if err := put3(f.connect(t, long)); err != nil || f.counts(opRename) != 1 || f.counts(opExtended) != 2 {
		t.Errorf("Put: %v, %d renames", err, f.counts(opRename))
	}
}

func TestPutOnEvilServers(t *testing.T) {
	extended := []string{"posix-rename@openssh.com", "fsync@openssh.com"}
	cases := map[string]struct {
		f    *fakeFS
		kind sftp.Kind
		want string
	}{
		"loses bytes":             {&fakeFS{content: "ab"}, sftp.Failed, "has 2 bytes of the file \"/out/a.csv\", although 3 were written"},
		"a full disk":             {&fakeFS{say: map[byte]reply{opWrite: status(4)}}, sftp.Failed, "could not write"},
		"a full disk, said late":  {&fakeFS{say: map[byte]reply{opClose: status(4)}}, sftp.Failed, "could not write"},
		"a disk that fails":       {&fakeFS{extensions: extended, say: map[byte]reply{opExtended: status(4)}}, sftp.Failed, "could not write"},
		"writes answered by ids":  {&fakeFS{say: map[byte]reply{opWrite: saying(102, str("h"))}}, sftp.Misbehaved, "does not keep to the rules"},
		"a write without a code":  {&fakeFS{say: map[byte]reply{opWrite: saying(101, "")}}, sftp.Misbehaved, "does not keep to the rules"},
		"a close without a code":  {&fakeFS{say: map[byte]reply{opClose: saying(101, "")}}, sftp.Misbehaved, "does not keep to the rules"},
		"a rename without a code": {&fakeFS{say: map[byte]reply{opRename: saying(101, ""), opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1)), status(2))}}, sftp.Misbehaved, "does not keep to the rules"},
		"cannot rename":           {&fakeFS{say: map[byte]reply{opRename: status(4), opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1)), status(2))}}, sftp.Failed, "could not write"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			wantError(t, put3(c.f.connect(t, long)), c.kind, c.want)
			if over := c.kind == sftp.Misbehaved; c.f.counts(opRemove) != 1 && !over {
				t.Errorf("%d parts were removed, want 1", c.f.counts(opRemove))
			}
		})
	}
	// A server that hangs in the middle is hung up on, with the rest unread.
	f := &fakeFS{say: map[byte]reply{opWrite: silent}}
	from := bytes.NewReader(make([]byte, 64<<20))
	err := f.connect(t, short).Upload(context.Background(), "/out", "a", from)
	wantError(t, err, sftp.TimedOut, "while writing the file")
	if read := int64(64<<20) - int64(from.Len()); read > 2<<20 {
		t.Errorf("%d bytes were read ahead", read)
	}
}

// This server lets people read only.
func TestPutForbidden(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	folder := t.TempDir()
	s := connect(t, listen(t, serveSSH(withPassword(key), honest)), long)
	err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader("abc"))
	wantError(t, err, sftp.Forbidden, `does not let user "anna" write to the directory`)
	holds(t, folder, nil)
}

// The Go server differs from OpenSSH's in its answers. This one changes the keys
// of the connection every 256 KiB.
func TestGoServer(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	folder := t.TempDir()
	cfg := withPassword(key)
	cfg.RekeyThreshold = 256 << 10
	s := connect(t, listen(t, serveSSH(cfg, func(c ssh.Channel) {
		if server, err := pkgsftp.NewServer(c); err == nil {
			_ = server.Serve()
			_ = server.Close()
		}
	})), long)
	content := random(3<<20 + 1)
	if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	f := one(t, s, folder)
	if _, err := s.Fetch(context.Background(), sftp.Download{File: f}, &got); err != nil || got.String() != content {
		t.Errorf("%d bytes came back, %v", got.Len(), err)
	}
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	wantError(t, fetch(s), sftp.Missing)
}

func TestIsPartial(t *testing.T) {
	const good = ".orders.csv.intray-0123456789abcdef.part"
	names := map[string]bool{
		good: true, "..intray-0123456789abcdef.part": true, ".a.intray-x.intray-0123456789abcdef.part": true,
		"": false, ".": false, ".part": false, ".intray-.part": false, "orders.csv": false, good[1:]: false, good + "x": false,
		".orders.csv.intray-0123456789ABCDEF.part": false, ".orders.csv.intray-0123456789abcde.part": false, ".a.intray-0123456789abcdeg.part": false,
	}
	for name, want := range names {
		if got := sftp.IsPartial(name); got != want {
			t.Errorf("IsPartial(%q) is %v", name, got)
		}
	}
}

// Without random numbers there is no name, and nothing is written.
func TestPutWithoutRandomNumbers(t *testing.T) {
	f := &fakeFS{}
	s := f.connect(t, sftp.Config{Rand: failing{}})
	if err := put3(s); !errors.Is(err, errDisk) || f.counts(opOpen) != 0 {
		t.Errorf("Put: %v, %d files opened", err, f.counts(opOpen))
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

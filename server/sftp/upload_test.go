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

// wantFiles checks that a folder contains exactly the given files. want maps names to contents.
func wantFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if expected, known := want[e.Name()]; err != nil || !known || string(text) != expected {
			t.Errorf("%q has %d bytes, %v; want one of %d files", e.Name(), len(text), err, len(want))
		}
	}
	if len(entries) != len(want) {
		t.Errorf("there are %d files, want %d", len(entries), len(want))
	}
}

func TestUploadOpenSSH(t *testing.T) {
	t.Parallel()
	s, folder := openSSHSession(t), t.TempDir()
	want := map[string]string{}
	long := strings.Repeat("l", 250) + ".csv"
	for i, name := range []string{"a.csv", "empty.csv", "Bücher \"x\".csv", long, "a.csv"} {
		want[name] = randomText([]int{5, 0, 32 << 10, 3<<20 + 1, 100_000}[i])
		must(t, s.Upload(context.Background(), folder, name, strings.NewReader(want[name])))
	}
	wantFiles(t, folder, want)
}

func TestUploadRefusals(t *testing.T) {
	s, folder := openSSHSession(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		path, name string
		kind       sftp.Kind
		want       string
	}{
		"no such directory": {folder + "/gone", "a", sftp.Missing, "sftp.missing"},
		"a directory there": {folder, "dir", sftp.Failed, "sftp.write_file"},
		"upwards":           {folder, "..", sftp.BadPath, "sftp.name_of_directory"},
		"a path":            {folder, "../a", sftp.BadPath, "sftp.name_with_slash"},
		"line break":        {folder, "a\nb", sftp.BadPath, "sftp.name_with_control_character"},
		"empty":             {folder, "", sftp.BadPath, "sftp.name_missing"},
		"long":              {folder, strings.Repeat("x", 1025), sftp.BadPath, "sftp.name_too_long"},
		"a partial file":    {folder, ".a.intray-0123456789abcdef.part", sftp.BadPath, "sftp.name_of_unfinished_file"},
		"bad directory":     {folder + "\x00", "a", sftp.BadPath, "sftp.directory_with_control_character"},
	}
	for name, c := range cases {
		err := s.Upload(context.Background(), c.path, c.name, strings.NewReader("abc"))
		t.Run(name, func(t *testing.T) { wantError(t, err, c.kind, c.want) })
	}
	if err := os.Remove(filepath.Join(folder, "dir")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, folder, nil)
}

func TestUploadFromBadReaders(t *testing.T) {
	t.Parallel()
	s, folder := openSSHSession(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	readers := map[string]struct {
		ctx  context.Context
		from io.Reader
		want error
	}{
		"fails at once": {context.Background(), failingDisk{}, errDisk},
		"fails later":   {context.Background(), io.MultiReader(strings.NewReader(randomText(3<<20)), failingDisk{}), errDisk},
		"is cancelled":  {ctx, io.MultiReader(strings.NewReader(randomText(3<<20)), callReader(cancel), strings.NewReader(randomText(3<<20))), context.Canceled},
	}
	for name, c := range readers {
		if err := s.Upload(c.ctx, folder, "a.csv", c.from); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		wantFiles(t, folder, nil)
	}
	if err := list(s); err == nil {
		t.Error("the folder /in exists on this machine")
	}
	if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader("abc")); err != nil {
		t.Errorf("the session does not work any more: %v", err)
	}
}

// callReader is an empty reader that calls itself when it is read.
type callReader func()

func (c callReader) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// TestUploadWithoutExtensions checks uploads to a server that supports no extensions and
// therefore cannot replace a file in one step.
func TestUploadWithoutExtensions(t *testing.T) {
	missing := map[byte]reply{opLstat: replyOnce(replyWith(105, fileAttrs(3, 0o100644, 1_700_000_000)), replyStatus(2))}
	f := &fakeFS{replies: missing}
	if err := uploadABC(f.connect(t, long)); err != nil || f.count(opRename) != 1 || f.count(opRemove) != 0 {
		t.Errorf("Upload: %v, %d renames, %d removals", err, f.count(opRename), f.count(opRemove))
	}
	f = &fakeFS{content: "abc"}
	wantError(t, uploadABC(f.connect(t, long)), sftp.Exists, "sftp.file_exists", "/out/a.csv")
	if f.count(opRename) != 0 || f.count(opRemove) != 1 {
		t.Errorf("%d renames, %d removals", f.count(opRename), f.count(opRemove))
	}
	// If a server announces extensions but does not support them, Upload falls back
	// to plain requests.
	f = &fakeFS{extensions: []string{"posix-rename@openssh.com", "fsync@openssh.com"}, replies: map[byte]reply{opExtended: replyStatus(8), opLstat: missing[opLstat]}}
	if err := uploadABC(f.connect(t, long)); err != nil || f.count(opRename) != 1 || f.count(opExtended) != 2 {
		t.Errorf("Upload: %v, %d renames", err, f.count(opRename))
	}
}

func TestUploadToEvilServers(t *testing.T) {
	t.Parallel()
	extended := []string{"posix-rename@openssh.com", "fsync@openssh.com"}
	cases := map[string]struct {
		f    *fakeFS
		kind sftp.Kind
		want string
	}{
		"loses bytes":                {&fakeFS{content: "ab"}, sftp.Failed, `"sftp.not_all_written"`},
		"a full disk":                {&fakeFS{replies: map[byte]reply{opWrite: replyStatus(4)}}, sftp.Failed, "sftp.server_failed"},
		"a full disk, reported late": {&fakeFS{replies: map[byte]reply{opClose: replyStatus(4)}}, sftp.Failed, "sftp.server_failed"},
		"a failing disk":             {&fakeFS{extensions: extended, replies: map[byte]reply{opExtended: replyStatus(4)}}, sftp.Failed, "sftp.server_failed"},
		"writes answered by handles": {&fakeFS{replies: map[byte]reply{opWrite: replyWith(102, str("h"))}}, sftp.Misbehaved, "sftp.protocol_violated"},
		"a write without a code":     {&fakeFS{replies: map[byte]reply{opWrite: replyWith(101, "")}}, sftp.Misbehaved, "sftp.protocol_violated"},
		"a close without a code":     {&fakeFS{replies: map[byte]reply{opClose: replyWith(101, "")}}, sftp.Misbehaved, "sftp.protocol_violated"},
		"a rename without a code":    {&fakeFS{replies: map[byte]reply{opRename: replyWith(101, ""), opLstat: replyOnce(replyWith(105, fileAttrs(3, 0o100644, 1)), replyStatus(2))}}, sftp.Misbehaved, "sftp.protocol_violated"},
		"cannot rename":              {&fakeFS{replies: map[byte]reply{opRename: replyStatus(4), opLstat: replyOnce(replyWith(105, fileAttrs(3, 0o100644, 1)), replyStatus(2))}}, sftp.Failed, "sftp.server_failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			wantError(t, uploadABC(c.f.connect(t, long)), c.kind, c.want)
			if closed := c.kind == sftp.Misbehaved; c.f.count(opRemove) != 1 && !closed {
				t.Errorf("%d partial files were removed, want 1", c.f.count(opRemove))
			}
		})
	}
	// If a server stops responding, the rest of the content is not read.
	f := &fakeFS{replies: map[byte]reply{opWrite: silent}}
	from := bytes.NewReader(make([]byte, 64<<20))
	err := f.connect(t, short).Upload(context.Background(), "/out", "a", from)
	wantError(t, err, sftp.TimedOut, "sftp.writing_file")
	if read := int64(64<<20) - int64(from.Len()); read > 2<<20 {
		t.Errorf("%d bytes were read ahead", read)
	}
}

// This server is read-only.
func TestUploadForbidden(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	folder := t.TempDir()
	s := connect(t, listen(t, serveSSH(withPassword(key), honest)), long)
	err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader("abc"))
	wantError(t, err, sftp.Forbidden, "sftp.forbidden", "sftp.write_to_directory", "anna")
	wantFiles(t, folder, nil)
}

// TestGoServer uploads a file to the Go SFTP server, which responds differently from OpenSSH's,
// and fetches it. In this test, keys are exchanged every 256 KiB.
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
	content := randomText(3<<20 + 1)
	if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	f := listOne(t, s, folder)
	if _, err := s.Fetch(context.Background(), sftp.Download{File: f}, &got); err != nil || got.String() != content {
		t.Errorf("fetched %d bytes, %v", got.Len(), err)
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

func TestUploadWithoutRandomNumbers(t *testing.T) {
	f := &fakeFS{}
	s := f.connect(t, sftp.Config{Rand: failingDisk{}})
	if err := uploadABC(s); !errors.Is(err, errDisk) || f.count(opOpen) != 0 {
		t.Errorf("Upload: %v, %d files opened", err, f.count(opOpen))
	}
}

func BenchmarkUpload(b *testing.B) {
	const size = 64 << 20
	s, folder, content := openSSHSession(b), b.TempDir(), randomText(size)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Upload(context.Background(), folder, "a.csv", strings.NewReader(content)); err != nil {
			b.Fatal(err)
		}
	}
}

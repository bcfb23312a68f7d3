package sftp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/sftp"
)

func TestListOpenSSH(t *testing.T) {
	const part = ".a.csv.intray-0123456789abcdef.part"
	folder := makeFiles(t, map[string]string{
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
	s := openSSHSession(t)
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
	wantError(t, err, sftp.TooMany, "sftp.too_many_files", `"n":8`)
	if all, err := s.List(context.Background(), folder+"/", sftp.Pattern{}, 0); err != nil || len(all.Files) != 6 || all.Files[0].Path != folder+"/.hidden.csv" {
		t.Errorf("with the zero pattern: %+v, %v", all.Files, err)
	}
}

func TestListRefusals(t *testing.T) {
	folder := makeFiles(t, map[string]string{"a.csv": "1"})
	s := openSSHSession(t)
	cases := map[string]struct {
		path string
		kind sftp.Kind
		want string
	}{
		"vanished":     {folder + "/gone", sftp.Missing, "sftp.missing"},
		"a file":       {folder + "/a.csv", sftp.Missing, "sftp.missing"},
		"upwards":      {folder + "/../x", sftp.BadPath, "sftp.directory_with_dots"},
		"line break":   {folder + "\nx", sftp.BadPath, "sftp.directory_with_control_character"},
		"NUL":          {folder + "\x00", sftp.BadPath, "sftp.directory_with_control_character"},
		"no UTF-8":     {folder + "\xe9", sftp.BadPath, "sftp.directory_not_utf8"},
		"without end":  {strings.Repeat("a/", 2049), sftp.BadPath, "sftp.directory_too_long"},
		"a long label": {folder + "/" + strings.Repeat("x", 300), sftp.Failed, "sftp.server_failed"},
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

// Files are skipped if a server sends invalid names for them.
func TestListEvilNames(t *testing.T) {
	const control = "sftp.name_with_control_character"
	invalid := map[string]string{
		"../../etc/passwd": "sftp.name_with_slash", "/etc/passwd": "sftp.name_with_slash", "a/b.csv": "sftp.name_with_slash", `..\..\x`: "sftp.name_with_slash",
		"../a.csv": "sftp.name_with_slash", "a.csv/": "sftp.name_with_slash", "/": "sftp.name_with_slash",
		"": "sftp.name_missing", "a\x00.csv": control, "a\r\n.csv": control, "\x1b[2Ja.csv": control, "a\u0085": control, "\xff\xfe": "sftp.name_not_utf8",
		strings.Repeat("x", 1025): "sftp.name_too_long",
	}
	for name, want := range invalid {
		f := &fakeFS{entries: names(name, ".", "..", "...", "good.csv")}
		got, err := f.connect(t, long).List(context.Background(), "/in", sftp.Pattern{}, 0)
		if err != nil || len(got.Files) != 2 || got.Files[0].Path != "/in/..." || got.Files[1].Path != "/in/good.csv" {
			t.Errorf("%.20q: the files are %+v, %v", name, got.Files, err)
		}
		if len(got.Skipped) != 1 || got.Skipped[0].Reason.Code != want || strings.ContainsAny(got.Skipped[0].Name, "\x00\r\n\x1b") {
			t.Errorf("%.20q: skipped are %+v", name, got.Skipped)
		}
	}
	f := &fakeFS{entries: names(append(manyNames(3), slices.Repeat([]string{"/"}, 250)...)...)}
	got, err := f.connect(t, long).List(context.Background(), "/in", sftp.Pattern{}, 0)
	if err != nil || len(got.Files) != 3 || len(got.Skipped) != 100 || got.NumSkipped != 250 {
		t.Errorf("%d files, %d of %d skipped, %v", len(got.Files), len(got.Skipped), got.NumSkipped, err)
	}
}

// If the listing of a server contains no attributes or no file type, the client requests them.
func TestListRequestsMissingAttributes(t *testing.T) {
	f := &fakeFS{content: "abc", entries: []byte(u32(3) + entry("a.csv", u32(0)) + entry("b.csv", u32(1)+u64(9)) + entry("c.txt", u32(0)))}
	s := f.connect(t, long)
	got, err := s.List(context.Background(), "/in", parse(t, "csv"), 0)
	b := listed(3)
	b.Path = "/in/b.csv"
	if want := []sftp.File{listed(3), b}; err != nil || !cmp.Equal(got.Files, want) || f.count(opLstat) != 2 {
		t.Errorf("the files are %+v, %v after %d requests, want %+v", got.Files, err, f.count(opLstat), want)
	}
	replies := map[string]struct {
		reply   reply
		files   int
		skipped string
	}{
		"no type":   {replyWith(105, u32(1)+u64(3)), 0, "sftp.type_unknown"},
		"type zero": {replyWith(105, fileAttrs(3, 0o644, 1)), 0, "sftp.type_unknown"},
		"no size":   {replyWith(105, u32(4)+u32(0o100644)), 0, "sftp.size_unknown"},
		"no time":   {replyWith(105, u32(5)+u64(3)+u32(0o100644)), 2, ""},
		"folders":   {replyWith(105, u32(4)+u32(0o040755)), 0, ""},
		"vanished":  {replyStatus(2), 0, ""},
	}
	for name, c := range replies {
		f.setReplies(map[byte]reply{opLstat: c.reply})
		got, err := s.List(context.Background(), "/in", parse(t, "csv"), 0)
		if err != nil || len(got.Files) != c.files || c.skipped == "" != (len(got.Skipped) == 0) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if c.skipped != "" && got.Skipped[0].Reason.Code != c.skipped {
			t.Errorf("%s: the reason is %q, want %s", name, got.Skipped[0].Reason.Code, c.skipped)
		}
		if name == "no time" && !got.Files[0].Modified.IsZero() {
			t.Errorf("%s: modified at %v", name, got.Files[0].Modified)
		}
	}
}

func TestEvilListings(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reply reply
		kind  sftp.Kind
	}{
		"more entries than it sends": {replyWith(104, u32(1<<31)+entry("a", u32(0))), sftp.Misbehaved},
		"a name of 4 GiB":            {replyWith(104, u32(1)+u32(0xffffffff)+"evil"), sftp.Misbehaved},
		"attributes cut short":       {replyWith(104, u32(1)+str("a")+str("a")+u32(0xf)), sftp.Misbehaved},
		"4 G extended attributes":    {replyWith(104, u32(1)+str("a")+str("a")+u32(0x80000000)+u32(0xffffffff)), sftp.Misbehaved},
		"the same file for ever":     {replyWith(104, string(names(slices.Repeat([]string{"a"}, 2000)...))), sftp.TooMany},
		"names for ever":             {endlessNames, sftp.TooMany},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{replies: map[byte]reply{opReaddir: c.reply}}
			wantError(t, list(f.connect(t, long)), c.kind, "/in")
		})
	}
}

// endlessNames is a reply that sends names endlessly.
func endlessNames(s *fakeServer, id uint32, _ []byte) {
	list := make([]string, 100)
	for i := range list {
		s.lookups++
		list[i] = "file" + strconv.Itoa(s.lookups)
	}
	s.send(104, id, string(names(list...)))
}

// A listing has a time limit even if the server always responds, here with no entries.
func TestListTimeout(t *testing.T) {
	t.Parallel()
	f := &fakeFS{replies: map[byte]reply{opReaddir: replyWith(104, u32(0))}}
	s := f.connect(t, sftp.Config{ListTimeout: 50 * time.Millisecond})
	wantError(t, list(s), sftp.TimedOut, "sftp.time_ran_out", "sftp.reading_directory")
}

// The client does not allocate memory for a size that the server only declares, and
// does not keep everything that the server sends.
func TestListMemory(t *testing.T) {
	cases := map[string]*fakeFS{
		"huge packet":     {replies: map[byte]reply{opReaddir: replyRaw(packet(0xffffffff, "evil"))}},
		"many entries":    {replies: map[byte]reply{opReaddir: replyWith(104, u32(0xffffffff)+entry("a", u32(0)))}},
		"long bad names":  {replies: map[byte]reply{opReaddir: replyWith(104, string(names(strings.Repeat("\n", 100_000)))+"")}},
		"many extensions": {extensions: manyNames(5_000)},
	}
	for name, f := range cases {
		s := f.connect(t, sftp.Config{ListTimeout: 300 * time.Millisecond})
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = list(s)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8<<20 {
			t.Errorf("%s: the heap grew by %d bytes", name, kept)
		}
	}
}

func BenchmarkList(b *testing.B) {
	s, folder := openSSHSession(b), b.TempDir()
	for i := range 10_000 {
		writeFile(b, folder, fmt.Sprintf("orders-%05d.csv", i), "")
	}
	b.ReportAllocs()
	for b.Loop() {
		if got, err := s.List(context.Background(), folder, sftp.Pattern{}, 0); err != nil || len(got.Files) != 10_000 {
			b.Fatal(err)
		}
	}
}

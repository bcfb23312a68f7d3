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

// everNew lists names without end.
func everNew(s *fakeServer, id uint32, _ []byte) {
	list := make([]string, 100)
	for i := range list {
		s.lookups++
		list[i] = "file" + strconv.Itoa(s.lookups)
	}
	s.send(104, id, string(names(list...)))
}

// A listing that takes too long ends, however busy the server is: here it gives
// nothing, for ever.
func TestListTimeout(t *testing.T) {
	t.Parallel()
	f := &fakeFS{say: map[byte]reply{opReaddir: saying(104, u32(0))}}
	s := f.connect(t, sftp.Config{ListTimeout: 50 * time.Millisecond})
	wantError(t, list(s), sftp.TimedOut, "time ran out while reading the directory")
}

// None of what a server says makes the client allocate by what was declared, or
// keep what it sends.
func TestEvilFilesMemory(t *testing.T) {
	cases := map[string]*fakeFS{
		"huge packet":     {say: map[byte]reply{opReaddir: raw(packet(0xffffffff, "evil"))}},
		"many entries":    {say: map[byte]reply{opReaddir: saying(104, u32(0xffffffff)+entry("a", u32(0)))}},
		"long bad names":  {say: map[byte]reply{opReaddir: saying(104, string(names(strings.Repeat("\n", 100_000)))+"")}},
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
			t.Errorf("%s: %d bytes are kept", name, kept)
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

package zipfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func inputOf(raw []byte) *Input { return NewInput(sourcetest.NewInput("a.zip", raw)) }

// some returns an archive with three entries.
func some(t testing.TB) []byte {
	return sourcetest.Zip(t, sourcetest.File("a.xml", "<a/>"), sourcetest.Stored("b.xml", "<b/>"), sourcetest.File("c.xml", strings.Repeat("c", 1000)))
}

// change returns a copy of an archive in which the last entry of the directory has the given
// number at the given offset.
func change(raw []byte, at int, number uint32) []byte {
	raw = bytes.Clone(raw)
	binary.LittleEndian.PutUint32(raw[bytes.LastIndex(raw, []byte("PK\x01\x02"))+at:], number)
	return raw
}

// These are the offsets of fields in a directory entry.
const (
	sumAt        = 16
	compressedAt = 20
	beginAt      = 42
)

func TestReadDirectory(t *testing.T) {
	dir, err := ReadDirectory(inputOf(some(t)), 3, 512)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range dir.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		text += f.Name + " " + string(content[:4]) + ", "
	}
	if text != "a.xml <a/>, b.xml <b/>, c.xml cccc, " {
		t.Error(text)
	}
	if _, err := ReadDirectory(inputOf([]byte("hello")), 3, 512); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("not an archive: %v", err)
	}
	sourcetest.FailEachRead(t, sourcetest.NewInput("", some(t)), func(in source.Input) error {
		_, err := ReadDirectory(NewInput(in), 3, 512)
		return err
	})
}

func TestDirectoryLimits(t *testing.T) {
	if _, err := ReadDirectory(inputOf(some(t)), 2, 512); !errors.Is(err, ErrTooManyEntries) {
		t.Errorf("three entries of two: %v", err)
	}
	var long []sourcetest.Entry
	for n := range 40 {
		long = append(long, sourcetest.File(strings.Repeat("n", 60_000)+string(rune('a'+n)), ""))
	}
	raw := sourcetest.Zip(t, long...)
	in := inputOf(raw)
	if _, err := ReadDirectory(in, 50, 512); !errors.Is(err, ErrTooManyEntries) {
		t.Errorf("a long directory: %v", err)
	}
	if most := int64(50*512 + searchBytes); in.BytesRead() > most {
		t.Errorf("%d bytes were read, at most %d are allowed", in.BytesRead(), most)
	}
	if _, err := ReadDirectory(inputOf(raw), 50, 61_000); err != nil {
		t.Errorf("a long directory that is allowed: %v", err)
	}
	r := &budgetReader{in: in, left: 9}
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, ErrDirectoryTooLarge) {
		t.Errorf("a read beyond the budget: %v", err)
	}
}

func TestNameProblem(t *testing.T) {
	for name, want := range map[string]string{
		"": "archive.name_empty", `a\b`: "archive.name_with_backslash", "a\x00": "archive.name_with_nul", "/a": "archive.name_with_leading_slash",
		"C:a": "archive.name_with_drive", "../a": "archive.name_leaves_folder", "a/../b": "archive.name_leaves_folder", "..": "archive.name_leaves_folder", "a/..": "archive.name_leaves_folder",
		"a": "", "a/b": "", "a..b/c": "", "a/": "", "..a": "", "ü:": "", "ab:c": "",
	} {
		if got := NameProblem(name); got.Code != want {
			t.Errorf("%q: %s, want %s", name, got.Code, want)
		}
	}
}

// extents returns the result of CheckExtents for an archive.
func extents(in *Input) error {
	dir, err := ReadDirectory(in, 100, 512)
	if err != nil {
		return err
	}
	return CheckExtents(in, dir.File)
}

// dataOffset returns the file offset of the data of an entry.
func dataOffset(t *testing.T, dir *zip.Reader, entry int) int64 {
	t.Helper()
	at, err := dir.File[entry].DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// listed returns the directory of an archive.
func listed(t *testing.T, in *Input) *zip.Reader {
	t.Helper()
	dir, err := ReadDirectory(in, 100, 512)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExactExtents checks that an entry may end exactly at the end of the file or at the start
// of the next entry, but not one byte later.
func TestExactExtents(t *testing.T) {
	three := some(t)
	rest := uint32(int64(len(three)) - dataOffset(t, listed(t, inputOf(three)), 2))
	var outside *OutsideError
	for extra, want := range []bool{false, true} {
		if err := extents(inputOf(change(three, compressedAt, rest+uint32(extra)))); errors.As(err, &outside) != want || !want && err != nil {
			t.Errorf("%d bytes after the file: %v", extra, err)
		}
	}
	pair := sourcetest.Zip(t, sourcetest.Stored("a", "text"), sourcetest.Stored("b", "text"))
	next := int64(bytes.LastIndex(pair, []byte("PK\x03\x04")))
	var overlap *OverlapError
	for extra, want := range []bool{false, true} {
		in := inputOf(pair)
		dir := listed(t, in)
		dir.File[0].CompressedSize64 = uint64(next - dataOffset(t, dir, 0) + int64(extra))
		if err := CheckExtents(in, dir.File); errors.As(err, &overlap) != want || !want && err != nil {
			t.Errorf("%d bytes shared: %v", extra, err)
		}
	}
}

func TestCheckExtents(t *testing.T) {
	good := some(t)
	if err := extents(inputOf(good)); err != nil {
		t.Error(err)
	}
	var header *HeaderError
	if err := extents(inputOf(change(good, beginAt, 1))); !errors.As(err, &header) || header.Entry != "c.xml" || !errors.Is(err, zip.ErrFormat) {
		t.Errorf("missing header: %v", err)
	}
	if err := extents(inputOf(change(good, beginAt, 1<<30))); !errors.As(err, &header) || !errors.Is(err, io.EOF) {
		t.Errorf("a header after the end: %v", err)
	}
	var outside *OutsideError
	for _, size := range []uint32{uint32(len(good)), 1 << 31, 0xFFFFFFFE} {
		if err := extents(inputOf(change(good, compressedAt, size))); !errors.As(err, &outside) || outside.Entry != "c.xml" {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	var overlap *OverlapError
	if err := extents(inputOf(change(good, beginAt, 0))); !errors.As(err, &overlap) || overlap.First != "a.xml" && overlap.Second != "a.xml" {
		t.Errorf("an entry at the beginning of another: %v", err)
	}
	// Both entries refer to the same bytes.
	long := change(sourcetest.Zip(t, sourcetest.Stored("b.xml", "<b/>"), sourcetest.Stored("a.xml", "<a/>")), beginAt, 0)
	if err := extents(inputOf(long)); !errors.As(err, &overlap) {
		t.Errorf("entries that share all bytes: %v", err)
	}
	for _, err := range []error{&HeaderError{"a", io.EOF}, &OutsideError{"a"}, &OverlapError{"a", "b"}} {
		if !strings.Contains(err.Error(), `"a"`) {
			t.Error(err)
		}
	}
	sourcetest.FailEachRead(t, sourcetest.NewInput("", good), func(in source.Input) error {
		tracked := NewInput(in)
		if err := extents(tracked); err != nil && tracked.Failure() == nil {
			t.Errorf("the input does not report the failure of the store: %v", err)
			return err
		}
		return tracked.Failure()
	})
}

// FuzzReadDirectory checks, for arbitrary files, that entries that pass CheckExtents are
// within the file.
func FuzzReadDirectory(f *testing.F) {
	f.Add(some(f))
	f.Add(change(some(f), beginAt, 0))
	f.Add(some(f)[:100])
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := inputOf(raw)
		dir, err := ReadDirectory(in, 20, 512)
		if err != nil {
			return
		}
		if len(dir.File) > 20 {
			t.Fatalf("%d entries", len(dir.File))
		}
		if CheckExtents(in, dir.File) != nil {
			return
		}
		for _, file := range dir.File {
			if at, err := file.DataOffset(); err != nil || at+int64(file.CompressedSize64) > in.Size {
				t.Fatalf("the entry %q starts at %d of %d, error %v", file.Name, at, in.Size, err)
			}
		}
	})
}

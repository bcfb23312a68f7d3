package xls

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// content reads a stream of a container by its name.
func content(t *testing.T, text []byte, name string) ([]byte, error) {
	t.Helper()
	c, err := openCompoundFile(sourcetest.NewInput("", text))
	if err != nil {
		return nil, err
	}
	found, err := c.findStreams(name)
	if err != nil {
		return nil, err
	}
	e, ok := found[name]
	if !ok {
		return nil, errors.New("not there")
	}
	s, err := c.openStream(e)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, s.size)
	return raw, s.readAt(raw, 0)
}

func TestContainer(t *testing.T) {
	short, long := bytes.Repeat([]byte("short"), 50), bytes.Repeat([]byte("long stream "), 20000)
	text := pack(file{"Small", short}, file{"Large", long}, file{"Other", short[:70]}, file{"Empty", nil})
	for name, want := range map[string][]byte{"Small": short, "Large": long, "Other": short[:70], "Empty": {}} {
		got, err := content(t, text, name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, error %v", name, len(got), len(want), err)
		}
	}
	for name := range map[string]bool{"Missing": true, "Root Entry": true} {
		if _, err := content(t, text, name); err == nil {
			t.Errorf("%s was found", name)
		}
	}
}

// TestLargeContainer has more tables than the header lists.
func TestLargeContainer(t *testing.T) {
	for _, size := range []int{8 << 20, 16 << 20} {
		want := make([]byte, size)
		for i := 0; i < len(want); i += 500 {
			little.PutUint32(want[i:], uint32(i))
		}
		got, err := content(t, pack(file{"Large", want}, file{"Small", []byte("s")}), "Large")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d, error %v", len(got), len(want), err)
		}
	}
}

// TestFolders leaves alone what is inside of a folder.
func TestFolders(t *testing.T) {
	text := pack(file{"Folder", nil}, file{"Workbook", one(nil, rec(recRK, at(0, 0, 0), rkWhole(1)))})
	entry := bytes.Index(text, utf16le("Folder"))
	text[entry+66] = 1    // a folder
	text[entry+72] = 0xFF // nothing beside it
	copy(text[entry+73:], "\xFF\xFF\xFF\x02\x00\x00\x00")
	if _, err := content(t, text, "Workbook"); err == nil {
		t.Error("the stream in the folder was found")
	}
}

// damaged gives a file whose bytes at a place are replaced.
func damaged(text []byte, at int, raw ...any) []byte {
	return append(append(bytes.Clone(text[:at]), body(raw...)...), text[at+len(body(raw...)):]...)
}

func TestDamagedContainers(t *testing.T) {
	sheet := bytes.Repeat(rec(recRK, at(0, 0, 0), rkWhole(1)), 600)
	text := xls(one(nil, sheet))
	fat := len(text) - 512
	small := xls(one(nil))
	miniFAT := int(little.Uint32(small[60:])+1) * 512
	for _, c := range []struct {
		name, wanted string
		text         []byte
	}{
		{"no sectors", "cut short", text[:500]},
		{"a size of sectors that is none", "sectors have 2^30 bytes", damaged(text, 30, uint16(30))},
		{"a circle of sectors", "in a circle", damaged(text, fat, uint32(0))},
		{"a longer circle", "in a circle", damaged(text, fat+12, uint32(1))},
		{"a link beyond the end", "cut short", damaged(text, fat+8, uint32(0x00FFFFFF))},
		{"a mark in the middle", "cut short", damaged(text, fat+8, uint32(endOfChain))},
		{"a directory that is not there", "directory", damaged(text, 48, uint32(0x00FFFFFF))},
		{"a table that is not there", "cut short", damaged(text, 76, uint32(0x00FFFFFF))},
		{"a list of tables in a circle", "in a circle", damaged(text, 68, uint32(3), uint32(9), uint32(0xFFFFFFFF))},
		{"a small circle", "in a circle", damaged(damaged(small, miniFAT, uint32(0)), bytes.Index(small, utf16le("Workbook"))+120, uint32(4000))},
	} {
		if c.name == "a list of tables in a circle" { // the sector names itself as the next
			c.text = damaged(c.text, 4*512, bytes.Repeat([]byte{0xFF}, 508), uint32(3))
		}
		_, err := read(t, c.text, Limits{})
		var unreadable *source.UnreadableError
		if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), c.wanted) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.wanted)
		}
	}
}

// TestEntriesInACircle ends in spite of a directory that leads round and round.
func TestEntriesInACircle(t *testing.T) {
	text := pack(file{"Other", []byte("x")}, file{"Workbook", one(nil)})
	entry := bytes.Index(text, utf16le("Workbook"))
	got, err := read(t, damaged(text, entry+68, uint32(1), uint32(2)), Limits{})
	if err != nil || got != "[One]\n" {
		t.Errorf("%q, error %v", got, err)
	}
}

// TestCuts cuts a file at many places: it reads as a whole, or is refused.
func TestCuts(t *testing.T) {
	text := xls(one(rec(recSST, counts, narrow("text")), bytes.Repeat(rec(recLabelSST, at(0, 0, 0), uint32(0)), 300)))
	want, err := read(t, text, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(text); n += 7 {
		got, err := read(t, text[:n], Limits{})
		var unreadable *source.UnreadableError
		switch {
		case err == nil && got != want:
			t.Errorf("cut at %d: %q", n, got)
		case err != nil && !errors.As(err, &unreadable):
			t.Errorf("cut at %d: error %v", n, err)
		}
	}
}

// TestLargeSectors reads the large sectors of the newer containers.
func TestLargeSectors(t *testing.T) {
	text := pack(file{"Workbook", one(nil)})
	sectors := text[512:]
	var large []byte
	for ; len(sectors) > 0; sectors = sectors[512:] {
		fill := byte(0)
		if len(sectors) == 512 {
			fill = 0xFF // the table of links
		}
		large = body(large, sectors[:512], bytes.Repeat([]byte{fill}, 4096-512))
	}
	head := damaged(damaged(text[:512], 26, uint16(4)), 30, uint16(12))
	got, err := content(t, body(head, make([]byte, 4096-512), large), "Workbook")
	if diff := cmp.Diff(one(nil), got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// failing is a store that fails behind a place.
type failing struct {
	io.ReaderAt
	good int64
}

var errStore = errors.New("the store failed")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.good {
		return 0, errStore
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestReportsReadFailure(t *testing.T) {
	text := xls(one(rec(recSST, counts, narrow("text")), bytes.Repeat(rec(recLabelSST, at(0, 0, 0), uint32(0)), 5000)))
	whole := sourcetest.NewInput("", text)
	for good := int64(0); good < int64(len(text)); good += 997 {
		in := whole
		in.ReaderAt = failing{bytes.NewReader(text), good}
		b, err := Open(t.Context(), in, Limits{})
		if err == nil {
			_, err = b.Rows(t.Context(), 0)
		}
		if !errors.Is(err, errStore) {
			t.Errorf("failing from %d on: error %v", good, err)
		}
	}
}

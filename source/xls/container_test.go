package xls

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// damaged returns a copy of a file with some bytes replaced.
func damaged(text []byte, at int, raw ...any) []byte {
	return append(append(bytes.Clone(text[:at]), body(raw...)...), text[at+len(body(raw...)):]...)
}

func TestDamagedContainers(t *testing.T) {
	const endOfChain = 0xFFFFFFFE
	sheet := bytes.Repeat(rec(recRK, at(0, 0, 0), rkWhole(1)), 600)
	text := xls(one(nil, sheet))
	fat := len(text) - 512
	small := xls(one(nil))
	miniFAT := int(little.Uint32(small[60:])+1) * 512
	for _, c := range []struct {
		name, want string
		text       []byte
	}{
		{"no sectors", "incomplete", text[:500]},
		{"an invalid sector size", "sectors have an invalid size of 2^30 bytes", damaged(text, 30, uint16(30))},
		{"a loop of sectors", "a loop", damaged(text, fat, uint32(0))},
		{"a longer loop", "a loop", damaged(text, fat+12, uint32(1))},
		{"a link beyond the end", "incomplete", damaged(text, fat+8, uint32(0x00FFFFFF))},
		{"a mark in the middle", "incomplete", damaged(text, fat+8, uint32(endOfChain))},
		{"a missing directory", "directory", damaged(text, 48, uint32(0x00FFFFFF))},
		{"a missing table", "incomplete", damaged(text, 76, uint32(0x00FFFFFF))},
		{"a table right after the end", "incomplete", damaged(text, 76, uint32(len(text)/512-1))},
		{"a table right after a cut end", "incomplete", damaged(append(bytes.Clone(text), 0), 76, uint32(len(text)/512))},
		{"a loop in the list of tables", "a loop", damaged(text, 68, uint32(3), uint32(9), uint32(0xFFFFFFFF))},
		{"a loop of small sectors", "a loop", damaged(damaged(small, miniFAT, uint32(0)), bytes.Index(small, utf16le("Workbook"))+120, uint32(4000))},
	} {
		if c.name == "a loop in the list of tables" { // the sector refers to itself as the next sector
			c.text = damaged(c.text, 4*512, bytes.Repeat([]byte{0xFF}, 508), uint32(3))
		}
		_, err := read(t, c.text, Limits{})
		var unreadable *source.UnreadableError
		if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestTruncated checks that a truncated file returns either all rows or an error. It
// truncates the file at many lengths.
func TestTruncated(t *testing.T) {
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
			t.Errorf("truncated to %d bytes: %q", n, got)
		case err != nil && !errors.As(err, &unreadable):
			t.Errorf("truncated to %d bytes: error %v", n, err)
		}
	}
}

func TestReportsReadFailure(t *testing.T) {
	text := xls(one(rec(recSST, counts, narrow("text")), bytes.Repeat(rec(recLabelSST, at(0, 0, 0), uint32(0)), 5000)))
	sourcetest.FailEachRead(t, sourcetest.NewInput("", text), func(in source.Input) error {
		b, err := Open(t.Context(), in, Limits{})
		if err != nil {
			return err
		}
		rows, err := b.Rows(t.Context(), 0)
		if err != nil {
			return err
		}
		_, err = rows.Next(t.Context())
		return err
	})
}

// failsOnce is a store in which one read fails. at is the number of reads before it. All other
// reads succeed.
type failsOnce struct {
	io.ReaderAt
	at, reads int
}

func (s *failsOnce) ReadAt(p []byte, at int64) (int, error) {
	s.reads++
	if s.reads == s.at+1 {
		return 0, sourcetest.ErrStore
	}
	return s.ReaderAt.ReadAt(p, at)
}

// TestReadFailureInText checks that no name is truncated if a read fails in the middle of it:
// either the failure is reported, or a later read returns the rest of the name. The record with
// the start of the name ends where the first window of the reader ends.
func TestReadFailureInText(t *testing.T) {
	rest := rec(recContinue, byte(0), "other")
	for name, start := range map[string][]byte{
		"sheet":  rec(recBoundSheet, uint32(0), uint16(0), byte(16), byte(0), "first half "),
		"format": rec(0x041E, uint16(164), uint16(16), byte(0), "first half "),
	} {
		padding := make([]byte, minWindow-len(bofOf(8, partGlobals))-recordHeader-len(start))
		text := xls(workbookStream(8, body(rec(0x0FFF, padding), start, rest), part{name: "x"}))
		for n := 0; ; n++ {
			in := sourcetest.NewInput("", text)
			store := &failsOnce{ReaderAt: in.ReaderAt, at: n}
			in.ReaderAt = store
			opened, err := Open(t.Context(), in, Limits{})
			failed := store.reads > n
			if failed && errors.Is(err, sourcetest.ErrStore) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: read %d fails: error %v", name, n, err)
			}
			if b := opened.(*book); b.allSheets[0].Name != "first half other" && b.styles.codes[164] != "first half other" {
				t.Errorf("%s: read %d fails: sheet %q, format %q", name, n, b.allSheets[0].Name, b.styles.codes[164])
			}
			if !failed {
				break
			}
		}
	}
}

package archive

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestPackingChangesNothing checks that a table has the same records uncompressed and in each
// compression format.
func TestPackingChangesNothing(t *testing.T) {
	cells := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9 ]{1,8}`), 3, 3)
	rapid.Check(t, func(rt *rapid.T) {
		text := "id,name,town\n"
		for _, row := range rapid.SliceOfN(cells, 1, 40).Draw(rt, "rows") {
			text += strings.Join(row, ",") + "\n"
		}
		cut := rapid.IntRange(0, len(text)).Draw(rt, "cut")
		opt := source.Options{AsIs: rapid.Bool().Draw(rt, "as is")}
		bare, err := sourcetest.ReadAll(t.Context(), csv.Format{}, sourcetest.NewInput("", []byte(text)), opt)
		if err != nil {
			rt.Fatal(err)
		}
		packed := []string{
			gzipped(t, "", text[:cut]) + gzipped(t, "", text[cut:]), zstded(t, text[:cut]) + zstded(t, text[cut:]),
			zipped(t, file("a", text)), zipped(t, packed("a", zipZstd, text), file("b", cabinetMark+"=Jan\n1\n")),
		}
		for _, archive := range packed {
			got, err := sourcetest.ReadAll(t.Context(), format(), sourcetest.NewInput("", []byte(archive)), opt)
			if err != nil {
				rt.Fatal(err)
			}
			got[0].Name = ""
			if diff := cmp.Diff(bare, got[:1]); diff != "" {
				rt.Fatalf("%.4q of %q (-bare +packed):\n%s", archive, text, diff)
			}
		}
	})
}

// TestDetectsEveryFlippedBit checks that, after any single bit is flipped, reading returns the
// same records or an error of package source.
func TestDetectsEveryFlippedBit(t *testing.T) {
	for _, text := range []string{gzipped(t, "a", people), zstded(t, people), zipped(t, file("a", people))} {
		for bit := range 8 * len(text) {
			changed := []byte(text)
			changed[bit/8] ^= 1 << (bit % 8)
			sheets, err := sourcetest.ReadAll(t.Context(), format(), sourcetest.NewInput("", changed), source.Options{})
			if err != nil {
				if !sourcetest.IsTyped(err) {
					t.Errorf("%.4q, bit %d: an error without a type: %v", text, bit, err)
				}
				continue
			}
			if diff := cmp.Diff(peopleSheet(sheets[0].Name), sheets[0]); diff != "" {
				t.Errorf("%.4q, bit %d: records (-want +got):\n%s", text, bit, diff)
			}
		}
	}
}

// TestInputNotNeededAfterOpen checks that all sheets can be opened if the store fails after
// Open.
func TestInputNotNeededAfterOpen(t *testing.T) {
	store := &closableStore{Reader: *bytes.NewReader([]byte(zipped(t, file("a.csv", people), file("b.csv", people))))}
	book, err := format().Open(t.Context(), source.Input{ReaderAt: store, Size: store.Size()}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	store.closed = true
	for i := range book.Sheets() {
		reader, err := book.Open(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(reader.Columns()); got != 2 {
			t.Errorf("sheet %d has %d columns", i, got)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

// closableStore is a store whose reads fail after it is closed.
type closableStore struct {
	bytes.Reader
	closed bool
}

var errStore = errors.New("the store failed")

func (f *closableStore) ReadAt(p []byte, at int64) (int, error) {
	if f.closed {
		return 0, errStore
	}
	return f.Reader.ReadAt(p, at)
}

// TestStoreFails checks, for a failure at each read, that Open returns the error of the store.
func TestStoreFails(t *testing.T) {
	texts := map[string]string{"gzip": gzipped(t, "", people), "zstd": zstded(t, people), "zip": zipped(t, file("a.csv", people), file("b.csv", people))}
	for name, text := range texts {
		for good := range 100 {
			store := &failingStore{Reader: *bytes.NewReader([]byte(text)), reads: good}
			book, err := format().Open(t.Context(), source.Input{ReaderAt: store, Size: store.Size()}, source.Options{})
			if err == nil {
				if err := book.Close(); err != nil {
					t.Error(err)
				}
				if good < 2 {
					t.Errorf("%s: opened with %d reads", name, good)
				}
				break
			}
			if !errors.Is(err, errStore) || sourcetest.IsTyped(err) {
				t.Errorf("%s, failing after %d reads: %v", name, good, err)
			}
		}
	}
}

// failingStore is a store that fails after a number of reads.
type failingStore struct {
	bytes.Reader
	reads int
}

func (s *failingStore) ReadAt(p []byte, at int64) (int, error) {
	if s.reads--; s.reads < 0 {
		return 0, fmt.Errorf("read %d bytes at %d: %w", len(p), at, errStore)
	}
	return s.Reader.ReadAt(p, at)
}

func TestDefaults(t *testing.T) {
	want := Limits{InflatedBytes: 4 << 30, MemberBytes: 4 << 30, Ratio: 1000, Members: 1000, NameBytes: 1024, Sheets: 4096}
	if diff := cmp.Diff(want, Limits{}.WithDefaults()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	small := Limits{InflatedBytes: 7}.WithDefaults()
	if small.MemberBytes != 7 {
		t.Errorf("limit of a member: %d bytes, want 7", small.MemberBytes)
	}
}

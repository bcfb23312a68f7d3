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

// TestPackingChangesNothing packs a table in each way: what is read is what
// reading the bare table gives.
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

// TestNoByteIsLostInSilence changes one bit at a time: either the same records
// come, or a named error.
func TestNoByteIsLostInSilence(t *testing.T) {
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
				t.Errorf("%.4q, bit %d: other records (-want +got):\n%s", text, bit, diff)
			}
		}
	}
}

// TestInputMayGo closes the store behind Open: everything was inflated.
func TestInputMayGo(t *testing.T) {
	store := &fleeting{Reader: *bytes.NewReader([]byte(zipped(t, file("a.csv", people), file("b.csv", people))))}
	book, err := format().Open(t.Context(), source.Input{ReaderAt: store, Size: store.Size()}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	store.gone = true
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

// fleeting is a store that can go away.
type fleeting struct {
	bytes.Reader
	gone bool
}

var errGone = errors.New("the store is gone")

func (f *fleeting) ReadAt(p []byte, at int64) (int, error) {
	if f.gone {
		return 0, errGone
	}
	return f.Reader.ReadAt(p, at)
}

// TestStoreFailsAnywhere fails each reading of the archive in its turn: the
// error of the store comes through, and no temporary file stays.
func TestStoreFailsAnywhere(t *testing.T) {
	texts := map[string]string{"gzip": gzipped(t, "", people), "zstd": zstded(t, people), "zip": zipped(t, file("a.csv", people), file("b.csv", people))}
	for name, text := range texts {
		for good := range 100 {
			store := &tiring{Reader: *bytes.NewReader([]byte(text)), good: good}
			book, err := format().Open(t.Context(), source.Input{ReaderAt: store, Size: store.Size()}, source.Options{})
			if err == nil {
				if err := book.Close(); err != nil {
					t.Error(err)
				}
				if good < 2 {
					t.Errorf("%s: opened with %d readings", name, good)
				}
				break
			}
			if !errors.Is(err, errGone) || sourcetest.IsTyped(err) {
				t.Errorf("%s, failing behind %d readings: %v", name, good, err)
			}
		}
	}
}

// tiring is a store that goes away after some readings.
type tiring struct {
	bytes.Reader
	good int
}

func (s *tiring) ReadAt(p []byte, at int64) (int, error) {
	if s.good--; s.good < 0 {
		return 0, fmt.Errorf("read %d bytes at %d: %w", len(p), at, errGone)
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
		t.Errorf("one member may have %d bytes where all may have 7", small.MemberBytes)
	}
}

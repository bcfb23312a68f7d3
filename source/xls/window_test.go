package xls

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/source/sourcetest"
)

// noKey is a decryptor that changes nothing. Streams with a key are read record by record.
type noKey struct{}

func (noKey) decrypt([]byte, int64, int) {}

func (k noKey) clone() decryptor { return k }

// TestReadWithinWindow reads random sheets twice: as they are, and with a key, so that no records are read
// directly from the window.
func TestReadWithinWindow(t *testing.T) {
	styles := body(xf(0), xf(2), xf(14))
	strings8 := rec(recSST, uint32(2), uint32(2), narrow("first"), narrow("second"))
	rapid.Check(t, func(rt *rapid.T) {
		var sheet []byte
		row := 0
		for range rapid.IntRange(0, 60).Draw(rt, "records") {
			row += rapid.SampledFrom([]int{0, 0, 0, 0, 1, -1}).Draw(rt, "step")
			place := at(max(row, 0), rapid.IntRange(0, 9).Draw(rt, "column"), rapid.IntRange(0, 3).Draw(rt, "style"))
			number := rapid.Float64Range(-1e6, 1e6).Draw(rt, "number")
			switch rapid.IntRange(0, 12).Draw(rt, "kind") {
			case 0, 1, 2:
				sheet = append(sheet, rec(recLabelSST, place, rapid.Uint32Range(0, 1).Draw(rt, "text"))...)
			case 3, 4:
				sheet = append(sheet, rec(recRK, place, rkWhole(int32(number)))...)
			case 5, 6:
				sheet = append(sheet, rec(recNumber, place, number)...)
			case 7:
				sheet = append(sheet, rec(0x0208, uint16(max(row, 0)), make([]byte, 10), byte(0x20), make([]byte, 3))...)
			case 8:
				sheet = append(sheet, rec(0x00E5, make([]byte, 10))...)
			case 9:
				sheet = append(sheet, rec(0x01FF, make([]byte, rapid.IntRange(0, 2000).Draw(rt, "size")))...)
			case 10:
				sheet = append(sheet, body(bofOf(8, partChart), rec(recNumber, place, number), eof)...)
			case 11:
				sheet = append(sheet, formula(max(row, 0), 3, number)...)
			case 12:
				if rapid.IntRange(0, 20).Draw(rt, "short") == 0 {
					sheet = append(sheet, rec(recNumber, place)...)
				}
			}
		}
		file := xls(one(body(styles, strings8), sheet))
		limits := Limits{Cells: 50}
		readSheet := func(key decryptor) string {
			opened, err := Open(t.Context(), sourcetest.NewInput("", file), limits)
			if err != nil {
				rt.Fatal(err)
			}
			defer opened.Close()
			opened.(*book).key = key
			var out strings.Builder
			found, err := opened.Rows(t.Context(), 0)
			if err == nil {
				fmt.Fprint(&out, found.(*rows).runs, found.(*rows).hiddenRows, found.(*rows).merged)
				err = writeRows(t, &out, found)
			}
			return fmt.Sprintf("%s %v", &out, err)
		}
		if got, want := readSheet(nil), readSheet(noKey{}); got != want {
			rt.Fatalf("%s\nwant %s", got, want)
		}
	})
}

package csv

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/intraydata/intray/source/sourcetest"
)

// BenchmarkRead measures opening and reading one table in several formats.
func BenchmarkRead(b *testing.B) {
	const rows = 150_000
	plain := strings.ReplaceAll(contacts(rows, nil), "a note, no.", "a note no.")
	umlauts := strings.ReplaceAll(plain, "Ada", "Ädä")
	odd := map[int]string{}
	for n := 10; n < rows; n += 100 {
		odd[n] = strings.Replace(contact(n), ",20", ",,20", 1)
	}
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"bare", []byte(strings.ReplaceAll(plain, `"`, ""))},
		{"quoted", []byte(plain)},
		{"careful", []byte(strings.ReplaceAll(plain, ",", "||"))},
		{"repaired", []byte(contacts(rows, odd))},
		{"UTF-16", encodeUTF16(umlauts)},
		{"windows-1252", encodeWindows1252(b, umlauts)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			read := 0
			for b.Loop() {
				read = sourcetest.CountRecords(b, Format{}, c.text)
			}
			b.ReportMetric(float64(read*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// encodeUTF16 encodes text as little-endian UTF-16 with a byte order mark.
func encodeUTF16(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// encodeWindows1252 encodes text as windows-1252.
func encodeWindows1252(t testing.TB, text string) []byte {
	t.Helper()
	out, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(out)
}

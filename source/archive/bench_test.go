package archive

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// BenchmarkOpen measures opening an archive that contains a 20 MiB table.
func BenchmarkOpen(b *testing.B) {
	text := strings.Builder{}
	for n := 0; text.Len() < 20<<20; n++ {
		fmt.Fprintf(&text, "%d,Person %d,person%d@example.com,%d-%02d-%02d\n", n, n*7919%100_003, n*31%9973, 1950+n%60, 1+n%12, 1+n%28)
	}
	for _, packed := range []struct{ kind, text string }{
		{"gzip", gzipped(b, "", text.String())}, {"zstd", zstded(b, text.String())}, {"zip", zipped(b, file("a.csv", text.String()))},
	} {
		b.Run(packed.kind, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				book, err := format().Open(b.Context(), sourcetest.NewInput("", []byte(packed.text)), source.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := book.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

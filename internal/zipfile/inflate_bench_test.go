package zipfile

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	fast "github.com/klauspost/compress/flate"
)

// BenchmarkInflate inflates parts of a workbook with this package, with compress/flate and with
// klauspost/compress. It justifies our own decoder.
func BenchmarkInflate(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	var sheet, texts, blocks bytes.Buffer
	for row := range 100_000 {
		fmt.Fprintf(&sheet, `<row r="%d"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d" t="s"><v>%d</v></c><c r="C%[1]d" s="2"><v>%d.%02d</v></c></row>`,
			row+1, random.IntN(50_000), random.IntN(9000), random.IntN(100))
		fmt.Fprintf(&texts, `<si><t>user%d@example%d.com</t></si>`, random.IntN(1_000_000), random.IntN(90))
	}
	w, err := flate.NewWriter(&blocks, flate.HuffmanOnly)
	if err != nil {
		b.Fatal(err)
	}
	for row := range 10_000 {
		fmt.Fprintf(w, "%0130b", row)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for _, part := range []struct {
		name string
		data []byte
	}{
		{"cells", deflated(b, sheet.Bytes(), flate.DefaultCompression)},
		{"texts", deflated(b, texts.Bytes(), flate.DefaultCompression)},
		{"small blocks", blocks.Bytes()},
	} {
		for _, decoder := range []struct {
			name string
			open func(io.Reader) io.ReadCloser
		}{{"ours", newInflater}, {"compress-flate", flate.NewReader}, {"klauspost", fast.NewReader}} {
			b.Run(part.name+"/"+decoder.name, func(b *testing.B) {
				var size int64
				for b.Loop() {
					r := decoder.open(bytes.NewReader(part.data))
					n, err := io.Copy(io.Discard, r)
					if err != nil {
						b.Fatal(err)
					}
					if size = n; r.Close() != nil {
						b.Fatal("not closed")
					}
				}
				b.SetBytes(size)
			})
		}
	}
}

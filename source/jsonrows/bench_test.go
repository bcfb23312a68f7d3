package jsonrows

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

// people returns a table of ten columns, as in exports.
func people(rows int, note string) []byte {
	var text bytes.Buffer
	for n := range rows {
		fmt.Fprintf(&text, `{"id":%d,"name":{"first":"Ada%d","last":"Lovelace"},"email":"ada%d@example.org","phone":"+44 20 7946 %04d","date":"1843-09-%02d","amount":%d.%02d,"city":"London","country":"GB","note":%s}`+"\n",
			n, n%97, n, n%10000, 1+n%28, n%5000, n%100, note)
	}
	return text.Bytes()
}

// BenchmarkRead measures both passes.
func BenchmarkRead(b *testing.B) {
	tables := map[string][]byte{
		"plain":   people(100_000, `"a short note"`),
		"escaped": people(100_000, `"a note, with \"quotes\"\nand \u00fcmlauts"`),
		"array":   people(100_000, `[1, 2, "three"]`),
	}
	for name, text := range tables {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = sourcetest.CountRecords(b, Format{}, text)
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

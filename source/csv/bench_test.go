package csv

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

// people is a table of ten columns, as exports have it.
func people(rows int, note string) []byte {
	var text bytes.Buffer
	text.WriteString("id,first name,last name,email,phone,date,amount,city,country,note\n")
	for n := range rows {
		fmt.Fprintf(&text, "%d,Ada%d,Lovelace,ada%d@example.org,+44 20 7946 %04d,1843-09-%02d,%d.%02d,London,GB,%s\n",
			n, n%97, n, n%10000, 1+n%28, n%5000, n%100, note)
	}
	return text.Bytes()
}

func BenchmarkRead(b *testing.B) {
	tables := map[string][]byte{
		"bare":   people(200_000, "a short note"),
		"quoted": people(200_000, `"a note, with ""quotes"" and a comma"`),
		"wide":   people(200_000, "über ärgerliche Ausländerbehörden"),
		"empty":  bytes.Repeat([]byte(",,,,,,,,,x\n"), 2_000_000),
	}
	for name, text := range tables {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = sourcetest.Drain(b, Format{}, text)
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

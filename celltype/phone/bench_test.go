package phone

import "testing"

// columns are the cells of typical columns, with the configuration for reading them.
var columns = []struct {
	name  string
	c     Config
	cells []string
}{
	{"E164", Config{}, []string{"+4989123456", "+12015550123", "+442079460123", "+33123456789", "+8613812345678", "+919876543210", "+5511961234567", "+390612345678"}},
	{"US", Config{Country: "US"}, []string{"(201) 555-0123", "201-555-0124", "2015550125", "1 201 555 0126", "212.555.0127", "+1 415 555 0128"}},
	{"DE", Config{Country: "DE"}, []string{"089 123456", "089/1234567", "0171 2345678", "+49 89 1234567", "0049 30 1234567", "030-12345678"}},
	{"GBFormatted", Config{Country: "GB", Formatted: true}, []string{"020 7946 0123", "07400 123456", "+44 121 234 5678", "0121 234 5678"}},
	{"FRNational", Config{Country: "FR", Format: "national"}, []string{"01 23 45 67 89", "0612345678", "+33 6 12 34 56 78"}},
	{"ARMobile", Config{Country: "AR"}, []string{"011 15-2345-6789", "+54 9 11 2345 6789", "0351 15-234-5678"}},
	{"Folded", Config{Country: "EG"}, []string{"٠٢٢١٢٣٤٥٦٧", "Tel.: 02 21234567", "\u202a+20 2 21234567\u202c"}},
}

// ready returns a reader and the cells of a column. The reader can read all of them.
func ready(b *testing.B, c Config, texts []string) (*Reader, [][]byte) {
	r, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	cells := make([][]byte, len(texts))
	for i, text := range texts {
		cells[i] = []byte(text)
		if out, p := r.Append(nil, cells[i]); p.Code != Read {
			b.Fatalf("%q: %s %s", text, out, p.Code)
		}
	}
	return r, cells
}

// readAll reads n cells.
func readAll(r *Reader, cells [][]byte, n int) {
	dst := make([]byte, 0, 64)
	for n > 0 {
		for _, cell := range cells[:min(n, len(cells))] {
			dst, _ = r.Append(dst[:0], cell)
		}
		n -= len(cells)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, column := range columns {
		b.Run(column.name, func(b *testing.B) {
			r, cells := ready(b, column.c, column.cells)
			b.ReportAllocs()
			b.ResetTimer()
			readAll(r, cells, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

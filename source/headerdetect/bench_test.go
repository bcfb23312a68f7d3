package headerdetect

import (
	"fmt"
	"testing"
)

// BenchmarkFind searches the first rows of a typical sheet, and of one with the maximum
// width.
func BenchmarkFind(b *testing.B) {
	for _, columns := range []int{10, 16384} {
		rows := make([][]string, 300)
		for i := range rows {
			for c := range columns {
				cell := fmt.Sprint(i * c)
				if c%3 == 0 {
					cell = fmt.Sprint("name ", i)
				}
				rows[i] = append(rows[i], cell)
			}
		}
		b.Run(fmt.Sprint(columns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				find(b, rows, 0)
			}
		})
	}
}

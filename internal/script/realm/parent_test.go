package realm_test

import (
	"fmt"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// BenchmarkParent measures the side that sends: rows of one column out, as many
// changes in.
func BenchmarkParent(b *testing.B) {
	texts := &intray.Texts{}
	raw := []byte(`{"changes":[`)
	for i := range benchRows {
		texts.AppendString(benchCell("email", i))
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, fmt.Sprintf(`%d,"person.%d@example.com"`, i*160+1, i)...)
	}
	raw = append(raw, `],"times":[]}`...)
	columns := make([]*realm.Column, 10)
	columns[0] = &realm.Column{Value: realm.Cells{Texts: texts}}
	call := realm.RowsCall{Kind: realm.HookRow, Mode: "init", Rows: realm.Rows{Count: benchRows, Columns: columns}}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		var request []byte
		for b.Loop() {
			request = call.Append(request[:0])
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readAnswer(raw, realm.Bounds{Rows: benchRows, Parts: make([]int, 10)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

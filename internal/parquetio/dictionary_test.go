package parquetio

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// TestDictionaryBuilder looks the values up again in the page.
func TestDictionaryBuilder(t *testing.T) {
	var b DictionaryBuilder
	rapid.Check(t, func(t *rapid.T) {
		distinct := rapid.SliceOfNDistinct(rapid.StringN(0, 3, -1), 1, 12, rapid.ID[string]).Draw(t, "distinct")
		leaf, width := Leaf{Type: format.ByteArray}, 0
		if rapid.Bool().Draw(t, "fixed") {
			leaf, width = Leaf{Type: format.Int32}, 4
			for i := range distinct {
				distinct[i] = string(binary.LittleEndian.AppendUint32(nil, uint32(i)))
			}
		}
		b.Reset(width, rapid.IntRange(0, 300).Draw(t, "room"))
		var values []string
		var indexes []int32
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(distinct)-1), 0, 200).Draw(t, "values") {
			values, indexes = append(values, distinct[i]), append(indexes, b.Index([]byte(distinct[i])))
		}
		var d Dictionary
		if err := d.Load(&leaf, b.plain, b.Len()); err != nil || d.Len() != b.Len() || b.Len() > len(distinct) {
			t.Fatalf("%d entries of %d: %v", d.Len(), b.Len(), err)
		}
		for i, index := range indexes {
			if got, err := d.Lookup(uint32(index)); string(got) != values[i] || err != nil {
				t.Fatalf("value %d is %q and has the entry %q: %v", i, values[i], got, err)
			}
		}
	})
}

// TestDictionaryBuilderGrows adds more values than there is room for, and closes the
// dictionary with some of them.
func TestDictionaryBuilderGrows(t *testing.T) {
	const most = 5000
	var b DictionaryBuilder
	b.Reset(0, 10)
	for range 2 {
		for i := range most {
			if got := b.Index(fmt.Append(nil, "v", i)); int(got) != i {
				t.Fatalf("value %d has the index %d", i, got)
			}
		}
	}
	for _, keep := range []int{17, 0} {
		b.Close(keep)
		var d Dictionary
		if err := d.Load(&Leaf{Type: format.ByteArray}, b.plain, keep); err != nil || d.Len() != keep || b.Len() != keep {
			t.Errorf("%d entries are left of %d: %v", d.Len(), keep, err)
		}
	}
	b.Reset(0, 0)
	if got := b.Index([]byte("again")); got != 0 || b.Len() != 1 {
		t.Errorf("after Reset, the first of %d values has the index %d", b.Len(), got)
	}
}

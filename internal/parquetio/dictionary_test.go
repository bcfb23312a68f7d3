package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// TestDictionaryBuilder checks that Lookup finds the values in the written page.
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

// TestDictionaryBuilderGrows checks the indexes of a dictionary that grows beyond its initial
// size, and the entries that remain if Close keeps only some of them.
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

// TestDictionaryEntries checks entries of all kinds, including an empty string at the end, and
// checks that invalid indexes and pages are rejected.
func TestDictionaryEntries(t *testing.T) {
	texts := []byte("\x01\x00\x00\x00a" + "\x02\x00\x00\x00bc" + "\x00\x00\x00\x00")
	for _, test := range []struct {
		name  string
		leaf  Leaf
		plain []byte
		count int
		want  []string
		err   error
	}{
		{"texts", Leaf{Type: format.ByteArray}, texts, 3, []string{"a", "bc", ""}, nil},
		{"more texts than declared", Leaf{Type: format.ByteArray}, texts, 1, []string{"a", "bc", ""}, nil},
		{"one empty text", Leaf{Type: format.ByteArray}, make([]byte, 4), 1, []string{""}, nil},
		{"no texts", Leaf{Type: format.ByteArray}, nil, 0, nil, nil},
		{"numbers", Leaf{Type: format.Int32}, []byte("abcdefgh"), 2, []string{"abcd", "efgh"}, nil},
		{"fixed", Leaf{Type: format.FixedLenByteArray, Length: 3}, []byte("abcdefgh"), 2, []string{"abc", "def"}, nil},
		{"a length that is cut off", Leaf{Type: format.ByteArray}, texts[:len(texts)-1], 3, nil, errPageTruncated},
		{"a text that is cut off", Leaf{Type: format.ByteArray}, texts[:len(texts)-5], 2, nil, errPageTruncated},
	} {
		t.Run(test.name, func(t *testing.T) {
			var d Dictionary
			if err := d.Load(&test.leaf, test.plain, test.count); !errors.Is(err, test.err) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if test.err != nil {
				return
			}
			if d.Len() != len(test.want) {
				t.Fatalf("%d entries, want %d", d.Len(), len(test.want))
			}
			for i, want := range test.want {
				if got, err := d.Lookup(uint32(i)); string(got) != want || err != nil {
					t.Errorf("entry %d is %q, not %q: %v", i, got, want, err)
				}
			}
			if _, err := d.Lookup(uint32(d.Len())); !errors.Is(err, errOutsideDictionary) {
				t.Errorf("there is an entry after the last one: %v", err)
			}
		})
	}
	for name, leaf := range map[string]Leaf{"too few": {Type: format.ByteArray}, "booleans": {Type: format.Boolean}} {
		var damage DamageError
		if err := new(Dictionary).Load(&leaf, texts, 4); !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (*Dictionary)(nil).Lookup(0); !errors.Is(err, errOutsideDictionary) {
		t.Errorf("without a dictionary: %v", err)
	}
}

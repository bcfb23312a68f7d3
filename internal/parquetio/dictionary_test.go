package parquetio

import (
	"bytes"
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestAppendPlainTexts compares the texts with those that are appended one at a time.
func TestAppendPlainTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts intray.Texts
		for _, text := range rapid.SliceOf(rapid.StringN(0, 40, -1)).Draw(t, "texts") {
			texts.AppendString(text)
		}
		from := rapid.IntRange(0, texts.Len()).Draw(t, "from")
		to := rapid.IntRange(from, texts.Len()).Draw(t, "to")
		want := []byte("before")
		for i := from; i < to; i++ {
			want = AppendPlainText(want, texts.At(i))
		}
		if got := AppendPlainTexts([]byte("before"), &texts, from, to); !bytes.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
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

package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// TestRunsLikeTheEncoder decodes what the encoder of parquet-go encodes.
func TestRunsLikeTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 8).Draw(t, "width")
		var want []byte
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			level := rapid.ByteMax(byte(1<<width-1)).Draw(t, "level")
			want = append(want, bytes.Repeat([]byte{level}, rapid.IntRange(1, 40).Draw(t, "times"))...)
		}
		text, err := (&rle.Encoding{BitWidth: width}).EncodeLevels(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		d := &rleDecoder{text: text, width: uint(width)}
		for i, w := range want {
			if n, err := d.next(); n != uint32(w) || err != nil {
				t.Fatalf("level %d is %d, not %d: %v", i, n, w, err)
			}
		}
	})
}

// TestDeltasLikeTheEncoder decodes numbers and finds the bytes after them.
func TestDeltasLikeTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Int64(), 0, 400).Draw(t, "numbers")
		text, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		var d deltaDecoder
		if err := d.init(append(bytes.Clone(text), "after"...)); err != nil {
			t.Fatal(err)
		}
		if rest, err := d.rest(); string(rest) != "after" || err != nil {
			t.Fatalf("%d numbers are followed by %q: %v", len(want), rest, err)
		}
		for i, w := range want {
			if n, err := d.next(); int64(n) != w || err != nil {
				t.Fatalf("number %d is %d, not %d: %v", i, int64(n), w, err)
			}
		}
		if _, err := d.next(); err == nil {
			t.Fatal("there is a number after the last one")
		}
	})
}

// TestReadBits compares with reading bit by bit.
func TestReadBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 1, 24).Draw(t, "text")
		bit := rapid.IntRange(0, 8*len(text)).Draw(t, "bit")
		width := rapid.UintRange(0, 64).Draw(t, "width")
		got, err := readBits(text, bit, width)
		if outside := bit+int(width) > 8*len(text); outside != (err != nil) {
			t.Fatalf("%d bits at %d of %d bytes: %v", width, bit, len(text), err)
		} else if outside {
			return
		}
		for i := range int(width) {
			want := uint64(text[(bit+i)/8]) >> ((bit + i) % 8) & 1
			if got>>i&1 != want {
				t.Fatalf("bit %d of %d at %d of %x is %d", i, width, bit, text, got>>i&1)
			}
		}
		if width < 64 && got>>width != 0 {
			t.Fatalf("%#x has more than %d bits", got, width)
		}
	})
}

// TestThriftNeverPanics skips arbitrary bytes.
func TestThriftNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &thriftReader{text: rapid.SliceOf(rapid.Byte()).Draw(t, "text")}
		r.skip(rapid.ByteMax(15).Draw(t, "wire"))
		if r.pos > len(r.text) {
			t.Fatalf("the reader is at byte %d of %d", r.pos, len(r.text))
		}
	})
}

func TestThriftSkips(t *testing.T) {
	varint := binary.AppendUvarint(nil, 300)
	for _, test := range []struct {
		wire byte
		text []byte
		err  error
	}{
		{wireTrue, nil, nil},
		{wireByte, []byte{1}, nil},
		{wireInt16, varint, nil},
		{wireInt64, varint, nil},
		{wireDouble, make([]byte, 8), nil},
		{wireBinary, []byte("\x03abc"), nil},
		{wireList, []byte{0x21, 1, 2}, nil}, // booleans
		{wireSet, []byte{0x15, 7}, nil},
		{wireMap, []byte{1, 0x58, 7, 1, 'x'}, nil},
		{wireMap, []byte{0}, nil},
		{wireStruct, []byte{0x15, 2, 0x05, 40, 2, 0}, nil},
		{wireUUID, make([]byte, 16), nil},
		{wireDouble, make([]byte, 7), errTruncated},
		{wireBinary, []byte("\x04abc"), errTruncated},
		{wireList, []byte{0x35, 1}, errTruncated},
		{14, nil, errThrift},
		{wireInt64, bytes.Repeat([]byte{0xFF}, 11), errThrift},
	} {
		t.Run(fmt.Sprintf("%d %x", test.wire, test.text), func(t *testing.T) {
			r := &thriftReader{text: test.text}
			r.skip(test.wire)
			if !errors.Is(r.err, test.err) || r.pos != len(test.text) {
				t.Errorf("got %v at byte %d", r.err, r.pos)
			}
		})
	}
}

// TestDictionaryEntries loads entries of all kinds, among them an empty text at the
// end, and rejects indexes and pages outside of them.
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

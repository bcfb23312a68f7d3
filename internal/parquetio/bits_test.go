package parquetio

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"pgregory.net/rapid"
)

// TestRunsLikeTheEncoder checks that numbers encoded by parquet-go decode to the same numbers.
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

// TestDeltasLikeTheEncoder checks that deltas encoded by parquet-go decode to the same
// numbers, and that rest returns the bytes after them.
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

// TestReadBits compares readBits with reading bit by bit.
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

package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parquet-go/parquet-go/format"
)

func bodies() map[string][]byte {
	noise := make([]byte, 200_000)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{"empty": {}, "one": {7}, "text": bytes.Repeat([]byte("text "), 99), "zeros": make([]byte, 3<<20), "noise": noise}
}

func newTestCompressor(t testing.TB, codec format.CompressionCodec) *Compressor {
	t.Helper()
	c, err := NewCompressor(codec, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPagesDecompress checks that encoded pages of both versions decompress to the original
// bytes.
func TestPagesDecompress(t *testing.T) {
	for _, codec := range []format.CompressionCodec{format.Zstd, format.Snappy, format.Uncompressed} {
		compressor := &Compressor{}
		if codec != format.Uncompressed {
			compressor = newTestCompressor(t, codec)
		}
		e := NewPageEncoder(compressor)
		var d Decompressor
		var pages, plain []byte
		for name, body := range bodies() {
			for _, levels := range [][]byte{nil, []byte("levels")} {
				t.Run(fmt.Sprintf("%s/%s/%s", codec, name, levels), func(t *testing.T) {
					c := Chunk{Codec: codec}
					want := PageHeader{V2: levels != nil, Count: 5, Encoding: format.Plain}
					if want.V2 {
						want.Rows, want.Nulls = 4, 3
					}
					var err error
					if pages, err = e.AppendDataPage(pages[:0], &c, want, levels, body); err != nil {
						t.Fatal(err)
					}
					plain = checkPage(t, &d, &c, pages, plain, want, levels, body)
				})
			}
		}
	}
}

// checkPage decodes a page with levels and a body, and checks its header and the sizes in its
// chunk. It returns the decoded page.
func checkPage(t *testing.T, d *Decompressor, c *Chunk, pages, plain []byte, want PageHeader, levels, body []byte) []byte {
	t.Helper()
	h, packed, rest, err := CutPage(append(pages, "next"...), c.Codec)
	if err != nil || string(rest) != "next" {
		t.Fatalf("%v, then %d bytes", err, len(rest))
	}
	if h.V2 != want.V2 || h.Count != 5 || h.Rows != want.Rows || h.Nulls != want.Nulls || h.DefBytes != len(levels) || h.Encoding != format.Plain {
		t.Errorf("the header is %+v", h)
	}
	plain, err = d.Decompress(plain, &h, c.Codec, packed)
	if err != nil || !bytes.Equal(plain, append(bytes.Clone(levels), body...)) {
		t.Errorf("%d bytes become %d: %v", len(levels)+len(body), len(plain), err)
	}
	if c.Bytes != int64(len(pages)) || c.PlainBytes != int64(len(pages)-len(packed)+len(plain)) || c.Entries != 5 || c.Nulls != int64(want.Nulls) {
		t.Errorf("the chunk is %+v", c)
	}
	return plain
}

// TestImpossibleSizes checks that pages are rejected if their declared size is impossible or
// differs from their actual size.
func TestImpossibleSizes(t *testing.T) {
	zeros := newTestCompressor(t, format.Zstd).compress(nil, make([]byte, 1000))
	for name, test := range map[string]struct {
		codec  format.CompressionCodec
		packed []byte
		size   int
	}{
		"snappy, long":    {format.Snappy, []byte{0xff, 0xff, 0xff, 0xff, 0x07, 0}, math.MaxInt32},
		"snappy, other":   {format.Snappy, []byte{3, 8, 'a', 'b', 'c'}, 4},
		"snappy, nothing": {format.Snappy, nil, 3},
		"snappy, cut off": {format.Snappy, []byte{3, 8, 'a', 'b'}, 3},
		"zstd, long":      {format.Zstd, zeros, math.MaxInt32},
		"zstd, longer":    {format.Zstd, zeros, 1001},
		"zstd, shorter":   {format.Zstd, zeros, 999},
		"zstd, within":    {format.Zstd, zeros, 1000 - zstdSlack},
		"zstd, cut off":   {format.Zstd, zeros[:len(zeros)-1], 1000},
		"plain":           {format.Uncompressed, make([]byte, 10), 9},
	} {
		h := PageHeader{Kind: format.DataPage, CompressedSize: len(test.packed), UncompressedSize: test.size, Compressed: true}
		h, packed, _, err := CutPage(append(h.append(nil), test.packed...), test.codec)
		var got []byte
		if err == nil {
			got, err = new(Decompressor).Decompress(make([]byte, 0, 2000), &h, test.codec, packed)
		}
		var damage DamageError
		if !errors.As(err, &damage) || got != nil {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
	}
}

func TestUnknownCodecs(t *testing.T) {
	if c, err := NewCompressor(format.Brotli, 1); err == nil || c != nil {
		t.Errorf("a compressor for Brotli: %v, %v", c, err)
	}
	if CanDecompress(format.LZO) || !CanDecompress(format.Lz4Raw) {
		t.Error("LZO can be read, or LZ4_RAW cannot")
	}
}

// TestReadExactly checks the result for streams of the declared length, for shorter and longer
// streams, and for streams that fail.
func TestReadExactly(t *testing.T) {
	errBroken := errors.New("broken")
	for name, c := range map[string]struct {
		stream io.Reader
		n      int
		err    error
	}{
		"exact":                {strings.NewReader("abc"), 3, nil},
		"one byte short":       {strings.NewReader("ab"), 2, io.ErrUnexpectedEOF},
		"one byte long":        {strings.NewReader("abcd"), 4, nil},
		"many bytes long":      {strings.NewReader("abcdefgh"), 4, nil},
		"error at the end":     {io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errBroken)), 4, errBroken},
		"error before the end": {io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(errBroken)), 2, errBroken},
	} {
		if n, err := readExactly(c.stream, make([]byte, 3)); n != c.n || !errors.Is(err, c.err) {
			t.Errorf("%s: got %d, %v, want %d, %v", name, n, err, c.n, c.err)
		}
	}
}

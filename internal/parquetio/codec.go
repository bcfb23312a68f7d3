package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/intraydata/intray"
)

const (
	// ratioSlack is the number of bytes added to the compressed size of a page before its
	// compression ratio is checked.
	ratioSlack = 64
	// zstdSlack is the spare capacity, in bytes, that lets the zstd decoder copy in larger steps.
	zstdSlack = 16
	// zstdWindow is the zstd window size, in bytes, for compressing pages.
	zstdWindow = 1 << 20
)

// maxRatio returns the maximum number of bytes that one compressed byte can expand to, or 0 if
// the codec is unknown.
func maxRatio(codec format.CompressionCodec) int {
	switch codec {
	case format.Uncompressed:
		return 1
	case format.Snappy:
		return 22 // a copy of 64 bytes takes three bytes
	case format.Gzip:
		return 1040
	case format.Brotli:
		return 1 << 20
	case format.Zstd:
		return 1 << 16
	case format.Lz4Raw:
		return 256
	}
	return 0
}

// CanDecompress reports whether the package can decompress pages with the codec.
func CanDecompress(codec format.CompressionCodec) bool { return maxRatio(codec) > 0 }

// errDecompress reports a page that does not decompress to its declared size.
var errDecompress = Damaged(intray.NewMessage("parquet.page_not_decompressed", nil))

// Decompressor decompresses pages. The zero value is ready to use. A Decompressor must not be
// used concurrently.
type Decompressor struct {
	// Zstd may be shared between decompressors. By default, the decompressor creates one.
	Zstd *zstd.Decoder

	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// NewZstdDecoder returns a decoder for pages of at most maxBytes bytes. concurrency is the
// maximum number of goroutines that can use the decoder at once. 0 means one per processor.
func NewZstdDecoder(concurrency int, maxBytes uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(concurrency), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxBytes), zstd.WithDecodeAllCapLimit(true))
}

// Decompress decompresses the body of a page and returns the result. It overwrites dst and
// uses its memory. validate must have accepted the header of the page.
func (d *Decompressor) Decompress(dst []byte, h *PageHeader, codec format.CompressionCodec, body []byte) ([]byte, error) {
	if !h.Compressed {
		codec = format.Uncompressed
	}
	if codec == format.Zstd && cap(dst) < h.UncompressedSize {
		dst = make([]byte, h.UncompressedSize+zstdSlack)
	}
	dst = resize(dst, h.UncompressedSize)
	levels := copy(dst, body[:h.DefBytes+h.RepBytes])
	if levels == len(dst) {
		return dst, nil
	}
	n, err := d.decode(dst[levels:], codec, body[levels:])
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errDecompress, err)
	case n != len(dst)-levels:
		return nil, errDecompress
	}
	return dst, nil
}

// decode decompresses src into dst and returns the number of decompressed bytes. Any number
// other than len(dst) means that the page is damaged.
func (d *Decompressor) decode(dst []byte, codec format.CompressionCodec, src []byte) (n int, err error) {
	switch codec {
	case format.Snappy:
		if n, err := s2.DecodedLen(src); err != nil || n != len(dst) {
			return n, err
		}
		_, err = s2.Decode(dst, src)
		return len(dst), err
	case format.Zstd:
		if d.Zstd == nil {
			if d.Zstd, err = NewZstdDecoder(1, maxPageBytes); err != nil {
				return 0, err
			}
		}
		out, err := d.Zstd.DecodeAll(src, dst[:0:min(len(dst)+zstdSlack, cap(dst))])
		return len(out), err
	case format.Lz4Raw:
		return lz4.UncompressBlock(src, dst)
	case format.Gzip:
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err := d.gzip.Reset(bytes.NewReader(src)); err != nil {
			return 0, err
		}
		return readExactly(d.gzip, dst)
	case format.Brotli:
		if d.brotli == nil {
			d.brotli = brotli.NewReader(nil)
		}
		if err := d.brotli.Reset(bytes.NewReader(src)); err != nil {
			return 0, err
		}
		return readExactly(d.brotli, dst)
	}
	return copy(dst, src), nil
}

// readExactly fills dst and checks that r ends there.
func readExactly(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	if extra, err := io.ReadFull(r, more[:]); extra > 0 || !errors.Is(err, io.EOF) {
		return n + 1, err
	}
	return n, nil
}

// Compressor compresses pages with zstd or Snappy. It is safe for concurrent use.
type Compressor struct{ zstd *zstd.Encoder }

// NewCompressor returns a compressor for a codec. concurrency is the maximum number of
// goroutines that can use the compressor at once. The codec must be Zstd or Snappy.
func NewCompressor(codec format.CompressionCodec, concurrency int) (*Compressor, error) {
	switch codec {
	case format.Snappy:
		return &Compressor{}, nil
	case format.Zstd:
		// Other Parquet writers do not add checksums to the frames either.
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(concurrency))
		if err != nil {
			return nil, fmt.Errorf("compress pages: %w", err)
		}
		return &Compressor{z}, nil
	}
	return nil, fmt.Errorf("compress pages: the codec %s is not supported", codec)
}

// compress returns the compressed page. It overwrites dst and uses its memory.
func (c *Compressor) compress(dst, plain []byte) []byte {
	if c.zstd == nil {
		return s2.EncodeSnappy(dst[:cap(dst)], plain)
	}
	return c.zstd.EncodeAll(plain, dst[:0])
}

package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/intraydata/intray"
)

// codecs are the codecs that can be read, each with the most bytes that one byte
// of it can stand for.
var codecs = map[format.CompressionCodec]int{
	format.Uncompressed: 1,
	format.Snappy:       32,
	format.Gzip:         1040,
	format.Brotli:       1 << 20,
	format.Zstd:         1 << 16,
	format.Lz4Raw:       256,
}

// ratioSlack is how many bytes a page may have before ratios count.
const ratioSlack = 64

var errInflate = damage{intray.NewMessage("parquet.page_not_decompressed", nil)}

// inflater decompresses pages into memory of the size that they declare, which
// the caller has checked. It serves one goroutine at a time.
type inflater struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// inflate fills dst from all of src.
func (f *inflater) inflate(codec format.CompressionCodec, dst, src []byte) error {
	if len(dst) == 0 {
		return nil
	}
	err := f.fill(codec, dst, src)
	if err != nil && !errors.Is(err, errInflate) {
		return fmt.Errorf("%w: %w", errInflate, err)
	}
	return err
}

func (f *inflater) fill(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errInflate
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Zstd:
		return f.fillZstd(dst, src)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		return whole(n, dst, err)
	case format.Gzip:
		return f.fillGzip(dst, src)
	case format.Brotli:
		return f.fillBrotli(dst, src)
	}
	return whole(copy(dst, src), dst, nil)
}

// whole wants n bytes to be all of dst.
func whole(n int, dst []byte, err error) error {
	if err == nil && n != len(dst) {
		return errInflate
	}
	return err
}

func (f *inflater) fillZstd(dst, src []byte) (err error) {
	if f.zstd == nil {
		f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := f.zstd.DecodeAll(src, dst[:0:len(dst)])
	return whole(len(out), dst, err)
}

func (f *inflater) fillGzip(dst, src []byte) error {
	if f.gzip == nil {
		f.gzip = new(gzip.Reader)
	}
	if err := f.gzip.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return exactly(f.gzip, dst)
}

func (f *inflater) fillBrotli(dst, src []byte) error {
	if f.brotli == nil {
		f.brotli = brotli.NewReader(nil)
	}
	if err := f.brotli.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return exactly(f.brotli, dst)
}

// exactly fills dst and wants the end behind it.
func exactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return errInflate
	}
	return nil
}

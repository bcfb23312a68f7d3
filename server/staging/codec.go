package staging

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// Codec is how the pages of a stage are compressed. The zero value is Zstd.
type Codec string

// The codecs.
const (
	// Zstd makes small files.
	Zstd Codec = "zstd"
	// Snappy takes a quarter of the time to write and less to read, for files
	// that are half as large again. It suits a stage that is soon gone.
	Snappy Codec = "snappy"
)

// resolve is the codec by its name.
func (c Codec) resolve() (Codec, error) {
	switch c {
	case "", Zstd:
		return Zstd, nil
	case Snappy:
		return Snappy, nil
	}
	return c, fmt.Errorf("the codec %q is not known", string(c))
}

// parquetCodec is the codec as Parquet numbers it.
func (c Codec) parquetCodec() format.CompressionCodec {
	if c == Snappy {
		return format.Snappy
	}
	return format.Zstd
}

// compressor compresses pages. Many encoders may share one.
type compressor struct {
	codec Codec
	zstd  *zstd.Encoder
}

func newCompressor(c Codec) (*compressor, error) {
	c, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if c == Snappy {
		return &compressor{codec: c}, nil
	}
	z, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(1<<20),
		zstd.WithLowerEncoderMem(true))
	return &compressor{c, z}, err
}

// compress compresses a page into dst, which is written over.
func (p *compressor) compress(dst, plain []byte) []byte {
	if p.codec == Snappy {
		return s2.EncodeSnappy(dst[:cap(dst)], plain)
	}
	return p.zstd.EncodeAll(plain, dst[:0])
}

// decompressor inflates pages. Many decoders may share one.
type decompressor struct {
	codec Codec
	zstd  *zstd.Decoder
}

func newDecompressor(c Codec) (*decompressor, error) {
	c, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if c == Snappy {
		return &decompressor{codec: c}, nil
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
	return &decompressor{c, z}, err
}

func (u *decompressor) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// maxSnappyRatio is how many bytes one of Snappy can stand for at most: a copy of 64
// takes three.
const maxSnappyRatio = 22

var errSnappy = errors.New("a page cannot be as long as it says")

// decompress inflates a page of so many bytes into dst, which is written over.
func (u *decompressor) decompress(dst, packed []byte, size int) ([]byte, error) {
	if u.codec == Zstd {
		return u.zstd.DecodeAll(packed, dst[:0])
	}
	if n, err := s2.DecodedLen(packed); err != nil || n != size || n/maxSnappyRatio > len(packed) {
		return dst, errors.Join(errSnappy, err)
	}
	return s2.Decode(dst[:cap(dst)], packed)
}

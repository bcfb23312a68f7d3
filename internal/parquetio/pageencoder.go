package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// maxWrittenHeader is the size of the largest header that is written, in bytes.
const maxWrittenHeader = 80

// minCompressed is the size in bytes below which a page of version 2 is not
// compressed: a frame would not pay.
const minCompressed = 64

var errPageTooLarge = errors.New("a page has more than 2 GiB")

// PageEncoder encodes pages. It keeps scratch memory and must not be used
// concurrently.
type PageEncoder struct {
	compressor *Compressor
	packed     []byte
	encoded    []byte
}

// NewPageEncoder returns an encoder. The compressor may be shared.
func NewPageEncoder(c *Compressor) *PageEncoder { return &PageEncoder{compressor: c} }

// AppendDictionaryPage appends a dictionary page to dst and counts it in the chunk.
// It is always compressed, because its header cannot state otherwise.
func (e *PageEncoder) AppendDictionaryPage(dst []byte, c *Chunk, d *Dictionary) []byte {
	e.packed = e.compressor.compress(e.packed, d.plain)
	h := PageHeader{Kind: format.DictionaryPage, UncompressedSize: len(d.plain), CompressedSize: len(e.packed), Count: d.count, Encoding: format.Plain}
	start := len(dst)
	dst = h.append(dst)
	c.PlainBytes += int64(len(dst) - start + len(d.plain))
	dst = append(dst, e.packed...)
	c.DictionaryBytes = int64(len(dst) - start)
	c.Bytes += c.DictionaryBytes
	return dst
}

// AppendDataPage appends a data page to dst and counts it in the chunk. h states
// its version, counts and encoding. In version 2, levels are the definition levels
// and body the values; repetition levels are not supported. In version 1, levels is nil
// and body has them all, with their lengths.
func (e *PageEncoder) AppendDataPage(dst []byte, c *Chunk, h PageHeader, levels, body []byte) ([]byte, error) {
	if len(body) > math.MaxInt32-len(levels) {
		return dst, errPageTooLarge
	}
	stored := body
	if c.Codec != format.Uncompressed && (!h.V2 || len(body) >= minCompressed) {
		e.packed = e.compressor.compress(e.packed, body)
		if h.Compressed = !h.V2 || len(e.packed) < len(body); h.Compressed {
			stored = e.packed
		}
	}
	h.Kind = format.DataPage
	if h.V2 {
		h.Kind = format.DataPageV2
	}
	h.DefBytes = len(levels)
	h.UncompressedSize, h.CompressedSize = len(levels)+len(body), len(levels)+len(stored)
	start := len(dst)
	dst = slices.Grow(dst, maxWrittenHeader+h.CompressedSize)
	dst = append(h.append(dst), levels...)
	c.PlainBytes += int64(len(dst) - start + len(body))
	dst = append(dst, stored...)
	c.Bytes += int64(len(dst) - start)
	c.Entries += int64(h.Count)
	c.Nulls += int64(h.Nulls)
	return dst, nil
}

// AppendLevels appends levels of up to most to dst in RLE, with their length before
// them.
func (e *PageEncoder) AppendLevels(dst, levels []byte, most int) ([]byte, error) {
	var err error
	if e.encoded, err = EncodeLevels(e.encoded, levels, most); err != nil {
		return dst, err
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(e.encoded))), e.encoded...), nil
}

// EncodeLevels encodes levels of up to most in RLE into dst, which is overwritten.
func EncodeLevels(dst, levels []byte, most int) ([]byte, error) {
	dst, err := (&rle.Encoding{BitWidth: int(levelWidth(most))}).EncodeLevels(dst, levels)
	if err != nil {
		return dst, fmt.Errorf("encode levels: %w", err)
	}
	return dst, nil
}

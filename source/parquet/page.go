package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// maxPageBytes is the most bytes of a page. DuckDB writes up to 100 MB.
	maxPageBytes = 128 << 20
	// maxHeldBytes is the most bytes of all pages at once. Only a list or map of many
	// members needs so many: the pages of its leaves are read side by side.
	maxHeldBytes = 3 * maxPageBytes
	// firstWindow is how much is read to find a page's header, and with it most
	// of the short pages; maxHeaderBytes is the longest header that is read. Headers
	// hold statistics.
	firstWindow    = 16 << 10
	maxHeaderBytes = 4 << 20
)

// page is a page's header.
type page struct {
	kind format.PageType
	// packed are the bytes of the page in the file, plain those behind its
	// compression.
	compressedSize, uncompressedSize int
	crc                              uint32
	hasCRC                           bool

	count    int
	encoding format.Encoding
	// defs and reps tell how the levels are stored; their sizes are given where
	// they stand before what is compressed.
	defEncoding, repEncoding format.Encoding
	defBytes, repBytes       int
	isV2                     bool
	compressed               bool
}

func (p *page) read(c *thriftReader) {
	p.compressed = true
	c.readFields(wireStruct, func(id int16, wire byte) bool {
		switch id {
		case 1:
			p.kind = format.PageType(c.readInt32(wire))
		case 2:
			p.uncompressedSize = c.readInt32(wire)
		case 3:
			p.compressedSize = c.readInt32(wire)
		case 4:
			p.crc, p.hasCRC = uint32(c.readInt32(wire)), true
		case 5, 7:
			c.readFields(wire, func(id int16, wire byte) bool { return p.readV1Field(c, id, wire) })
		case 8:
			p.isV2 = true
			c.readFields(wire, func(id int16, wire byte) bool { return p.readV2Field(c, id, wire) })
		default:
			return false
		}
		return true
	})
}

// readV1Field reads a field of a dictionary's page, or of a page of values whose
// levels are compressed with them.
func (p *page) readV1Field(c *thriftReader, id int16, wire byte) bool {
	switch {
	case id == 1:
		p.count = c.readInt32(wire)
	case id == 2:
		p.encoding = format.Encoding(c.readInt32(wire))
	case id == 3 && wire != wireTrue && wire != wireFalse:
		p.defEncoding = format.Encoding(c.readInt32(wire))
	case id == 4:
		p.repEncoding = format.Encoding(c.readInt32(wire))
	default:
		return false
	}
	return true
}

func (p *page) readV2Field(c *thriftReader, id int16, wire byte) bool {
	switch id {
	case 1:
		p.count = c.readInt32(wire)
	case 4:
		p.encoding = format.Encoding(c.readInt32(wire))
	case 5:
		p.defBytes = c.readInt32(wire)
	case 6:
		p.repBytes = c.readInt32(wire)
	case 7:
		p.compressed = wire == wireTrue
		return true
	default:
		return false
	}
	return true
}

// validate wants sizes that can be, before memory is taken for them.
func (p *page) validate(codec format.CompressionCodec, rest int64) error {
	levels := p.defBytes + p.repBytes
	switch {
	case p.compressedSize < 0 || p.uncompressedSize < 0 || p.count < 0 || p.defBytes < 0 || p.repBytes < 0 || levels > min(p.compressedSize, p.uncompressedSize):
		return damageError{intray.NewMessage("parquet.impossible_page_size", nil)}
	case int64(p.compressedSize) > rest:
		return damageError{intray.NewMessage("parquet.page_outside_file", nil)}
	case p.uncompressedSize > maxPageBytes || p.compressedSize > maxPageBytes:
		return limitError{intray.NewMessage("parquet.page_too_large", intray.Params{"limit": maxPageBytes})}
	case codec == format.Uncompressed && p.uncompressedSize != p.compressedSize:
		return damageError{intray.NewMessage("parquet.two_page_sizes", nil)}
	case p.compressed && (p.uncompressedSize-levels)/codecs[codec] > p.compressedSize-levels+ratioSlack:
		return damageError{intray.NewMessage("parquet.impossible_compression", nil)}
	}
	return nil
}

// pageReader reads pages from the file. It keeps scratch memory, and serves one
// goroutine at a time.
type pageReader struct {
	in source.Input
	// pagesEnd is where the pages end in the file.
	pagesEnd int64
	decompressor
	window, compressed []byte
	// held counts the bytes of all pages that cursors keep, most is how many
	// they may.
	held, most int
	// limit is the most bytes of all pages at once.
	limit int
	spare []byte
}

func newPageReader(b *book) *pageReader {
	return &pageReader{in: b.in, pagesEnd: b.footer.offset, most: heldBytes, limit: maxHeldBytes}
}

// readPage reads the header of a page and its bytes, which are gone with the next
// one, and says where the next page begins.
func (s *pageReader) readPage(at int64, codec format.CompressionCodec) (p page, packed []byte, next int64, err error) {
	size, err := s.readHeader(&p, at)
	if err != nil {
		return p, nil, 0, err
	}
	body := at + int64(size)
	if err := p.validate(codec, s.pagesEnd-body); err != nil {
		return p, nil, 0, err
	}
	if size+p.compressedSize <= len(s.window) {
		packed = s.window[size : size+p.compressedSize]
	} else {
		s.compressed = resize(s.compressed, p.compressedSize)
		packed = s.compressed
		if err := readAt(s.in, packed, body); err != nil {
			return p, nil, 0, err
		}
	}
	if p.hasCRC && crc32.ChecksumIEEE(packed) != p.crc {
		return p, nil, 0, damageError{intray.NewMessage("parquet.wrong_checksum", nil)}
	}
	return p, packed, body + int64(p.compressedSize), nil
}

// readHeader reads a page's header and says how long it is.
func (s *pageReader) readHeader(p *page, at int64) (int, error) {
	for size := int64(firstWindow); ; size *= 8 {
		size = min(size, s.pagesEnd-at)
		if size <= 0 {
			return 0, damageError{intray.NewMessage("parquet.pages_end_early", nil)}
		}
		s.window = resize(s.window, int(size))
		if err := readAt(s.in, s.window, at); err != nil {
			return 0, err
		}
		*p = page{}
		c := &thriftReader{text: s.window}
		p.read(c)
		switch {
		case c.err == nil:
			return c.at, nil
		case !errors.Is(c.err, errTruncated) || size == s.pagesEnd-at || size >= maxHeaderBytes:
			return 0, damageError{intray.NewMessage("parquet.invalid_page_header", nil)}
		}
	}
}

// growBuffer gives memory for a page.
func (s *pageReader) growBuffer(b []byte, size int) []byte {
	if cap(b) < size && cap(s.spare) >= size {
		b, s.spare = s.spare, b
	}
	return resize(b, size)
}

// resize makes b so long; what it held is of no use.
func resize(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// decompressPage decompresses a page into b.
func (s *pageReader) decompressPage(p page, codec format.CompressionCodec, packed, b []byte) ([]byte, error) {
	if !p.compressed {
		codec = format.Uncompressed
	}
	levels := p.defBytes + p.repBytes
	if codec == format.Uncompressed && p.uncompressedSize != p.compressedSize {
		return nil, damageError{intray.NewMessage("parquet.two_page_sizes", nil)}
	}
	if s.held-cap(b)+p.uncompressedSize > s.limit {
		return nil, limitError{intray.NewMessage("parquet.pages_too_large", intray.Params{"limit": s.limit})}
	}
	b = s.growBuffer(b, p.uncompressedSize)
	copy(b, packed[:levels])
	return b, s.decompress(codec, b[levels:], packed[levels:])
}

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

var errDecompress = damageError{intray.NewMessage("parquet.page_not_decompressed", nil)}

// decompressor decompresses pages into memory of the size that they declare, which
// the caller has checked. It serves one goroutine at a time.
type decompressor struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// decompress fills dst from all of src.
func (f *decompressor) decompress(codec format.CompressionCodec, dst, src []byte) error {
	if len(dst) == 0 {
		return nil
	}
	err := f.decode(codec, dst, src)
	if err != nil && !errors.Is(err, errDecompress) {
		return fmt.Errorf("%w: %w", errDecompress, err)
	}
	return err
}

func (f *decompressor) decode(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errDecompress
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Zstd:
		return f.decodeZstd(dst, src)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		return checkDecodedSize(n, dst, err)
	case format.Gzip:
		return f.decodeGzip(dst, src)
	case format.Brotli:
		return f.decodeBrotli(dst, src)
	}
	return checkDecodedSize(copy(dst, src), dst, nil)
}

// checkDecodedSize wants n bytes to be all of dst.
func checkDecodedSize(n int, dst []byte, err error) error {
	if err == nil && n != len(dst) {
		return errDecompress
	}
	return err
}

func (f *decompressor) decodeZstd(dst, src []byte) (err error) {
	if f.zstd == nil {
		f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxPageBytes), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := f.zstd.DecodeAll(src, dst[:0:len(dst)])
	return checkDecodedSize(len(out), dst, err)
}

func (f *decompressor) decodeGzip(dst, src []byte) error {
	if f.gzip == nil {
		f.gzip = new(gzip.Reader)
	}
	if err := f.gzip.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return readExactly(f.gzip, dst)
}

func (f *decompressor) decodeBrotli(dst, src []byte) error {
	if f.brotli == nil {
		f.brotli = brotli.NewReader(nil)
	}
	if err := f.brotli.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return readExactly(f.brotli, dst)
}

// readExactly fills dst and wants the end behind it.
func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return errDecompress
	}
	return nil
}

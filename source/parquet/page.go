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
	// maxPage is the most bytes of a page. DuckDB writes up to 100 MB.
	maxPage = 128 << 20
	// maxHeld is the most bytes of all pages at once. Only a list or map of many
	// members needs so many: the pages of its leaves are read side by side.
	maxHeld = 3 * maxPage
	// firstWindow is how much is read to find a page's header, and with it most
	// of the short pages; maxHeader is the longest header that is read. Headers
	// hold statistics.
	firstWindow = 16 << 10
	maxHeader   = 4 << 20
)

// page is a page's header.
type page struct {
	kind format.PageType
	// packed are the bytes of the page in the file, plain those behind its
	// compression.
	packed, plain int
	sum           uint32
	summed        bool

	count    int
	encoding format.Encoding
	// defs and reps tell how the levels are stored; their sizes are given where
	// they stand before what is compressed.
	defs, reps         format.Encoding
	defBytes, repBytes int
	apart              bool
	compressed         bool
}

func (p *page) read(c *compact) {
	p.compressed = true
	c.fields(wireStruct, func(id int16, wire byte) bool {
		switch id {
		case 1:
			p.kind = format.PageType(c.small(wire))
		case 2:
			p.plain = c.small(wire)
		case 3:
			p.packed = c.small(wire)
		case 4:
			p.sum, p.summed = uint32(c.small(wire)), true
		case 5, 7:
			c.fields(wire, func(id int16, wire byte) bool { return p.readOlder(c, id, wire) })
		case 8:
			p.apart = true
			c.fields(wire, func(id int16, wire byte) bool { return p.readNewer(c, id, wire) })
		default:
			return false
		}
		return true
	})
}

// readOlder reads a field of a dictionary's page, or of a page of values whose
// levels are compressed with them.
func (p *page) readOlder(c *compact, id int16, wire byte) bool {
	switch {
	case id == 1:
		p.count = c.small(wire)
	case id == 2:
		p.encoding = format.Encoding(c.small(wire))
	case id == 3 && wire != wireTrue && wire != wireFalse:
		p.defs = format.Encoding(c.small(wire))
	case id == 4:
		p.reps = format.Encoding(c.small(wire))
	default:
		return false
	}
	return true
}

func (p *page) readNewer(c *compact, id int16, wire byte) bool {
	switch id {
	case 1:
		p.count = c.small(wire)
	case 4:
		p.encoding = format.Encoding(c.small(wire))
	case 5:
		p.defBytes = c.small(wire)
	case 6:
		p.repBytes = c.small(wire)
	case 7:
		p.compressed = wire == wireTrue
		return true
	default:
		return false
	}
	return true
}

// check wants sizes that can be, before memory is taken for them.
func (p *page) check(codec format.CompressionCodec, rest int64) error {
	levels := p.defBytes + p.repBytes
	switch {
	case p.packed < 0 || p.plain < 0 || p.count < 0 || p.defBytes < 0 || p.repBytes < 0 || levels > min(p.packed, p.plain):
		return damage{intray.NewMessage("parquet.impossible_page_size", nil)}
	case int64(p.packed) > rest:
		return damage{intray.NewMessage("parquet.page_outside_file", nil)}
	case p.plain > maxPage || p.packed > maxPage:
		return limitReached{intray.NewMessage("parquet.page_too_large", intray.Params{"limit": maxPage})}
	case codec == format.Uncompressed && p.plain != p.packed:
		return damage{intray.NewMessage("parquet.two_page_sizes", nil)}
	case p.compressed && (p.plain-levels)/codecs[codec] > p.packed-levels+ratioSlack:
		return damage{intray.NewMessage("parquet.impossible_compression", nil)}
	}
	return nil
}

// shelf reads pages from the file. It keeps scratch memory, and serves one
// goroutine at a time.
type shelf struct {
	in source.Input
	// end is where the pages end in the file.
	end int64
	inflater
	window, packed []byte
	// held counts the bytes of all pages that cursors keep, most is how many
	// they may.
	held, most int
	// limit is the most bytes of all pages at once.
	limit int
	spare []byte
}

func newShelf(b *book) *shelf {
	return &shelf{in: b.in, end: b.footer.at, most: heldBytes, limit: maxHeld}
}

// page reads the header of a page and its bytes, which are gone with the next
// one, and says where the next page begins.
func (s *shelf) page(at int64, codec format.CompressionCodec) (p page, packed []byte, next int64, err error) {
	size, err := s.header(&p, at)
	if err != nil {
		return p, nil, 0, err
	}
	body := at + int64(size)
	if err := p.check(codec, s.end-body); err != nil {
		return p, nil, 0, err
	}
	if size+p.packed <= len(s.window) {
		packed = s.window[size : size+p.packed]
	} else {
		s.packed = sized(s.packed, p.packed)
		packed = s.packed
		if err := readAt(s.in, packed, body); err != nil {
			return p, nil, 0, err
		}
	}
	if p.summed && crc32.ChecksumIEEE(packed) != p.sum {
		return p, nil, 0, damage{intray.NewMessage("parquet.wrong_checksum", nil)}
	}
	return p, packed, body + int64(p.packed), nil
}

// header reads a page's header and says how long it is.
func (s *shelf) header(p *page, at int64) (int, error) {
	for size := int64(firstWindow); ; size *= 8 {
		size = min(size, s.end-at)
		if size <= 0 {
			return 0, damage{intray.NewMessage("parquet.pages_end_early", nil)}
		}
		s.window = sized(s.window, int(size))
		if err := readAt(s.in, s.window, at); err != nil {
			return 0, err
		}
		*p = page{}
		c := &compact{text: s.window}
		p.read(c)
		switch {
		case c.err == nil:
			return c.at, nil
		case !errors.Is(c.err, errShort) || size == s.end-at || size >= maxHeader:
			return 0, damage{intray.NewMessage("parquet.invalid_page_header", nil)}
		}
	}
}

// take gives memory for a page.
func (s *shelf) take(b []byte, size int) []byte {
	if cap(b) < size && cap(s.spare) >= size {
		b, s.spare = s.spare, b
	}
	return sized(b, size)
}

// sized makes b so long; what it held is of no use.
func sized(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// unpack decompresses a page into b.
func (s *shelf) unpack(p page, codec format.CompressionCodec, packed, b []byte) ([]byte, error) {
	if !p.compressed {
		codec = format.Uncompressed
	}
	levels := p.defBytes + p.repBytes
	if codec == format.Uncompressed && p.plain != p.packed {
		return nil, damage{intray.NewMessage("parquet.two_page_sizes", nil)}
	}
	if s.held-cap(b)+p.plain > s.limit {
		return nil, limitReached{intray.NewMessage("parquet.pages_too_large", intray.Params{"limit": s.limit})}
	}
	b = s.take(b, p.plain)
	copy(b, packed[:levels])
	return b, s.inflate(codec, b[levels:], packed[levels:])
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

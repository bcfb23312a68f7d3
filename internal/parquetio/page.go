package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

const (
	// maxPageBytes is the maximum size of a page for a [PageReader], in bytes. DuckDB writes
	// pages of up to 100 MB.
	maxPageBytes = 128 << 20
	// largePage is the page size, in bytes, from which the garbage collector runs before the page
	// is read.
	largePage = 32 << 20
	// maxPagesBytes is the default of [PageReader.Limit]. It is enough for a page of 100 MB that
	// cannot be compressed.
	maxPagesBytes = 192 << 20
	// headerWindow is the number of bytes first read for the header of a page. If the page is
	// short, these bytes usually include its body as well. maxHeaderBytes is the number of bytes
	// after which reading stops and a page with an incomplete header is rejected. Headers can be
	// long because they contain statistics.
	headerWindow   = 16 << 10
	maxHeaderBytes = 4 << 20
)

// PageHeader is the header of a page.
type PageHeader struct {
	Kind format.PageType
	// V2 reports whether a data page has version 2. In that version, the levels precede the
	// values, uncompressed and without a length.
	V2 bool
	// CompressedSize is the size of the body in bytes, and UncompressedSize its size after
	// decompression.
	CompressedSize, UncompressedSize int
	// Count is the number of entries, and Nulls is the number of nulls among them. In version
	// 1, Nulls is written to the statistics but not read back, and Rows is not used.
	Count, Rows, Nulls int
	Encoding           format.Encoding
	// DefBytes and RepBytes are the sizes of the definition and repetition levels in bytes, in
	// version 2.
	DefBytes, RepBytes int
	// Compressed reports whether the values are compressed.
	Compressed bool

	defEncoding, repEncoding format.Encoding
	crc                      uint32
	hasCRC                   bool
}

func (h *PageHeader) read(r *thriftReader) {
	*h = PageHeader{}
	var kind, encoding, defEncoding, repEncoding int
	compressed := 1
	r.readFields(wireStruct, []*int{&kind, &h.UncompressedSize, &h.CompressedSize}, func(id int16, wire byte) bool {
		switch id {
		case 4:
			h.crc, h.hasCRC = uint32(r.readInt32(wire)), true
		case 5, 7: // a data page of version 1, a dictionary page
			r.readFields(wire, []*int{&h.Count, &encoding, &defEncoding, &repEncoding}, nil)
		case 8:
			h.V2 = true
			r.readFields(wire, []*int{&h.Count, &h.Nulls, &h.Rows, &encoding, &h.DefBytes, &h.RepBytes, &compressed}, nil)
		default:
			return false
		}
		return true
	})
	h.Kind, h.Encoding, h.Compressed = format.PageType(kind), format.Encoding(encoding), compressed != 0
	h.defEncoding, h.repEncoding = format.Encoding(defEncoding), format.Encoding(repEncoding)
}

// append appends the encoded header to b. It declares that levels in version 1 use RLE.
func (h *PageHeader) append(b []byte) []byte {
	w := &thriftWriter{text: b}
	w.appendStruct(func() {
		w.writeInts(1, int(h.Kind), h.UncompressedSize, h.CompressedSize)
		switch {
		case h.Kind == format.DictionaryPage:
			w.writeStruct(7, func() { w.writeInts(1, h.Count, int(h.Encoding)) })
		case h.V2:
			w.writeStruct(8, func() {
				w.writeInts(1, h.Count, h.Nulls, h.Rows, int(h.Encoding), h.DefBytes, h.RepBytes)
				w.writeBool(7, h.Compressed)
				w.writeStruct(8, func() { w.writeInt64(3, int64(h.Nulls)) })
			})
		default:
			w.writeStruct(5, func() {
				w.writeInts(1, h.Count, int(h.Encoding), int(format.RLE), int(format.RLE))
				w.writeStruct(5, func() { w.writeInt64(3, int64(h.Nulls)) })
			})
		}
	})
	return w.text
}

// validate checks the sizes in the header, so that a damaged page cannot cause large allocations.
// rest is the number of bytes after the header. limit is the maximum size of the body in bytes.
func (h *PageHeader) validate(codec format.CompressionCodec, rest int64, limit int) error {
	levels := h.DefBytes + h.RepBytes
	switch {
	case h.CompressedSize < 0 || h.UncompressedSize < 0 || h.Count < 0 || h.DefBytes < 0 || h.RepBytes < 0 || levels > min(h.CompressedSize, h.UncompressedSize):
		return Damaged(intray.NewMessage("parquet.impossible_page_size", nil))
	case int64(h.CompressedSize) > rest:
		return Damaged(intray.NewMessage("parquet.page_outside_file", nil))
	case h.UncompressedSize > limit || h.CompressedSize > limit:
		return Limited(intray.NewMessage("parquet.page_too_large", intray.Params{"limit": limit}))
	case (codec == format.Uncompressed || !h.Compressed) && h.UncompressedSize != h.CompressedSize:
		return Damaged(intray.NewMessage("parquet.two_page_sizes", nil))
	case h.Compressed && (h.UncompressedSize-levels)/maxRatio(codec) > h.CompressedSize-levels+ratioSlack:
		return Damaged(intray.NewMessage("parquet.impossible_compression", nil))
	}
	return nil
}

// CutPage parses the first page in text, which holds consecutive pages, and returns the rest
// of text. It does not verify the checksum in the header.
func CutPage(text []byte, codec format.CompressionCodec) (h PageHeader, body, rest []byte, err error) {
	r := thriftReader{text: text}
	h.read(&r)
	if r.err != nil {
		return h, nil, nil, r.err
	}
	rest = text[r.pos:]
	if err := h.validate(codec, int64(len(rest)), math.MaxInt32); err != nil {
		return h, nil, nil, err
	}
	return h, rest[:h.CompressedSize], rest[h.CompressedSize:], nil
}

// PageReader reads the pages of a file for cursors. It must not be used concurrently.
type PageReader struct {
	// Limit is the maximum size of the pages held by all cursors, including the compressed form
	// of the page that is read, in bytes. The default is 192 MiB.
	Limit int
	// Reclaim releases pages of other cursors than the one that reads. It is called before a page
	// would exceed the limit. It may be nil.
	Reclaim func()
	// Held is the number of bytes that the cursors hold.
	Held int

	file io.ReaderAt
	// end is the file offset where the pages end.
	end                int64
	decompressor       Decompressor
	window, compressed []byte
	// spare is the memory of a released page, for reuse.
	spare []byte
}

// NewPageReader returns a PageReader for a file whose footer starts at offset end.
func NewPageReader(file io.ReaderAt, end int64) *PageReader {
	return &PageReader{file: file, end: end, Limit: maxPagesBytes}
}

// read reads the header and the body of the page at offset. The body is valid until the next
// call. next is the offset of the next page.
func (p *PageReader) read(offset int64, codec format.CompressionCodec) (h PageHeader, body []byte, next int64, err error) {
	size, err := p.readHeader(&h, offset)
	if err != nil {
		return h, nil, 0, err
	}
	from := offset + int64(size)
	if err := h.validate(codec, p.end-from, maxPageBytes); err != nil {
		return h, nil, 0, err
	}
	if err := p.reserve(h.CompressedSize-cap(p.compressed), math.MaxInt); err != nil {
		return h, nil, 0, err
	}
	if size+h.CompressedSize <= len(p.window) {
		body = p.window[size : size+h.CompressedSize]
	} else {
		p.compressed = resize(p.compressed, h.CompressedSize)
		body = p.compressed
		if err := readAt(p.file, body, from); err != nil {
			return h, nil, 0, err
		}
	}
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return h, nil, 0, Damaged(intray.NewMessage("parquet.wrong_checksum", nil))
	}
	return h, body, from + int64(h.CompressedSize), nil
}

// readHeader reads the header of the page at offset and returns its length in bytes.
func (p *PageReader) readHeader(h *PageHeader, offset int64) (int, error) {
	for size := int64(headerWindow); ; size *= 8 {
		size = min(size, p.end-offset)
		if size <= 0 {
			return 0, Damaged(intray.NewMessage("parquet.pages_end_early", nil))
		}
		p.window = resize(p.window, int(size))
		if err := readAt(p.file, p.window, offset); err != nil {
			return 0, err
		}
		r := thriftReader{text: p.window}
		h.read(&r)
		switch {
		case r.err == nil:
			return r.pos, nil
		case !errors.Is(r.err, errTruncated) || size == p.end-offset || size >= maxHeaderBytes:
			return 0, Damaged(intray.NewMessage("parquet.invalid_page_header", nil))
		}
	}
}

// decompress decompresses the body of a page, using the memory of dst if it is large enough.
// p.Held must include dst. It returns a [LimitError] if p.Held would exceed p.Limit.
func (p *PageReader) decompress(dst []byte, h *PageHeader, codec format.CompressionCodec, body []byte) ([]byte, error) {
	fits := cap(p.spare) >= h.UncompressedSize && p.Held-pageMemory(dst)+h.UncompressedSize+cap(p.compressed) <= p.Limit
	if cap(dst) < h.UncompressedSize && !fits {
		if err := p.reserve(h.UncompressedSize-pageMemory(dst), h.UncompressedSize); err != nil {
			return nil, err
		}
	}
	if cap(dst) < h.UncompressedSize && cap(p.spare) >= h.UncompressedSize {
		dst, p.spare = p.spare, dst
	}
	return p.decompressor.Decompress(dst, h, codec, body)
}

// reserve makes room for size more bytes. It returns a [LimitError] if there is not enough. It keeps
// the spare memory only if it has at least reusable bytes, so that the caller uses it.
func (p *PageReader) reserve(size, reusable int) error {
	isFull := p.Held+cap(p.compressed)+cap(p.spare)+size > p.Limit
	if isFull {
		if p.Reclaim != nil {
			p.Reclaim()
		}
		if p.spare != nil && cap(p.spare) < reusable {
			p.spare = nil
		}
	}
	if isFull || size >= largePage {
		runtime.GC() // otherwise, new pages are allocated before the memory of old ones, or of an earlier reader, is free
	}
	if p.Held+cap(p.compressed)+size > p.Limit {
		return Limited(intray.NewMessage("parquet.pages_too_large", intray.Params{"limit": p.Limit}))
	}
	return nil
}

// pageMemory returns the number of bytes of b that count as held.
func pageMemory(b []byte) int { return max(cap(b)-zstdSlack, 0) }

// resize returns a slice of the given size, with the memory of b if it is large enough. Its
// content is undefined.
func resize(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// maxWrittenHeader is the maximum size of a written page header in bytes.
const maxWrittenHeader = 80

// minCompressed is the minimum size in bytes of the values of a version 2 page that are worth
// compressing. Compressing smaller pages saves too little.
const minCompressed = 64

var errPageTooLarge = errors.New("a page has more than 2 GiB")

// PageEncoder encodes pages. It must not be used concurrently.
type PageEncoder struct {
	compressor *Compressor
	packed     []byte
	encoded    []byte
}

// NewPageEncoder returns a PageEncoder. Several encoders may share a compressor.
func NewPageEncoder(c *Compressor) *PageEncoder { return &PageEncoder{compressor: c} }

// AppendDictionaryPage appends a dictionary page to dst and adds its size to c. plain holds the given
// number of entries in the encoding PLAIN. The page is always compressed, because its header cannot
// declare otherwise.
func (e *PageEncoder) AppendDictionaryPage(dst []byte, c *Chunk, plain []byte, entries int) []byte {
	e.packed = e.compressor.compress(e.packed, plain)
	h := PageHeader{Kind: format.DictionaryPage, UncompressedSize: len(plain), CompressedSize: len(e.packed), Count: entries, Encoding: format.Plain}
	start := len(dst)
	dst = h.append(dst)
	c.PlainBytes += int64(len(dst) - start + len(plain))
	dst = append(dst, e.packed...)
	c.DictionaryBytes = int64(len(dst) - start)
	c.Bytes += c.DictionaryBytes
	return dst
}

// AppendDataPage appends a data page to dst and adds its size and counts to c. h declares its
// version, counts and encoding. In version 2, levels holds the definition levels and body the
// values. Repetition levels are not supported. In version 1, levels is nil, and body holds all
// levels, with their lengths, and the values.
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

// AppendLevels appends levels to dst in RLE, preceded by their length. most is the maximum level.
func (e *PageEncoder) AppendLevels(dst, levels []byte, most int) ([]byte, error) {
	var err error
	if e.encoded, err = EncodeLevels(e.encoded, levels, most); err != nil {
		return dst, err
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(e.encoded))), e.encoded...), nil
}

// AppendIndexes appends indexes of dictionary entries to dst in the encoding RLE_DICTIONARY. entries must be
// positive, and larger than each index.
func (e *PageEncoder) AppendIndexes(dst []byte, indexes []int32, entries int) ([]byte, error) {
	width := bits.Len(uint(entries - 1))
	var err error
	if e.encoded, err = (&rle.Encoding{BitWidth: width}).EncodeInt32(e.encoded, indexes); err != nil {
		return dst, fmt.Errorf("encode the indexes of entries: %w", err)
	}
	return append(append(dst, byte(width)), e.encoded...), nil
}

// AppendOnes appends n levels of 1 to dst in RLE, preceded by their length. The maximum level is 1.
func AppendOnes(dst []byte, n int) []byte {
	start := len(dst)
	dst = binary.AppendUvarint(append(dst, 0, 0, 0, 0), uint64(n)<<1)
	dst = append(dst, 1)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// EncodeLevels returns levels encoded in RLE. most is the maximum level. It overwrites dst and
// uses its memory.
func EncodeLevels(dst, levels []byte, most int) ([]byte, error) {
	dst, err := (&rle.Encoding{BitWidth: int(levelWidth(most))}).EncodeLevels(dst, levels)
	if err != nil {
		return dst, fmt.Errorf("encode levels: %w", err)
	}
	return dst, nil
}

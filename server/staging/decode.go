package staging

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

var (
	errPage  = errors.New("a page is not as the writer makes them")
	errCount = errors.New("a page holds another number of values than it says")
)

// decoder reads row groups that this package wrote. It walks the page headers
// from the start of the group, so that it needs no footer. It keeps scratch
// memory and serves one goroutine at a time.
type decoder struct {
	decompressor *decompressor
	thrift       *thrift.Decoder
	header       thrift.BytesReader
	rest         []byte
	rows         int

	levels  []byte
	offsets []uint32
	indexes []int32
	body    []byte
	plain   []byte
	entries []uint32
}

// dataPage is a data page, inflated.
type dataPage struct {
	encoding format.Encoding
	values   int
	body     []byte
}

func newDecoder(u *decompressor) *decoder {
	d := &decoder{decompressor: u, header: new(thrift.CompactProtocol).NewReaderFromBytes(nil)}
	d.thrift = thrift.NewDecoder(d.header)
	return d
}

// beginGroup turns to a row group.
func (d *decoder) beginGroup(body []byte, rows int64) { d.rest, d.rows = body, int(rows) }

// readInts reads the next column, of numbers.
func (d *decoder) readInts(dst []int64) ([]int64, error) {
	p, err := d.readPage(false)
	if err != nil {
		return nil, err
	}
	dst, err = new(delta.BinaryPackedEncoding).DecodeInt64(dst, p.body)
	if err == nil && len(dst) != d.rows {
		err = errCount
	}
	return dst, err
}

// readRequired reads the next column, of texts without nulls.
func (d *decoder) readRequired(t *intray.Texts) error {
	p, err := d.readPage(false)
	if err != nil {
		return err
	}
	t.Arena, err = d.readTexts(t.Arena, p)
	t.Ends = append(t.Ends[:0], d.offsets[1:]...)
	return err
}

// readValues reads the next column, of cells, and which of them are null.
func (d *decoder) readValues(t *intray.Texts, nulls []uint32) ([]uint32, error) {
	p, err := d.readPage(true)
	if err != nil {
		return nil, err
	}
	if t.Arena, err = d.readTexts(t.Arena, p); err != nil {
		return nil, err
	}
	nulls = nulls[:0]
	if p.values == d.rows {
		t.Ends = append(t.Ends[:0], d.offsets[1:]...)
		return nulls, nil
	}
	t.Ends = t.Ends[:0]
	next := 0
	for row, level := range d.levels {
		if level == 0 {
			nulls = append(nulls, uint32(row))
		} else {
			next++
		}
		t.Ends = append(t.Ends, d.offsets[next])
	}
	return nulls, nil
}

// readSparse reads the next column, of texts that only some rows have.
func (d *decoder) readSparse(t *intray.Texts, rows []uint32) ([]uint32, error) {
	p, err := d.readPage(true)
	if err != nil {
		return nil, err
	}
	t.Arena, err = d.readTexts(t.Arena, p)
	t.Ends = append(t.Ends[:0], d.offsets[1:]...)
	rows = rows[:0]
	if err != nil || p.values == 0 {
		return rows, err
	}
	for row, level := range d.levels {
		if level == 1 {
			rows = append(rows, uint32(row))
		}
	}
	return rows, nil
}

// readPage reads the next column chunk up to its inflated data page. The levels of
// an optional column are left in d.levels.
func (d *decoder) readPage(optional bool) (dataPage, error) {
	h, body, err := d.nextPage()
	if err != nil {
		return dataPage{}, err
	}
	d.entries = d.entries[:0]
	if h.Type == format.DictionaryPage {
		if err := d.readDictionary(h, body); err != nil {
			return dataPage{}, err
		}
		if h, body, err = d.nextPage(); err != nil {
			return dataPage{}, err
		}
	}
	v2 := h.DataPageHeaderV2.V
	levels := int(v2.DefinitionLevelsByteLength)
	if h.Type != format.DataPageV2 || int(v2.NumRows) != d.rows || v2.NumNulls < 0 || levels < 0 || levels > len(body) {
		return dataPage{}, errPage
	}
	p := dataPage{encoding: v2.Encoding, values: d.rows - int(v2.NumNulls), body: body[levels:]}
	if v2.IsCompressed.V {
		if p.body, err = d.inflate(&d.body, p.body, int(h.UncompressedPageSize)-levels); err != nil {
			return dataPage{}, err
		}
	}
	if optional {
		err = d.readLevels(body[:levels], p.values)
	}
	return p, err
}

// nextPage reads a page header, and the bytes of its page.
func (d *decoder) nextPage() (format.PageHeader, []byte, error) {
	var h format.PageHeader
	d.header.ResetBytes(d.rest)
	if err := d.thrift.Decode(&h); err != nil {
		return h, nil, fmt.Errorf("read a page header: %w", err)
	}
	d.rest = d.rest[d.header.BytesRead():]
	size := int(h.CompressedPageSize)
	if size < 0 || size > len(d.rest) || h.UncompressedPageSize < 0 {
		return h, nil, errPage
	}
	body := d.rest[:size]
	d.rest = d.rest[size:]
	return h, body, nil
}

// inflate decompresses into the scratch buffer.
func (d *decoder) inflate(scratch *[]byte, packed []byte, size int) ([]byte, error) {
	out, err := d.decompressor.decompress(*scratch, packed, size)
	if err != nil {
		return nil, fmt.Errorf("inflate a page: %w", err)
	}
	*scratch = out
	if len(out) != size {
		return nil, errPage
	}
	return out, nil
}

func (d *decoder) readLevels(runs []byte, values int) error {
	var err error
	if d.levels, err = (&rle.Encoding{BitWidth: 1}).DecodeLevels(d.levels, runs); err != nil {
		return fmt.Errorf("read levels: %w", err)
	}
	if len(d.levels) != d.rows {
		return errCount
	}
	for _, level := range d.levels {
		values -= int(level)
	}
	if values != 0 {
		return errCount
	}
	return nil
}

// readDictionary inflates a dictionary page and notes where its entries lie.
func (d *decoder) readDictionary(h format.PageHeader, body []byte) error {
	plain, err := d.inflate(&d.plain, body, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	at := 0
	for range int(h.DictionaryPageHeader.V.NumValues) {
		if at+4 > len(plain) {
			return errPage
		}
		size := int(binary.LittleEndian.Uint32(plain[at:]))
		at += 4 + size
		if at > len(plain) {
			return errPage
		}
		d.entries = append(d.entries, uint32(at-size), uint32(at))
	}
	return nil
}

// readTexts reads the texts of a page into the arena, and leaves in d.offsets
// where each begins and, as the last, where the last ends.
func (d *decoder) readTexts(arena []byte, p dataPage) ([]byte, error) {
	d.offsets = append(d.offsets[:0], 0)
	arena = arena[:0]
	var err error
	switch {
	case p.values == 0 && len(p.body) == 0:
	case p.encoding == format.DeltaLengthByteArray:
		arena, d.offsets, err = new(delta.LengthByteArrayEncoding).DecodeByteArray(arena, p.body, d.offsets)
	case p.encoding == format.RLEDictionary:
		arena, err = d.lookUpTexts(arena, p)
	default:
		err = errPage
	}
	if err == nil && len(d.offsets) != p.values+1 {
		err = errCount
	}
	if err != nil {
		d.offsets = append(d.offsets[:0], 0)
	}
	return arena, err
}

func (d *decoder) lookUpTexts(arena []byte, p dataPage) ([]byte, error) {
	var err error
	if d.indexes, err = new(rle.DictionaryEncoding).DecodeInt32(d.indexes, p.body); err != nil {
		return arena, fmt.Errorf("read indexes: %w", err)
	}
	for _, index := range d.indexes {
		at := 2 * int(index)
		if at < 0 || at >= len(d.entries) {
			return arena, errPage
		}
		arena = append(arena, d.plain[d.entries[at]:d.entries[at+1]]...)
		d.offsets = append(d.offsets, uint32(len(arena)))
	}
	return arena, nil
}

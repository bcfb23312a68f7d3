package staging

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

var (
	errPage  = errors.New("a page differs from those that are written")
	errCount = errors.New("a page has another number of values than it declares")
)

// decoder decodes row groups that this package wrote. It reads the pages from the start of the
// group and does not need the footer. It reuses memory and must not be used concurrently.
type decoder struct {
	codec        format.CompressionCodec
	decompressor parquetio.Decompressor
	rest         []byte
	rows         int

	dict    parquetio.Dictionary
	levels  []byte
	offsets []uint32
	indexes []int32
	// body is the decompressed page of values, and plain is the decompressed page of
	// the dictionary.
	body, plain []byte
}

// dataPage is a decompressed data page.
type dataPage struct {
	encoding format.Encoding
	values   int
	body     []byte
}

// beginGroup starts decoding a row group.
func (d *decoder) beginGroup(body []byte, rows int64) { d.rest, d.rows = body, int(rows) }

// readInts decodes the next column, which must contain integers.
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

// readRequired decodes the next column, which must contain strings without nulls.
func (d *decoder) readRequired(t *intray.Texts) error {
	p, err := d.readPage(false)
	if err != nil {
		return err
	}
	t.Arena, err = d.readTexts(t.Arena, p)
	t.Ends = append(t.Ends[:0], d.offsets[1:]...)
	return err
}

// readValues decodes the next column, which must contain cells. It returns the rows
// that are null.
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

// readSparse decodes the next column, which contains strings for some rows only. It
// returns these rows.
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

// textLeaf describes a column of strings.
var textLeaf = parquetio.Leaf{Type: format.ByteArray}

// readPage reads the next column and returns its decompressed data page. It stores
// the levels of an optional column in d.levels.
func (d *decoder) readPage(optional bool) (dataPage, error) {
	h, body, err := d.nextDataPage(true)
	if err != nil {
		return dataPage{}, err
	}
	p := dataPage{encoding: h.Encoding, values: d.rows - h.Nulls}
	if h.Compressed {
		if d.body, err = d.decompressor.Decompress(d.body, &h, d.codec, body); err != nil {
			return dataPage{}, err
		}
		body = d.body
	}
	p.body = body[h.DefBytes:]
	if optional {
		err = d.readLevels(body[:h.DefBytes], p.values)
	}
	return p, err
}

// nextDataPage moves to the data page of the next column. If load is set, it also
// loads the dictionary, which comes before the page.
func (d *decoder) nextDataPage(load bool) (h parquetio.PageHeader, body []byte, err error) {
	if h, body, d.rest, err = parquetio.CutPage(d.rest, d.codec); err != nil {
		return h, nil, err
	}
	plain, entries := d.plain[:0], 0
	if h.Kind == format.DictionaryPage {
		if load {
			if d.plain, err = d.decompressor.Decompress(d.plain, &h, d.codec, body); err != nil {
				return h, nil, err
			}
			plain, entries = d.plain, h.Count
		}
		if h, body, d.rest, err = parquetio.CutPage(d.rest, d.codec); err != nil {
			return h, nil, err
		}
	}
	if h.Kind != format.DataPageV2 || h.Rows != d.rows || h.Nulls < 0 || h.RepBytes > 0 {
		return h, nil, errPage
	}
	return h, body, d.dict.Load(&textLeaf, plain, entries)
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

// readTexts replaces the content of the arena with the strings of a page. It sets d.offsets to
// the offset of each string, followed by the end of the last one.
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
		text, err := d.dict.Lookup(uint32(index))
		if err != nil {
			return arena, err
		}
		arena = append(arena, text...)
		d.offsets = append(d.offsets, uint32(len(arena)))
	}
	return arena, nil
}

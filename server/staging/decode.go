package staging

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

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
	// column is a column of strings that is not a field.
	column intray.TextColumn
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
	p, _, err := d.readPage(false, nil)
	if err != nil {
		return nil, err
	}
	dst, err = new(delta.BinaryPackedEncoding).DecodeInt64(dst, p.body)
	if err == nil && len(dst) != d.rows {
		err = errCount
	}
	return dst, err
}

// readColumn decodes the next column, which must contain strings without nulls.
func (d *decoder) readColumn(t *intray.TextColumn) error {
	p, _, err := d.readPage(false, nil)
	if err != nil {
		return err
	}
	return d.readTexts(t, p)
}

// readRequired decodes the next column like readColumn, and stores a string for each row.
func (d *decoder) readRequired(t *intray.Texts) error {
	err := d.readColumn(&d.column)
	t.Reset()
	if err != nil {
		return err
	}
	for i := range d.column.Len() {
		t.Append(d.column.At(i))
	}
	return nil
}

// readValues decodes the next column, which must contain cells. It returns the rows
// that are null. If keep rejects the column, the result is empty.
func (d *decoder) readValues(t *intray.TextColumn, nulls []uint32, keep func(texts []byte) bool) ([]uint32, error) {
	p, kept, err := d.readPage(true, keep)
	if err != nil {
		return nil, err
	}
	nulls = nulls[:0]
	if !kept {
		t.Reset()
		return nulls, nil
	}
	if err = d.readTexts(t, p); err != nil {
		return nil, err
	}
	if p.values == d.rows {
		return nulls, nil
	}
	nulls = appendRows(nulls, d.levels, 0)
	if len(t.Codes) > 0 {
		t.Texts.Append(nil)
		t.Codes = insertRows(t.Codes, nulls, func(int) int32 { return int32(t.Texts.Len() - 1) })
		return nulls, nil
	}
	t.Texts.Ends = insertRows(t.Texts.Ends, nulls, func(before int) uint32 {
		if before == 0 {
			return 0
		}
		return t.Texts.Ends[before-1]
	})
	return nulls, nil
}

// insertRows inserts an element for each of the given rows, which are in ascending order. fill returns the
// element, given the number of elements of list before it.
func insertRows[T int32 | uint32](list []T, rows []uint32, fill func(before int) T) []T {
	end, n := len(list), len(list)+len(rows)
	list = slices.Grow(list, len(rows))[:n]
	for i := len(rows) - 1; i >= 0; i-- {
		row := int(rows[i])
		before := row - i // elements of the original list in front of the row
		copy(list[row+1:], list[before:end])
		end, list[row] = before, fill(before)
	}
	return list
}

// readSparse decodes the next column, which contains strings for some rows only. It
// returns these rows. If keep rejects the column, the result is empty.
func (d *decoder) readSparse(t *intray.TextColumn, rows []uint32, keep func(texts []byte) bool) ([]uint32, error) {
	p, kept, err := d.readPage(true, keep)
	if err != nil {
		return nil, err
	}
	rows = rows[:0]
	if !kept {
		t.Reset()
		return rows, nil
	}
	err = d.readTexts(t, p)
	if err != nil || p.values == 0 {
		return rows, err
	}
	return appendRows(rows, d.levels, 1), nil
}

// appendRows appends the rows that have the given level, in ascending order.
func appendRows(rows []uint32, levels []byte, level byte) []uint32 {
	for row := 0; ; row++ {
		next := bytes.IndexByte(levels[row:], level)
		if next < 0 {
			return rows
		}
		row += next
		rows = append(rows, uint32(row))
	}
}

// textLeaf describes a column of strings.
var textLeaf = parquetio.Leaf{Type: format.ByteArray}

// readPage reads the next column and returns its decompressed data page. It stores
// the levels of an optional column in d.levels. keep may be nil. It receives bytes that include the
// strings of the column, each in one piece. If it returns false, readPage returns false and no page.
func (d *decoder) readPage(optional bool, keep func(texts []byte) bool) (p dataPage, kept bool, err error) {
	kept, err = d.readDictionary(keep)
	if err != nil {
		return p, false, err
	}
	h, body, err := d.nextDataPage()
	if err != nil || !kept {
		return p, false, err
	}
	p = dataPage{encoding: h.Encoding, values: d.rows - h.Nulls}
	if h.Compressed {
		if d.body, err = d.decompressor.Decompress(d.body, &h, d.codec, body); err != nil {
			return p, false, err
		}
		body = d.body
	}
	p.body = body[h.DefBytes:]
	if keep != nil && p.encoding != format.RLEDictionary && !keep(p.body) {
		return p, false, nil
	}
	if optional {
		err = d.readLevels(body[:h.DefBytes], p.values)
	}
	return p, true, err
}

// readDictionary reads the dictionary of the next column, if it has one. If keep rejects its
// strings, readDictionary returns false.
func (d *decoder) readDictionary(keep func(texts []byte) bool) (kept bool, err error) {
	h, body, rest, err := parquetio.CutPage(d.rest, d.codec)
	if err != nil || h.Kind != format.DictionaryPage {
		return true, errors.Join(err, d.dict.Load(&textLeaf, nil, 0))
	}
	d.rest = rest
	if d.plain, err = d.decompressor.Decompress(d.plain, &h, d.codec, body); err != nil {
		return false, err
	}
	if keep != nil && !keep(d.plain) {
		return false, nil
	}
	return true, d.dict.Load(&textLeaf, d.plain, h.Count)
}

// skipColumn moves behind the next column.
func (d *decoder) skipColumn() error {
	h, _, rest, err := parquetio.CutPage(d.rest, d.codec)
	if err == nil && h.Kind == format.DictionaryPage {
		d.rest = rest
	}
	if err == nil {
		_, _, err = d.nextDataPage()
	}
	return err
}

// nextDataPage moves behind the next page, which must be a data page.
func (d *decoder) nextDataPage() (h parquetio.PageHeader, body []byte, err error) {
	if h, body, d.rest, err = parquetio.CutPage(d.rest, d.codec); err != nil {
		return h, nil, err
	}
	if h.Kind != format.DataPageV2 || h.Rows != d.rows || h.Nulls < 0 || h.RepBytes > 0 {
		return h, nil, errPage
	}
	return h, body, nil
}

func (d *decoder) readLevels(runs []byte, values int) error {
	var err error
	if d.levels, err = (&rle.Encoding{BitWidth: 1}).DecodeLevels(d.levels, runs); err != nil {
		return fmt.Errorf("read levels: %w", err)
	}
	if len(d.levels) != d.rows {
		return errCount
	}
	if bytes.Count(d.levels, []byte{1}) != values {
		return errCount
	}
	return nil
}

// readTexts replaces the strings of a column with those of a page.
func (d *decoder) readTexts(t *intray.TextColumn, p dataPage) error {
	t.Reset()
	n, err := 0, error(nil)
	switch {
	case p.values == 0 && len(p.body) == 0:
	case p.encoding == format.DeltaLengthByteArray:
		d.offsets = append(d.offsets[:0], 0)
		t.Texts.Arena, d.offsets, err = new(delta.LengthByteArrayEncoding).DecodeByteArray(t.Texts.Arena, p.body, d.offsets)
		if err == nil {
			t.Texts.Ends = append(t.Texts.Ends, d.offsets[1:]...)
		}
		n = t.Texts.Len()
	case p.encoding == format.RLEDictionary:
		err = d.readCodes(t, p)
		n = len(t.Codes)
	default:
		err = errPage
	}
	if err == nil && n != p.values {
		err = errCount
	}
	if err != nil {
		t.Reset()
	}
	return err
}

func (d *decoder) readCodes(t *intray.TextColumn, p dataPage) error {
	var err error
	if t.Codes, err = new(rle.DictionaryEncoding).DecodeInt32(t.Codes, p.body); err != nil {
		return fmt.Errorf("read indexes: %w", err)
	}
	for i := range d.dict.Len() {
		text, err := d.dict.Lookup(uint32(i))
		if err != nil {
			return err
		}
		t.Texts.Append(text)
	}
	if len(t.Codes) > 0 {
		_, err = d.dict.Lookup(largestCode(t.Codes))
	}
	return err
}

// largestCode returns the largest code, or one that is larger than any valid one if a code is negative.
func largestCode(codes []int32) uint32 {
	var a, b, c, d uint32 // four independent maximums, which a processor computes in parallel
	for ; len(codes) >= 4; codes = codes[4:] {
		a, b, c, d = max(a, uint32(codes[0])), max(b, uint32(codes[1])), max(c, uint32(codes[2])), max(d, uint32(codes[3]))
	}
	for _, code := range codes {
		a = max(a, uint32(code))
	}
	return max(a, b, c, d)
}

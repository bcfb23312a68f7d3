package staging

import (
	"fmt"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct"
	"github.com/intraydata/intray/internal/parquetio"
)

// encodedGroup is an encoded row group that is not yet in a file.
type encodedGroup struct {
	body   []byte
	chunks []parquetio.Chunk
	rows   int
	crc    uint32
}

func (g *encodedGroup) reset(rows int) {
	g.body, g.chunks, g.rows = g.body[:0], g.chunks[:0], rows
}

// setChecksum computes the checksum. Call it after all columns have been encoded.
func (g *encodedGroup) setChecksum() { g.crc = checksum(g.body) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encoder encodes each column as one data page. It reuses memory and must not be
// used concurrently.
type encoder struct {
	pages   *parquetio.PageEncoder
	codec   format.CompressionCodec
	levels  []byte
	runs    []byte
	offsets []uint32
	body    []byte
	// distinct numbers the strings of a column, and indexes holds their numbers.
	distinct distinct.Table
	indexes  []int32
	// expanded holds the strings of a column that does not repeat.
	expanded intray.Texts
	plain    []byte
}

func newEncoder(c *parquetio.Compressor, codec format.CompressionCodec) *encoder {
	return &encoder{pages: parquetio.NewPageEncoder(c), codec: codec}
}

// writeInts adds a column of integers. It does not compress them, because they are already short.
func (e *encoder) writeInts(g *encodedGroup, values []int64) error {
	var err error
	if e.body, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.body, values); err != nil {
		return err
	}
	e.runs = e.runs[:0]
	return e.writePage(g, parquetio.Chunk{Codec: format.Uncompressed}, format.DeltaBinaryPacked, 0, e.body)
}

// writeRequired adds a column of strings without nulls.
func (e *encoder) writeRequired(g *encodedGroup, t *intray.Texts) error {
	if t.Len() != g.rows {
		return fmt.Errorf("%d texts for %d rows", t.Len(), g.rows)
	}
	e.runs = e.runs[:0]
	return e.writeTexts(g, &intray.TextColumn{Texts: *t}, nil, 0)
}

// writeValues adds a column of cells. The cells in the rows listed in nulls are null.
func (e *encoder) writeValues(g *encodedGroup, t *intray.TextColumn, nulls []uint32) error {
	if t.Len() != g.rows {
		return fmt.Errorf("%d values for %d rows", t.Len(), g.rows)
	}
	if err := e.encodeLevels(g.rows, nulls, 1, 0); err != nil {
		return err
	}
	for _, null := range nulls {
		if len(t.At(int(null))) > 0 {
			return fmt.Errorf("the null cell of row %d holds text", null)
		}
	}
	return e.writeTexts(g, t, nulls, len(nulls))
}

// writeSparse adds a column of strings. All rows except the given ones are null.
func (e *encoder) writeSparse(g *encodedGroup, t *intray.TextColumn, rows []uint32) error {
	if t.Len() != len(rows) {
		return fmt.Errorf("%d raw texts for %d rows", t.Len(), len(rows))
	}
	if err := e.encodeLevels(g.rows, rows, 0, 1); err != nil {
		return err
	}
	return e.writeTexts(g, t, nil, g.rows-len(rows))
}

// encodeLevels encodes the definition levels of a column. The parameter one is the level of the
// listed rows, and the parameter other is the level of all other rows.
func (e *encoder) encodeLevels(rows int, listed []uint32, other, one byte) error {
	e.levels = e.levels[:0]
	for i, row := range listed {
		if int(row) >= rows || i > 0 && row <= listed[i-1] {
			return fmt.Errorf("row %d is out of order", row)
		}
		e.levels = append(fillLevels(e.levels, int(row), other), one)
	}
	e.levels = fillLevels(e.levels, rows, other)
	var err error
	e.runs, err = parquetio.EncodeLevels(e.runs, e.levels, 1)
	return err
}

func fillLevels(levels []byte, n int, level byte) []byte {
	for len(levels) < n {
		levels = append(levels, level)
	}
	return levels
}

// writeTexts adds a column of strings. The encoder must already hold the levels of the column. The
// listed rows of t are omitted. nulls is the number of nulls in the column.
func (e *encoder) writeTexts(g *encodedGroup, t *intray.TextColumn, omitted []uint32, nulls int) error {
	c := parquetio.Chunk{Codec: e.codec}
	n := t.Len() - len(omitted)
	if n == 0 {
		// Parquet readers disagree on the encoding of an empty page of lengths. For an
		// empty plain page, all of them expect no bytes.
		return e.writePage(g, c, format.Plain, nulls, nil)
	}
	texts := &t.Texts
	repeats := len(t.Codes) > 0 && 2*texts.Len() <= n
	if repeats {
		e.indexes = appendPresent(e.indexes[:0], t.Codes, omitted)
	} else {
		if len(t.Codes) > 0 {
			e.expanded.Reset()
			for _, code := range t.Codes {
				e.expanded.Append(texts.At(int(code)))
			}
			texts = &e.expanded
		}
		e.offsets = appendPresent(append(e.offsets[:0], 0), texts.Ends, omitted)
		// If all strings are empty, their lengths take less space than any dictionary.
		if len(texts.Arena) > 0 && e.indexTexts(texts.Arena, e.offsets) {
			texts, repeats = &e.distinct.Texts, true
		}
	}
	var err error
	if !repeats {
		e.body, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(e.body, texts.Arena[:e.offsets[n]], e.offsets)
		if err != nil {
			return err
		}
		return e.writePage(g, c, format.DeltaLengthByteArray, nulls, e.body)
	}
	e.plain = parquetio.AppendPlainTexts(e.plain[:0], texts, 0, texts.Len())
	g.body = e.pages.AppendDictionaryPage(g.body, &c, e.plain, texts.Len())
	if e.body, err = e.pages.AppendIndexes(e.body[:0], e.indexes, texts.Len()); err != nil {
		return err
	}
	return e.writePage(g, c, format.RLEDictionary, nulls, e.body)
}

// appendPresent appends all elements of list except those at the omitted indexes, which are ascending.
func appendPresent[T int32 | uint32](dst, list []T, omitted []uint32) []T {
	from := 0
	for _, i := range omitted {
		dst = append(dst, list[from:i]...)
		from = int(i) + 1
	}
	return append(dst, list[from:]...)
}

// writePage adds the data page of a column. The dictionary page, if any, must have
// been added before.
func (e *encoder) writePage(g *encodedGroup, c parquetio.Chunk, encoding format.Encoding, nulls int, body []byte) (err error) {
	c.Encodings = encodingsOf(encoding, &c)
	h := parquetio.PageHeader{V2: true, Count: g.rows, Rows: g.rows, Nulls: nulls, Encoding: encoding}
	if g.body, err = e.pages.AppendDataPage(g.body, &c, h, e.runs, body); err != nil {
		return err
	}
	g.chunks = append(g.chunks, c)
	return nil
}

// encodingsOf returns the encodings in a chunk: those of its values, of its levels and of its dictionary, if
// it has one.
func encodingsOf(values format.Encoding, c *parquetio.Chunk) []format.Encoding {
	list := []format.Encoding{values, format.RLE}
	if c.DictionaryBytes > 0 {
		list = append(list, format.Plain)
	}
	return list
}

// indexTexts assigns each distinct string a code. It reports whether a dictionary saves space. Each batch
// decides independently. A repeated run therefore writes the same bytes even if its workers process
// batches in a different order.
func (e *encoder) indexTexts(arena []byte, offsets []uint32) bool {
	n := len(offsets) - 1
	most := distinct.MaxCodes(n)
	if most == 0 {
		return false
	}
	d := &e.distinct
	d.Reset()
	e.indexes = e.indexes[:0]
	for i := range n {
		e.indexes = append(e.indexes, d.Code(arena[offsets[i]:offsets[i+1]], 0))
		if !d.Pays(i, most) {
			return false
		}
	}
	return true
}

package staging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"math"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// column is one column of a Parquet file: UTF-8 texts or INT64.
type column struct {
	name     string
	text     bool
	optional bool
}

// chunk is what the footer must say of one column of a row group.
type chunk struct {
	encoding format.Encoding
	// dict is the length of the dictionary page, 0 where there is none.
	dict   int64
	length int64
	plain  int64
	nulls  int64
}

// encodedGroup is an encoded row group, not yet placed in a file.
type encodedGroup struct {
	body   []byte
	chunks []chunk
	rows   int
	crc    uint32
}

func (g *encodedGroup) reset(rows int) {
	g.body, g.chunks, g.rows = g.body[:0], g.chunks[:0], rows
}

// setChecksum takes the checksum once all columns are there.
func (g *encodedGroup) setChecksum() { g.crc = checksum(g.body) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// minCompressed is the size in bytes below which compressing is not worth a frame.
const minCompressed = 64

var errPageTooLarge = errors.New("more than 2 GiB of text in one column of a batch")

// encoder writes columns into groups. It keeps scratch memory and serves one
// goroutine at a time.
type encoder struct {
	compressor *compressor
	levels     []byte
	runs       []byte
	offsets    []uint32
	body       []byte
	compressed []byte
	header     bytes.Buffer
	thrift     *thrift.Encoder
	dict       dictionary
}

func newEncoder(p *compressor) *encoder {
	e := &encoder{compressor: p}
	e.thrift = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&e.header))
	return e
}

// writeInts adds a column of numbers.
func (e *encoder) writeInts(g *encodedGroup, values []int64) error {
	var err error
	if e.body, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.body, values); err != nil {
		return err
	}
	c := chunk{encoding: format.DeltaBinaryPacked}
	e.runs = e.runs[:0]
	return e.writeDataPage(g, c, e.body, false)
}

// writeRequired adds a column of texts without nulls.
func (e *encoder) writeRequired(g *encodedGroup, t *intray.Texts) error {
	if t.Len() != g.rows {
		return fmt.Errorf("%d texts for %d rows", t.Len(), g.rows)
	}
	e.offsets = append(append(e.offsets[:0], 0), t.Ends...)
	e.runs = e.runs[:0]
	return e.writeTexts(g, t, 0)
}

// writeValues adds a column of cells, null in the rows of nulls.
func (e *encoder) writeValues(g *encodedGroup, t *intray.Texts, nulls []uint32) error {
	if t.Len() != g.rows {
		return fmt.Errorf("%d values for %d rows", t.Len(), g.rows)
	}
	if err := e.writeLevels(g.rows, nulls, 1, 0); err != nil {
		return err
	}
	e.offsets = append(e.offsets[:0], 0)
	from := 0
	for _, null := range nulls {
		if len(t.At(int(null))) > 0 {
			return fmt.Errorf("the null cell of row %d holds text", null)
		}
		e.offsets = append(e.offsets, t.Ends[from:null]...)
		from = int(null) + 1
	}
	e.offsets = append(e.offsets, t.Ends[from:]...)
	return e.writeTexts(g, t, int64(len(nulls)))
}

// writeSparse adds a column of texts that only the given rows have.
func (e *encoder) writeSparse(g *encodedGroup, t *intray.Texts, rows []uint32) error {
	if t.Len() != len(rows) {
		return fmt.Errorf("%d raw texts for %d rows", t.Len(), len(rows))
	}
	if err := e.writeLevels(g.rows, rows, 0, 1); err != nil {
		return err
	}
	e.offsets = append(append(e.offsets[:0], 0), t.Ends...)
	return e.writeTexts(g, t, int64(g.rows-len(rows)))
}

// writeLevels writes the definition levels: usual, but other in the listed rows.
func (e *encoder) writeLevels(rows int, listed []uint32, usual, other byte) error {
	e.levels = e.levels[:0]
	for i, row := range listed {
		if int(row) >= rows || i > 0 && row <= listed[i-1] {
			return fmt.Errorf("row %d is out of order", row)
		}
		e.levels = fillLevels(e.levels, int(row), usual)
		e.levels = append(e.levels, other)
	}
	e.levels = fillLevels(e.levels, rows, usual)
	var err error
	e.runs, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(e.runs, e.levels)
	return err
}

func fillLevels(levels []byte, n int, level byte) []byte {
	for len(levels) < n {
		levels = append(levels, level)
	}
	return levels
}

// writeTexts adds the column whose levels and offsets are prepared.
func (e *encoder) writeTexts(g *encodedGroup, t *intray.Texts, nulls int64) error {
	c := chunk{encoding: format.DeltaLengthByteArray, nulls: nulls}
	arena := t.Arena[:e.offsets[len(e.offsets)-1]]
	if len(e.offsets) == 1 {
		// Readers differ on what an empty page of lengths is; a plain one is
		// no bytes to all of them.
		c.encoding = format.Plain
		return e.writeDataPage(g, c, nil, true)
	}
	var err error
	// Lengths that are all 0 are shorter than any dictionary.
	if len(arena) > 0 && e.dict.tryBuild(arena, e.offsets) {
		c.encoding = format.RLEDictionary
		if err := e.writeDictPage(g, &c); err != nil {
			return err
		}
		e.body, err = new(rle.DictionaryEncoding).EncodeInt32(e.body, e.dict.indexes)
	} else {
		e.body, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(e.body, arena, e.offsets)
	}
	if err != nil {
		return err
	}
	return e.writeDataPage(g, c, e.body, true)
}

// writeDictPage compresses always: its header cannot say that it is plain.
func (e *encoder) writeDictPage(g *encodedGroup, c *chunk) error {
	e.compressed = e.compressor.compress(e.compressed, e.dict.plain)
	h := format.PageHeader{
		Type:                 format.DictionaryPage,
		UncompressedPageSize: int32(len(e.dict.plain)),
		CompressedPageSize:   int32(len(e.compressed)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
			NumValues: int32(e.dict.count()), Encoding: format.Plain,
		}),
	}
	if err := e.writePage(g, &h, nil, e.compressed); err != nil {
		return err
	}
	c.dict = int64(e.header.Len() + len(e.compressed))
	c.length = c.dict
	c.plain = int64(e.header.Len() + len(e.dict.plain))
	return nil
}

func (e *encoder) writeDataPage(g *encodedGroup, c chunk, body []byte, compress bool) error {
	if len(body) > math.MaxInt32-len(e.runs) {
		return errPageTooLarge
	}
	stored := body
	if compress && len(body) >= minCompressed {
		e.compressed = e.compressor.compress(e.compressed, body)
		if len(e.compressed) < len(body) {
			stored = e.compressed
		}
	}
	h := format.PageHeader{
		Type:                 format.DataPageV2,
		UncompressedPageSize: int32(len(e.runs) + len(body)),
		CompressedPageSize:   int32(len(e.runs) + len(stored)),
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues: int32(g.rows), NumNulls: int32(c.nulls), NumRows: int32(g.rows),
			Encoding:                   c.encoding,
			DefinitionLevelsByteLength: int32(len(e.runs)),
			IsCompressed:               thrift.New(len(stored) < len(body)),
		}),
	}
	if err := e.writePage(g, &h, e.runs, stored); err != nil {
		return err
	}
	c.length += int64(e.header.Len() + len(e.runs) + len(stored))
	c.plain += int64(e.header.Len() + len(e.runs) + len(body))
	g.chunks = append(g.chunks, c)
	return nil
}

func (e *encoder) writePage(g *encodedGroup, h *format.PageHeader, levels, body []byte) error {
	e.header.Reset()
	if err := e.thrift.Encode(h); err != nil {
		return fmt.Errorf("write a page header: %w", err)
	}
	g.body = append(g.body, e.header.Bytes()...)
	g.body = append(g.body, levels...)
	g.body = append(g.body, body...)
	return nil
}

const (
	// maxEntries and minRepeats say when a dictionary pays: few entries, each
	// used several times.
	maxEntries = 8192
	minRepeats = 4
	// maxPlain bounds a dictionary in bytes, and so the page that holds it.
	maxPlain = 16 << 20
	// After so many texts a dictionary is given up that has nearly as many
	// entries. It is decided within each batch, so that a run repeated gives
	// the same bytes whatever the order of its workers.
	firstLook, firstMost   = 256, 192
	secondLook, secondMost = 1000, 600
)

// dictionary numbers the different texts of a column. Its memory is used
// again from column to column.
type dictionary struct {
	seed maphash.Seed
	// slots is an open hash table of entry numbers plus one.
	slots  []uint32
	hashes []uint32
	// starts and ends are where the entries lie in plain.
	starts, ends []uint32
	plain        []byte
	indexes      []int32
}

func (d *dictionary) count() int { return len(d.starts) }

// tryBuild numbers the texts and says whether a dictionary pays.
func (d *dictionary) tryBuild(arena []byte, offsets []uint32) bool {
	n := len(offsets) - 1
	most := min(n/minRepeats, maxEntries)
	if most == 0 {
		return false
	}
	d.reset(most)
	for i := range n {
		d.indexes = append(d.indexes, d.entryFor(arena[offsets[i]:offsets[i+1]]))
		if d.count() > most || len(d.plain) > maxPlain || d.isHopeless(i) {
			return false
		}
	}
	return true
}

// isHopeless says, at its two looks, that nearly every text is a new one.
func (d *dictionary) isHopeless(i int) bool {
	return i == firstLook && d.count() > firstMost || i == secondLook && d.count() > secondMost
}

func (d *dictionary) reset(most int) {
	if d.slots == nil {
		d.seed = maphash.MakeSeed()
	}
	size := 4
	for size < 2*(most+1) {
		size *= 2
	}
	if cap(d.slots) < size {
		d.slots = make([]uint32, size)
	}
	d.slots = d.slots[:size]
	clear(d.slots)
	d.hashes, d.starts, d.ends = d.hashes[:0], d.starts[:0], d.ends[:0]
	d.plain, d.indexes = d.plain[:0], d.indexes[:0]
}

// entryFor gives the entry of a text, a new one where it was not seen before.
func (d *dictionary) entryFor(text []byte) int32 {
	hash := uint32(maphash.Bytes(d.seed, text))
	mask := uint32(len(d.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := d.slots[at]
		if slot == 0 {
			d.slots[at] = uint32(d.count() + 1)
			return d.appendEntry(text, hash)
		}
		entry := slot - 1
		if d.hashes[entry] == hash && bytes.Equal(d.plain[d.starts[entry]:d.ends[entry]], text) {
			return int32(entry)
		}
	}
}

// appendEntry lays the text out as the dictionary page wants it: length, then bytes.
func (d *dictionary) appendEntry(text []byte, hash uint32) int32 {
	d.plain = binary.LittleEndian.AppendUint32(d.plain, uint32(len(text)))
	d.starts = append(d.starts, uint32(len(d.plain)))
	d.plain = append(d.plain, text...)
	d.ends = append(d.ends, uint32(len(d.plain)))
	d.hashes = append(d.hashes, hash)
	return int32(d.count() - 1)
}

package parquetio

import (
	"context"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// levelDecoder decodes the levels of a page. Each call to next returns one level.
type levelDecoder interface {
	next() (uint32, error)
}

// Cursor reads the entries of a column chunk. Next moves to an entry, and Value or Skip
// consumes it.
type Cursor struct {
	Leaf *Leaf
	// Rep and Def are the repetition and definition levels of the current entry.
	Rep, Def int
	// Done reports whether the chunk has no more entries.
	Done bool

	pages *PageReader
	codec format.CompressionCodec
	// nextOffset is the file offset of the next page. entriesLeft is the number of entries in
	// that page and all later pages of the chunk.
	nextOffset  int64
	entriesLeft int64

	// dictOffset is the file offset of the dictionary page, if there is one.
	dictOffset int64
	dict       *Dictionary

	// pageOffset is the file offset of the current page. seen is the number of its entries
	// that were read, and pageLeft the number that were not.
	pageOffset     int64
	pageLeft, seen int
	body           []byte
	encoding       format.Encoding
	reps, defs     levelDecoder
	stored         []byte
	values         valueDecoder

	// loaded reports whether there is a current entry.
	loaded   bool
	released bool
	// held is the number of bytes that the cursor has added to pages.Held.
	held int
}

// NewCursor returns a cursor for a leaf. Call Open before Next.
func NewCursor(pages *PageReader, l *Leaf) *Cursor { return &Cursor{pages: pages, Leaf: l} }

// Open moves the cursor to the beginning of a chunk.
func (c *Cursor) Open(k ColumnChunk) {
	*c = Cursor{pages: c.pages, Leaf: c.Leaf, codec: k.Codec, nextOffset: k.Offset, entriesLeft: k.Entries, body: c.body, held: c.held}
}

// AtEnd reports whether all entries of the chunk were consumed.
func (c *Cursor) AtEnd() bool { return c.entriesLeft == 0 && c.pageLeft == 0 && !c.loaded }

// Next moves to the next entry. It does nothing if the current entry was not consumed.
func (c *Cursor) Next(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	for c.pageLeft == 0 {
		if c.entriesLeft == 0 {
			c.Done, c.Rep, c.Def = true, 0, 0
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.nextPage(); err != nil {
			return err
		}
	}
	return c.readLevels()
}

// readLevels reads the levels of the next entry in the page.
func (c *Cursor) readLevels() error {
	c.pageLeft--
	c.seen++
	c.loaded = true
	var err error
	if c.reps != nil {
		if c.Rep, err = nextLevel(c.reps, c.Leaf.MaxRep); err != nil {
			return err
		}
	}
	if c.defs != nil {
		c.Def, err = nextLevel(c.defs, c.Leaf.MaxDef)
	}
	return err
}

func nextLevel(levels levelDecoder, most int) (int, error) {
	n, err := levels.next()
	if err == nil && n > uint32(most) {
		err = Damaged(intray.NewMessage("parquet.level_too_high", nil))
	}
	return int(n), err
}

// Skip consumes the current entry, which must not have a value.
func (c *Cursor) Skip() { c.loaded = false }

// Value consumes the current entry and returns its value. Numbers are in little-endian order,
// and booleans are one byte. The value is valid until the next method call.
func (c *Cursor) Value() (v []byte, err error) {
	c.loaded = false
	if c.values == nil {
		if c.values, err = newValueDecoder(c.Leaf, c.encoding, c.stored, c.dict); err != nil {
			c.values = nil
			return nil, err
		}
	}
	return c.values.next()
}

// nextPage reads the next page of the chunk.
func (c *Cursor) nextPage() error {
	offset := c.nextOffset
	h, body, next, err := c.pages.read(offset, c.codec)
	if err != nil {
		return err
	}
	c.nextOffset = next
	switch h.Kind {
	case format.DictionaryPage:
		c.dictOffset = offset
		err = c.readDictionary(&h, body)
	case format.DataPage, format.DataPageV2:
		if h.V2 != (h.Kind == format.DataPageV2) {
			return Damaged(intray.NewMessage("parquet.invalid_page_header", nil))
		}
		c.pageOffset = offset
		err = c.readPage(&h, body)
	case format.IndexPage:
	default:
		return Damaged(intray.NewMessage("parquet.unknown_page_type", intray.Params{"type": int(h.Kind)}))
	}
	c.countHeld()
	return err
}

// countHeld updates pages.Held after the memory of the cursor has changed.
func (c *Cursor) countHeld() {
	held := pageMemory(c.body)
	if c.dict != nil {
		held += pageMemory(c.dict.plain) + 4*cap(c.dict.ends)
	}
	c.pages.Held += held - c.held
	c.held = held
}

func (c *Cursor) readDictionary(h *PageHeader, body []byte) error {
	if c.dict != nil || h.Encoding != format.Plain && h.Encoding != legacyDictionary {
		return Damaged(intray.NewMessage("parquet.invalid_dictionary", nil))
	}
	plain, err := c.pages.decompress(nil, h, c.codec, body)
	if err != nil {
		return err
	}
	c.dict = &Dictionary{}
	if c.Leaf.Width() == 0 { // the end of each entry is stored, too
		if err := c.pages.reserve(pageMemory(plain)+4*min(h.Count, len(plain)/4), math.MaxInt); err != nil {
			return err
		}
	}
	return c.dict.Load(c.Leaf, plain, h.Count)
}

// readPage decompresses a data page and prepares the decoders of its levels and values.
func (c *Cursor) readPage(h *PageHeader, body []byte) (err error) {
	if int64(h.Count) > c.entriesLeft {
		return Damaged(intray.NewMessage("parquet.more_values_than_declared", nil))
	}
	if c.body, err = c.pages.decompress(c.body, h, c.codec, body); err != nil {
		return err
	}
	c.entriesLeft -= int64(h.Count)
	c.pageLeft, c.seen = h.Count, 0
	c.encoding, c.values = h.Encoding, nil
	rest := c.body
	if h.V2 {
		levels := h.RepBytes + h.DefBytes
		c.reps, c.defs, c.stored = nil, nil, rest[levels:]
		if c.Leaf.MaxRep > 0 {
			c.reps = &rleDecoder{text: rest[:h.RepBytes], width: levelWidth(c.Leaf.MaxRep)}
		}
		if c.Leaf.MaxDef > 0 {
			c.defs = &rleDecoder{text: rest[h.RepBytes:levels], width: levelWidth(c.Leaf.MaxDef)}
		}
		return nil
	}
	if c.reps, rest, err = cutLevels(rest, h.repEncoding, c.Leaf.MaxRep, h.Count); err != nil {
		return err
	}
	c.defs, c.stored, err = cutLevels(rest, h.defEncoding, c.Leaf.MaxDef, h.Count)
	return err
}

// levelWidth returns the bit width of levels. most is the maximum level.
func levelWidth(most int) uint { return uint(bits.Len(uint(most))) }

// cutLevels returns a decoder for the levels with which the body of a version 1 page begins, and
// the rest of the body. If most is 0, the page stores no levels.
func cutLevels(body []byte, encoding format.Encoding, most, count int) (levels levelDecoder, rest []byte, err error) {
	if most == 0 {
		return nil, body, nil
	}
	width := levelWidth(most)
	switch encoding {
	case format.RLE:
		runs := plainDecoder{text: body}
		text, err := runs.next()
		return &rleDecoder{text: text, width: width}, runs.text, err
	case format.BitPacked:
		size := (uint64(count)*uint64(width) + 7) / 8
		if size > uint64(len(body)) {
			return nil, nil, errPageTruncated
		}
		return &packedLevelDecoder{text: body[:size], width: width}, body[size:], nil
	}
	return nil, nil, Damaged(intray.NewMessage("parquet.unknown_level_encoding", intray.Params{"encoding": encoding.String()}))
}

// Release frees the memory of the current page. Call Restore before reading further entries.
func (c *Cursor) Release() {
	c.released = true
	if cap(c.pages.spare) < cap(c.body) {
		c.pages.spare = c.body
	}
	if c.dict != nil && cap(c.pages.spare) < cap(c.dict.plain) {
		c.pages.spare = c.dict.plain
	}
	c.body, c.stored, c.dict, c.values, c.reps, c.defs = nil, nil, nil, nil, nil, nil
	c.countHeld()
}

// Restore reads the current page again after Release and moves to the current entry.
func (c *Cursor) Restore() error {
	if !c.released {
		return nil
	}
	before := *c
	c.released = false
	if c.dictOffset > 0 {
		c.nextOffset = c.dictOffset
		if err := c.nextPage(); err != nil {
			return err
		}
	}
	if before.pageLeft == 0 && !before.loaded {
		c.nextOffset = before.nextOffset
		return nil
	}
	c.nextOffset, c.entriesLeft = before.pageOffset, before.entriesLeft+int64(before.pageLeft+before.seen)
	if err := c.nextPage(); err != nil {
		return err
	}
	for c.seen < before.seen {
		if err := c.readLevels(); err != nil {
			return err
		}
		if c.seen == before.seen && before.loaded {
			break // its value is not consumed yet
		}
		if c.loaded = false; c.Def == c.Leaf.MaxDef {
			if _, err := c.Value(); err != nil {
				return err
			}
		}
	}
	return nil
}

package parquet

import (
	"context"
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// levelDecoder pulls the levels of a page's entries.
type levelDecoder interface {
	next() (uint32, error)
}

// cursor goes through the entries of one chunk.
type cursor struct {
	pages *pageReader
	leaf  *leaf
	codec format.CompressionCodec
	// nextOffset is where the next page begins, left how many entries there are from it
	// on.
	nextOffset  int64
	entriesLeft int64

	// dictOffset is where the dictionary is, 0 for none.
	dictOffset int64
	dict       *dictionary

	// pageOffset is where the page at hand is, pageLeft how many entries are left of
	// it and seen how many were met.
	pageOffset     int64
	pageLeft, seen int
	body           []byte
	encoding       format.Encoding
	reps, defs     levelDecoder
	stored         []byte
	values         valueDecoder

	// loaded says that there is an entry at hand, with its levels.
	loaded   bool
	rep, def int
	// done says that there is none, and will not be.
	done bool
	// released says that the memory of the page was given back.
	released bool
	held     int
}

// openChunk turns to a chunk.
func (c *cursor) openChunk(k columnChunk) {
	body := c.body
	*c = cursor{pages: c.pages, leaf: c.leaf, codec: k.codec, nextOffset: k.start, entriesLeft: k.entries, body: body, held: c.held}
}

// atEnd says that no entry is left.
func (c *cursor) atEnd() bool { return c.entriesLeft == 0 && c.pageLeft == 0 && !c.loaded }

// peek makes the next entry the one at hand, if there is any.
func (c *cursor) peek(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	for c.pageLeft == 0 {
		if c.entriesLeft == 0 {
			c.done, c.rep, c.def = true, 0, 0
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

// readLevels reads the levels of the next entry of the page.
func (c *cursor) readLevels() error {
	c.pageLeft--
	c.seen++
	c.loaded = true
	var err error
	if c.reps != nil {
		if c.rep, err = nextLevel(c.reps, c.leaf.rep); err != nil {
			return err
		}
	}
	if c.defs != nil {
		c.def, err = nextLevel(c.defs, c.leaf.def)
	}
	return err
}

func nextLevel(from levelDecoder, most int) (int, error) {
	n, err := from.next()
	if err == nil && n > uint32(most) {
		err = damageError{intray.NewMessage("parquet.level_too_high", nil)}
	}
	return int(n), err
}

// skipEntry passes over the entry at hand, which has no value.
func (c *cursor) skipEntry() { c.loaded = false }

// readValue gives the value of the entry at hand.
func (c *cursor) readValue() (v value, err error) {
	c.loaded = false
	if c.values == nil {
		if c.values, err = newValueDecoder(c.leaf, c.encoding, c.stored, c.dict); err != nil {
			return value{}, err
		}
	}
	return c.values.next()
}

// nextPage reads the next page.
func (c *cursor) nextPage() error {
	p, packed, next, err := c.pages.readPage(c.nextOffset, c.codec)
	if err != nil {
		return err
	}
	at := c.nextOffset
	c.nextOffset = next
	switch p.kind {
	case format.DictionaryPage:
		err = c.readDictionary(p, packed, at)
	case format.DataPage, format.DataPageV2:
		if p.isV2 != (p.kind == format.DataPageV2) {
			return damageError{intray.NewMessage("parquet.invalid_page_header", nil)}
		}
		c.pageOffset = at
		err = c.readPage(p, packed)
	case format.IndexPage:
	default:
		return damageError{intray.NewMessage("parquet.unknown_page_type", intray.Params{"type": int(p.kind)})}
	}
	c.trackMemory()
	return err
}

// trackMemory keeps the account of the memory held.
func (c *cursor) trackMemory() {
	held := cap(c.body)
	if c.dict != nil {
		held += c.dict.memory()
	}
	c.pages.held += held - c.held
	c.held = held
}

func (c *cursor) readDictionary(p page, packed []byte, at int64) error {
	if c.dict != nil || p.encoding != format.Plain && p.encoding != legacyDictionary {
		return damageError{intray.NewMessage("parquet.invalid_dictionary", nil)}
	}
	text, err := c.pages.decompressPage(p, c.codec, packed, nil)
	if err != nil {
		return err
	}
	c.dictOffset = at
	c.dict, err = newDictionary(c.leaf, text, p.count)
	return err
}

// readPage unpacks a page and finds its levels and values.
func (c *cursor) readPage(p page, packed []byte) (err error) {
	if int64(p.count) > c.entriesLeft {
		return damageError{intray.NewMessage("parquet.more_values_than_declared", nil)}
	}
	if c.body, err = c.pages.decompressPage(p, c.codec, packed, c.body); err != nil {
		return err
	}
	c.entriesLeft -= int64(p.count)
	c.pageLeft, c.seen = p.count, 0
	c.encoding, c.values = p.encoding, nil
	rest := c.body
	if p.isV2 {
		c.reps = decodeLevelsV2(rest[:p.repBytes], c.leaf.rep)
		c.defs = decodeLevelsV2(rest[p.repBytes:p.repBytes+p.defBytes], c.leaf.def)
		c.stored = rest[p.repBytes+p.defBytes:]
		return nil
	}
	if c.reps, rest, err = decodeLevelsV1(rest, p.repEncoding, c.leaf.rep, p.count); err != nil {
		return err
	}
	c.defs, c.stored, err = decodeLevelsV1(rest, p.defEncoding, c.leaf.def, p.count)
	return err
}

// decodeLevelsV2 reads levels that have a place of their own; nil where there are none.
func decodeLevelsV2(text []byte, most int) levelDecoder {
	if most == 0 {
		return nil
	}
	return &rleDecoder{text: text, width: bitsFor(most)}
}

// decodeLevelsV1 reads levels that stand before what follows.
func decodeLevelsV1(text []byte, encoding format.Encoding, most, count int) (found levelDecoder, rest []byte, err error) {
	if most == 0 {
		return nil, text, nil
	}
	width := bitsFor(most)
	switch encoding {
	case format.RLE:
		if len(text) < 4 {
			return nil, nil, errPageTruncated
		}
		size := uint64(binary.LittleEndian.Uint32(text))
		if size > uint64(len(text)-4) {
			return nil, nil, errPageTruncated
		}
		return &rleDecoder{text: text[4 : 4+size], width: width}, text[4+size:], nil
	case format.BitPacked:
		size := (uint64(count)*uint64(width) + 7) / 8
		if size > uint64(len(text)) {
			return nil, nil, errPageTruncated
		}
		return &bitPackedDecoder{text: text[:size], width: width}, text[size:], nil
	}
	return nil, nil, damageError{intray.NewMessage("parquet.unknown_level_encoding", intray.Params{"encoding": encoding.String()})}
}

// release gives the memory of the page back; wake reads it again.
func (c *cursor) release() {
	c.released = true
	if cap(c.pages.spare) < cap(c.body) {
		c.pages.spare = c.body
	}
	c.body, c.stored, c.dict, c.values, c.reps, c.defs = nil, nil, nil, nil, nil, nil
	c.trackMemory()
}

// restore reads the page again and goes to where the cursor was.
func (c *cursor) restore() error {
	if !c.released {
		return nil
	}
	was := *c
	c.released = false
	if c.dictOffset > 0 {
		c.nextOffset = c.dictOffset
		if err := c.nextPage(); err != nil {
			return err
		}
	}
	if was.pageLeft == 0 && !was.loaded {
		c.nextOffset = was.nextOffset
		return nil
	}
	c.nextOffset, c.entriesLeft = was.pageOffset, was.entriesLeft+int64(was.pageLeft+was.seen)
	if err := c.nextPage(); err != nil {
		return err
	}
	return c.replay(was.seen, was.loaded)
}

// replay passes over the entries that were met before. The value of the last is
// still to come where it is at hand.
func (c *cursor) replay(seen int, loaded bool) error {
	for i := range seen {
		if err := c.readLevels(); err != nil {
			return err
		}
		if i == seen-1 && loaded {
			return nil
		}
		if c.loaded = false; c.def == c.leaf.def {
			if _, err := c.readValue(); err != nil {
				return err
			}
		}
	}
	return nil
}

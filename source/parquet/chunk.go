package parquet

import (
	"context"
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// levels pulls the levels of a page's entries.
type levels interface {
	next() (uint32, error)
}

// cursor goes through the entries of one chunk.
type cursor struct {
	shelf *shelf
	leaf  *leaf
	codec format.CompressionCodec
	// at is where the next page begins, left how many entries there are from it
	// on.
	at   int64
	left int64

	// dictAt is where the dictionary is, 0 for none.
	dictAt int64
	dict   *dictionary

	// pageAt is where the page at hand is, inPage how many entries are left of
	// it and seen how many were met.
	pageAt       int64
	inPage, seen int
	body         []byte
	encoding     format.Encoding
	reps, defs   levels
	stored       []byte
	values       values

	// loaded says that there is an entry at hand, with its levels.
	loaded   bool
	rep, def int
	// done says that there is none, and will not be.
	done bool
	// parked says that the memory of the page was given back.
	parked bool
	held   int
}

// begin turns to a chunk.
func (c *cursor) begin(k chunk) {
	body := c.body
	*c = cursor{shelf: c.shelf, leaf: c.leaf, codec: k.codec, at: k.start, left: k.entries, body: body, held: c.held}
}

// ended says that no entry is left.
func (c *cursor) ended() bool { return c.left == 0 && c.inPage == 0 && !c.loaded }

// peek makes the next entry the one at hand, if there is any.
func (c *cursor) peek(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	for c.inPage == 0 {
		if c.left == 0 {
			c.done, c.rep, c.def = true, 0, 0
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.turn(); err != nil {
			return err
		}
	}
	return c.step()
}

// step reads the levels of the next entry of the page.
func (c *cursor) step() error {
	c.inPage--
	c.seen++
	c.loaded = true
	var err error
	if c.reps != nil {
		if c.rep, err = level(c.reps, c.leaf.rep); err != nil {
			return err
		}
	}
	if c.defs != nil {
		c.def, err = level(c.defs, c.leaf.def)
	}
	return err
}

func level(from levels, most int) (int, error) {
	n, err := from.next()
	if err == nil && n > uint32(most) {
		err = damage{intray.NewMessage("parquet.level_too_high", nil)}
	}
	return int(n), err
}

// drop passes over the entry at hand, which has no value.
func (c *cursor) drop() { c.loaded = false }

// take gives the value of the entry at hand.
func (c *cursor) take() (v value, err error) {
	c.loaded = false
	if c.values == nil {
		if c.values, err = newValues(c.leaf, c.encoding, c.stored, c.dict); err != nil {
			return value{}, err
		}
	}
	return c.values.next()
}

// turn reads the next page.
func (c *cursor) turn() error {
	p, packed, next, err := c.shelf.page(c.at, c.codec)
	if err != nil {
		return err
	}
	at := c.at
	c.at = next
	switch p.kind {
	case format.DictionaryPage:
		err = c.readDictionary(p, packed, at)
	case format.DataPage, format.DataPageV2:
		if p.apart != (p.kind == format.DataPageV2) {
			return damage{intray.NewMessage("parquet.invalid_page_header", nil)}
		}
		c.pageAt = at
		err = c.readPage(p, packed)
	case format.IndexPage:
	default:
		return damage{intray.NewMessage("parquet.unknown_page_type", intray.Params{"type": int(p.kind)})}
	}
	c.count()
	return err
}

// count keeps the account of the memory held.
func (c *cursor) count() {
	held := cap(c.body)
	if c.dict != nil {
		held += c.dict.bytes()
	}
	c.shelf.held += held - c.held
	c.held = held
}

func (c *cursor) readDictionary(p page, packed []byte, at int64) error {
	if c.dict != nil || p.encoding != format.Plain && p.encoding != olderDictionary {
		return damage{intray.NewMessage("parquet.invalid_dictionary", nil)}
	}
	text, err := c.shelf.unpack(p, c.codec, packed, nil)
	if err != nil {
		return err
	}
	c.dictAt = at
	c.dict, err = newDictionary(c.leaf, text, p.count)
	return err
}

// readPage unpacks a page and finds its levels and values.
func (c *cursor) readPage(p page, packed []byte) (err error) {
	if int64(p.count) > c.left {
		return damage{intray.NewMessage("parquet.more_values_than_declared", nil)}
	}
	if c.body, err = c.shelf.unpack(p, c.codec, packed, c.body); err != nil {
		return err
	}
	c.left -= int64(p.count)
	c.inPage, c.seen = p.count, 0
	c.encoding, c.values = p.encoding, nil
	rest := c.body
	if p.apart {
		c.reps = apart(rest[:p.repBytes], c.leaf.rep)
		c.defs = apart(rest[p.repBytes:p.repBytes+p.defBytes], c.leaf.def)
		c.stored = rest[p.repBytes+p.defBytes:]
		return nil
	}
	if c.reps, rest, err = together(rest, p.reps, c.leaf.rep, p.count); err != nil {
		return err
	}
	c.defs, c.stored, err = together(rest, p.defs, c.leaf.def, p.count)
	return err
}

// apart reads levels that have a place of their own; nil where there are none.
func apart(text []byte, most int) levels {
	if most == 0 {
		return nil
	}
	return &runs{text: text, width: bitsFor(most)}
}

// together reads levels that stand before what follows.
func together(text []byte, encoding format.Encoding, most, count int) (found levels, rest []byte, err error) {
	if most == 0 {
		return nil, text, nil
	}
	width := bitsFor(most)
	switch encoding {
	case format.RLE:
		if len(text) < 4 {
			return nil, nil, errBits
		}
		size := uint64(binary.LittleEndian.Uint32(text))
		if size > uint64(len(text)-4) {
			return nil, nil, errBits
		}
		return &runs{text: text[4 : 4+size], width: width}, text[4+size:], nil
	case format.BitPacked:
		size := (uint64(count)*uint64(width) + 7) / 8
		if size > uint64(len(text)) {
			return nil, nil, errBits
		}
		return &oldLevels{text: text[:size], width: width}, text[size:], nil
	}
	return nil, nil, damage{intray.NewMessage("parquet.unknown_level_encoding", intray.Params{"encoding": encoding.String()})}
}

// park gives the memory of the page back; wake reads it again.
func (c *cursor) park() {
	c.parked = true
	if cap(c.shelf.spare) < cap(c.body) {
		c.shelf.spare = c.body
	}
	c.body, c.stored, c.dict, c.values, c.reps, c.defs = nil, nil, nil, nil, nil, nil
	c.count()
}

// wake reads the page again and goes to where the cursor was.
func (c *cursor) wake() error {
	if !c.parked {
		return nil
	}
	was := *c
	c.parked = false
	if c.dictAt > 0 {
		c.at = c.dictAt
		if err := c.turn(); err != nil {
			return err
		}
	}
	if was.inPage == 0 && !was.loaded {
		c.at = was.at
		return nil
	}
	c.at, c.left = was.pageAt, was.left+int64(was.inPage+was.seen)
	if err := c.turn(); err != nil {
		return err
	}
	return c.replay(was.seen, was.loaded)
}

// replay passes over the entries that were met before. The value of the last is
// still to come where it is at hand.
func (c *cursor) replay(seen int, loaded bool) error {
	for i := range seen {
		if err := c.step(); err != nil {
			return err
		}
		if i == seen-1 && loaded {
			return nil
		}
		if c.loaded = false; c.def == c.leaf.def {
			if _, err := c.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

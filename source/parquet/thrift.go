package parquet

import (
	"encoding/binary"

	"github.com/intraydata/intray"
)

// What a value is in Thrift's compact protocol.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	wireTrue   = 1
	wireFalse  = 2
	wireByte   = 3
	wireShort  = 4
	wireLong   = 6
	wireDouble = 7
	wireBinary = 8
	wireList   = 9
	wireSet    = 10
	wireMap    = 11
	wireStruct = 12
	wireUUID   = 13
)

// maxThrift is how deep structures may stand in each other.
const maxThrift = 32

var errThrift = damage{intray.NewMessage("parquet.invalid_structure", nil)}

// compact reads Thrift's compact protocol. It allocates nothing: a footer that
// declares a long list costs no more than its bytes. The first error stays and
// ends the reading; errShort says that more bytes may help.
type compact struct {
	text  []byte
	at    int
	depth int
	err   error
}

// fail keeps the first error and goes to the end.
func (c *compact) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.at = len(c.text)
}

func (c *compact) byte() byte {
	if c.at >= len(c.text) {
		c.fail(errShort)
		return 0
	}
	c.at++
	return c.text[c.at-1]
}

func (c *compact) varint() uint64 {
	n, size := binary.Uvarint(c.text[c.at:])
	switch {
	case size == 0:
		c.fail(errShort)
	case size < 0:
		c.fail(errThrift)
	default:
		c.at += size
	}
	return n
}

func (c *compact) zigzag() int64 { return unzigzag(c.varint()) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

func (c *compact) pass(size uint64) []byte {
	if size > uint64(len(c.text)-c.at) {
		c.fail(errShort)
		return nil
	}
	from := c.at
	c.at += int(size)
	return c.text[from:c.at]
}

// int reads a whole number of any width.
func (c *compact) int(wire byte) int64 {
	switch {
	case wire == wireByte:
		return int64(int8(c.byte()))
	case wire >= wireShort && wire <= wireLong:
		return c.zigzag()
	}
	c.fail(errThrift)
	return 0
}

// small reads a whole number that fits 32 bits.
func (c *compact) small(wire byte) int {
	n := c.int(wire)
	if int64(int32(n)) != n {
		c.fail(errThrift)
	}
	return int(int32(n))
}

// bytes reads a text. It is part of what is read.
func (c *compact) bytes(wire byte) []byte {
	if wire != wireBinary {
		c.fail(errThrift)
		return nil
	}
	return c.pass(c.varint())
}

// fields calls visit for each field of a structure; visit reads it or says
// false.
func (c *compact) fields(wire byte, visit func(id int16, wire byte) bool) {
	if c.depth++; wire != wireStruct || c.depth > maxThrift {
		c.fail(errThrift)
	}
	for id := int16(0); c.err == nil; {
		head := c.byte()
		if head == 0 {
			break
		}
		if step := head >> 4; step != 0 {
			id += int16(step)
		} else {
			id = int16(c.zigzag())
		}
		if c.err == nil && !visit(id, head&15) {
			c.skip(head & 15)
		}
	}
	c.depth--
}

// list reads the beginning of a list: how many elements it has, of what wire.
func (c *compact) list(wire byte) (n uint64, of byte) {
	if wire != wireList && wire != wireSet {
		c.fail(errThrift)
		return 0, 0
	}
	head := c.byte()
	n = uint64(head >> 4)
	if n == 15 {
		n = c.varint()
	}
	if n > uint64(len(c.text)-c.at) { // none is shorter than a byte
		c.fail(errShort)
		return 0, 0
	}
	return n, head & 15
}

// each calls visit for each element of a list, which visit reads.
func (c *compact) each(wire byte, visit func(wire byte)) {
	n, of := c.list(wire)
	for ; n > 0 && c.err == nil; n-- {
		visit(of)
	}
}

// skip passes over the value of a field.
func (c *compact) skip(wire byte) {
	if c.depth++; c.depth > maxThrift {
		c.fail(errThrift)
	}
	switch wire {
	case wireTrue, wireFalse:
	case wireByte:
		c.byte()
	case wireShort, wireShort + 1, wireLong:
		c.varint()
	case wireDouble:
		c.pass(8)
	case wireBinary:
		c.pass(c.varint())
	case wireList, wireSet:
		c.each(wire, c.skipElement)
	case wireMap:
		c.skipMap()
	case wireStruct:
		c.fields(wire, func(int16, byte) bool { return false })
	case wireUUID:
		c.pass(16)
	default:
		c.fail(errThrift)
	}
	c.depth--
}

// skipElement passes over an element; truth has a byte there.
func (c *compact) skipElement(wire byte) {
	if wire == wireTrue || wire == wireFalse {
		wire = wireByte
	}
	c.skip(wire)
}

func (c *compact) skipMap() {
	n := c.varint()
	if n == 0 {
		return
	}
	kinds := c.byte()
	for ; n > 0 && c.err == nil; n-- {
		c.skipElement(kinds >> 4)
		c.skipElement(kinds & 15)
	}
}

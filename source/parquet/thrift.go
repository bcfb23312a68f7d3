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

// maxThriftDepth is how deep structures may stand in each other.
const maxThriftDepth = 32

var errThrift = damageError{intray.NewMessage("parquet.invalid_structure", nil)}

// thriftReader reads Thrift's compact protocol. It allocates nothing: a footer that
// declares a long list costs no more than its bytes. The first error stays and
// ends the reading; errTruncated says that more bytes may help.
type thriftReader struct {
	text  []byte
	at    int
	depth int
	err   error
}

// fail keeps the first error and goes to the end.
func (c *thriftReader) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.at = len(c.text)
}

func (c *thriftReader) readByte() byte {
	if c.at >= len(c.text) {
		c.fail(errTruncated)
		return 0
	}
	c.at++
	return c.text[c.at-1]
}

func (c *thriftReader) readVarint() uint64 {
	n, size := binary.Uvarint(c.text[c.at:])
	switch {
	case size == 0:
		c.fail(errTruncated)
	case size < 0:
		c.fail(errThrift)
	default:
		c.at += size
	}
	return n
}

func (c *thriftReader) readZigzag() int64 { return unzigzag(c.readVarint()) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

func (c *thriftReader) nextBytes(size uint64) []byte {
	if size > uint64(len(c.text)-c.at) {
		c.fail(errTruncated)
		return nil
	}
	from := c.at
	c.at += int(size)
	return c.text[from:c.at]
}

// readInt reads a whole number of any width.
func (c *thriftReader) readInt(wire byte) int64 {
	switch {
	case wire == wireByte:
		return int64(int8(c.readByte()))
	case wire >= wireShort && wire <= wireLong:
		return c.readZigzag()
	}
	c.fail(errThrift)
	return 0
}

// readInt32 reads a whole number that fits 32 bits.
func (c *thriftReader) readInt32(wire byte) int {
	n := c.readInt(wire)
	if int64(int32(n)) != n {
		c.fail(errThrift)
	}
	return int(int32(n))
}

// readBinary reads a text. It is part of what is read.
func (c *thriftReader) readBinary(wire byte) []byte {
	if wire != wireBinary {
		c.fail(errThrift)
		return nil
	}
	return c.nextBytes(c.readVarint())
}

// readFields calls visit for each field of a structure; visit reads it or says
// false.
func (c *thriftReader) readFields(wire byte, visit func(id int16, wire byte) bool) {
	if c.depth++; wire != wireStruct || c.depth > maxThriftDepth {
		c.fail(errThrift)
	}
	for id := int16(0); c.err == nil; {
		head := c.readByte()
		if head == 0 {
			break
		}
		if step := head >> 4; step != 0 {
			id += int16(step)
		} else {
			id = int16(c.readZigzag())
		}
		if c.err == nil && !visit(id, head&15) {
			c.skip(head & 15)
		}
	}
	c.depth--
}

// readListHeader reads the beginning of a list: how many elements it has, of what wire.
func (c *thriftReader) readListHeader(wire byte) (n uint64, of byte) {
	if wire != wireList && wire != wireSet {
		c.fail(errThrift)
		return 0, 0
	}
	head := c.readByte()
	n = uint64(head >> 4)
	if n == 15 {
		n = c.readVarint()
	}
	if n > uint64(len(c.text)-c.at) { // none is shorter than a byte
		c.fail(errTruncated)
		return 0, 0
	}
	return n, head & 15
}

// eachElement calls visit for each element of a list, which visit reads.
func (c *thriftReader) eachElement(wire byte, visit func(wire byte)) {
	n, of := c.readListHeader(wire)
	for ; n > 0 && c.err == nil; n-- {
		visit(of)
	}
}

// skip passes over the value of a field.
func (c *thriftReader) skip(wire byte) {
	if c.depth++; c.depth > maxThriftDepth {
		c.fail(errThrift)
	}
	switch wire {
	case wireTrue, wireFalse:
	case wireByte:
		c.readByte()
	case wireShort, wireShort + 1, wireLong:
		c.readVarint()
	case wireDouble:
		c.nextBytes(8)
	case wireBinary:
		c.nextBytes(c.readVarint())
	case wireList, wireSet:
		c.eachElement(wire, c.skipElement)
	case wireMap:
		c.skipMap()
	case wireStruct:
		c.readFields(wire, func(int16, byte) bool { return false })
	case wireUUID:
		c.nextBytes(16)
	default:
		c.fail(errThrift)
	}
	c.depth--
}

// skipElement passes over an element; truth has a byte there.
func (c *thriftReader) skipElement(wire byte) {
	if wire == wireTrue || wire == wireFalse {
		wire = wireByte
	}
	c.skip(wire)
}

func (c *thriftReader) skipMap() {
	n := c.readVarint()
	if n == 0 {
		return
	}
	kinds := c.readByte()
	for ; n > 0 && c.err == nil; n-- {
		c.skipElement(kinds >> 4)
		c.skipElement(kinds & 15)
	}
}

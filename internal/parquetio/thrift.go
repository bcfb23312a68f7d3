package parquetio

import (
	"encoding/binary"

	"github.com/intraydata/intray"
)

// These are the wire types of the Thrift compact protocol.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	wireTrue   = 1
	wireFalse  = 2
	wireByte   = 3
	wireInt16  = 4
	wireInt32  = 5
	wireInt64  = 6
	wireDouble = 7
	wireBinary = 8
	wireList   = 9
	wireSet    = 10
	wireMap    = 11
	wireStruct = 12
	wireUUID   = 13
)

// maxThriftDepth is the maximum nesting depth of structures.
const maxThriftDepth = 32

var (
	errThrift = Damaged(intray.NewMessage("parquet.invalid_structure", nil))
	// errTruncated reports that the text ends inside a structure, which more bytes may complete.
	errTruncated = Damaged(intray.NewMessage("parquet.ends_early", nil))
)

// thriftReader reads the Thrift compact protocol. It allocates no memory, so a short footer
// that declares a long list costs little. After the first error, all reads return zero values.
type thriftReader struct {
	text  []byte
	pos   int
	depth int
	err   error
}

// fail stores err if it is the first error, and moves to the end of the text.
func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pos = len(r.text)
}

func (r *thriftReader) readByte() byte {
	if r.pos >= len(r.text) {
		r.fail(errTruncated)
		return 0
	}
	r.pos++
	return r.text[r.pos-1]
}

func (r *thriftReader) readVarint() uint64 {
	n, size := binary.Uvarint(r.text[r.pos:])
	switch {
	case size == 0:
		r.fail(errTruncated)
	case size < 0:
		r.fail(errThrift)
	default:
		r.pos += size
	}
	return n
}

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

func (r *thriftReader) readBytes(size uint64) []byte {
	if size > uint64(len(r.text)-r.pos) {
		r.fail(errTruncated)
		return nil
	}
	from := r.pos
	r.pos += int(size)
	return r.text[from:r.pos]
}

// readInt reads an integer of any width.
func (r *thriftReader) readInt(wire byte) int64 {
	switch {
	case wire == wireByte:
		return int64(int8(r.readByte()))
	case wire >= wireInt16 && wire <= wireInt64:
		return unzigzag(r.readVarint())
	}
	r.fail(errThrift)
	return 0
}

// readInt32 reads an integer that must fit into 32 bits.
func (r *thriftReader) readInt32(wire byte) int {
	n := r.readInt(wire)
	if int64(int32(n)) != n {
		r.fail(errThrift)
	}
	return int(int32(n))
}

// readBinary reads a byte string. The result shares memory with the text.
func (r *thriftReader) readBinary(wire byte) []byte {
	if wire != wireBinary {
		r.fail(errThrift)
		return nil
	}
	return r.readBytes(r.readVarint())
}

// readFields reads a structure. If ints[i-1] is not nil, it stores the integer or boolean with
// field id i there, a boolean as 0 or 1. It calls visit for all other fields. visit reads the
// field, or returns false to skip it.
func (r *thriftReader) readFields(wire byte, ints []*int, visit func(id int16, wire byte) bool) {
	if r.depth++; wire != wireStruct || r.depth > maxThriftDepth {
		r.fail(errThrift)
	}
	for id := int16(0); r.err == nil; {
		head := r.readByte()
		if head == 0 {
			break
		}
		if step := head >> 4; step != 0 {
			id += int16(step)
		} else {
			id = int16(unzigzag(r.readVarint()))
		}
		wire := head & 15
		switch {
		case r.err != nil:
		case id < 1 || int(id) > len(ints) || ints[id-1] == nil:
			if visit == nil || !visit(id, wire) {
				r.skip(wire)
			}
		case wire == wireTrue || wire == wireFalse:
			*ints[id-1] = wireFalse - int(wire)
		default:
			*ints[id-1] = r.readInt32(wire)
		}
	}
	r.depth--
}

// eachElement calls visit for each element of a list. visit reads the element.
func (r *thriftReader) eachElement(wire byte, visit func(wire byte)) {
	if wire != wireList && wire != wireSet {
		r.fail(errThrift)
		return
	}
	head := r.readByte()
	n := uint64(head >> 4)
	if n == 15 {
		n = r.readVarint()
	}
	if n > uint64(len(r.text)-r.pos) { // an element has at least one byte
		r.fail(errTruncated)
	}
	for ; n > 0 && r.err == nil; n-- {
		visit(head & 15)
	}
}

// skip skips the value of a field.
func (r *thriftReader) skip(wire byte) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail(errThrift)
	}
	switch wire {
	case wireTrue, wireFalse:
	case wireByte:
		r.readByte()
	case wireInt16, wireInt32, wireInt64:
		r.readVarint()
	case wireDouble:
		r.readBytes(8)
	case wireBinary:
		r.readBytes(r.readVarint())
	case wireList, wireSet:
		r.eachElement(wire, r.skipElement)
	case wireMap:
		if n := r.readVarint(); n > 0 {
			types := r.readByte()
			for ; n > 0 && r.err == nil; n-- {
				r.skipElement(types >> 4)
				r.skipElement(types & 15)
			}
		}
	case wireStruct:
		r.readFields(wire, nil, nil)
	case wireUUID:
		r.readBytes(16)
	default:
		r.fail(errThrift)
	}
	r.depth--
}

// skipElement skips an element of a list or map, in which a boolean takes one byte.
func (r *thriftReader) skipElement(wire byte) {
	if wire == wireTrue || wire == wireFalse {
		wire = wireByte
	}
	r.skip(wire)
}

// thriftWriter appends structures in the Thrift compact protocol. Fields must be written in
// the order of their ids, and successive ids must differ by at most 15.
type thriftWriter struct {
	text []byte
	// last is the id of the last field in the current structure.
	last int16
}

func (w *thriftWriter) writeField(id int16, wire byte) {
	w.text = append(w.text, byte(id-w.last)<<4|wire)
	w.last = id
}

func (w *thriftWriter) writeInt(id int16, wire byte, n int64) {
	w.writeField(id, wire)
	w.text = binary.AppendVarint(w.text, n)
}

func (w *thriftWriter) writeInt64(id int16, n int64) { w.writeInt(id, wireInt64, n) }

// writeInts writes 32-bit integers as fields with consecutive ids. The parameter first is the id
// of the first field.
func (w *thriftWriter) writeInts(first int16, ints ...int) {
	for i, n := range ints {
		w.writeInt(first+int16(i), wireInt32, int64(n))
	}
}

func (w *thriftWriter) writeBool(id int16, b bool) {
	if b {
		w.writeField(id, wireTrue)
	} else {
		w.writeField(id, wireFalse)
	}
}

func (w *thriftWriter) writeBinary(id int16, text []byte) {
	w.writeField(id, wireBinary)
	w.appendBinary(text)
}

func (w *thriftWriter) appendBinary(text []byte) {
	w.text = append(binary.AppendUvarint(w.text, uint64(len(text))), text...)
}

// writeListHeader writes the header of a list of n elements. The caller appends the elements.
func (w *thriftWriter) writeListHeader(id int16, n int, wire byte) {
	w.writeField(id, wireList)
	if n < 15 {
		w.text = append(w.text, byte(n)<<4|wire)
		return
	}
	w.text = binary.AppendUvarint(append(w.text, 15<<4|wire), uint64(n))
}

// writeStruct writes a field that is a structure.
func (w *thriftWriter) writeStruct(id int16, writeFields func()) {
	w.writeField(id, wireStruct)
	w.appendStruct(writeFields)
}

// appendStruct appends a structure that is not a field.
func (w *thriftWriter) appendStruct(writeFields func()) {
	last := w.last
	w.last = 0
	writeFields()
	w.text = append(w.text, 0)
	w.last = last
}

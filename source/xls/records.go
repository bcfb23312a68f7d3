package xls

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
)

var little = binary.LittleEndian

// These are the identifiers of the records that this package reads.
const (
	recFormula2   = 0x0006 // also in BIFF5 and BIFF8
	recEOF        = 0x000A
	recDateMode   = 0x0022
	recFilePass   = 0x002F
	recContinue   = 0x003C
	recCodePage   = 0x0042
	recBoundSheet = 0x0085
	recMulRK      = 0x00BD
	recRString    = 0x00D6
	recXF5        = 0x00E0
	recSST        = 0x00FC
	recLabelSST   = 0x00FD
	recNumber     = 0x0203
	recRK         = 0x027E
	recBOF        = 0x0809
)

// record is a record of the stream. Its body is valid until the next record is read.
type record struct {
	id     uint16
	offset int64
	body   []byte
}

// recordHeader is the size of a record's header, in bytes.
const recordHeader = 4

// The window is the number of bytes to read at once. It starts at the minimum after a
// jump, and grows while records are read sequentially.
const (
	minWindow = 1 << 10
	maxWindow = 64 << 10
)

// recordReader reads the records in a stream, starting at any offset.
type recordReader struct {
	from *cfb.Stream
	// key decrypts a protected stream. It may be nil.
	key decryptor
	// pos is the offset of the next record.
	pos    int64
	window []byte
	start  int64
	step   int
	plain  []byte
}

// next returns the next record, or io.EOF at the end of the stream. An incomplete
// header at the end is ignored.
func (r *recordReader) next() (record, error) {
	// Usually, the window holds the whole record.
	if at := r.pos - r.start; at >= 0 && at+recordHeader <= int64(len(r.window)) && r.key == nil {
		head := r.window[at:]
		if size := recordHeader + int(little.Uint16(head[2:])); size <= len(head) {
			rec := record{id: little.Uint16(head), offset: r.pos, body: head[recordHeader:size:size]}
			r.pos += int64(size)
			return rec, nil
		}
	}
	if r.pos+recordHeader > r.from.Size() {
		return record{}, r.endError()
	}
	head, err := r.readBytes(r.pos, recordHeader)
	if err != nil {
		return record{}, err
	}
	rec := record{id: little.Uint16(head), offset: r.pos}
	length := int(little.Uint16(head[2:]))
	if r.pos+recordHeader+int64(length) > r.from.Size() {
		if r.from.Truncated() {
			return record{}, r.endError()
		}
		return record{}, broken(intray.NewMessage("xls.long_record", intray.Params{"offset": r.pos, "length": length}))
	}
	if rec.body, err = r.readBytes(r.pos+recordHeader, length); err != nil {
		return record{}, err
	}
	r.pos += recordHeader + int64(length)
	if r.key != nil {
		r.plain = append(r.plain[:0], rec.body...)
		decryptRecord(r.key, rec, r.plain)
		rec.body = r.plain
	}
	return rec, nil
}

// skipCells skips the cells of a row that follow, as far as they are texts or numbers and in the window. It
// returns their number.
func (r *recordReader) skipCells(row uint16) (n int64) {
	if r.key != nil {
		return 0
	}
	for rest := r.window[max(r.pos-r.start, 0):]; len(rest) >= recordHeader+2; n++ {
		least := 10
		switch little.Uint16(rest) {
		case recLabelSST, recRK:
		case recNumber:
			least = 14
		default:
			return n
		}
		size := int(little.Uint16(rest[2:]))
		if size < least || recordHeader+size > len(rest) || little.Uint16(rest[recordHeader:]) != row {
			return n
		}
		r.pos += int64(recordHeader + size)
		rest = rest[recordHeader+size:]
	}
	return n
}

// unread makes the next call to next return rec.
func (r *recordReader) unread(rec record) { r.pos = rec.offset }

// endError returns io.EOF if the stream is complete, or an error if it is truncated.
func (r *recordReader) endError() error {
	if r.from.Truncated() {
		return unreadable(intray.NewMessage("xls.cut_short", intray.Params{"size": r.from.Size()}))
	}
	return io.EOF
}

// readBytes returns n bytes of the stream, which are valid until the next call.
func (r *recordReader) readBytes(at int64, n int) ([]byte, error) {
	if at < r.start || at+int64(n) > r.start+int64(len(r.window)) {
		if err := r.fill(at, n); err != nil {
			return nil, err
		}
	}
	return r.window[at-r.start:][:n], nil
}

// fill reads a window that starts at the given offset. The window has at least n bytes unless
// the stream ends earlier.
func (r *recordReader) fill(at int64, n int) error {
	if at >= r.start && at <= r.start+int64(len(r.window)) {
		r.step = min(max(2*r.step, minWindow), maxWindow)
	} else {
		r.step = minWindow
	}
	size := int(min(int64(max(r.step, n)), r.from.Size()-at))
	if cap(r.window) < size {
		r.window = make([]byte, max(size, 2*cap(r.window)))
	}
	r.window, r.start = r.window[:size], at
	if _, err := r.from.ReadAt(r.window, at); err != nil {
		r.window = r.window[:0]
		return fmt.Errorf("read the workbook: %w", err)
	}
	return nil
}

// partReader reads the records of one part of the workbook, from its BOF record to its
// EOF record. It skips the parts within it, such as charts.
type partReader struct {
	recordReader
	// version is the version in the BOF record: 2, 3, 4, 5 or 8.
	version int
}

// seekPart moves to the part at an offset and reads its BOF record.
func (i *partReader) seekPart(at int64) (bof, error) {
	i.pos = at
	if at >= i.from.Size() && !i.from.Truncated() {
		return bof{}, errNoBOF
	}
	rec, err := i.recordReader.next()
	if err != nil {
		return bof{}, err
	}
	b, ok := readBOF(rec)
	if !ok {
		return bof{}, errNoBOF
	}
	i.version = b.version
	return b, nil
}

var errNoBOF = broken(intray.NewMessage("xls.no_sheet_bof", nil))

// next returns the next record of the part, or io.EOF.
func (i *partReader) next() (record, error) {
	for depth := 0; ; {
		rec, err := i.recordReader.next()
		switch {
		case err != nil:
			return record{}, err
		case isBOF(rec.id):
			depth++
		case rec.id == recEOF && depth == 0:
			i.unread(rec) // the next call returns io.EOF again
			return record{}, io.EOF
		case rec.id == recEOF:
			depth--
		case depth == 0:
			return rec, nil
		}
	}
}

// bof is the content of a BOF record.
type bof struct {
	version int
	kind    uint16
}

// These are the kinds of parts, as stored in the BOF record.
const (
	partGlobals = 0x0005
	partModule  = 0x0006
	partSheet   = 0x0010
	partChart   = 0x0020
	partMacro   = 0x0040
	partBundle  = 0x0100
)

func isBOF(id uint16) bool {
	return id&0xFF == 0x09 && (id == 0x0009 || id == 0x0209 || id == 0x0409 || id == recBOF)
}

func readBOF(rec record) (b bof, ok bool) {
	if !isBOF(rec.id) || len(rec.body) < 4 {
		return bof{}, false
	}
	b.kind = little.Uint16(rec.body[2:])
	switch rec.id {
	case 0x0009:
		b.version = 2
	case 0x0209:
		b.version = 3
	case 0x0409:
		b.version = 4
	default:
		b.version = 5
		if little.Uint16(rec.body) == 0x0600 {
			b.version = 8
		}
	}
	return b, true
}

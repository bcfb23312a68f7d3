package xlsb

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

var little = binary.LittleEndian

// recordID is the identifier of a record.
type recordID uint16

// These are the identifiers of the records that this package reads.
const (
	recRow             recordID = 0   // BrtRowHdr
	recCellBlank       recordID = 1   // BrtCellBlank
	recCellRK          recordID = 2   // BrtCellRk
	recCellError       recordID = 3   // BrtCellError
	recCellBool        recordID = 4   // BrtCellBool
	recCellReal        recordID = 5   // BrtCellReal
	recCellText        recordID = 6   // BrtCellSt
	recCellString      recordID = 7   // BrtCellIsst
	recFormulaText     recordID = 8   // BrtFmlaString
	recFormulaNumber   recordID = 9   // BrtFmlaNum
	recFormulaBool     recordID = 10  // BrtFmlaBool
	recFormulaError    recordID = 11  // BrtFmlaError
	recShortBlank      recordID = 12  // BrtShortBlank
	recShortRK         recordID = 13  // BrtShortRk
	recShortError      recordID = 14  // BrtShortError
	recShortBool       recordID = 15  // BrtShortBool
	recShortReal       recordID = 16  // BrtShortReal
	recShortText       recordID = 17  // BrtShortSt
	recShortString     recordID = 18  // BrtShortIsst
	recString          recordID = 19  // BrtSSTItem
	recFormat          recordID = 44  // BrtFmt
	recStyle           recordID = 47  // BrtXF
	recColumns         recordID = 60  // BrtColInfo
	recCellRichText    recordID = 62  // BrtCellRString
	recBeginSheet      recordID = 129 // BrtBeginSheet
	recEndSheet        recordID = 130 // BrtEndSheet
	recBeginBook       recordID = 131 // BrtBeginBook
	recEndBook         recordID = 132 // BrtEndBook
	recBeginSheetData  recordID = 145 // BrtBeginSheetData
	recEndSheetData    recordID = 146 // BrtEndSheetData
	recWorkbook        recordID = 153 // BrtWbProp
	recSheet           recordID = 156 // BrtBundleSh
	recBeginStrings    recordID = 159 // BrtBeginSst
	recEndStrings      recordID = 160 // BrtEndSst
	recMerged          recordID = 176 // BrtMergeCell
	recBeginStyleSheet recordID = 278 // BrtBeginStyleSheet
	recEndStyleSheet   recordID = 279 // BrtEndStyleSheet
	recBeginFormats    recordID = 615 // BrtBeginFmts
	recEndFormats      recordID = 616 // BrtEndFmts
	recBeginCellStyles recordID = 617 // BrtBeginCellXFs
	recEndCellStyles   recordID = 618 // BrtEndCellXFs
)

const (
	// maxHeader is the maximum size of a record's header, in bytes: two for the identifier and
	// four for the size.
	maxHeader = 6
	// windowBytes is the number of bytes that are read at once.
	windowBytes = 32 << 10
)

// recordReader reads the records of a part one after the other. It trusts no size: it needs memory
// only for the bytes of a body that it has read, and only if they are requested.
type recordReader struct {
	src  io.Reader
	part string
	// window[pos:end] holds the bytes that were read ahead. They start with the unread rest of
	// the body of the current record.
	window   []byte
	pos, end int
	// rest is the number of bytes of the current body that have not been skipped.
	rest int
	id   recordID
}

func newRecordReader(src io.Reader, part string) *recordReader {
	return &recordReader{src: src, part: part, window: make([]byte, windowBytes)}
}

// openPart returns a reader for a part that starts with the given record.
func openPart(src io.Reader, part string, first recordID) (*recordReader, error) {
	r := newRecordReader(src, part)
	err := r.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, r.broken(intray.NewMessage("xml.empty", nil))
	case err != nil:
		return nil, err
	case r.id != first:
		return nil, r.broken(intray.NewMessage("xlsb.unknown_start", nil))
	}
	return r, nil
}

// next moves to the next record. It returns io.EOF at the end of the part.
func (r *recordReader) next() error {
	if err := r.skipBody(); err != nil {
		return err
	}
	if r.end-r.pos < maxHeader {
		if err := r.fill(maxHeader); err != nil {
			return err
		}
		if r.end == r.pos {
			return io.EOF
		}
	}
	head := r.window[r.pos:r.end]
	if len(head) < 2 {
		return r.cutShort()
	}
	n := 1
	r.id = recordID(head[0])
	if r.id >= 0x80 {
		r.id = r.id&0x7F | recordID(head[1]&0x7F)<<7
		n = 2
	}
	r.rest = 0
	for shift := 0; ; shift += 7 {
		if n == len(head) {
			return r.cutShort()
		}
		b := head[n]
		n++
		r.rest |= int(b&0x7F) << shift
		if b < 0x80 || shift == 21 {
			break
		}
	}
	r.pos += n
	return nil
}

// skipBody skips the rest of the current body.
func (r *recordReader) skipBody() error {
	for r.rest > r.end-r.pos {
		r.rest -= r.end - r.pos
		r.pos, r.end = 0, 0
		if err := r.fill(1); err != nil {
			return err
		}
		if r.end == 0 {
			r.rest = 0
			return r.cutShort()
		}
	}
	r.pos += r.rest
	r.rest = 0
	return nil
}

// body returns the first n bytes of the current body, which are valid until the next call. It
// returns fewer bytes if the body is shorter.
func (r *recordReader) body(n int) ([]byte, error) {
	n = min(n, r.rest)
	if r.end-r.pos < n {
		if err := r.fill(n); err != nil {
			return nil, err
		}
		if r.end-r.pos < n {
			return nil, r.cutShort()
		}
	}
	return r.window[r.pos : r.pos+n], nil
}

// fill reads ahead until n bytes are available or the part ends. The window grows only as far as
// there are bytes for it.
func (r *recordReader) fill(n int) error {
	copy(r.window, r.window[r.pos:r.end])
	r.pos, r.end = 0, r.end-r.pos
	for r.end < n {
		if r.end == len(r.window) {
			larger := make([]byte, min(2*len(r.window), max(n, windowBytes)))
			copy(larger, r.window)
			r.window = larger
		}
		got, err := r.src.Read(r.window[r.end:])
		r.end += got
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// shrink releases the memory of a body that was much longer than usual.
func (r *recordReader) shrink() {
	const most = 1 << 20
	if len(r.window) > most && r.end-r.pos <= windowBytes {
		window := make([]byte, windowBytes)
		r.pos, r.end = 0, copy(window, r.window[r.pos:r.end])
		r.window = window
	}
}

// broken returns the error for a damaged part, given the problem that was found.
func (r *recordReader) broken(problem intray.Message) error {
	problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(r.part), "problem": problem})
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

func (r *recordReader) cutShort() error {
	return r.broken(intray.NewMessage("workbook.part_cut_short", nil))
}

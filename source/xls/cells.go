package xls

import (
	"errors"
	"io"
	"math"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
	"github.com/intraydata/intray/source/workbook"
)

// minPlainCell is the size of the shortest record of a shared string or number, in bytes.
const minPlainCell = recordHeader + 10

// cell is a stored cell. Its value is in number if it is a number, and in text otherwise.
type cell struct {
	column int
	xf     uint16
	kind   intray.CellKind
	number float64
	text   []byte
}

// collectCells adds the cells of a record, which must be long enough for them.
func (r *rows) collectCells(rec record) error {
	body := rec.body
	c := cell{column: int(little.Uint16(body[2:])), xf: little.Uint16(body[4:])}
	body = body[6:]
	if old := rec.id < 0x0200 && rec.id < recFormula2 || rec.id == recFormula2 && r.book.version == 2; old {
		c.xf = uint16(rec.body[5] & 0x3F) // the index of a format
		body = rec.body[7:]
	}
	switch rec.id {
	case recMulRK:
		return r.addMulRK(rec)
	case recRK:
		return r.addNumber(c, workbook.DecodeRK(little.Uint32(body)))
	case 0x0002:
		return r.addNumber(c, float64(little.Uint16(body)))
	case 0x0003, 0x0203:
		return r.addNumber(c, decodeFloat64(body))
	case 0x0005, 0x0205:
		return r.addCode(c, body[0], body[1] != 0)
	case recLabelSST:
		return r.addShared(c, little.Uint32(body))
	case recFormula2, 0x0206, 0x0406:
		return r.addResult(c, body)
	default:
		return r.addLabel(c, rec)
	}
}

// collectPlainCells collects the cells of a row that follow, as far as they are shared strings or numbers and in
// the window.
func (r *rows) collectPlainCells(row uint16) error {
	p := &r.part.recordReader
	at := p.pos - p.start
	if p.key != nil || at < 0 || at > int64(len(p.window)) {
		return nil
	}
	for rest := p.window[at:]; len(rest) >= minPlainCell && little.Uint16(rest[recordHeader:]) == row && len(r.pending) <= 2*r.book.limits.Columns; {
		size := recordHeader + int(little.Uint16(rest[2:]))
		if size < minPlainCell || size > len(rest) {
			return nil
		}
		c := cell{column: int(little.Uint16(rest[6:])), xf: little.Uint16(rest[8:])}
		var err error
		switch body := rest[10:size]; little.Uint16(rest) {
		case recLabelSST:
			err = r.addShared(c, little.Uint32(body))
		case recRK:
			err = r.addNumber(c, workbook.DecodeRK(little.Uint32(body)))
		case recNumber:
			if len(body) < 8 {
				return nil
			}
			err = r.addNumber(c, decodeFloat64(body))
		default:
			return nil
		}
		if err != nil {
			return err
		}
		p.pos += int64(size)
		rest = rest[size:]
	}
	return nil
}

// addShared adds the shared string with the given number.
func (r *rows) addShared(c cell, number uint32) error {
	text, ok := r.book.strings.lookup(number)
	if !ok {
		return broken(intray.NewMessage("xls.no_such_text", intray.Params{"column": c.column + 1, "number": number, "count": len(r.book.strings.ends)}))
	}
	c.text = text
	return r.appendCell(c)
}

func (r *rows) appendCell(c cell) error {
	if c.column >= r.book.limits.Columns {
		return &source.LimitError{Reason: intray.NewMessage("cell.column_beyond_limit", intray.Params{"column": c.column + 1, "limit": r.book.limits.Columns})}
	}
	r.pending = append(r.pending, c)
	return nil
}

func (r *rows) addNumber(c cell, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return r.addCode(c, 0x24, true) // a sheet cannot display such a number
	}
	c.kind, c.number = intray.CellNumber, v
	return r.appendCell(c)
}

// addCode adds a boolean or, if failed is true, an error.
func (r *rows) addCode(c cell, code byte, failed bool) error {
	if failed {
		c.kind, c.text = intray.CellError, []byte(workbook.ErrorText(code))
		return r.appendCell(c)
	}
	c.kind, c.text = intray.CellBool, []byte("false")
	if code != 0 {
		c.text = []byte("true")
	}
	return r.appendCell(c)
}

// addMulRK adds the cells of a MULRK record. The record consists of the row, the first column, a
// style and a number for each cell, and the last column, which addMulRK ignores.
func (r *rows) addMulRK(rec record) error {
	column := int(little.Uint16(rec.body[2:]))
	for pairs := rec.body[4 : len(rec.body)-2]; len(pairs) >= 6; pairs = pairs[6:] {
		c := cell{column: column, xf: little.Uint16(pairs)}
		if err := r.addNumber(c, workbook.DecodeRK(little.Uint32(pairs[2:]))); err != nil {
			return err
		}
		column++
	}
	return nil
}

func decodeFloat64(raw []byte) float64 { return math.Float64frombits(little.Uint64(raw)) }

// addResult adds the cached result of a formula.
func (r *rows) addResult(c cell, body []byte) error {
	if len(body) < 8 {
		return broken(intray.NewMessage("xls.short_formula", intray.Params{"column": c.column + 1}))
	}
	if body[6] != 0xFF || body[7] != 0xFF {
		return r.addNumber(c, decodeFloat64(body))
	}
	switch body[0] {
	case 0:
		return r.addResultText(c)
	case 1:
		return r.addCode(c, body[2], false)
	case 2:
		return r.addCode(c, body[2], true)
	}
	return nil // empty text
}

// addResultText adds the text of a STRING record, which may follow other records of the
// formula. Without a STRING record, the text is empty.
func (r *rows) addResultText(c cell) error {
	for {
		rec, err := r.part.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch rec.id {
		case 0x0007, 0x0207:
			c.text, err = r.readText(rec, 0, rec.id == 0x0007)
			if err != nil {
				return err
			}
			return r.appendCell(c)
		case 0x0021, 0x0221, 0x0036, 0x0236, 0x00BC, 0x04BC, recContinue: // ARRAY, TABLE, SHRFMLA
		default:
			r.part.unread(rec)
			return nil
		}
	}
}

// addLabel adds a cell whose text is stored in the cell record.
func (r *rows) addLabel(c cell, rec record) (err error) {
	skip := 6
	if rec.id == 0x0004 {
		skip = 7
	}
	if c.text, err = r.readText(rec, skip, rec.id == 0x0004); err != nil {
		return err
	}
	return r.appendCell(c)
}

// readText reads the text that follows the first skip bytes of a record's body. The length of
// the text is stored in one byte if short is true, and in two bytes otherwise.
func (r *rows) readText(rec record, skip int, short bool) ([]byte, error) {
	p := newContinuedReader(&r.part.recordReader, rec, skip)
	length := 0
	if short {
		length = int(p.readUint8())
	} else {
		length = int(p.readUint16())
	}
	start := len(r.arena)
	switch {
	case length == 0: // the flags may be missing
	case r.book.version == 8:
		r.arena = p.appendText(r.arena, length)
	default:
		p.truncated = length > len(p.rest)
		r.arena = r.book.codepage.appendText(r.arena, p.rest[:min(length, len(p.rest))])
	}
	if p.err != nil {
		return nil, p.err
	}
	if p.truncated {
		return nil, broken(intray.NewMessage("xls.short_text", intray.Params{"offset": rec.offset}))
	}
	return r.arena[start:len(r.arena):len(r.arena)], nil
}

// style describes how to display cells with a certain XF record.
type style struct {
	*numfmt.Format
	// general is true for the format General.
	general bool
	// plain is true if the format displays text unchanged.
	plain bool
}

// styles holds the XF and FORMAT records of a workbook.
type styles struct {
	// xfs holds the number of the format of each XF record.
	xfs []uint16
	// codes maps the number of each format that the workbook defines to its format
	// code. unnumbered counts the formats without a number.
	codes      map[uint16]string
	unnumbered int
	// codeBytes is the total length of the format codes in bytes.
	codeBytes int
	// hasBuiltins is true if the version of the file has built-in formats.
	hasBuiltins bool
	// byXF holds the style of each XF record.
	byXF    []*style
	general *style
}

// maxXFs is the maximum number of XF records that cells can refer to.
const maxXFs = 1 << 16

// maxCodeBytes is the maximum total length of the format codes in bytes. Excel allows at most 250
// formats of 255 characters. A compiled format takes many times the memory of its code.
const maxCodeBytes = 2 << 20

func (s *styles) addXF(format uint16) {
	if len(s.xfs) < maxXFs {
		s.xfs = append(s.xfs, format)
	}
}

// addCode adds a format code. number is negative if the format has no number. Such
// formats are numbered from 0 in file order.
func (s *styles) addCode(number int, code string) error {
	if number < 0 {
		number = s.unnumbered
		s.unnumbered++
	}
	if s.codes == nil {
		s.codes = map[uint16]string{}
	}
	if s.codeBytes += len(code); s.codeBytes > maxCodeBytes {
		return &source.LimitError{Reason: intray.NewMessage("workbook.formats_too_long", intray.Params{"limit": maxCodeBytes})}
	}
	if number < maxXFs {
		s.codes[uint16(number)] = code
	}
	return nil
}

// compile compiles the formats that cells may use. No format or style may be added afterwards.
func (s *styles) compile(byFormat bool) {
	compiled := map[uint16]*style{}
	s.general = compileStyle("General")
	if byFormat { // BIFF2 cells refer to formats instead of XF records
		s.xfs = nil
		for number := range uint16(64) {
			s.xfs = append(s.xfs, number)
		}
	}
	for _, number := range s.xfs {
		if compiled[number] == nil {
			compiled[number] = s.general
			if code := s.formatCode(number); code != "" {
				compiled[number] = compileStyle(code)
			}
		}
		s.byXF = append(s.byXF, compiled[number])
	}
}

// formatCode returns the code of the format with the given number, or "" if there is none.
func (s *styles) formatCode(number uint16) string {
	if code, ok := s.codes[number]; ok || !s.hasBuiltins {
		return code
	}
	return numfmt.Builtin(int(number))
}

func compileStyle(code string) *style {
	format, _ := numfmt.Compile(code) // an invalid code is displayed as General
	one, two := format.AppendFormattedText(nil, []byte("x")), format.AppendFormattedText(nil, []byte("yz"))
	return &style{Format: format, general: strings.EqualFold(code, "General"), plain: string(one) == "x" && string(two) == "yz"}
}

// forXF returns the style for the XF record with the given index, or the style of the format
// General if there is no such record.
func (s *styles) forXF(xf uint16) *style {
	if int(xf) >= len(s.byXF) {
		return s.general
	}
	return s.byXF[xf]
}

package xlsx

import (
	"encoding/binary"
	"strconv"
)

const (
	// cellOpen and cellShut are the bytes around the reference and after the value of a plain cell.
	cellOpen = `<c r="`
	cellShut = `</v></c>`
	// maxPlainBytes is the maximum length of a plain cell, in bytes, apart from its value.
	maxPlainBytes = 64
	// maxStyleDigits is the maximum number of digits in the index of a style.
	maxStyleDigits = 7
)

// word returns the first eight bytes of b, which must have as many.
func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func wordOf(text string) uint64 {
	var b [8]byte
	copy(b[:], text)
	return word(b[:])
}

// These are the words that plain cells consist of.
var (
	openWord = wordOf(cellOpen)
	shutWord = wordOf(cellShut)
	valueTag = wordOf("><v>")
	styleKey = wordOf(` s="`)
	typeKey  = wordOf(` t="`)
	emptyTag = wordOf("/>")
)

const (
	openMask = 1<<48 - 1
	fourMask = 1<<32 - 1
	twoMask  = 1<<16 - 1
)

// rowDigits is the number of the current row as it is written in references. It has length 0 if the
// file does not give the row a number.
type rowDigits struct {
	word, mask uint64
	length     int
}

// newRowDigits returns the digits of a row number, which has at most seven.
func newRowDigits(number int64) (d rowDigits) {
	var text [8]byte
	d.length = len(strconv.AppendInt(text[:0], number, 10))
	d.word, d.mask = word(text[:]), 1<<(8*d.length)-1
	return d
}

// plainCell is a cell as most programs write it: the attributes r, s and t in this order, of which the
// last two are optional, and a value without references or line ends. A cell without a value is plain too.
type plainCell struct {
	column, style int
	kind          cellType
	// value is the value, or nil.
	value []byte
	// size is the length of the cell, in bytes.
	size int
}

// readPlainCells reads the plain cells that follow. It stops at a cell that is not plain or that is not
// entirely in the buffer, at which readCells goes on.
func (r *rows) readPlainCells() error {
	if r.digits.length == 0 {
		return nil
	}
	b, read := r.scan.Peek(), 0
	var c plainCell
	for r.scanPlainCell(b[read:], &c) {
		read += c.size
		r.column, r.raw = c.column, c.value
		if len(c.value) == 0 {
			continue
		}
		if err := r.appendCell(c.kind, c.style, false); err != nil {
			return err
		}
	}
	r.scan.Consume(read)
	return nil
}

// scanPlainCell scans the cell at the beginning of b. It returns false if the cell is not plain, is not
// in the current row and to the right of the last cell, or may extend beyond b.
func (r *rows) scanPlainCell(b []byte, c *plainCell) bool {
	if len(b) < maxPlainBytes || word(b)&openMask != openWord {
		return false
	}
	column, i := scanColumn(b, len(cellOpen))
	if word(b[i:])&r.digits.mask != r.digits.word || b[i+r.digits.length] != '"' || column <= r.column || column >= r.book.limits.Columns {
		return false
	}
	c.column = column
	if i = c.scanAttributes(b, i+r.digits.length+1); i < 0 {
		return false
	}
	next := word(b[i:])
	if next&fourMask != valueTag {
		c.value, c.size = nil, i+2
		return next&twoMask == emptyTag
	}
	from := i + 4
	for i = from; i+8 <= len(b) && plainValue[b[i]]; i++ {
	}
	if i+8 > len(b) || i-from > r.book.limits.CellBytes || word(b[i:]) != shutWord {
		return false
	}
	c.value, c.size = b[from:i], i+8
	return true
}

// scanColumn scans up to three letters at b[i]. It returns the column, counted from 0, or -1 if there are
// no letters, and the index after the letters.
func scanColumn(b []byte, i int) (column, end int) {
	for end = i; end < i+3 && b[end] >= 'A' && b[end] <= 'Z'; end++ {
		column = column*26 + int(b[end]-'A') + 1
	}
	return column - 1, end
}

// scanAttributes scans the attributes s and t at b[i]. It returns the index after them, or -1 if their
// values are unusual.
func (c *plainCell) scanAttributes(b []byte, i int) int {
	c.style, c.kind = 0, typeNumber
	next := word(b[i:])
	if next&fourMask == styleKey {
		from := i + 4
		for i = from; i < from+maxStyleDigits && b[i] >= '0' && b[i] <= '9'; i++ {
			c.style = c.style*10 + int(b[i]-'0')
		}
		if i == from || b[i] != '"' {
			return -1
		}
		i++
		next = word(b[i:])
	}
	if next&fourMask != typeKey {
		return i
	}
	switch byte(next >> 32) {
	case 's':
		c.kind = typeSharedString
	case 'b':
		c.kind = typeBool
	case 'n':
	default:
		return -1
	}
	if byte(next>>40) != '"' {
		return -1
	}
	return i + 6
}

// plainValue is true for the characters of numbers.
var plainValue = [256]bool{'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true, '.': true, '-': true, '+': true, 'e': true, 'E': true}

package csv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/intraydata/intray/source"
)

// span is one cell, as places in the text of its record.
type span struct {
	from, to int
	// doubled says that the cell holds quotes that are written twice.
	doubled bool
}

// splitter cuts records into cells.
type splitter struct {
	limits source.Limits
	// line is where the record begins, from 1.
	line int64
	// cells are those of the record cut last.
	cells []span
	// breaks counts the line ends inside its quotes.
	breaks int64
}

// short is what the splitter answers where the text ends before the record.
const short = -1

// split cuts the record that text begins with and returns the place behind its
// line end. last says that nothing follows text; without it, a record whose
// end cannot be seen is short.
func (s *splitter) split(text []byte, last bool) (next int, err error) {
	s.cells, s.breaks = s.cells[:0], 0
	for at := 0; ; at++ {
		at, err = s.cell(text, at, last)
		if err != nil || at == short {
			return short, err
		}
		if len(s.cells) > s.limits.Columns {
			return short, s.tooMuch("a record has more than %d cells", int64(s.limits.Columns))
		}
		if at < len(text) && text[at] == ',' {
			continue
		}
		if at > s.limits.RecordBytes {
			return short, s.tooLong()
		}
		return lineEnd(text, at, last), nil
	}
}

// lineEnd is the place behind the line end at text[at].
func lineEnd(text []byte, at int, last bool) int {
	seen := len(text) - at
	switch {
	case seen == 0 && last:
		return at
	case seen == 0:
		return short
	case text[at] == '\n':
		return at + 1
	case seen > 1 && text[at+1] == '\n':
		return at + 2
	case seen > 1 || last:
		return at + 1
	}
	return short
}

// cell cuts the cell that begins at text[at] and returns where it stops: at a
// comma, at a line end or at the end of the text.
func (s *splitter) cell(text []byte, at int, last bool) (stop int, err error) {
	cell := span{from: at}
	if at < len(text) && text[at] == '"' {
		cell, stop, err = s.quoted(text, at, last)
		if err != nil || stop == short {
			return short, err
		}
	} else {
		stop = bareEnd(text, at)
		cell.to = stop
	}
	if cell.to-cell.from > s.limits.CellBytes {
		return short, s.tooMuch("a cell is longer than %d bytes", int64(s.limits.CellBytes))
	}
	s.cells = append(s.cells, cell)
	return stop, nil
}

// quoted cuts the cell whose opening quote is at text[at].
func (s *splitter) quoted(text []byte, at int, last bool) (cell span, stop int, err error) {
	cell.from = at + 1
	for at = cell.from; ; at++ {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 && last {
			return cell, short, s.unreadable("a quote is opened here and never closed; close it, or write the cell without quotes")
		}
		at += quote + 1
		if quote < 0 || at == len(text) && !last {
			return cell, short, nil
		}
		if at == len(text) || text[at] != '"' {
			break
		}
		cell.doubled = true
	}
	cell.to = at - 1
	s.breaks += lineBreaks(text[cell.from:cell.to])
	if at < len(text) && !isStop(text[at]) {
		return cell, short, s.unreadable("text follows a closing quote; write a quote inside a quoted cell twice (\"\")")
	}
	return cell, at, nil
}

func isStop(c byte) bool { return c == ',' || c == '\n' || c == '\r' }

// bareEnd is the place of the first comma or line end from text[at] on, or the
// end of the text. It looks at eight bytes at a time.
func bareEnd(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		if hits := zeroBytes(word^commas) | zeroBytes(word^feeds) | zeroBytes(word^returns); hits != 0 {
			return at + bits.TrailingZeros64(hits)/8
		}
	}
	for at < len(text) && !isStop(text[at]) {
		at++
	}
	return at
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	commas  = ',' * ones
	feeds   = '\n' * ones
	returns = '\r' * ones
)

// zeroBytes sets the high bit of each byte that is zero. Bytes above the lowest
// zero may be set wrongly, so only the lowest counts.
func zeroBytes(word uint64) uint64 { return (word - ones) &^ word & highs }

// lineBreaks counts the line ends of a text: LF, CRLF and lone CR.
func lineBreaks(text []byte) int64 {
	feeds := bytes.Count(text, []byte{'\n'})
	if bytes.IndexByte(text, '\r') < 0 {
		return int64(feeds)
	}
	return int64(feeds + bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n")))
}

func (s *splitter) unreadable(reason string) error {
	return &source.UnreadableError{Line: s.line + s.breaks, Reason: reason}
}

func (s *splitter) tooMuch(format string, limit int64) error {
	return &source.LimitError{Line: s.line, Reason: fmt.Sprintf(format, limit)}
}

func (s *splitter) tooLong() error {
	return s.tooMuch("a record is longer than %d bytes; is a quote left open?", int64(s.limits.RecordBytes))
}

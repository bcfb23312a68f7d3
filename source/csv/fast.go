package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// A fast reads runs of whole records that are just as the dialect and the table
// have it, and says so where one is not.
type fast struct {
	delim, quote byte
	// quoted says that the dialect has quotes.
	quoted bool
	width  int
	// header is the first cell of the header, which a record that begins
	// likewise may repeat; nil where there is none.
	header []byte
	words  [2]uint64
}

func newFast(s *sheet) *fast {
	f := &fast{delim: s.dialect.delim[0], width: s.width, quoted: s.dialect.open != ""}
	if f.quoted {
		f.quote = s.dialect.open[0]
	} else {
		f.quote = f.delim
	}
	if len(s.header) > 0 {
		f.header = s.header[0]
	}
	f.words = [2]uint64{uint64(f.delim) * ones, uint64(f.quote) * ones}
	return f
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	feeds   = '\n' * ones
	returns = '\r' * ones
)

// zeroBytes sets the high bit of each byte that is zero. Bytes above the lowest
// zero may be set wrongly, so only the lowest counts.
func zeroBytes(word uint64) uint64 { return (word - ones) &^ word & highs }

// stop is the place of the first delimiter, line end or quote from text[at] on,
// or the end of the text. It looks at eight bytes at a time.
func (f *fast) stop(text []byte, at int) int {
	delims, quotes := f.words[0], f.words[1]
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		if hits := zeroBytes(word^delims) | zeroBytes(word^quotes) | zeroBytes(word^feeds) | zeroBytes(word^returns); hits != 0 {
			return at + bits.TrailingZeros64(hits)/8
		}
	}
	for at < len(text) && text[at] != f.delim && text[at] != f.quote && text[at] != '\n' && text[at] != '\r' {
		at++
	}
	return at
}

// read reads text, which ends behind a line end, into an empty batch that owns
// it. Lines are counted from 0. It says false where any record is not plain: then
// the batch is of no use. lines is how many lines the text has.
func (f *fast) read(text []byte, most int, batch *intray.Records) (lines int64, plain bool) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return 0, false
	}
	batch.Adopt(text)
	for at := 0; at < len(text); {
		if batch.Len() == most {
			return 0, false
		}
		next, breaks := f.record(text, at, batch)
		if next == none {
			return 0, false
		}
		batch.EndRecord(lines)
		lines += breaks + 1
		at = next
	}
	return lines, true
}

// record reads the record at a place and gives the place behind its line end, or
// none where it is not plain.
func (f *fast) record(text []byte, at int, batch *intray.Records) (next int, breaks int64) {
	empty := 0
	for column := 0; column < f.width; column++ {
		from := at
		if f.quoted && text[at] == f.quote {
			shut, broken := f.cell(text, at, batch)
			if shut == none {
				return none, 0
			}
			breaks += broken
			at = shut
		} else {
			at = f.stop(text, at)
			if at >= len(text) || f.quoted && text[at] == f.quote {
				return none, 0
			}
			if from == at {
				empty++
			}
			batch.AppendSpan(from, at)
		}
		if column == 0 && f.header != nil && bytes.Equal(text[from:at], f.header) {
			return none, 0
		}
		last := column == f.width-1
		if text[at] == f.delim == last {
			return none, 0
		}
		if !last {
			at++
		}
	}
	if 2*(f.width-empty) <= f.width { // it may stand below the table, or be blank
		return none, 0
	}
	return lineEnd(text, at), breaks
}

// cell reads the quoted cell at a place and gives the place behind its closing
// quote, or none where that is not followed by a delimiter or a line end.
func (f *fast) cell(text []byte, at int, batch *intray.Records) (stop int, breaks int64) {
	from, doubled := at+1, false
	at = from
	for {
		i := bytes.IndexByte(text[at:], f.quote)
		if i < 0 || at+i+1 >= len(text) {
			return none, 0
		}
		at += i + 1
		if text[at] != f.quote {
			break
		}
		doubled = true
		at++
	}
	if c := text[at]; c != f.delim && c != '\n' && c != '\r' {
		return none, 0
	}
	inside := text[from : at-1]
	if bytes.IndexByte(inside, '\n') >= 0 || bytes.IndexByte(inside, '\r') >= 0 {
		breaks = lineBreaks(inside)
	}
	if doubled {
		batch.AppendCell(undouble(inside, f.quote))
	} else {
		batch.AppendSpan(from, at-1)
	}
	return at, breaks
}

// undouble gives a text in which each two quotes are one.
func undouble(text []byte, quote byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, quote)
		if i < 0 {
			return append(out, text...)
		}
		out = append(out, text[:i+1]...)
		text = text[i+2:]
	}
}

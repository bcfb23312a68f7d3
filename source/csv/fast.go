package csv

import (
	"bytes"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// A fast reads runs of whole records that are just as the dialect and the table
// have it, and says so where one is not.
type fast struct {
	delim, quote byte
	// quoted says that the dialect has quotes; else quote is noQuote.
	quoted bool
	width  int
	// header is the first cell of the header, which a record that begins
	// likewise may repeat; nil where there is none.
	header []byte
}

// noQuote is a byte that no character begins with.
const noQuote = 0x80

func newFast(s *sheet) *fast {
	f := &fast{delim: s.dialect.delim[0], quote: noQuote, width: s.width, quoted: s.dialect.open != ""}
	if f.quoted {
		f.quote = s.dialect.open[0]
	}
	if len(s.header) > 0 {
		f.header = s.header[0]
	}
	return f
}

// read reads text, which ends behind a line end, into an empty batch that owns
// it. Lines are counted from 0. It says false where any record is not plain: then
// the batch is of no use. lines is how many lines the text has.
func (f *fast) read(text []byte, most int, batch *intray.Records) (lines int64, plain bool) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return 0, false
	}
	batch.Adopt(text)
	r := run{fast: f, stops: newStops(text, f.delim, f.quote), batch: batch, most: most}
	var found places
	for r.stops.at < len(text) {
		n, fine := r.stops.next(&found)
		if !fine || !r.cells(found[:n]) {
			return 0, false
		}
	}
	if r.from != len(text) {
		return 0, false
	}
	return r.lines, true
}

// run is what a fast has read of a text.
type run struct {
	*fast
	stops stops
	batch *intray.Records
	most  int
	lines int64
	// breaks counts the line ends inside the record under construction.
	breaks int64
	// from is where its next cell begins, column which that is, and empty how many
	// of its cells have no text.
	from, column, empty int
}

// cells takes the cells that end at some places. It says false where they are not
// those of plain records.
func (r *run) cells(places []uint32) bool {
	text, quote, delim, width := r.stops.text, r.quote, r.delim, r.width
	from, column, empty := r.from, r.column, r.empty
	for _, place := range places {
		at := int(place)
		switch {
		case from == at:
			empty++
			r.batch.AppendSpan(from, at)
		case text[from] == quote:
			r.quotedCell(from, at)
		default:
			r.batch.AppendSpan(from, at)
		}
		if column == 0 && at-from == len(r.header) && r.repeats(text[from:at]) {
			return false
		}
		column++
		if text[at] == delim == (column == width) {
			return false
		}
		from = at + 1
		if column == width {
			if 2*(width-empty) <= width || r.batch.Len() == r.most { // it may stand below the table, or be blank
				return false
			}
			r.batch.EndRecord(r.lines)
			r.lines += r.breaks + 1
			from, column, empty, r.breaks = lineEnd(text, at), 0, 0, 0
		}
	}
	r.from, r.column, r.empty = from, column, empty
	return true
}

// repeats says whether the first cell of a record is that of the header.
func (r *run) repeats(first []byte) bool { return r.header != nil && bytes.Equal(first, r.header) }

// quotedCell takes the cell between two quotes that stands at a place.
func (r *run) quotedCell(from, to int) {
	inside := r.stops.text[from+1 : to-1]
	if r.stops.held > from && (bytes.IndexByte(inside, '\n') >= 0 || r.stops.returns && bytes.IndexByte(inside, '\r') >= 0) {
		r.breaks += lineBreaks(inside)
	}
	if r.stops.doubled > from && bytes.IndexByte(inside, r.quote) >= 0 {
		r.batch.AppendCell(undouble(inside, r.quote))
		return
	}
	r.batch.AppendSpan(from+1, to-1)
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

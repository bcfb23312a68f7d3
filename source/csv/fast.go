package csv

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// fastParser parses text in which every record follows the dialect and has as many cells as
// the table has columns. It rejects any other text.
type fastParser struct {
	sheet        *sheet
	delim, quote byte
	// quoted reports whether the dialect has quotes. If it is false, quote is noQuote.
	quoted bool
	width  int
	// header is the first cell of the header, or nil. A record that starts with it may
	// repeat the header.
	header []byte
}

// noQuote replaces the quote if the dialect has none. No UTF-8 character starts with this byte.
const noQuote = 0x80

func newFastParser(s *sheet) *fastParser {
	f := &fastParser{sheet: s, delim: s.dialect.delim[0], quote: noQuote, width: s.width, quoted: s.dialect.open != ""}
	if f.quoted {
		f.quote = s.dialect.open[0]
	}
	if len(s.header) > 0 {
		f.header = s.header[0]
	}
	return f
}

// read parses text, which must end with a line end, into an empty batch of at most `most`
// records. The batch takes ownership of text. Lines are counted from 0. read returns the number
// of lines, or false if a record is irregular. In that case, the content of the batch is
// undefined.
func (f *fastParser) read(text []byte, most int, batch *intray.Records) (lines int64, plain bool) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return 0, false
	}
	batch.AdoptArena(text)
	r := fastRun{fastParser: f, boundaries: newBoundaryScanner(text, f.delim, f.quote), batch: batch, maxRows: most}
	var found positions
	for r.boundaries.at < len(text) {
		n, fine := r.boundaries.next(&found)
		if !fine || !r.appendCells(found[:n]) {
			return 0, false
		}
	}
	if r.from != len(text) {
		return 0, false
	}
	return r.lines, true
}

// fastRun is the state of a fastParser during one call to read.
type fastRun struct {
	*fastParser
	boundaries boundaryScanner
	batch      *intray.Records
	maxRows    int
	lines      int64
	// breaks is the number of line ends inside the unfinished record.
	breaks int64
	// start is the offset of the unfinished record, and suspect reports whether one of its cells has
	// lines that can be rows. judge decides whether they are.
	start   int
	suspect bool
	judge   quoteJudge
	// from is the offset of the next cell, column is the index of that cell, and empty is the
	// number of empty cells in the unfinished record.
	from, column, empty int
}

// appendCells appends the cells that end at the given offsets. It returns false if a record is
// irregular.
func (r *fastRun) appendCells(places []uint32) bool {
	text, quote, delim, width := r.boundaries.text, r.quote, r.delim, r.width
	from, column, empty := r.from, r.column, r.empty
	for _, place := range places {
		at := int(place)
		switch {
		case from == at:
			empty++
			r.batch.AppendSpan(from, at)
		case text[from] == quote:
			r.appendQuotedCell(from, at, column)
		default:
			r.batch.AppendSpan(from, at)
		}
		if column == 0 && at-from == len(r.header) && r.header != nil && bytes.Equal(text[from:at], r.header) {
			return false
		}
		column++
		if text[at] == delim == (column == width) {
			return false
		}
		from = at + 1
		if column == width {
			// A mostly empty row may be blank or not belong to the table.
			if 2*(width-empty) <= width || r.batch.Len() == r.maxRows {
				return false
			}
			if r.breaks > 0 && r.suspect && r.hidesRows(at) {
				return false
			}
			r.batch.EndRecord(r.lines)
			r.lines += r.breaks + 1
			from, column, empty, r.breaks = skipLineEnd(text, at), 0, 0, 0
			r.start = from
		}
	}
	r.from, r.column, r.empty = from, column, empty
	return true
}

// appendQuotedCell appends the cell between two quotes.
func (r *fastRun) appendQuotedCell(from, to, column int) {
	inside := r.boundaries.text[from+1 : to-1]
	if r.boundaries.lastQuotedEnd > from && (bytes.IndexByte(inside, '\n') >= 0 || r.boundaries.returns && bytes.IndexByte(inside, '\r') >= 0) {
		r.breaks += countLineBreaks(inside)
		r.suspect = r.suspect || r.sheet.misplaced != source.MisplacedAsQuotes && r.sheet.mayHideRows(inside, column)
	}
	if r.boundaries.lastDoubledQuote > from && bytes.IndexByte(inside, r.quote) >= 0 {
		r.batch.AppendCell(unescapeDoubledQuotes(inside, r.quote))
		return
	}
	r.batch.AppendSpan(from+1, to-1)
}

// hidesRows reports whether lines within the record that ends at an offset may be rows.
func (r *fastRun) hidesRows(end int) bool {
	r.suspect = false
	row := r.boundaries.text[r.start:end]
	r.judge.sheet = r.sheet
	var rec record
	r.sheet.dialect.parseRecord(row, notFound, &rec)
	return r.judge.work > maxChunkJudgeWork || r.judge.verdict(row, &rec) != quotesEnclose
}

// unescapeDoubledQuotes returns text with each doubled quote replaced by a single quote.
func unescapeDoubledQuotes(text []byte, quote byte) []byte {
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

// boundaryScanner finds the ends of cells, which are the delimiters and line ends outside
// quotes. It scans the text once, 64 bytes at a time, with one bit per byte. The method
// follows Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019), but uses
// portable operations on words of eight bytes.
type boundaryScanner struct {
	text []byte
	// at is the offset of the first byte not yet scanned.
	at int
	// delimWord and quoteWord are the delimiter and the quote, repeated eight times.
	delimWord, quoteWord uint64
	// nextQuoteAt is a lower bound of the offset of the next quote.
	nextQuoteAt int
	// returns reports whether the text contains carriage returns.
	returns bool
	// These words carry the state from one block to the next. ended is 1 after a delimiter or
	// a line end, shut is 1 after a closing quote, and returned is 1 after a carriage return.
	// inside has all bits set inside quotes and is 0 outside.
	ended, shut, returned, inside uint64
	// lastDoubledQuote is the offset of the last doubled quote. lastQuotedEnd is the offset of
	// the last delimiter or line end inside quotes.
	lastDoubledQuote, lastQuotedEnd int
}

const (
	// blockBytes is the number of bytes in a block. Each byte has one bit in a word.
	blockBytes = 64
	// positionsPerCall is the approximate number of offsets found by one call.
	positionsPerCall = 256

	ones            = 0x0101010101010101
	lowBits         = 0x7F * ones
	highBits        = 0x80 * ones
	lineFeeds       = '\n' * ones
	carriageReturns = '\r' * ones
	// gather is the factor that moves the high bits of eight bytes to the highest byte.
	gather = 0x0002040810204081
)

// newBoundaryScanner returns a scanner for text. The text must not contain a NUL byte. delim
// must be ASCII, and quote must be ASCII or noQuote.
func newBoundaryScanner(text []byte, delim, quote byte) boundaryScanner {
	s := boundaryScanner{
		text: text, delimWord: uint64(delim) * ones, quoteWord: uint64(quote) * ones, returns: bytes.IndexByte(text, '\r') >= 0,
		ended: 1, lastDoubledQuote: notFound, lastQuotedEnd: notFound,
	}
	if quote == noQuote {
		s.nextQuoteAt = math.MaxInt
	}
	return s
}

// positions has room for positionsPerCall offsets and for the offsets of one more block.
type positions [positionsPerCall + blockBytes]uint32

// next stores the offsets of the next boundaries and returns their number. Once s.at has reached
// the end of the text, there are no more boundaries. It returns false if a quote is neither at
// an edge of a cell nor doubled.
func (s *boundaryScanner) next(into *positions) (n int, fine bool) {
	var last [blockBytes]byte
	for s.at < len(s.text) && n < positionsPerCall {
		block := &last
		if s.at+blockBytes <= len(s.text) {
			block = (*[blockBytes]byte)(s.text[s.at:])
		} else {
			copy(last[:], s.text[s.at:])
		}
		ends := matchEither64(block, s.delimWord, lineFeeds)
		found := ends
		if s.returns {
			ends, found = s.addReturns(block, ends)
		}
		if s.nextQuoteAt < s.at+blockBytes || s.inside|s.shut != 0 {
			within, fine := s.quotedBits(ends, s.quoteBits(block))
			if !fine {
				return 0, false
			}
			found &^= within
		}
		s.ended = ends >> (blockBytes - 1)
		writePositions(found, uint32(s.at), (*[blockBytes]uint32)(into[n:]))
		n += bits.OnesCount64(found)
		s.at += blockBytes
	}
	return n, true
}

// matchEither64 returns a word with a bit for each byte of a block that equals one of two ASCII
// bytes. The words a and b contain these bytes, each repeated eight times.
func matchEither64(block *[blockBytes]byte, a, b uint64) uint64 {
	return ^(matchNeither8(block[0:8], a, b) | matchNeither8(block[8:16], a, b)<<8 | matchNeither8(block[16:24], a, b)<<16 | matchNeither8(block[24:32], a, b)<<24 |
		matchNeither8(block[32:40], a, b)<<32 | matchNeither8(block[40:48], a, b)<<40 | matchNeither8(block[48:56], a, b)<<48 | matchNeither8(block[56:64], a, b)<<56)
}

// matchNeither8 returns a word with a bit for each of eight bytes that equals neither a nor b.
// Such a byte has its high bit set, or its low bits differ from both. Adding 127 to the
// differing bits then sets the high bit.
func matchNeither8(eight []byte, a, b uint64) uint64 {
	word := binary.LittleEndian.Uint64(eight)
	low := word & lowBits
	return ((((low^a)+lowBits)&((low^b)+lowBits) | word) & highBits) * gather >> 56
}

// matchByte64 returns a word with a bit for each byte of a block that equals a given ASCII byte.
// The word a contains that byte, repeated eight times.
func matchByte64(block *[blockBytes]byte, a uint64) uint64 {
	return ^(matchNot8(block[0:8], a) | matchNot8(block[8:16], a)<<8 | matchNot8(block[16:24], a)<<16 | matchNot8(block[24:32], a)<<24 |
		matchNot8(block[32:40], a)<<32 | matchNot8(block[40:48], a)<<40 | matchNot8(block[48:56], a)<<48 | matchNot8(block[56:64], a)<<56)
}

func matchNot8(eight []byte, a uint64) uint64 {
	word := binary.LittleEndian.Uint64(eight)
	return (((word & lowBits) ^ a) + lowBits | word) & highBits * gather >> 56
}

// quoteBits returns a word with a bit for each byte of a block that is a quote.
func (s *boundaryScanner) quoteBits(block *[blockBytes]byte) (quotes uint64) {
	next := s.at + blockBytes
	if s.nextQuoteAt < next {
		quotes = matchByte64(block, s.quoteWord)
	}
	switch {
	case quotes != 0:
		s.nextQuoteAt = next // quotes often occur close together
	case s.nextQuoteAt < next:
		s.nextQuoteAt = len(s.text)
		if i := bytes.IndexByte(s.text[min(next, len(s.text)):], byte(s.quoteWord)); i >= 0 {
			s.nextQuoteAt = next + i
		}
	}
	return quotes
}

// addReturns adds carriage returns to ends, the bits of the delimiters and line feeds in a
// block. all includes the bits of the carriage returns. found omits line feeds that follow a
// carriage return, because no cell ends there.
func (s *boundaryScanner) addReturns(block *[blockBytes]byte, ends uint64) (all, found uint64) {
	returns := matchByte64(block, carriageReturns)
	all = ends | returns
	found = all
	for both := ends & (returns<<1 | s.returned); both != 0; both &= both - 1 {
		if at := bits.TrailingZeros64(both); block[at&(blockBytes-1)] == '\n' {
			found &^= both & -both
		}
	}
	s.returned = returns >> (blockBytes - 1)
	return all, found
}

// quotedBits returns a word with a bit for each byte of a block that is inside quotes. This
// includes the opening quote, but not the closing quote. A doubled quote counts as a closing
// and an opening quote. fine is false if a quote is neither at an edge of a cell nor doubled.
func (s *boundaryScanner) quotedBits(ends, quotes uint64) (in uint64, fine bool) {
	in = quotes
	for by := 1; by < blockBytes; by *= 2 {
		in ^= in << by
	}
	in ^= s.inside
	opens, shuts := quotes&in, quotes&^in
	afterShut := shuts<<1 | s.shut
	if afterShut&^(ends|opens)|opens&^(ends<<1|s.ended|afterShut) != 0 {
		return 0, false
	}
	if twice := opens & afterShut; twice != 0 {
		s.lastDoubledQuote = s.at + bits.Len64(twice) - 1
	}
	if held := ends & in; held != 0 {
		s.lastQuotedEnd = s.at + bits.Len64(held) - 1
	}
	s.shut = shuts >> (blockBytes - 1)
	s.inside = -(in >> (blockBytes - 1))
	return in, true
}

// writePositions stores the offset of each 1 bit of set. It stores eight values at a time, even
// if there are fewer 1 bits, because that is faster than testing each bit.
func writePositions(set uint64, at uint32, into *[blockBytes]uint32) {
	for i := 0; set != 0; i += 8 {
		eight := (*[8]uint32)(into[i&(blockBytes-8):])
		eight[0] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[1] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[2] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[3] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[4] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[5] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[6] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
		eight[7] = at + uint32(bits.TrailingZeros64(set))
		set &= set - 1
	}
}

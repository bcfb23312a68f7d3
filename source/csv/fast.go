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
// records. The batch takes ownership of text, and read may change it. Lines are counted from 0.
// read returns the number of lines, or false if a record is irregular. In that case, the content
// of the batch and of text is undefined.
func (f *fastParser) read(text []byte, most int, batch *intray.Records) (lines int64, plain bool) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return 0, false
	}
	batch.AdoptArena(text)
	r := fastRun{fastParser: f, boundaries: newBoundaryScanner(text, f.delim, f.quote), batch: batch, maxRows: most}
	breaks := int64(bytes.Count(text, []byte{'\n'}))
	for r.boundaries.at < len(text) {
		cells := batch.SpanRoom(r.pending, f.width+max(f.width, cellsPerCall)+blockBytes)
		n, fine := r.boundaries.next(cells, r.pending)
		if !fine || !r.endRecords(cells[:n]) {
			return 0, false
		}
	}
	if r.boundaries.returns {
		breaks += int64(bytes.Count(text, []byte{'\r'})) - r.boundaries.pairs
	}
	// A line end that does not end a record is in a quoted cell, or it ends a record too early.
	if r.start != len(text) || r.lines != breaks {
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
	// start is the offset of the unfinished record, and pending is the number of its cells found so
	// far. empty is at least the number of those that are empty.
	start, pending, empty int
	// suspect reports whether a cell of the current record has lines that can be rows. judge
	// decides whether they are.
	suspect bool
	judge   quoteJudge
}

// endRecords appends the records that the given cells, which are in the room of the batch, complete. It returns false if a record is irregular.
func (r *fastRun) endRecords(cells []intray.Span) bool {
	text, width, quoted := r.boundaries.text, r.width, r.boundaries.quotedCells
	sparse := 2*(r.empty+r.boundaries.empty) >= width
	first, ended := 0, 0 // the indexes of the first cell and of the first quoted cell of a record
	for ; first+width <= len(cells); first += width {
		row := cells[first : first+width : first+width]
		end := int(uint32(row[width-1]))
		row[0] = intray.NewSpan(r.start, int(uint32(row[0])))
		if c := text[end]; c != '\n' && c != '\r' || r.batch.Len() == r.maxRows || sparse && isSparse(row) || r.startsLikeHeader(row[0]) {
			return false
		}
		var breaks int64
		if ended < len(quoted) && quoted[ended] < first+width {
			from := ended
			for ended < len(quoted) && quoted[ended] < first+width {
				ended++
			}
			var fine bool
			if breaks, fine = r.unquote(row, first, quoted[from:ended], end); !fine {
				return false
			}
		}
		r.batch.EndSpans(width, r.lines)
		r.lines += breaks + 1
		r.start = skipLineEnd(text, end)
	}
	r.pending = len(cells) - first
	rest := quoted[:copy(quoted, quoted[ended:])]
	for i := range rest {
		rest[i] -= first
	}
	r.boundaries.quotedCells = rest
	r.empty, r.boundaries.empty = r.boundaries.empty, 0
	return true
}

// isSparse reports whether a row is mostly empty, so that it may be blank or not belong to the table.
func isSparse(row []intray.Span) bool {
	filled := len(row)
	for _, span := range row {
		if span>>32 == span&math.MaxUint32 {
			filled--
		}
	}
	return 2*filled <= len(row)
}

// startsLikeHeader reports whether the first cell of a record is that of the header.
func (r *fastRun) startsLikeHeader(span intray.Span) bool {
	from, to := span>>32, span&math.MaxUint32
	return r.header != nil && int(to-from) == len(r.header) && bytes.Equal(r.boundaries.text[from:to], r.header)
}

// unquote removes the quotes of the quoted cells of a row, which ends at the offset given by end. first is
// the index of the first cell of the row, and quoted holds those of the quoted cells. It returns the
// number of line ends in these cells, or false if lines in them may be rows.
func (r *fastRun) unquote(row []intray.Span, first int, quoted []int, end int) (breaks int64, fine bool) {
	text := r.boundaries.text
	for _, i := range quoted {
		span := row[i-first]
		from, to := int(span>>32)+1, int(uint32(span))-1
		if inside := text[from:to]; r.boundaries.lastQuotedEnd >= from && (bytes.IndexByte(inside, '\n') >= 0 || r.boundaries.returns && bytes.IndexByte(inside, '\r') >= 0) {
			breaks += countLineBreaks(inside)
			r.suspect = r.suspect || r.sheet.misplaced != source.MisplacedAsQuotes && r.sheet.mayHideRows(inside, i-first)
		}
		row[i-first] = intray.NewSpan(from, to)
	}
	if breaks > 0 && r.suspect && r.hidesRows(end) {
		return 0, false
	}
	if r.boundaries.lastDoubledQuote <= r.start {
		return breaks, true
	}
	for _, i := range quoted {
		from, to := int(row[i-first]>>32), int(uint32(row[i-first]))
		row[i-first] = intray.NewSpan(from, from+unescapeDoubledQuotes(text[from:to], r.quote))
	}
	return breaks, true
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

// unescapeDoubledQuotes replaces each doubled quote in text by a single quote, and returns the new
// length.
func unescapeDoubledQuotes(text []byte, quote byte) (n int) {
	for rest := text; ; {
		i := bytes.IndexByte(rest, quote)
		if i < 0 {
			return n + copy(text[n:], rest)
		}
		n += copy(text[n:], rest[:i+1])
		rest = rest[i+2:]
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
	// from is the offset of the next cell, or of the line feed before it.
	from uint32
	// empty is the number of empty cells found, and quotedCells holds the indexes of quoted cells.
	// The caller resets both. pairs is the number of carriage returns before a line feed.
	empty       int
	quotedCells []int
	pairs       int64
}

const (
	// blockBytes is the number of bytes in a block. Each byte has one bit in a word.
	blockBytes = 64
	// cellsPerCall is the approximate number of cells found by one call.
	cellsPerCall = 64

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

// next stores the cells that end at the next boundaries after the first n cells, and returns the new
// number of cells. It stores them until there is no room for those of another block. A cell has the format of
// intray.Span and includes its quotes. Once s.at has reached the end of the text, there are no more
// boundaries. next returns false if a quote is neither at an edge of a cell nor doubled.
func (s *boundaryScanner) next(cells []intray.Span, n int) (end int, fine bool) {
	var last [blockBytes]byte
	for s.at < len(s.text) && n+blockBytes <= len(cells) {
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
			within, opens, fine := s.quotedBits(ends, s.quoteBits(block))
			if !fine {
				return 0, false
			}
			found &^= within
			for ; opens != 0; opens &= opens - 1 {
				s.quotedCells = append(s.quotedCells, n+bits.OnesCount64(found&(opens&-opens-1)))
			}
		}
		s.empty += bits.OnesCount64(found & (ends<<1 | s.ended))
		s.ended = ends >> (blockBytes - 1)
		writeSpans(found, uint32(s.at), s.from, (*[blockBytes]intray.Span)(cells[n:]))
		n += bits.OnesCount64(found)
		if found != 0 {
			s.from = uint32(s.at + bits.Len64(found))
		}
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
			s.pairs++
		}
	}
	s.returned = returns >> (blockBytes - 1)
	return all, found
}

// quotedBits returns a word with a bit for each byte of a block that is inside quotes. This
// includes the opening quote, but not the closing quote. A doubled quote counts as a closing
// and an opening quote. cells has a bit for each quote that opens a cell. fine is false if a quote
// is neither at an edge of a cell nor doubled.
func (s *boundaryScanner) quotedBits(ends, quotes uint64) (in, cells uint64, fine bool) {
	in = quotes
	for by := 1; by < blockBytes; by *= 2 {
		in ^= in << by
	}
	in ^= s.inside
	opens, shuts := quotes&in, quotes&^in
	afterShut, afterEnd := shuts<<1|s.shut, ends<<1|s.ended
	if afterShut&^(ends|opens)|opens&^(afterEnd|afterShut) != 0 {
		return 0, 0, false
	}
	if twice := opens & afterShut; twice != 0 {
		s.lastDoubledQuote = s.at + bits.Len64(twice) - 1
	}
	if held := ends & in; held != 0 {
		s.lastQuotedEnd = s.at + bits.Len64(held) - 1
	}
	s.shut = shuts >> (blockBytes - 1)
	s.inside = -(in >> (blockBytes - 1))
	return in, opens & afterEnd, true
}

// writeSpans stores a span for each 1 bit of set, which ends there and starts after the previous one. The
// first span starts at the offset given by from. It stores eight values at a time, even if there are
// fewer 1 bits, because that is faster than testing each bit.
func writeSpans(set uint64, at, from uint32, into *[blockBytes]intray.Span) {
	for i := 0; set != 0; i += 8 {
		eight := (*[8]intray.Span)(into[i&(blockBytes-8):])
		to0 := at + uint32(bits.TrailingZeros64(set))
		eight[0] = intray.Span(from)<<32 | intray.Span(to0)
		set &= set - 1
		to1 := at + uint32(bits.TrailingZeros64(set))
		eight[1] = intray.Span(to0+1)<<32 | intray.Span(to1)
		set &= set - 1
		to2 := at + uint32(bits.TrailingZeros64(set))
		eight[2] = intray.Span(to1+1)<<32 | intray.Span(to2)
		set &= set - 1
		to3 := at + uint32(bits.TrailingZeros64(set))
		eight[3] = intray.Span(to2+1)<<32 | intray.Span(to3)
		set &= set - 1
		to4 := at + uint32(bits.TrailingZeros64(set))
		eight[4] = intray.Span(to3+1)<<32 | intray.Span(to4)
		set &= set - 1
		to5 := at + uint32(bits.TrailingZeros64(set))
		eight[5] = intray.Span(to4+1)<<32 | intray.Span(to5)
		set &= set - 1
		to6 := at + uint32(bits.TrailingZeros64(set))
		eight[6] = intray.Span(to5+1)<<32 | intray.Span(to6)
		set &= set - 1
		to7 := at + uint32(bits.TrailingZeros64(set))
		eight[7] = intray.Span(to6+1)<<32 | intray.Span(to7)
		set &= set - 1
		from = to7 + 1
	}
}

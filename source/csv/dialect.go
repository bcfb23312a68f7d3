package csv

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// dialect defines how a file separates and quotes its cells.
type dialect struct {
	// delim separates cells. It is one or more bytes long.
	delim string
	// open and shut are the opening and closing quotes. They are "" if the file has no quotes.
	open, shut string
	// backslash reports whether quotes inside quoted cells are escaped with a backslash.
	// Otherwise they are doubled.
	backslash bool
	// runs reports whether several delimiters in a row count as one, and those at both ends of a
	// line do not count. It is set only if the delimiter is a space.
	runs bool
	// framed reports whether delimiters at both ends of a line are part of a frame and do not
	// separate cells.
	framed bool
	// padded reports whether spaces around the text of an unquoted cell are not part of it, and
	// lines of dashes separate rows. It is set if framed is set.
	padded bool
	// fixed defines the columns of a table of fixed width. It is nil for all other tables. The
	// delimiter is then spaceGap, and there are no quotes.
	fixed *fixedWidth
}

// supportsFastPath reports whether fastParser can read the dialect.
func (d *dialect) supportsFastPath() bool {
	return len(d.delim) == 1 && len(d.open) <= 1 && d.open == d.shut && !d.backslash && !d.runs && !d.padded &&
		d.delim != d.open && d.delim[0] < utf8.RuneSelf && strings.IndexByte("\x00\r\n", d.delim[0]) < 0
}

// cell is the location of one cell, as byte offsets in the text of its record.
type cell struct {
	from, to int
	quoted   bool
	// escaped reports whether the text contains escaped quotes.
	escaped bool
}

// record holds the cells of one record.
type record struct {
	cells []cell
	// next is the offset after the line end of the record.
	next int
	// breaks is the number of line ends inside the cells.
	breaks int64
	// loose reports whether text other than spaces follows a closing quote, which the dialect
	// does not allow.
	loose bool
	// unclosed reports whether a quoted cell extends to the end of the text.
	unclosed bool
	// inner reports whether an unquoted cell contains a quote.
	inner bool
	// crossing reports whether text crosses the start of a column of an aligned table.
	crossing bool
	// maxCells is the maximum number of cells to parse. One more cell is stored if the record
	// has more. 0 means no limit and is meant for short records.
	maxCells int
	// done, if it is not nil, stops parsing when it is closed. The current cell is then unclosed.
	done <-chan struct{}
}

// stopInterval is the number of quotes in one cell after which parseRecord checks done.
const stopInterval = 1 << 12

// hasTooManyCells reports whether the record has more cells than maxCells.
func (r *record) hasTooManyCells() bool { return r.maxCells > 0 && len(r.cells) > r.maxCells }

// notFound is returned or passed in place of an offset if there is none.
const notFound = -1

// parseRecord splits the record at the start of text into cells. It accepts loose quoting: a
// quote closes a cell only if a delimiter or a line end follows, optionally after spaces.
// parseRecord treats the quote at offset literal as text, unless literal is notFound. It
// treats the end of text as the end of the file, so a record that ends there is unreliable if
// the file continues. If the record has more cells than r.maxCells allows, parseRecord skips
// the rest of the line.
func (d *dialect) parseRecord(text []byte, literal int, r *record) {
	*r = record{cells: r.cells[:0], maxCells: r.maxCells, done: r.done}
	if d.fixed != nil {
		d.fixed.parseRecord(text, r)
		return
	}
	at := d.skipGap(text, 0)
	if d.framed {
		at = d.skipOpeningBar(text, at)
	}
	for {
		at = d.parseCell(text, at, literal, r)
		if r.hasTooManyCells() || !hasPrefixAt(text, at, d.delim) {
			break
		}
		if d.framed {
			if end := d.skipClosingBar(text, at); end != notFound {
				at = end
				break
			}
		}
		at = d.skipGap(text, at+len(d.delim))
		if d.joinsSpaces() && (at == len(text) || text[at] == '\n' || text[at] == '\r') {
			break // spaces at the end of a line do not separate cells
		}
	}
	if r.hasTooManyCells() {
		at += len(bytes.TrimRight(text[at:at+firstLineLength(text[at:])], "\r\n"))
	}
	r.next = skipLineEnd(text, at)
}

// joinsSpaces reports whether more spaces than the delimiter has can separate two cells.
func (d *dialect) joinsSpaces() bool { return d.delim == spaceGap || d.runs }

// skipGap returns the offset after the remaining spaces of a gap between aligned columns.
func (d *dialect) skipGap(text []byte, at int) int {
	if d.joinsSpaces() {
		for at < len(text) && text[at] == ' ' {
			at++
		}
	}
	return at
}

// parseUnclosedLine splits a line that contains a quote that is never closed. It treats one
// quote as text: the first one that leaves all other quotes closed. Each attempt reads the line
// again. After more than allowance bytes, it treats all quotes of the line as text. It returns
// the number of bytes read.
func (d *dialect) parseUnclosedLine(line []byte, r *record, allowance int64) (work int64) {
	for at := 0; ; at += len(d.open) {
		i := bytes.Index(line[at:], []byte(d.open))
		if i < 0 {
			return work
		}
		at += i
		work += int64(len(line))
		if d.parseRecord(line, at, r); !r.unclosed {
			return work
		}
		if work > allowance {
			bare := dialect{delim: d.delim}
			bare.parseRecord(line, notFound, r)
			return work
		}
	}
}

// maxUnclosedLineWork is the maximum number of bytes read to parse one line with a quote that is
// never closed. Without this limit, a line of 1,000 bytes that contains 1,000 quotes could be
// read 1,000 times.
const maxUnclosedLineWork = 1 << 20

// parseCell parses the cell that starts at an offset and returns the offset of its end.
func (d *dialect) parseCell(text []byte, at, literal int, r *record) int {
	if d.open != "" {
		quote := d.skipSpaces(text, at)
		if quote != literal && hasPrefixAt(text, quote, d.open) {
			if stop := d.parseQuotedCell(text, quote, literal, r); stop != notFound {
				return stop
			}
		}
	}
	stop := d.bareCellEnd(text, at)
	if d.open != "" && bytes.Contains(text[at:stop], []byte(d.open)) {
		r.inner = true
	}
	c := cell{from: at, to: stop}
	if d.padded {
		c = trimPadding(text, c)
	}
	r.cells = append(r.cells, c)
	return stop
}

// parseQuotedCell parses the quoted cell whose opening quote is at offset quote. It returns
// the offset of its end.
func (d *dialect) parseQuotedCell(text []byte, quote, literal int, r *record) int {
	c := cell{from: quote + len(d.open), quoted: true}
	at := c.from
	for quotes := 1; ; quotes++ {
		if quotes%stopInterval == 0 && isClosed(r.done) {
			r.unclosed = true
			c.to = at
			r.cells = append(r.cells, c)
			return len(text)
		}
		shut := d.nextQuote(text, at, &c)
		if shut == notFound {
			r.unclosed = true
			c.to = len(text)
			r.cells = append(r.cells, c)
			r.breaks += countLineBreaks(text[c.from:c.to])
			return len(text)
		}
		afterQuote := shut + len(d.shut)
		if !d.backslash && shut != literal && hasPrefixAt(text, afterQuote, d.shut) {
			c.escaped = true
			at = afterQuote + len(d.shut)
			continue
		}
		if stop := d.skipSpaces(text, afterQuote); shut != literal && d.isCellEnd(text, stop) {
			c.to = shut
			c.escaped = c.escaped || d.backslash && bytes.IndexByte(text[c.from:c.to], '\\') >= 0
			r.cells = append(r.cells, c)
			r.breaks += countLineBreaks(text[c.from:c.to])
			return stop
		}
		r.loose = true
		at = afterQuote
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// nextQuote returns the offset of the next closing quote that is not escaped with a backslash.
func (d *dialect) nextQuote(text []byte, at int, c *cell) int {
	for at <= len(text) {
		i := bytes.Index(text[at:], []byte(d.shut))
		if i < 0 {
			return notFound
		}
		at += i
		if !d.backslash || !isEscapedAt(text, at, c.from) {
			return at
		}
		c.escaped = true
		at += len(d.shut)
	}
	return notFound
}

// isEscapedAt reports whether the character at an offset is escaped, because an odd number of
// backslashes precedes it. It ignores characters before the offset given by from.
func isEscapedAt(text []byte, at, from int) bool {
	n := 0
	for at-n > from && text[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

func (d *dialect) isCellEnd(text []byte, at int) bool {
	return at >= len(text) || text[at] == '\n' || text[at] == '\r' || hasPrefixAt(text, at, d.delim)
}

// skipSpaces returns the offset after spaces and tabs that are not delimiters.
func (d *dialect) skipSpaces(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') && !hasPrefixAt(text, at, d.delim) {
		at++
	}
	return at
}

// bareCellEnd returns the offset of the next delimiter or line end.
func (d *dialect) bareCellEnd(text []byte, at int) int {
	first := d.delim[0]
	for at < len(text) {
		c := text[at]
		if c == '\n' || c == '\r' || c == first && hasPrefixAt(text, at, d.delim) {
			return at
		}
		at++
	}
	return at
}

// appendCell appends the unescaped text of a cell to dst.
func (d *dialect) appendCell(dst, text []byte, c cell) []byte {
	raw := text[c.from:c.to]
	if !c.escaped {
		return append(dst, raw...)
	}
	if d.backslash {
		return appendUnslashed(dst, raw)
	}
	for {
		i := bytes.Index(raw, []byte(d.shut+d.shut))
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i+len(d.shut)]...)
		raw = raw[i+2*len(d.shut):]
	}
}

// cellTexts returns the unescaped text of each cell of a record.
func (d *dialect) cellTexts(text []byte, r *record) []string {
	cells := make([]string, len(r.cells))
	for i, c := range r.cells {
		if c.escaped {
			cells[i] = replaceInvalid(string(d.appendCell(nil, text, c)))
		} else {
			cells[i] = replaceInvalid(string(text[c.from:c.to]))
		}
	}
	return cells
}

// appendUnslashed appends raw without the backslashes that escape quotes and backslashes.
// Other backslashes are text.
func appendUnslashed(dst, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && strings.IndexByte(`\"'`, raw[i+1]) >= 0 {
			i++
		}
		dst = append(dst, raw[i])
	}
	return dst
}

func hasPrefixAt(text []byte, at int, prefix string) bool {
	return at+len(prefix) <= len(text) && string(text[at:at+len(prefix)]) == prefix
}

// skipLineEnd returns the offset after the line end at an offset: LF, CRLF or a lone CR.
func skipLineEnd(text []byte, at int) int {
	switch {
	case at >= len(text):
		return len(text)
	case text[at] == '\r' && at+1 < len(text) && text[at+1] == '\n':
		return at + 2
	}
	return at + 1
}

// countLineBreaks returns the number of line ends in text: LF, CRLF or a lone CR.
func countLineBreaks(text []byte) int64 {
	feeds := bytes.Count(text, []byte{'\n'})
	if bytes.IndexByte(text, '\r') < 0 {
		return int64(feeds)
	}
	return int64(feeds + bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n")))
}

// firstLineLength returns the length of the first line in bytes, including its line end.
func firstLineLength(text []byte) int {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			return skipLineEnd(text, i)
		}
	}
	return len(text)
}

package csv

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

// fixedWidth defines where the columns of a table of fixed width start.
type fixedWidth struct {
	// starts holds the position of the first character of each column, counted from 0, in ascending
	// order. The first column includes the text before its start.
	starts []int
	// gaps reports for each column whether a gap precedes it in the lines of the samples, so that text
	// across its start is reported.
	gaps []bool
	// exact reports whether such text is cut nevertheless, because a person requested the starts or
	// the columns are not separated by gaps.
	exact bool
}

// formatStarts returns positions as people see them, counted from 1.
func formatStarts(starts []int) string {
	list := make([]string, len(starts))
	for i, at := range starts {
		list[i] = strconv.Itoa(at + 1)
	}
	return strings.Join(list, ", ")
}

// parseRecord splits a line into cells without the spaces around their text. A blank line, and one with
// text in the first column only, such as a title, has one cell.
// Unless the starts are exact, it does not cut text across a start: if text crosses one start with a gap, the whole word belongs to the column that holds more of it. If
// only a single space separates it from the next word, the column on the left holds both. If text
// crosses several starts, and the line does not have one word per column, the line is one cell.
func (f *fixedWidth) parseRecord(text []byte, r *record) {
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 {
		end = len(text)
	}
	line := text[:end]
	r.next = skipLineEnd(text, end)
	whole := trimPadding(line, cell{from: 0, to: len(line)})
	if whole.from == whole.to {
		r.cells = append(r.cells, cell{})
		return
	}
	crossings := 0
	ascii := utf8.RuneCount(line) == len(line)
	from, at, position := 0, 0, 0
	for i := 1; i < len(f.starts) && !r.hasTooManyCells(); i++ {
		before := at
		at, position = skipCharacters(line, at, f.starts[i]-position, ascii), f.starts[i]
		to := max(at, from)
		if f.gaps[i] && crosses(line, to) {
			crossings++
			if f.exact {
				// reported only
			} else if to = wordEdge(line, before, to); separatesWords(line, to) {
				to = len(line)
				if i+1 < len(f.starts) {
					to = skipCharacters(line, at, f.starts[i+1]-f.starts[i], ascii)
				}
			}
		}
		r.cells = append(r.cells, trimPadding(line, cell{from: from, to: to}))
		from = to
	}
	r.cells = append(r.cells, trimPadding(line, cell{from: from, to: len(line)}))
	if !slices.ContainsFunc(r.cells[1:], func(c cell) bool { return c.from < c.to }) {
		r.cells = r.cells[:1]
	}
	if r.crossing = crossings > 0; crossings > 1 && !f.exact {
		r.cells = appendWords(r.cells[:0], line, len(f.starts))
		if len(r.cells) != len(f.starts) {
			r.cells = append(r.cells[:0], whole)
		}
	}
}

// skipCharacters returns the offset n characters after another one, or the length of the line. ascii
// reports whether each character of the line is one byte.
func skipCharacters(line []byte, at, n int, ascii bool) int {
	if ascii {
		return min(at+n, len(line))
	}
	for ; n > 0 && at < len(line); n-- {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// crosses reports whether an offset is inside a word.
func crosses(line []byte, at int) bool {
	return at > 0 && at < len(line) && !isPadding(line[at-1]) && !isPadding(line[at])
}

func isPadding(b byte) bool { return b == ' ' || b == '\t' }

// wordEdge returns the edge of the word around an offset to which a start is moved, so that the whole
// word is in the column that holds more of it. before is the start of the column on the left. A word
// that fills that column from its start stays there.
func wordEdge(line []byte, before, at int) int {
	from, to := at, at
	for from > before && !isPadding(line[from-1]) {
		from--
	}
	for to < len(line) && !isPadding(line[to]) {
		to++
	}
	if from > before && to-at >= at-from {
		return from
	}
	return to
}

// separatesWords reports whether a single space at the edge of a word separates it from another word, so
// that both may be part of one text. Numbers are not.
func separatesWords(line []byte, at int) bool {
	next := at
	if next < len(line) && isPadding(line[next]) {
		next++
	} else if at < 2 || !isPadding(line[at-1]) || isPadding(line[at-2]) {
		return false
	}
	return next < len(line) && !isPadding(line[next]) && bytes.IndexByte([]byte("0123456789+-.,$"), line[next]) < 0
}

// appendWords appends the words of a line as cells, at most one more than most.
func appendWords(cells []cell, line []byte, most int) []cell {
	for at := 0; at < len(line) && len(cells) <= most; {
		for at < len(line) && isPadding(line[at]) {
			at++
		}
		from := at
		for at < len(line) && !isPadding(line[at]) {
			at++
		}
		if at > from {
			cells = append(cells, cell{from: from, to: at})
		}
	}
	return cells
}

// placeNames assigns the parts of a line that two or more spaces separate to the columns that hold most
// of them, because names can be longer than the values of their columns. It returns nil if two parts
// belong to the same column.
func (f *fixedWidth) placeNames(line []byte) []string {
	var r record
	parts := dialect{delim: spaceGap}
	parts.parseRecord(line, notFound, &r)
	texts := parts.cellTexts(line, &r)
	names := make([]string, len(f.starts))
	for i, c := range r.cells {
		e := extentOf(line, c)
		best, most := notFound, 0
		for column, start := range f.starts {
			end := maxLayoutLine
			if column == 0 {
				start = 0
			}
			if column+1 < len(f.starts) {
				end = f.starts[column+1]
			}
			if shared := min(e.to, end) - max(e.from, start); shared > most {
				best, most = column, shared
			}
		}
		if best == notFound || names[best] != "" {
			return nil
		}
		names[best] = texts[i]
	}
	return names
}

// placeNames sets the cells of the first rows that may be part of the header, if the columns have a
// fixed width. If single spaces separate names, the starts of the columns separate more of them.
func (s *sheet) placeNames(rows []sampledRow, sample []byte) {
	f := s.dialect.fixed
	if f == nil || f.exact {
		return
	}
	for i := range rows[:min(len(rows), headerSearchRows)] {
		row := &rows[i]
		if headerdetect.Filled(row.cells) < 2 || slices.ContainsFunc(row.cells, func(cell string) bool { return headerdetect.KindOf(cell).IsTyped() }) {
			continue
		}
		if names := f.placeNames(sample[row.from:row.to]); headerdetect.Filled(names) >= headerdetect.Filled(row.cells) {
			row.cells = names
		}
	}
}

// learnGaps finds out which columns a gap precedes in nearly all lines.
func (f *fixedWidth) learnGaps(lines [][]rune) {
	f.gaps = make([]bool, len(f.starts))
	for i := 1; i < len(f.starts); i++ {
		crossed, reached := 0, 0
		for _, line := range lines {
			if f.starts[i] < len(line) {
				reached++
			}
			if crossesAt(line, f.starts[i]) {
				crossed++
			}
		}
		f.gaps[i] = reached > 0 && crossed <= maxCrossed(reached)
	}
}

// maxCrossed returns the number of lines that may have text in a gap. It is not 0 in a long table,
// because a few lines may be remarks or have an unusually long value.
func maxCrossed(lines int) int { return lines / 100 }

const (
	// farSamples is the number of samples that are spread over the rest of a long text, and
	// farSampleBytes is the length of each. It is a multiple of the size of each unit.
	farSamples, farSampleBytes = 8, 16 << 10
)

// farLines returns samples of whole lines from the rest of a long text, after its first sample. It
// returns none if offsets in the file are unknown.
func (d *decodedText) farLines(ctx context.Context) (samples [][]byte, err error) {
	if d.whole || !d.units.hasOffsets() || d.wrapped {
		return nil, nil
	}
	unit := int64(d.units.size)
	from := min(d.in.Size, sampleBytes)
	last := d.length() - farSampleBytes
	for i := int64(1); i <= farSamples; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := from + (last-from)*i/farSamples
		if at -= at % unit; at < from {
			continue
		}
		raw := make([]byte, farSampleBytes)
		if err := readFullAt(d.in, raw, at+int64(d.guess.BOM)); err != nil {
			return nil, err
		}
		text := wholeLines(d.decodeChunk(nil, raw), i == farSamples)
		text = text[firstLineLength(text):] // the first line is not whole
		samples = append(samples, blankNULs(text))
	}
	return samples, nil
}

// crossingLine returns an excerpt of the current row if its text crosses the start of a column, or "".
func (r *reader) crossingLine() string {
	if !r.rec.crossing {
		return ""
	}
	return excerptOf(bytes.TrimRight(r.window.unread()[:r.rec.next], "\r\n"))
}

// reportCrossing reports that the text of the next record crosses the start of a column. raw is an
// excerpt of the line, or "" if it does not.
func (r *reader) reportCrossing(batch *intray.Records, raw string, line int64) {
	if raw == "" {
		return
	}
	row := r.rows + int64(batch.Len())
	code := "csv.text_crosses_columns"
	if f := r.sheet.dialect.fixed; f != nil && f.exact {
		code = "csv.text_cut_at_column"
	}
	r.addNotice(batch, "crossing", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row, Value: &raw,
		Text: intray.NewMessage(code, intray.Params{"line": line})})
}

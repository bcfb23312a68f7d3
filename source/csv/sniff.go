package csv

import (
	"bytes"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// sniffRecords is the maximum number of records of the sample that are parsed with each
	// dialect.
	sniffRecords = 400
	// candidateLines is the maximum number of lines that are searched for delimiters and quotes.
	// It is greater than sniffRecords, because records can have several lines.
	candidateLines = 4 * sniffRecords
	// sniffCells is the maximum number of cells per record that are examined.
	sniffCells = 64
	// maxSniffCells is the maximum number of cells counted per record.
	maxSniffCells = 1 << 14
)

// sniffResult is the detected dialect of a sample, with the reasons.
type sniffResult struct {
	dialect
	score float64
	// runnerUp is the second-best delimiter, and runnerUpShare is its score divided by the
	// best score.
	runnerUp      string
	runnerUpShare float64
	delimReason   intray.Message
	quoteReason   intray.Message
	// widths is the number of rows in the sample for each number of cells.
	widths map[int]int
	// work is the work of the detection, in units of source.Work.
	work int64
}

// sniffDialect detects the dialect of a sample of UTF-8 text. If delims is not empty, it
// considers only those delimiters. whole reports whether the sample is the whole text.
func sniffDialect(sample []byte, whole bool, delims ...string) sniffResult {
	sample = wholeLines(sample, whole)
	best := sniffResult{dialect: dialect{delim: ",", open: `"`, shut: `"`}, score: -1}
	second := best
	if len(delims) == 0 {
		delims = delimiters()
	}
	if len(delims) > 1 && bytes.Contains(sample, []byte(boxBar)) {
		delims = append(delims, boxBar)
	}
	fits, work := measureDialects(sample, whole, delims)
	for _, f := range fits {
		switch {
		case f.score > best.score+1e-9:
			if f.delim != best.delim {
				second = best
			}
			best = sniffResult{dialect: f.dialect, score: f.score}
		case f.score > second.score && f.delim != best.delim:
			second = sniffResult{dialect: f.dialect, score: f.score}
		}
	}
	best.widths = best.countWidths(sample)
	if len(delims) > 1 && (best.score < minDialectScore && markWeight(best.delim) < 1 || !best.splitsEnoughRows(sample)) {
		best = oneColumnDialect(best.dialect, sample)
		best.widths = best.countWidths(sample)
	}
	if best.quotesAreText(sample) {
		best.open, best.shut, best.backslash = "", "", false
		best.widths = best.countWidths(sample)
	}
	best.explain(sample, second)
	best.work = work
	return best
}

// minDialectScore is the minimum score of a dialect. Every table has a higher score, and only
// prose has a lower one.
const minDialectScore = 0.05

// wholeLines returns the sample up to its last line end. If the sample is the whole text, it
// returns the sample unchanged.
func wholeLines(sample []byte, whole bool) []byte {
	if whole {
		return sample
	}
	if i := bytes.LastIndexAny(sample, "\r\n"); i > 0 {
		return sample[:i+1]
	}
	return sample
}

// firstLines returns the first n lines of a text.
func firstLines(text []byte, n int) []byte {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		at += firstLineLength(text[at:])
	}
	return text[:at]
}

// explain sets the reasons for the dialect. second is the second-best result.
func (s *sniffResult) explain(sample []byte, second sniffResult) {
	width, n := mostFrequent(s.widths)
	switch {
	case width <= 1:
		s.delimReason = intray.NewMessage("delimiter.one_column", nil)
	default:
		s.delimReason = intray.NewMessage("delimiter.equal_rows", intray.Params{"count": n, "total": sumOf(s.widths), "n": width})
		if s.framed {
			s.delimReason = intray.JoinMessages(s.delimReason, intray.NewMessage("delimiter.framed", nil))
		}
		if s.runs {
			s.delimReason = intray.JoinMessages(s.delimReason, intray.NewMessage("delimiter.space_runs", nil))
		}
		if second.score > 0 {
			s.runnerUp, s.runnerUpShare = second.delim, second.score/max(s.score, 1e-9)
			s.delimReason = intray.JoinMessages(s.delimReason, intray.NewMessage("delimiter.next_best", intray.Params{
				"delimiter": delimiterName(s.runnerUp), "percent": int(math.RoundToEven(100 * s.runnerUpShare)),
			}))
		}
	}
	switch {
	case s.open == "":
		s.quoteReason = intray.NewMessage("quote.text", nil)
	case !s.hasQuotedCell(sample):
		s.quoteReason = intray.NewMessage("quote.unused", nil)
	case s.backslash:
		s.quoteReason = intray.NewMessage("quote.backslash", nil)
	default:
		s.quoteReason = intray.NewMessage("quote.doubled", nil)
	}
}

// hasQuotedCell reports whether a cell in the first rows of a sample is quoted. Quotes inside other
// cells are text.
func (d dialect) hasQuotedCell(sample []byte) bool {
	if !bytes.Contains(sample, []byte(d.open)) {
		return false
	}
	r := record{maxCells: maxSniffCells}
	for at, rows := 0, 0; at < len(sample) && rows < sniffRecords; rows++ {
		d.parseRecord(sample[at:], notFound, &r)
		if slices.ContainsFunc(r.cells, func(c cell) bool { return c.quoted }) {
			return true
		}
		at += r.next
	}
	return false
}

// mostFrequent returns the key with the highest count, and that count. If two counts are
// equal, it returns the larger key.
func mostFrequent(counts map[int]int) (key, n int) {
	for k, c := range counts {
		if c > n || c == n && k > key {
			key, n = k, c
		}
	}
	return key, n
}

// parseSepLine parses a first line such as "sep=;", which sets the delimiter in some
// spreadsheet programs. It returns the delimiter and the offset after the line, or "" and 0 if
// there is no such line.
func parseSepLine(text []byte) (delim string, next int) {
	line := text[:firstLineLength(text)]
	bare := strings.TrimRight(string(line), "\r\n")
	bare = strings.Trim(bare, `"`)
	if len(bare) < 5 || !strings.EqualFold(bare[:4], "sep=") || len(bare) > 8 {
		return "", 0
	}
	if d := bare[4:]; slices.Contains(delimiters(), d) || len(d) == 1 {
		return d, len(line)
	}
	return "", 0
}

// delimiters returns the delimiters to try, the most likely first. It does not include "@",
// because every list of email addresses would then be a table.
func delimiters() []string {
	return []string{",", ";", "\t", "|", "||", "::", "^", "~", ":", "#", ", ", " ", spaceGap}
}

// spaceGap is the delimiter of columns that are separated by two or more spaces.
const spaceGap = "  "

// quotePairs returns the pairs of opening and closing quotes to try.
func quotePairs() [][2]string {
	return [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}}
}

// candidateDialects returns the dialects whose delimiters and quotes occur in the first lines of a
// sample.
func candidateDialects(sample []byte, delims []string) []dialect {
	sample = firstLines(sample, candidateLines)
	var list []dialect
	pairs := quotePairs()[:1:1]
	for _, q := range quotePairs()[1:] {
		if bytes.Contains(sample, []byte(q[0])) {
			pairs = append(pairs, q)
		}
	}
	for _, delim := range delims {
		if !bytes.Contains(sample, []byte(delim)) || isPartOfLonger(delim, sample) || delim == ":" && isMostlyTimes(sample) {
			continue
		}
		framed, ruled := findFrame(sample, delim)
		if delim == boxBar && !ruled && !framed {
			continue
		}
		for _, q := range pairs {
			list = append(list, dialect{delim: delim, open: q[0], shut: q[1], framed: framed, padded: framed || ruled})
			if delim == " " && bytes.Contains(sample, []byte(spaceGap)) {
				list = append(list, dialect{delim: delim, open: q[0], shut: q[1], runs: true})
			}
			if bytes.Contains(sample, []byte(`\`+q[1])) {
				list = append(list, dialect{delim: delim, open: q[0], shut: q[1], backslash: true, framed: framed, padded: framed || ruled})
			}
		}
	}
	if len(list) == 0 { // a single column
		list = append(list, dialect{delim: delims[0], open: pairs[0][0], shut: pairs[0][1]})
	}
	return list
}

// isPartOfLonger reports whether every occurrence of a delimiter is part of a longer delimiter,
// such as a comma in ", ". Half of the colons in "::" are enough, because the others can be part of
// times and titles.
func isPartOfLonger(delim string, sample []byte) bool {
	switch delim {
	case "|":
		return 2*bytes.Count(sample, []byte("||")) == bytes.Count(sample, []byte(delim))
	case ":":
		return 4*bytes.Count(sample, []byte("::")) >= bytes.Count(sample, []byte(delim))
	case ",":
		return isAlwaysFollowed(sample, delim, func(rest []byte) bool { return bytes.HasPrefix(rest, []byte(" ")) })
	}
	return false
}

// isAlwaysFollowed reports whether the text after every occurrence of a delimiter in a sample matches.
func isAlwaysFollowed(sample []byte, delim string, matches func(rest []byte) bool) bool {
	for {
		at := bytes.Index(sample, []byte(delim))
		if at < 0 {
			return true
		}
		if sample = sample[at+len(delim):]; !matches(sample) {
			return false
		}
	}
}

// isMostlyTimes reports whether most colons in a sample are part of times of day or URLs.
func isMostlyTimes(sample []byte) bool {
	digit := func(at int) bool { return at >= 0 && at < len(sample) && sample[at] >= '0' && sample[at] <= '9' }
	colons, inside := 0, 0
	for at := 0; ; at++ {
		i := bytes.IndexByte(sample[at:], ':')
		if i < 0 {
			break
		}
		at += i
		colons++
		if digit(at-1) && digit(at+1) && digit(at+2) && !digit(at+3) || hasPrefixAt(sample, at, "://") {
			inside++
		}
	}
	return 2*inside >= colons
}

// quotesAreText reports whether the quotes in a sample are text, because more rows have broken
// quoting than valid quoted cells. It returns false if the delimiter is a comma, a semicolon or
// a space, because many values contain these characters and must be quoted. Many programs do not
// quote values in files with tabs or bars as delimiters.
func (d dialect) quotesAreText(sample []byte) bool {
	if d.delim == "," || d.delim == ";" || d.delim == ", " || d.delim == " " || d.delim == noDelimiter {
		return false
	}
	broken, clean := 0, 0
	r := record{maxCells: maxSniffCells}
	for at, rows := 0, 0; at < len(sample) && rows < sniffRecords; rows++ {
		d.parseRecord(sample[at:], notFound, &r)
		quoted := slices.ContainsFunc(r.cells, func(c cell) bool { return c.quoted })
		switch {
		case r.unclosed:
			broken++
			r.next = firstLineLength(sample[at:])
		case r.loose:
			broken++
		case quoted:
			clean++
		}
		at += r.next
	}
	return broken > clean
}

// markWeight returns the weight of a delimiter or quote, from 0 to 1. Characters that also
// occur in words, times or addresses have lower weights.
func markWeight(mark string) float64 {
	switch mark {
	case "'":
		return 0.85
	case " ":
		return 0.45
	case ":", spaceGap:
		return 0.6
	case "#":
		return 0.8
	case ", ":
		return 0.95
	case "^", "~", "::":
		return 0.9
	}
	return 1
}

// consistency returns a score from 0 to 1. It is near 1 if all records have the same number of
// cells and that number is high. It follows the pattern score of van den Burg, Nazábal and
// Sutton, "Wrangling messy CSV files by detecting row and type patterns" (2019), but weights
// widths by their share of the rows, so that a few broken rows have little effect.
func consistency(widths map[int]int, rows int) float64 {
	cells, same := 0.0, 0.0
	for width, n := range widths {
		share := float64(n) / float64(rows)
		cells += share * max(0.001, float64(width-1)) / float64(width)
		same += share * share
	}
	return cells * same
}

// cellScore returns a score from 0 to 1 for how much a cell looks like a table cell.
func (d dialect) cellScore(text []byte, c cell, looks *traitsCache) float64 {
	if c.quoted {
		return 1
	}
	cell := bytes.TrimSpace(text[c.from:c.to])
	if bytes.IndexByte(cell, '"') >= 0 || d.open != "'" && (bytes.HasPrefix(cell, []byte{'\''}) || bytes.HasSuffix(cell, []byte{'\''})) {
		return 0.2 // a quote that the dialect does not use
	}
	if d.open == "'" && (bytes.Contains(cell, []byte(" '")) || bytes.Contains(cell, []byte("' "))) {
		return 0.2 // a quoted text that is not a whole cell
	}
	look := looks.lookup(cell)
	if look.isText && d.delim == " " {
		return 0.1 // spaces occur between the words of any text
	}
	return look.score
}

// cellTraits holds the properties of an unquoted cell that do not depend on adjacent cells.
type cellTraits struct {
	score  float64
	isText bool
}

// traitsCache caches the traits of cells by their text, because most dialects split most of a
// sample into the same cells.
type traitsCache struct{ seen map[string]cellTraits }

// maxCachedTraits is the maximum number of cells in the cache.
const maxCachedTraits = 1 << 15

func (l *traitsCache) lookup(cell []byte) cellTraits {
	if seen, ok := l.seen[string(cell)]; ok {
		return seen
	}
	found := traitsOf(string(cell))
	if len(l.seen) < maxCachedTraits && len(cell) <= 256 {
		l.seen[string(cell)] = found
	}
	return found
}

func traitsOf(cell string) cellTraits {
	switch headerdetect.KindOf(cell) {
	case headerdetect.Text:
		return cellTraits{score: textScore(cell), isText: true}
	case headerdetect.Code:
		if strings.ContainsAny(cell, "/:#") && !strings.Contains(cell, "-") {
			return cellTraits{score: 0.8}
		}
	}
	return cellTraits{score: 1}
}

// textScore returns a score from 0 to 1 for how much a cell looks like one value without
// separators.
func textScore(cell string) float64 {
	switch {
	case strings.ContainsAny(cell, ";\t|^~") || strings.Contains(cell, "::"):
		return 0.3
	case strings.Count(cell, ",") > 1:
		return 0.5
	case severalValues(cell):
		return 0.2
	}
	return 0.9
}

// severalValues reports whether a cell looks like several values rather than one, because its
// words include values of at least two kinds, such as a date and a number.
func severalValues(cell string) bool {
	var seen [headerdetect.Kinds]bool
	sorts := 0
	for word := range strings.FieldsSeq(cell) {
		kind := headerdetect.KindOf(word)
		if (kind.IsTyped() || kind == headerdetect.Code) && !seen[kind] {
			seen[kind] = true
			sorts++
		}
	}
	return sorts >= 2
}

// noDelimiter represents the absence of a delimiter. It is the ASCII unit separator, which
// does not occur in text.
const noDelimiter = "\x1f"

// oneColumnDialect returns the dialect for text with a single column. The delimiter is a comma
// if splitting at commas gives all rows the same number of cells, which is 1 if all commas are
// inside quotes. Otherwise, it is noDelimiter.
func oneColumnDialect(d dialect, sample []byte) sniffResult {
	d.delim = ","
	r := record{maxCells: maxSniffCells}
	width := 0
	for at, rows := 0, 0; at < len(sample) && rows < sniffRecords; at += r.next {
		d.parseRecord(sample[at:], notFound, &r)
		if isBlank(sample[at : at+r.next]) {
			continue
		}
		if rows++; width > 0 && len(r.cells) != width {
			d.delim = noDelimiter
			break
		}
		width = len(r.cells)
	}
	return sniffResult{dialect: d}
}

// splitsEnoughRows reports whether a dialect splits enough rows into the same number of cells.
// It is enough if the dialect splits the first row, which may be a header above rows that omit
// empty cells.
func (s *sniffResult) splitsEnoughRows(sample []byte) bool {
	rows, split := sumOf(s.widths), maps.Clone(s.widths)
	delete(split, 1)
	width, n := mostFrequent(split)
	if s.delim == "," && isDecimalCommaColumn(sample) {
		return false
	}
	if s.looksLikeProse(sample) {
		return 5*n >= 4*rows && n > 1
	}
	for _, r := range s.sniffedRecords(sample) {
		if len(r.cells) > 1 && markWeight(s.delim) == 1 {
			return true
		}
		break
	}
	return 5*n >= rows && (n > 1 || width > 2 || n == rows)
}

// countWidths returns the number of rows in a sample for each number of cells.
func (d dialect) countWidths(sample []byte) map[int]int {
	widths := map[int]int{}
	for _, r := range d.sniffedRecords(sample) {
		widths[len(r.cells)]++
	}
	return widths
}

// sumOf returns the sum of all counts.
func sumOf(counts map[int]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// sniffedRecords parses the first records of a sample. It skips blank lines, lines that start with
// "#" and are not split, and all but the last of the lines that start with "#" at the beginning.
// These are comments, and no evidence against the dialect. A record is valid until the next one is
// parsed.
func (d dialect) sniffedRecords(sample []byte) iter.Seq2[[]byte, *record] {
	return func(yield func([]byte, *record) bool) {
		r := record{maxCells: maxSniffCells}
		for at, rows := d.skipComments(sample), 0; at < len(sample) && rows < sniffRecords; at += r.next {
			d.parseRecord(sample[at:], notFound, &r)
			text := sample[at : at+r.next]
			if isBlank(text) || text[0] == '#' && len(r.cells) == 1 || d.padded && isRule(text) {
				continue
			}
			if rows++; !yield(text, &r) {
				return
			}
		}
	}
}

// skipComments returns the offset of the last of the lines that start with "#" at the beginning of a
// sample, because it may be the header, or 0 if there are no such lines.
func (d dialect) skipComments(sample []byte) (last int) {
	for at := 0; at < len(sample) && sample[at] == '#'; at += firstLineLength(sample[at:]) {
		last = at
	}
	return last
}

// looksLikeProse reports whether a space follows each delimiter in a sample, as in sentences.
// Such text is a table only if nearly all rows have the same number of cells.
func (d dialect) looksLikeProse(sample []byte) bool {
	switch d.delim {
	case ", ":
		return true
	case ",", ";", ":":
		return isAlwaysFollowed(sample, d.delim, func(rest []byte) bool {
			return bytes.HasPrefix(rest, []byte(" ")) && !bytes.HasPrefix(rest, []byte(" "+d.open))
		})
	}
	return false
}

// isDecimalCommaColumn reports whether a sample is a single column: a name, followed by lines
// with one number each, written with a decimal comma.
func isDecimalCommaColumn(sample []byte) bool {
	numbers := 0
	for line := range bytes.FieldsFuncSeq(sample, func(r rune) bool { return r == '\r' || r == '\n' }) {
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case bytes.Count(line, []byte{','}) == 1 && headerdetect.KindOf(string(line)) == headerdetect.Number:
			numbers++
		case numbers > 0 || bytes.IndexByte(line, ',') >= 0:
			return false
		}
	}
	return numbers > 1 && bytes.IndexByte(sample[:firstLineLength(sample)], ',') < 0
}

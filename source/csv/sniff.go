package csv

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/table"
)

const (
	// sniffRecords is how many records of the sample are cut for each dialect.
	sniffRecords = 400
	// sniffCells is how many cells of a record are looked at.
	sniffCells = 64
	// sniffWidth is how many cells of a record are counted.
	sniffWidth = 1 << 14
)

// sniffed is what was found out about a dialect.
type sniffed struct {
	dialect
	score float64
	// rival is the next best delimiter, and rivalShare its share of the score.
	rival      string
	rivalShare float64
	delimWhy   intray.Message
	quoteWhy   intray.Message
}

// sniff finds the dialect of a sample of UTF-8 text, among those with one of the
// delimiters, if any are given. whole says that the sample is all there is.
func sniff(sample []byte, whole bool, delims ...string) sniffed {
	sample = wholeLines(sample, whole)
	best := sniffed{dialect: dialect{delim: ",", open: `"`, shut: `"`}, score: -1}
	second := best
	if len(delims) == 0 {
		delims = delimiters()
	}
	looks := &looks{seen: map[string]look{}}
	for _, d := range candidates(sample, delims) {
		s := d.measure(sample, looks)
		switch {
		case s > best.score+1e-9:
			if d.delim != best.delim {
				second = best
			}
			best = sniffed{dialect: d, score: s}
		case s > second.score && d.delim != best.delim:
			second = sniffed{dialect: d, score: s}
		}
	}
	if len(delims) > 1 && (best.score < leastScore && usual(best.delim) < 1 || !best.cuts(sample)) {
		best = oneColumn(best.dialect, sample)
	}
	if best.quotesAreText(sample) {
		best.open, best.shut, best.backslash = "", "", false
	}
	best.explain(sample, second)
	return best
}

// leastScore is below what any table reaches: nothing but words is cut so badly.
const leastScore = 0.05

// wholeLines cuts a sample behind its last line end.
func wholeLines(sample []byte, whole bool) []byte {
	if whole {
		return sample
	}
	if i := bytes.LastIndexAny(sample, "\r\n"); i > 0 {
		return sample[:i+1]
	}
	return sample
}

// explain says in words why the dialect is the one.
func (s *sniffed) explain(sample []byte, second sniffed) {
	widths, lines := s.widths(sample)
	width, n := mostOf(widths)
	switch {
	case width <= 1:
		s.delimWhy = intray.NewMessage("delimiter.one_column", nil)
	default:
		s.delimWhy = intray.NewMessage("delimiter.equal_rows", intray.Params{"count": n, "total": lines, "n": width})
		if second.score > 0 {
			s.rival, s.rivalShare = second.delim, second.score/max(s.score, 1e-9)
			s.delimWhy = intray.JoinMessages(s.delimWhy, intray.NewMessage("delimiter.next_best", intray.Params{
				"delimiter": spoken(s.rival), "percent": int(math.RoundToEven(100 * s.rivalShare)),
			}))
		}
	}
	switch {
	case s.open == "":
		s.quoteWhy = intray.NewMessage("quote.text", nil)
	case !bytes.Contains(sample, []byte(s.open)):
		s.quoteWhy = intray.NewMessage("quote.unused", nil)
	case s.backslash:
		s.quoteWhy = intray.NewMessage("quote.backslash", nil)
	default:
		s.quoteWhy = intray.NewMessage("quote.doubled", nil)
	}
}

// mostOf gives the key with the highest count; among equals the larger.
func mostOf(counts map[int]int) (key, n int) {
	for k, c := range counts {
		if c > n || c == n && k > key {
			key, n = k, c
		}
	}
	return key, n
}

// sepLine reads the line "sep=;" by which some spreadsheets are told the
// delimiter. It gives "" where there is none, and else the place behind it.
func sepLine(text []byte) (delim string, next int) {
	line := text[:physicalLine(text)]
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

// delimiters are those that are looked for, the likelier first. "@" is none, or
// every list of addresses would be a table.
func delimiters() []string {
	return []string{",", ";", "\t", "|", "||", "::", "^", "~", ":", ", ", " ", gap}
}

// gap is two spaces or more, as between columns that are aligned with spaces.
const gap = "  "

// quotes are the pairs that are looked for.
func quotes() [][2]string {
	return [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}}
}

// candidates are the dialects that the characters of a sample allow.
func candidates(sample []byte, delims []string) []dialect {
	var list []dialect
	pairs := quotes()[:1:1]
	for _, q := range quotes()[1:] {
		if bytes.Contains(sample, []byte(q[0])) {
			pairs = append(pairs, q)
		}
	}
	for _, delim := range delims {
		if !bytes.Contains(sample, []byte(delim)) || halfOf(delim, sample) || delim == ":" && clocks(sample) {
			continue
		}
		for _, q := range pairs {
			list = append(list, dialect{delim: delim, open: q[0], shut: q[1]})
			if bytes.Contains(sample, []byte(`\`+q[1])) {
				list = append(list, dialect{delim: delim, open: q[0], shut: q[1], backslash: true})
			}
		}
	}
	if len(list) == 0 { // one column
		list = append(list, dialect{delim: delims[0], open: pairs[0][0], shut: pairs[0][1]})
	}
	return list
}

// halfOf says whether a delimiter is a part of a longer one wherever it stands.
func halfOf(delim string, sample []byte) bool {
	n := bytes.Count(sample, []byte(delim))
	switch delim {
	case "|", ":":
		return 2*bytes.Count(sample, []byte(delim+delim)) == n
	case ",":
		return bytes.Count(sample, []byte(", ")) == n
	}
	return false
}

// clocks says whether most colons of a sample stand inside times of day, or in
// front of the slashes of an address.
func clocks(sample []byte) bool {
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
	return 2*inside > colons
}

// quotesAreText says whether more rows have a quote that closes no cell than one
// that does. Commas and semicolons stand in too many cells to go without quotes;
// where tabs and bars separate, many programs write none.
func (d dialect) quotesAreText(sample []byte) bool {
	if d.delim == "," || d.delim == ";" || d.delim == ", " || d.delim == " " || d.delim == noDelimiter {
		return false
	}
	broken, clean := 0, 0
	r := record{most: sniffWidth}
	for at, rows := 0, 0; at < len(sample) && rows < sniffRecords; rows++ {
		d.cut(sample[at:], none, &r)
		quoted := slices.ContainsFunc(r.cells, func(c cell) bool { return c.quoted })
		switch {
		case r.unclosed:
			broken++
			r.next = physicalLine(sample[at:])
		case r.loose:
			broken++
		case quoted:
			clean++
		}
		at += r.next
	}
	return broken > clean
}

// measure says how well a dialect explains a sample: how far its records have
// one width, and how many of their cells are of a known kind.
func (d dialect) measure(sample []byte, looks *looks) float64 {
	widths := map[int]int{}
	var known, cells, spoiled float64
	rows := 0
	r := record{most: sniffWidth}
	for at := 0; at < len(sample) && rows < sniffRecords; {
		d.cut(sample[at:], none, &r)
		text := sample[at : at+r.next]
		at += r.next
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		rows++
		widths[len(r.cells)]++
		if r.loose {
			spoiled++
		}
		if r.unclosed && len(text) > 4096 {
			spoiled += float64(bytes.Count(text, []byte{'\n'}))
		}
		for _, c := range r.cells[:min(len(r.cells), sniffCells)] {
			cells++
			known += d.known(text, c, looks)
		}
	}
	if rows == 0 {
		return 0
	}
	return usual(d.delim) * usual(d.open) * consistency(widths, rows) * (0.02 + known/max(cells, 1)) / (1 + 2*spoiled/float64(rows))
}

// usual is how much less a delimiter or a quote is worth that also stands inside
// values: words, times, addresses.
func usual(mark string) float64 {
	switch mark {
	case "'":
		return 0.85
	case " ":
		return 0.45
	case ":", "::", gap:
		return 0.6
	case ", ":
		return 0.95
	case "^", "~":
		return 0.9
	}
	return 1
}

// consistency is near 1 where all records have one width of many cells. It
// follows the pattern score of van den Burg, Nazábal and Sutton, "Wrangling messy
// CSV files by detecting row and type patterns" (2019), but counts widths by
// their shares, so that a few broken rows do not weigh as much as the rest.
func consistency(widths map[int]int, rows int) float64 {
	cells, same := 0.0, 0.0
	for width, n := range widths {
		share := float64(n) / float64(rows)
		cells += share * max(0.001, float64(width-1)) / float64(width)
		same += share * share
	}
	return cells * same
}

// known says how far a cell is what cells of tables are.
func (d dialect) known(text []byte, c cell, looks *looks) float64 {
	if c.quoted {
		return 1
	}
	cell := bytes.TrimSpace(text[c.from:c.to])
	if bytes.IndexByte(cell, '"') >= 0 || d.open != "'" && (bytes.HasPrefix(cell, []byte{'\''}) || bytes.HasSuffix(cell, []byte{'\''})) {
		return 0.2 // a quote that the dialect does not take for one
	}
	look := looks.of(cell)
	if look.words && d.delim == " " {
		return 0.1 // words are separated by spaces in any text
	}
	return look.known
}

// A look is what a bare cell looks like, whatever stands around it.
type look struct {
	known float64
	words bool
}

// looks remembers cells: most dialects cut most of a sample alike.
type looks struct{ seen map[string]look }

// maxLooks bounds what is remembered.
const maxLooks = 1 << 15

func (l *looks) of(cell []byte) look {
	if seen, ok := l.seen[string(cell)]; ok {
		return seen
	}
	found := lookAt(string(cell))
	if len(l.seen) < maxLooks && len(cell) <= 256 {
		l.seen[string(cell)] = found
	}
	return found
}

func lookAt(cell string) look {
	switch table.KindOf(cell) {
	case table.Text:
		return look{known: knownText(cell), words: true}
	case table.Code:
		if strings.ContainsAny(cell, "/:#") && !strings.Contains(cell, "-") {
			return look{known: 0.8}
		}
	}
	return look{known: 1}
}

// knownText says how far a text is one that stands in a cell: not one with
// separators, or with several values.
func knownText(cell string) float64 {
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

// severalValues says whether a text is a row of values rather than one: it has a
// date, a number, a code beside each other.
func severalValues(cell string) bool {
	var seen [table.Kinds]bool
	sorts := 0
	for word := range strings.FieldsSeq(cell) {
		kind := table.KindOf(word)
		if (kind.Typed() || kind == table.Code) && !seen[kind] {
			seen[kind] = true
			sorts++
		}
	}
	return sorts >= 2
}

// noDelimiter is the unit separator, which no text has: it stands for none.
const noDelimiter = "\x1f"

// oneColumn is the dialect of a text without delimiters. That is called a comma
// where commas stand in quotes only.
func oneColumn(d dialect, sample []byte) sniffed {
	d.delim = ","
	if widths, _ := d.widths(sample); len(widths) > 1 {
		d.delim = noDelimiter
	}
	return sniffed{dialect: d}
}

// cuts says whether a dialect cuts enough of the rows, and alike; or at least the
// first one, which may be a header above rows that leave out their empty cells.
func (d dialect) cuts(sample []byte) bool {
	widths, rows := d.widths(sample)
	if d.delim == "," && decimals(sample) {
		return false
	}
	if d.punctuates(sample) {
		delete(widths, 1)
		_, n := mostOf(widths)
		return 5*n >= 4*rows && n > 1
	}
	r := record{most: sniffWidth}
	d.cut(bytes.TrimLeft(sample, "\r\n"), none, &r)
	if len(r.cells) > 1 && usual(d.delim) == 1 {
		return true
	}
	delete(widths, 1)
	_, n := mostOf(widths)
	return 5*n >= rows && n > 0
}

// widths counts the rows of a sample by their cells.
func (d dialect) widths(sample []byte) (widths map[int]int, rows int) {
	widths = map[int]int{}
	r := record{most: sniffWidth}
	for at := 0; at < len(sample) && rows < sniffRecords; {
		d.cut(sample[at:], none, &r)
		if !blankText(sample[at : at+r.next]) {
			rows++
			widths[len(r.cells)]++
		}
		at += r.next
	}
	return widths, rows
}

// punctuates says whether a blank follows each delimiter of a sample, as in
// sentences. Such a text is a table only where its rows are cut alike.
func (d dialect) punctuates(sample []byte) bool {
	switch d.delim {
	case ", ":
		return true
	case ",", ";", ":":
		n := bytes.Count(sample, []byte(d.delim))
		return bytes.Count(sample, []byte(d.delim+" ")) == n
	}
	return false
}

// decimals says whether a sample is a name above decimal numbers whose sign is a
// comma, one to a line.
func decimals(sample []byte) bool {
	numbers := 0
	for line := range bytes.Lines(bytes.ReplaceAll(sample, []byte{'\r'}, []byte{'\n'})) {
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case bytes.Count(line, []byte{','}) == 1 && table.KindOf(string(line)) == table.Number:
			numbers++
		case numbers > 0 || bytes.IndexByte(line, ',') >= 0:
			return false
		}
	}
	return numbers > 1 && bytes.IndexByte(sample[:physicalLine(sample)], ',') < 0
}

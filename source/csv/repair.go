package csv

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// A reading is one way to cut a row that does not fit.
type reading struct {
	cells []string
	row   sampleRow
	// next is the place behind the row's line end.
	next   int
	score  float64
	repair repair
}

// repair is what was done to a row to make it fit.
type repair struct {
	kind repairKind
	// separator is the one concerned, cell the number of the cell before it,
	// from 1.
	separator string
	cell      int
}

type repairKind uint8

const (
	asItIs repairKind = iota
	quoteIsText
	otherSeparator
	separatorsAreText
	separatorIsText
	separatorRepeated
	separatorMissing
	wrongCharacter
	nameSplit
	firstColumnUnnamed
)

// message says it to a person.
func (r repair) message() intray.Message {
	switch r.kind {
	case quoteIsText:
		return intray.NewMessage("csv.quote_is_text", nil)
	case otherSeparator:
		return intray.NewMessage("csv.other_separator", intray.Params{"separator": spoken(r.separator)})
	case separatorsAreText:
		return intray.NewMessage("csv.separators_are_text", intray.Params{"separator": spoken(r.separator)})
	case separatorIsText:
		return intray.NewMessage("csv.separator_is_text", intray.Params{"separator": spoken(r.separator), "cell": r.cell})
	case separatorRepeated:
		return intray.NewMessage("csv.separator_repeated", intray.Params{"cell": r.cell})
	case separatorMissing:
		return intray.NewMessage("csv.separator_missing", nil)
	case wrongCharacter:
		return intray.NewMessage("csv.wrong_separator", intray.Params{"separator": spoken(r.separator)})
	case nameSplit:
		return intray.NewMessage("csv.header_separator_missing", nil)
	case firstColumnUnnamed:
		return intray.NewMessage("csv.first_column_unnamed", nil)
	}
	return intray.Message{}
}

const (
	// clearly is by how much the best reading must be more likely than the next
	// best one, as a logarithm: e^3 is about twenty times.
	clearly = 3.0
	// maxRepairBytes is the longest row for which readings are tried.
	maxRepairBytes = 16 << 10
	// scoreByte and scoreCell are how much work it is to score a cell, where to
	// cut a byte is one.
	scoreByte, scoreCell = 16, 2048
	// maxRowWork is the most work that one row is worth.
	maxRowWork = 256 << 20
)

// repairer finds the reading of a row that fits the columns best.
type repairer struct {
	dialect  dialect
	width    int
	profiles *profiles
	// score is how well a cell fits into a column.
	score    func(column int, f features) float64
	rec      record
	readings []reading
	// near is how well the rows beside the one to be mended fit.
	near float64
	// work is what was done so far, most what this row may bring it to.
	work, most int64
}

func newRepairer(d dialect, width int, p *profiles) repairer {
	return repairer{dialect: d, width: width, profiles: p, score: func(column int, f features) float64 { return p.columns[column].score(f) }}
}

// repair gives the one reading that clearly fits best. ok is false where there is
// none: then the row stays as found. found is the row as it was cut.
func (p *repairer) repair(text []byte, found *record, follows func(next int) bool) (best reading, ok bool) {
	p.readings = p.readings[:0]
	p.most = p.work + maxRowWork
	line := text[:physicalLine(text)]
	row := line
	if !found.unclosed && !found.loose {
		row = text[:found.next]
	}
	if len(row) > maxRepairBytes {
		return reading{}, false
	}
	p.asFound(text, found)
	p.literalQuotes(line)
	p.otherSeparators(row)
	p.fewerSeparators(row)
	p.moreSeparators(row)
	if p.work > p.most {
		return reading{}, false // the best may not have been looked at
	}
	return p.choose(follows)
}

// asFound is the row with its missing cells at the end, which is how many
// programs write empty last cells. It is a reading like the others, so that none
// of them is taken where nothing speaks against it.
func (p *repairer) asFound(text []byte, found *record) {
	if found.unclosed || found.loose || len(found.cells) > p.width {
		return
	}
	cells := *found
	padded := append([]cell(nil), cells.cells...)
	for len(padded) < p.width {
		padded = append(padded, cell{})
	}
	p.take(text, padded, found.next, repair{}, 0)
}

// try cuts a changed row and keeps the reading if it has the right width.
func (p *repairer) try(changed []byte, literal, next int, done repair, prior float64) {
	if p.work += int64(len(changed)) + 64; p.work > p.most {
		return
	}
	p.dialect.cut(changed, literal, &p.rec)
	if len(p.rec.cells) != p.width || p.rec.loose || p.rec.unclosed || p.rec.next < len(changed) {
		return
	}
	p.take(changed, p.rec.cells, next, done, prior)
}

func (p *repairer) take(text []byte, cells []cell, next int, done repair, prior float64) {
	p.takeBut(text, cells, none, next, done, prior)
}

// takeBut is take for a row with a stray quote: the cell is held against its
// column without it.
func (p *repairer) takeBut(text []byte, cells []cell, stray, next int, done repair, prior float64) {
	p.work += scoreByte*int64(len(text)) + scoreCell*int64(len(cells))
	r := reading{next: next, repair: done, score: prior}
	for i, c := range cells {
		cell := string(p.dialect.append(nil, text, c))
		f := featuresOf(cell, c.quoted)
		if c.from <= stray && stray < c.to {
			f = featuresOf(strings.Replace(cell, p.dialect.open, "", 1), c.quoted)
		}
		r.cells = append(r.cells, cell)
		r.row = append(r.row, f)
		r.score += p.score(i, f)
	}
	p.readings = append(p.readings, r)
}

// literalQuotes takes each quote of the line in turn for one that opens nothing.
func (p *repairer) literalQuotes(line []byte) {
	if p.dialect.open == "" {
		return
	}
	tried := 0
	for at := 0; tried < 64; tried++ {
		i := bytes.Index(line[at:], []byte(p.dialect.open))
		if i < 0 {
			return
		}
		at += i
		p.tryLoose(line, at)
		at += len(p.dialect.open)
	}
}

// tryLoose is try for a row whose other quotes may be loose as well: a quote
// within a quoted cell that is not written twice.
func (p *repairer) tryLoose(line []byte, literal int) {
	p.work += int64(len(line)) + 64
	p.dialect.cut(line, literal, &p.rec)
	if len(p.rec.cells) != p.width || p.rec.unclosed {
		return
	}
	prior := -1.0
	if p.rec.loose {
		prior -= 2
	}
	p.takeBut(line, p.rec.cells, literal, len(line), repair{kind: quoteIsText}, prior)
}

// otherSeparators reads the row with each other delimiter.
func (p *repairer) otherSeparators(row []byte) {
	own := p.dialect
	defer func() { p.dialect = own }()
	for _, d := range delimiters() {
		if d == own.delim || bytes.Count(row, []byte(d)) < p.width-1 {
			continue
		}
		p.dialect.delim = d
		done := repair{kind: otherSeparator, separator: d}
		p.try(row, none, len(row), done, -1)
		if n := len(p.rec.cells); n > p.width && n <= p.width+maxJoined && !p.rec.loose && !p.rec.unclosed {
			p.join(row, slices.Clone(p.rec.cells), done)
		}
	}
}

// maxJoined is how many separators of a row may be text.
const maxJoined = 24

// join finds how to make the columns of too many cells, where some separators
// are text: the best way and the next best.
func (p *repairer) join(row []byte, cells []cell, done repair) {
	n := len(cells)
	// best[j][i] are the two best ways to make the first j columns of the first
	// i cells.
	best := make([][][]way, p.width+1)
	for j := range best {
		best[j] = make([][]way, n+1)
	}
	best[0][0] = []way{{}}
	for j := 1; j <= p.width; j++ {
		for i := j; i <= n-(p.width-j); i++ {
			for from := j - 1; from < i; from++ {
				if len(best[j-1][from]) == 0 || !joins(cells[from:i]) {
					continue
				}
				if p.work += scoreCell + scoreByte*int64(cells[i-1].to-cells[from].from); p.work > p.most {
					return
				}
				c := cell{from: cells[from].from, to: cells[i-1].to, quoted: i == from+1 && cells[from].quoted, escaped: cells[from].escaped}
				score := p.score(j-1, featuresOf(string(p.dialect.append(nil, row, c)), c.quoted)) - 0.3*float64(i-from-1)
				for k, w := range best[j-1][from] {
					best[j][i] = insertWay(best[j][i], way{score: w.score + score, cell: c, from: from, rank: k})
				}
			}
		}
	}
	for _, w := range best[p.width][n] {
		made := make([]cell, p.width)
		for j := p.width; j > 0; j-- {
			made[j-1] = w.cell
			w = best[j-1][w.from][w.rank]
		}
		p.take(row, made, len(row), done, -2-0.3*float64(n-p.width))
	}
}

// A way is how the last column of some is made.
type way struct {
	score      float64
	cell       cell
	from, rank int
}

// insertWay keeps the two best.
func insertWay(ways []way, w way) []way {
	switch {
	case len(ways) == 0:
		return append(ways, w)
	case w.score > ways[0].score:
		return []way{w, ways[0]}
	case len(ways) == 1:
		return append(ways, w)
	case w.score > ways[1].score:
		ways[1] = w
	}
	return ways
}

// joins says whether cells can be one: quoted ones cannot.
func joins(cells []cell) bool {
	for _, c := range cells {
		if c.quoted && len(cells) > 1 {
			return false
		}
	}
	return true
}

// fewerSeparators takes out each delimiter in turn: one that stands twice, or
// one that is text of an unquoted cell.
func (p *repairer) fewerSeparators(row []byte) {
	p.dialect.cut(row, none, &p.rec)
	if n := len(p.rec.cells); n <= p.width || n > p.width+maxJoined || p.rec.unclosed || p.rec.loose {
		return
	}
	cells := slices.Clone(p.rec.cells)
	if len(cells) > p.width+1 {
		p.join(row, cells, repair{kind: separatorsAreText, separator: p.dialect.delim})
		return
	}
	delim := len(p.dialect.delim)
	for i := range p.width {
		left, right := cells[i], cells[i+1]
		merged := append(slices.Clone(cells[:i:i]), cell{})
		switch {
		case right.from == right.to:
			merged[i] = left
		case left.from == left.to:
			merged[i] = right
		case !left.quoted && !right.quoted && left.to+delim == right.from:
			merged[i] = cell{from: left.from, to: right.to}
		default:
			continue
		}
		merged = append(merged, cells[i+2:]...)
		done, prior := repair{kind: separatorRepeated, separator: p.dialect.delim, cell: i + 1}, -1.0
		if left.from != left.to && right.from != right.to {
			done.kind, prior = separatorIsText, -2
		}
		p.take(row, merged, len(row), done, prior)
	}
}

// moreSeparators puts in a delimiter at each place where one may be missing, or
// in place of another character that separates.
func (p *repairer) moreSeparators(row []byte) {
	p.dialect.cut(row, none, &p.rec)
	short := len(p.rec.cells) == p.width-1
	quoted := p.dialect.open != "" && bytes.Contains(row, []byte(p.dialect.open))
	if !short && !quoted {
		return
	}
	end := len(bytes.TrimRight(row, "\r\n"))
	changed := make([]byte, 0, len(row)+len(p.dialect.delim))
	for at := 1; at < end && p.work <= p.most; at++ {
		inside := row[at]&0xC0 == 0x80 // a character
		beside := quoted && (hasPrefixAt(row, at, p.dialect.open) || bytes.HasSuffix(row[:at], []byte(p.dialect.shut)))
		if inside || !short && !beside {
			continue
		}
		changed = append(append(append(changed[:0], row[:at]...), p.dialect.delim...), row[at:]...)
		p.try(changed, none, len(row), repair{kind: separatorMissing}, -1-sameSort(row, at))
		if strings.IndexByte(",;\t|:^~ ./", row[at]) >= 0 && !hasPrefixAt(row, at, p.dialect.delim) {
			changed = append(append(append(changed[:0], row[:at]...), p.dialect.delim...), row[at+1:]...)
			p.try(changed, none, len(row), repair{kind: wrongCharacter, separator: string(row[at : at+1])}, -1)
		}
	}
}

// sameSort is how much less likely two cells meet between two characters of one
// sort, as a logarithm: most places inside a word or a number are like that, and
// most ends of cells are not.
func sameSort(row []byte, at int) float64 {
	left, _ := utf8.DecodeLastRune(row[:at])
	right, _ := utf8.DecodeRune(row[at:])
	if sort := sortOf(left); sort == sortOf(right) && strings.ContainsRune("9Aa", sort) {
		return 1.5
	}
	return 0
}

// choose takes the best reading if it is clearly better than every other that
// says something else, and as likely as rows are.
func (p *repairer) choose(follows func(next int) bool) (reading, bool) {
	if len(p.readings) == 0 {
		return reading{}, false
	}
	for i := range p.readings {
		if r := &p.readings[i]; follows != nil && !follows(r.next) {
			r.score -= 5
		}
	}
	slices.SortStableFunc(p.readings, func(a, b reading) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	best := p.readings[0]
	if best.repair.kind == asItIs || best.score < p.least() {
		return best, false
	}
	for _, other := range p.readings[1:] {
		if slices.Equal(other.cells, best.cells) && other.next == best.next {
			continue
		}
		return best, best.score-other.score >= clearly
	}
	return best, true
}

// least is how likely a reading must be: rows of the table are hardly ever less
// likely.
func (p *repairer) least() float64 {
	if p.profiles == nil {
		return leastHeader
	}
	return min(p.profiles.usual-6*p.profiles.spread, p.near) - 3
}

// spoken names a separator in a sentence.
func spoken(separator string) intray.Message {
	switch separator {
	case ",":
		return intray.NewMessage("delimiter.comma", nil)
	case ";":
		return intray.NewMessage("delimiter.semicolon", nil)
	case "\t":
		return intray.NewMessage("delimiter.tab", nil)
	case " ":
		return intray.NewMessage("delimiter.space", nil)
	case gap:
		return intray.NewMessage("delimiter.spaces", nil)
	case "|":
		return intray.NewMessage("delimiter.bar", nil)
	}
	return intray.NewMessage("delimiter.other", intray.Params{"text": separator})
}

func cellCount(n int) intray.Message { return intray.NewMessage("count.cells", intray.Params{"n": n}) }

func columnCount(n int) intray.Message {
	return intray.NewMessage("count.columns", intray.Params{"n": n})
}

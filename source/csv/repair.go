package csv

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

// reading is one way to split an irregular row into cells.
type reading struct {
	cells []string
	row   rowFeatures
	// next is the offset after the line end of the row.
	next   int
	score  float64
	repair repair
}

// repair describes the change that makes a row fit the table.
type repair struct {
	kind repairKind
	// separator is the affected separator, and cell is the number of the cell before it,
	// counted from 1.
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

// message returns a message that describes the repair.
func (r repair) message() intray.Message {
	switch r.kind {
	case quoteIsText:
		return intray.NewMessage("csv.quote_is_text", nil)
	case otherSeparator:
		return intray.NewMessage("csv.other_separator", intray.Params{"separator": delimiterName(r.separator)})
	case separatorsAreText:
		return intray.NewMessage("csv.separators_are_text", intray.Params{"separator": delimiterName(r.separator)})
	case separatorIsText:
		return intray.NewMessage("csv.separator_is_text", intray.Params{"separator": delimiterName(r.separator), "cell": r.cell})
	case separatorRepeated:
		return intray.NewMessage("csv.separator_repeated", intray.Params{"cell": r.cell})
	case separatorMissing:
		return intray.NewMessage("csv.separator_missing", nil)
	case wrongCharacter:
		return intray.NewMessage("csv.wrong_separator", intray.Params{"separator": delimiterName(r.separator)})
	case nameSplit:
		return intray.NewMessage("csv.header_separator_missing", nil)
	case firstColumnUnnamed:
		return intray.NewMessage("csv.first_column_unnamed", nil)
	}
	return intray.Message{}
}

const (
	// minReadingLead is the minimum difference in log probability between the best and the
	// second-best reading. The best reading must be about 20 (e^3) times as likely.
	minReadingLead = 3.0
	// maxRepairBytes is the maximum length of a row that is repaired, in bytes.
	maxRepairBytes = 16 << 10
	// scoreByte and scoreCell are the work for scoring one byte and one cell. The unit is the
	// work for parsing one byte.
	scoreByte, scoreCell = 16, 2048
	// parseCell is the additional work for parsing one cell, in the same unit.
	parseCell = 32
	// maxRowWork is the maximum work for one row, in the same unit.
	maxRowWork = 256 << 20
)

// repairer finds the reading of a row that fits the columns best.
type repairer struct {
	dialect dialect
	width   int
	profile *tableProfile
	// score returns a score for how well a cell fits a column. Higher is better.
	score    func(column int, f features) float64
	rec      record
	readings []reading
	// nearbyScore is the score of a regular row near the irregular row.
	nearbyScore float64
	// work is the total work so far, and workLimit is its maximum at the end of this row.
	work, workLimit int64
}

func newRepairer(d dialect, width int, p *tableProfile) repairer {
	// No reading has more cells than rec.maxCells.
	return repairer{dialect: d, width: width, profile: p, rec: record{maxCells: width + maxJoined}, score: func(column int, f features) float64 { return p.columns[column].logProbability(f) }}
}

// repair returns the reading of a row that clearly fits best. found is the row as parsed by
// the dialect. If no reading is clearly the best, ok is false and the row stays as found.
func (p *repairer) repair(text []byte, found *record, follows func(next int) bool) (best reading, ok bool) {
	p.readings = p.readings[:0]
	p.workLimit = p.work + maxRowWork
	line := text[:firstLineLength(text)]
	row := line
	if !found.unclosed && !found.loose {
		row = text[:found.next]
	}
	if len(row) > maxRepairBytes {
		return reading{}, false
	}
	p.tryAsFound(text, found)
	p.tryLiteralQuotes(line)
	p.tryOtherDelimiters(row)
	p.tryFewerDelimiters(row)
	p.tryMoreDelimiters(row)
	if p.work > p.workLimit {
		return reading{}, false // the best reading may not have been tried
	}
	return p.bestReading(follows)
}

// tryAsFound adds the reading in which missing cells at the end are empty, because many programs omit
// empty last cells, and extra cells have no column. Other readings must be clearly better than this
// one. If other rows have as many cells, it is as likely as their share, compared with a complete row.
// If all extra cells are empty, it is no reading, because a duplicate separator explains them.
func (p *repairer) tryAsFound(text []byte, found *record) {
	n := len(found.cells)
	share := 0.0
	if p.profile != nil {
		share = p.profile.shares[n]
	}
	if found.unclosed || found.loose || n > p.width && (share == 0 || headerdetect.Filled(p.dialect.cellTexts(text, found)[p.width:]) == 0) {
		return
	}
	cells := slices.Clone(found.cells[:min(n, p.width)])
	for len(cells) < p.width {
		cells = append(cells, cell{})
	}
	p.addReading(text, cells, found.next, repair{}, 0)
	as := &p.readings[len(p.readings)-1]
	if n > p.width {
		as.cells = p.dialect.cellTexts(text, found)
		as.score += math.Log(share)
	} else if share > 0 {
		omitted := math.Log(share)
		for i, f := range as.row {
			if i < n {
				omitted += p.score(i, f)
			} else {
				omitted += p.profile.columns[i].mean
			}
		}
		as.score = max(as.score, omitted)
	}
}

// tryReading parses a changed row and adds the reading if it has one cell per column.
func (p *repairer) tryReading(changed []byte, literal, next int, done repair, prior float64) {
	if p.work > p.workLimit {
		return
	}
	p.parse(changed, literal)
	if len(p.rec.cells) != p.width || p.rec.loose || p.rec.unclosed || p.rec.next < len(changed) {
		return
	}
	p.addReading(changed, p.rec.cells, next, done, prior)
}

// parse parses a row into p.rec.
func (p *repairer) parse(row []byte, literal int) {
	p.dialect.parseRecord(row, literal, &p.rec)
	p.work += int64(len(row)) + parseCell*int64(len(p.rec.cells)+2)
}

func (p *repairer) addReading(text []byte, cells []cell, next int, done repair, prior float64) {
	p.addReadingWithStrayQuote(text, cells, notFound, next, done, prior)
}

// addReadingWithStrayQuote adds a reading in which the quote at offset stray is part of a
// cell. It scores that cell without the quote.
func (p *repairer) addReadingWithStrayQuote(text []byte, cells []cell, stray, next int, done repair, prior float64) {
	p.work += scoreByte*int64(len(text)) + scoreCell*int64(len(cells))
	r := reading{next: next, repair: done, score: prior}
	for i, c := range cells {
		cell := string(p.dialect.appendCell(nil, text, c))
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

// tryLiteralQuotes tries readings in which one quote of the line is text.
func (p *repairer) tryLiteralQuotes(line []byte) {
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
		p.tryLooseQuotes(line, at)
		at += len(p.dialect.open)
	}
}

// tryLooseQuotes tries the reading in which the quote at offset literal is text. Other quotes
// may be loose, too, as in a quoted cell that contains an unescaped quote.
func (p *repairer) tryLooseQuotes(line []byte, literal int) {
	p.parse(line, literal)
	if len(p.rec.cells) != p.width || p.rec.unclosed {
		return
	}
	prior := -1.0
	if p.rec.loose {
		prior -= 2
	}
	p.addReadingWithStrayQuote(line, p.rec.cells, literal, len(line), repair{kind: quoteIsText}, prior)
}

// tryOtherDelimiters tries to parse the row with each delimiter other than that of the dialect.
func (p *repairer) tryOtherDelimiters(row []byte) {
	own := p.dialect
	defer func() { p.dialect = own }()
	for _, d := range delimiters() {
		if d == own.delim || bytes.Count(row, []byte(d)) < p.width-1 {
			continue
		}
		p.dialect.delim = d
		done := repair{kind: otherSeparator, separator: d}
		p.tryReading(row, notFound, len(row), done, -1)
		if n := len(p.rec.cells); n > p.width && n <= p.width+maxJoined && !p.rec.loose && !p.rec.unclosed {
			p.joinCells(row, slices.Clone(p.rec.cells), done)
		}
	}
}

// maxJoined is the maximum number of separators in a row that can be text.
const maxJoined = 24

// joinCells adds readings of a row with too many cells, in which some separators are text and
// the adjacent cells are joined. It adds the best and the second-best such reading.
func (p *repairer) joinCells(row []byte, cells []cell, done repair) {
	n := len(cells)
	// best[j][i-j] holds the two best ways to join the first i cells into j columns.
	best := make([][][]partialJoin, p.width+1)
	for j := range best {
		best[j] = make([][]partialJoin, n-p.width+1)
	}
	best[0][0] = []partialJoin{{}}
	for j := 1; j <= p.width; j++ {
		for i := j; i <= n-(p.width-j); i++ {
			for from := j - 1; from < i; from++ {
				before := best[j-1][from-(j-1)]
				if len(before) == 0 || !canJoin(cells[from:i]) {
					continue
				}
				if p.work += scoreCell + scoreByte*int64(cells[i-1].to-cells[from].from); p.work > p.workLimit {
					return
				}
				c := cell{from: cells[from].from, to: cells[i-1].to, quoted: i == from+1 && cells[from].quoted, escaped: cells[from].escaped}
				score := p.score(j-1, featuresOf(string(p.dialect.appendCell(nil, row, c)), c.quoted)) - 0.3*float64(i-from-1)
				for k, w := range before {
					best[j][i-j] = keepBestTwo(best[j][i-j], partialJoin{score: w.score + score, cell: c, from: from, rank: k})
				}
			}
		}
	}
	for _, w := range best[p.width][n-p.width] {
		made := make([]cell, p.width)
		for j := p.width; j > 0; j-- {
			made[j-1] = w.cell
			w = best[j-1][w.from-(j-1)][w.rank]
		}
		p.addReading(row, made, len(row), done, -2-0.3*float64(n-p.width))
	}
}

// partialJoin is one way to join the first cells into the first columns. cell is the joined cell
// in the last of these columns. from and rank identify the partialJoin for the columns before it.
type partialJoin struct {
	score      float64
	cell       cell
	from, rank int
}

// keepBestTwo adds w to ways and returns the two with the highest scores.
func keepBestTwo(ways []partialJoin, w partialJoin) []partialJoin {
	switch {
	case len(ways) == 0:
		return append(ways, w)
	case w.score > ways[0].score:
		return []partialJoin{w, ways[0]}
	case len(ways) == 1:
		return append(ways, w)
	case w.score > ways[1].score:
		ways[1] = w
	}
	return ways
}

// canJoin reports whether cells can be joined into one. Quoted cells cannot be joined.
func canJoin(cells []cell) bool {
	for _, c := range cells {
		if c.quoted && len(cells) > 1 {
			return false
		}
	}
	return true
}

// tryFewerDelimiters tries readings in which one or more delimiters are duplicates or are part
// of an unquoted value.
func (p *repairer) tryFewerDelimiters(row []byte) {
	p.parse(row, notFound)
	if n := len(p.rec.cells); n <= p.width || n > p.width+maxJoined || p.rec.unclosed || p.rec.loose {
		return
	}
	cells := slices.Clone(p.rec.cells)
	if len(cells) > p.width+1 {
		p.joinCells(row, cells, repair{kind: separatorsAreText, separator: p.dialect.delim})
		return
	}
	delim := len(p.dialect.delim)
	for i := range p.width {
		if p.work > p.workLimit {
			return
		}
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
		p.addReading(row, merged, len(row), done, prior)
	}
}

// tryMoreDelimiters tries readings with one more delimiter. It inserts the delimiter at each
// offset where it may be missing, or in place of another character that can separate cells.
func (p *repairer) tryMoreDelimiters(row []byte) {
	p.parse(row, notFound)
	short := len(p.rec.cells) == p.width-1
	quoted := p.dialect.open != "" && bytes.Contains(row, []byte(p.dialect.open))
	if !short && !quoted {
		return
	}
	end := len(bytes.TrimRight(row, "\r\n"))
	if len(p.rec.cells) > p.width+1 {
		// After this offset, a delimiter does not change the first width+1 cells.
		end = min(end, p.rec.cells[p.width+1].from+1)
	}
	changed := make([]byte, 0, len(row)+len(p.dialect.delim))
	for at := 1; at < end && p.work <= p.workLimit; at++ {
		inside := row[at]&0xC0 == 0x80 // inside a character
		nextToQuote := quoted && (hasPrefixAt(row, at, p.dialect.open) || bytes.HasSuffix(row[:at], []byte(p.dialect.shut)))
		if inside || !short && !nextToQuote {
			continue
		}
		changed = append(append(append(changed[:0], row[:at]...), p.dialect.delim...), row[at:]...)
		p.tryReading(changed, notFound, len(row), repair{kind: separatorMissing}, -1-sameClassPenalty(row, at))
		if strings.IndexByte(",;\t|:^~ ./", row[at]) >= 0 && !hasPrefixAt(row, at, p.dialect.delim) {
			changed = append(append(append(changed[:0], row[:at]...), p.dialect.delim...), row[at+1:]...)
			p.tryReading(changed, notFound, len(row), repair{kind: wrongCharacter, separator: string(row[at : at+1])}, -1)
		}
	}
}

// sameClassPenalty returns the penalty, in log probability, for ending a cell between two
// characters of the same class, because cells rarely end inside a word or a number. Otherwise
// it returns 0.
func sameClassPenalty(row []byte, at int) float64 {
	left, _ := utf8.DecodeLastRune(row[:at])
	right, _ := utf8.DecodeRune(row[at:])
	if class := charClass(left); class == charClass(right) && strings.ContainsRune("9Aa", class) {
		return 1.5
	}
	return 0
}

// bestReading returns the best reading. It returns false unless that reading is clearly better
// than every reading with different cells, and about as likely as the regular rows of the table.
func (p *repairer) bestReading(follows func(next int) bool) (reading, bool) {
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
	if best.repair.kind == asItIs || best.score < p.minScore() {
		return best, false
	}
	for _, other := range p.readings[1:] {
		if slices.Equal(other.cells, best.cells) && other.next == best.next {
			continue
		}
		return best, best.score-other.score >= minReadingLead
	}
	return best, true
}

// minScore returns the minimum score of a reading. Regular rows rarely have a lower score.
func (p *repairer) minScore() float64 {
	if p.profile == nil {
		return minHeaderScore
	}
	return min(p.profile.meanScore-6*p.profile.scoreSpread, p.nearbyScore) - 3
}

// delimiterName returns the name of a separator for use in a sentence.
func delimiterName(separator string) intray.Message {
	switch separator {
	case ",":
		return intray.NewMessage("delimiter.comma", nil)
	case ";":
		return intray.NewMessage("delimiter.semicolon", nil)
	case "\t":
		return intray.NewMessage("delimiter.tab", nil)
	case " ":
		return intray.NewMessage("delimiter.space", nil)
	case spaceGap:
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

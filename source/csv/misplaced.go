package csv

import (
	"bytes"
	"math"
	"strings"

	"github.com/intraydata/intray/source/headerdetect"
)

// quoteVerdict is the decision whether the quotes around line breaks in a record are misplaced. If they are, the
// lines of the record are rows of their own.
type quoteVerdict uint8

const (
	// quotesEnclose means that a cell contains the line breaks.
	quotesEnclose quoteVerdict = iota
	// quotesEncloseRows means the same, but lines in the cell have as many cells as the table.
	quotesEncloseRows
	// quotesMaybeMisplaced and quotesLikelyMisplaced mean that both readings are possible. In the
	// first case, the record fits about as well as its lines. In the second, its lines fit better.
	quotesMaybeMisplaced
	quotesLikelyMisplaced
	// quotesMisplaced means that the lines are rows.
	quotesMisplaced
)

const (
	// minHiddenRowCells is the minimum number of columns of a table in which the numbers of cells of
	// lines are evidence for rows. In narrower tables, sentences with commas look like rows.
	minHiddenRowCells = 3
	// minMatchingDelims is the minimum number of delimiters in the lines of a record for their numbers of
	// cells to be strong evidence if all lines have as many cells as the table has columns.
	minMatchingDelims = 6
	// maxJudgedLines is the maximum number of lines of a record whose cells are compared with the
	// columns.
	maxJudgedLines = 64
	// maxJudgeWork is the maximum work for judging the quotes of one file, in units of the repairer.
	// maxChunkJudgeWork is that of one chunk, so that a file cannot use more work in workers.
	maxJudgeWork, maxChunkJudgeWork = 1 << 30, 8 << 20
)

// mayHideRows reports whether the lines of a quoted cell of a regular record can be rows. column is the
// index of the cell. It counts delimiters only: the line on which the cell begins and the one on which it
// ends must have as many cells as the table has columns, or all whole lines in between. In narrow tables,
// one of the outer lines must have as many cells as well. Delimiters before spaces do not count, except in
// the lines in between in wider tables.
func (s *sheet) mayHideRows(cell []byte, column int) bool {
	first, last := bytes.IndexByte(cell, '\n')+1, bytes.LastIndexByte(cell, '\n')+1
	if bytes.IndexByte(cell, '\r') >= 0 {
		first, last = firstLineLength(cell), bytes.LastIndexAny(cell, "\r\n")+1
	}
	if last == 0 {
		return false
	}
	fullFirst := s.isFull(cell[:first], s.width-column, false)
	fullLast := s.isFull(cell[last:], column+1, false)
	if fullFirst && fullLast {
		return true
	}
	wide := s.width >= minHiddenRowCells
	if last == first || !wide && !fullFirst && !fullLast {
		return false
	}
	for inner := cell[first:last]; len(inner) > 0; {
		line := inner[:firstLineLength(inner)]
		if !s.isFull(line, s.width, wide) {
			return false
		}
		inner = inner[len(line):]
	}
	return true
}

// isFull reports whether a part of a line has a number of cells. Unless prose is set, or cells of the table
// start with spaces, there must be no space after a delimiter.
func (s *sheet) isFull(text []byte, cells int, prose bool) bool {
	delim := s.dialect.delim
	if bytes.Count(text, []byte(delim)) != cells-1 {
		return false
	}
	return prose || cells == 1 || !bytes.Contains(text, []byte(delim+" ")) || s.spaced == nil || s.spaced()
}

// quoteJudge decides whether quotes are misplaced. It compares the record with its lines: how many cells
// they have, and how well the cells fit the columns. It must not be used concurrently.
type quoteJudge struct {
	sheet *sheet
	line  record
	// work is the work so far, in units of the repairer.
	work int64
}

// lineFit describes how well a line fits the table if its quotes are text.
type lineFit struct {
	// full reports whether the line has one cell per column. possible reports whether no cell contradicts
	// its column, fits also whether the cells fit about as well as those of regular records, and typed
	// also whether one of them has the type of its column.
	full, possible, fits, typed bool
	score                       float64
}

// lineCounts counts lines by how well they fit. compared is the number of lines whose cells were compared
// with the columns if the line is full.
type lineCounts struct{ lines, compared, full, possible, fit, typed int }

func (c *lineCounts) add(f lineFit, compared bool) {
	c.lines++
	c.compared += toInt(compared)
	c.full += toInt(f.full)
	c.possible += toInt(f.possible)
	c.fit += toInt(f.fits)
	c.typed += toInt(f.typed)
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// allAre reports whether all lines are full and fit or have the types of the columns, as counted by n.
func (c *lineCounts) allAre(n int) bool { return c.lines > 0 && c.full == c.lines && n == c.compared }

// recordLines describes the lines of a record. first and last are the lines on which the longest quoted
// cell begins and ends, and inner are the whole lines between them. full is the number of full lines that
// were compared with the columns, and score their total score.
type recordLines struct {
	all, inner  lineCounts
	first, last lineFit
	full        int
	score       float64
}

// verdict judges a record. row is its text.
func (j *quoteJudge) verdict(row []byte, rec *record) quoteVerdict {
	s := j.sheet
	if rec.breaks == 0 || s.width < 2 {
		return quotesEnclose
	}
	regular := s.isRegular(rec)
	if regular && !s.hidesRows(row, rec) {
		return quotesEnclose
	}
	l := j.readLines(row, rec)
	if len(rec.cells) == s.width && !rec.loose {
		lead := math.Inf(-1)
		if l.mayBeRows() {
			lead = j.leadOfLines(row, rec, l)
		}
		return j.compareReadings(&l, lead, regular)
	}
	return j.judgeDamaged(rec, &l)
}

// judgeDamaged judges a record that is damaged if its quotes enclose its lines.
func (j *quoteJudge) judgeDamaged(rec *record, l *recordLines) quoteVerdict {
	s := j.sheet
	wide := s.width >= minHiddenRowCells
	countsDecide := len(rec.cells) != s.width || rec.breaks > 1 && wide
	switch {
	case l.all.lines == l.all.full && (countsDecide || l.all.allAre(l.all.fit) && s.profile != nil && (wide || l.all.allAre(l.all.typed))):
		return quotesMisplaced
	case l.inner.fit > 0, l.areTwoRows() && l.all.fit == 2, rec.loose && (l.first.fits || l.last.fits):
		return quotesMaybeMisplaced
	case l.encloseRows():
		return quotesEncloseRows
	}
	return quotesEnclose
}

// areTwoRows reports whether the record consists of two full lines.
func (l *recordLines) areTwoRows() bool { return l.all.lines == 2 && l.all.full == 2 }

// encloseRows reports whether the quotes enclose full lines, or the line break between two of them.
func (l *recordLines) encloseRows() bool { return l.inner.full > 0 || l.areTwoRows() }

// mayBeRows reports whether the lines can be rows, given their cells.
func (l *recordLines) mayBeRows() bool {
	return l.all.allAre(l.all.possible) || l.inner.allAre(l.inner.fit) || l.mostly() && l.all.possible == l.full
}

// mostly reports whether the outer lines and most of all lines are full.
func (l *recordLines) mostly() bool { return l.first.full && l.last.full && 2*l.all.full > l.all.lines }

// compareReadings judges a record with one cell per column, which is regular unless a cell contains quotes.
// lead is how much better the lines fit than the record.
func (j *quoteJudge) compareReadings(l *recordLines, lead float64, regular bool) quoteVerdict {
	wide, profiled := j.sheet.width >= minHiddenRowCells, j.sheet.profile != nil
	allFit, allTyped := l.all.allAre(l.all.fit), l.all.allAre(l.all.typed)
	strong := allTyped || !profiled || l.all.lines*(j.sheet.width-1) >= minMatchingDelims
	switch {
	case !regular && wide && l.all.lines > 2 && l.all.full == l.all.lines:
		return quotesMisplaced // the record contains more quotes
	case allFit && strong && profiled && lead >= minReadingLead:
		return quotesMisplaced
	case (allFit || allTyped) && (strong && lead > 0 || lead >= minReadingLead):
		return quotesLikelyMisplaced
	case j.mayBeMisplaced(l, lead, strong):
		return quotesMaybeMisplaced
	case wide && l.fitAsRows(), !regular && l.encloseRows():
		return quotesEncloseRows
	}
	return quotesEnclose
}

// mayBeMisplaced reports whether the lines of a record with one cell per column fit about as well as the
// record. strong means that the lines have enough cells or types to be compared.
func (j *quoteJudge) mayBeMisplaced(l *recordLines, lead float64, strong bool) bool {
	profiled := j.sheet.profile != nil
	// The scores of rows vary, so that a record that fits better proves little.
	least := -minReadingLead
	if strong && profiled {
		least -= j.sheet.profile().scoreSpread
	}
	switch {
	case l.all.allAre(l.all.possible) && strong && lead > least:
		return true
	case l.inner.allAre(l.inner.typed) && l.inner.allAre(l.inner.fit) && lead > -minReadingLead:
		return lead >= minReadingLead || l.first.full || l.last.full || l.mostlyMayBe(lead, profiled)
	}
	return l.mostlyMayBe(lead, profiled)
}

// mostlyMayBe reports whether most of the lines are full and may be rows. profiled means that they were
// compared with a profile of the columns.
func (l *recordLines) mostlyMayBe(lead float64, profiled bool) bool {
	switch {
	case !l.mostly():
		return false
	case !profiled && l.all.possible == l.full:
		return true
	}
	return lead >= minReadingLead && (l.all.typed == l.full || l.all.fit == l.full)
}

// fitAsRows reports whether the lines, most of them, or those within the quotes fit as rows.
func (l *recordLines) fitAsRows() bool {
	return l.all.allAre(l.all.fit) || l.mostly() && l.all.fit == l.full || l.inner.lines > 0 && l.inner.full == l.inner.lines
}

// readLines reads the lines of a record as rows.
func (j *quoteJudge) readLines(row []byte, rec *record) (l recordLines) {
	longest, most := longestQuoted(row, rec)
	opened := int(countLineBreaks(row[:longest.from]))
	closed := opened + int(most)
	j.line.maxCells = j.sheet.width
	for at := 0; len(row) > 0; at++ {
		line := row[:firstLineLength(row)]
		row = row[len(line):]
		j.sheet.dialect.parseRecord(line, notFound, &j.line)
		j.work += int64(len(line))
		if j.line.unclosed {
			j.work += j.sheet.dialect.parseUnclosedLine(line, &j.line, maxRepairBytes)
		}
		fit := lineFit{full: len(j.line.cells) == j.sheet.width}
		compared := at < maxJudgedLines || len(row) == 0
		if fit.full && compared {
			j.compareLine(line, &fit)
			l.full++
			l.score += fit.score
		}
		l.all.add(fit, compared)
		switch {
		case at == opened:
			l.first = fit
		case at == closed:
			l.last = fit
		case at > opened && at < closed:
			l.inner.add(fit, compared)
		}
	}
	return l
}

// compareLine compares the cells of the parsed line with the columns, without their quotes. Repeated values
// of a column count as a type. The score of a line with a contradiction stays 0.
func (j *quoteJudge) compareLine(line []byte, fit *lineFit) {
	s := j.sheet
	j.work += int64(len(line))
	texts := make([]string, len(j.line.cells))
	for i, c := range j.line.cells {
		texts[i] = string(bytes.Trim(line[c.from:c.to], s.dialect.open+s.dialect.shut))
	}
	matched, contradicted := s.compareTraits(texts)
	if contradicted > 0 {
		return
	}
	fit.possible, fit.fits = true, true
	if s.profile != nil {
		j.work += scoreByte*int64(len(line)) + scoreCell*int64(len(texts))
		p := s.profile()
		row := make(rowFeatures, len(texts))
		for i, text := range texts {
			c := p.columns[i]
			// Whether a program quotes a cell says nothing about a line with a misplaced quote.
			row[i] = featuresOf(text, 2*c.quoted > c.n)
			if text != "" && c.words.once < 0.3*c.n && c.words.counts[text] > 1 {
				matched++
			}
		}
		fit.score = p.rowScore(row)
		fit.fits = fit.score >= p.meanScore-3*p.scoreSpread-minReadingLead
	}
	fit.typed = matched > 0
}

// leadOfLines returns how much better the lines of a record fit the columns than the record, which has
// one cell per column. It is the difference of their log probabilities per row.
func (j *quoteJudge) leadOfLines(row []byte, rec *record, l recordLines) float64 {
	s := j.sheet
	j.work += scoreByte*int64(len(row)) + scoreCell*int64(len(rec.cells))
	cells := make(rowFeatures, len(rec.cells))
	broken := make([]string, len(rec.cells))
	for i, c := range rec.cells {
		cells[i] = featuresOf(string(s.dialect.appendCell(nil, row, c)), c.quoted)
		if c.quoted && countLineBreaks(row[c.from:c.to]) > 0 {
			broken[i] = cells[i].text
		}
	}
	if _, contradicted := s.compareTraits(broken); contradicted > 0 {
		return math.Inf(1) // for example, several lines in a column of numbers
	}
	if s.profile == nil || l.all.possible == 0 {
		return 0
	}
	return l.score/float64(l.all.possible) - s.profile().rowScore(cells)
}

// minKindShare is the minimum share of the cells of a column that have its kind.
const minKindShare = 0.9

// columnTraits are properties that nearly all cells of a column share.
type columnTraits struct {
	// kind is the kind of the cells, or Empty for text and mixed kinds.
	kind headerdetect.Kind
	// spaced reports whether a cell starts with a space.
	spaced bool
}

// compareTraits returns the number of cells whose kind is that of their column, or how many cells contradict
// their column up to the first one. Cells in columns of text or of mixed kinds do not match. A space at the
// start of a cell contradicts a column without such cells, because sentences have spaces after commas.
func (s *sheet) compareTraits(cells []string) (matched, contradicted int) {
	if s.traits == nil {
		return 0, 0
	}
	traits := s.traits()[:min(len(cells), s.width)]
	for i, t := range traits {
		if !t.spaced && strings.HasPrefix(cells[i], " ") && strings.TrimSpace(cells[i]) != "" {
			return 0, 1
		}
	}
	for i, t := range traits {
		if t.kind == headerdetect.Empty {
			continue
		}
		switch own := comparableKind(headerdetect.KindOf(cells[i])); own {
		case headerdetect.Empty:
		case t.kind:
			matched++
		default:
			return 0, 1
		}
	}
	return matched, 0
}

// comparableKind returns a common kind for all numbers.
func comparableKind(kind headerdetect.Kind) headerdetect.Kind {
	if kind == headerdetect.Integer {
		return headerdetect.Number
	}
	return kind
}

// hasSpaced reports whether a cell of a record, which does not need quotes, starts with a space.
func (s *sheet) hasSpaced(records [][]byte) bool {
	var r record
	for _, text := range records {
		s.dialect.parseRecord(text, notFound, &r)
		for _, c := range r.cells {
			if !c.quoted && c.to > c.from && text[c.from] == ' ' {
				return true
			}
		}
	}
	return false
}

// columnTraits returns the traits of the columns in regular records.
func (s *sheet) columnTraits(regular [][]byte) []columnTraits {
	traits := make([]columnTraits, s.width)
	counts := make([][headerdetect.Kinds]int, s.width)
	var r record
	for _, text := range regular {
		s.dialect.parseRecord(text, notFound, &r)
		for i, cell := range s.dialect.cellTexts(text, &r)[:min(len(r.cells), s.width)] {
			counts[i][comparableKind(headerdetect.KindOf(cell))]++
			traits[i].spaced = traits[i].spaced || strings.HasPrefix(cell, " ")
		}
	}
	for i, n := range counts {
		filled := 0
		for kind := headerdetect.Empty + 1; kind < headerdetect.Kinds; kind++ {
			filled += n[kind]
		}
		for kind := headerdetect.Integer; kind < headerdetect.Text; kind++ {
			if n[kind] > 0 && float64(n[kind]) >= minKindShare*float64(filled) {
				traits[i].kind = kind
			}
		}
	}
	return traits
}

// hidesRows reports whether a quoted cell of a regular record has lines that can be rows.
func (s *sheet) hidesRows(row []byte, rec *record) bool {
	for i, c := range rec.cells {
		if c.quoted && s.mayHideRows(row[c.from:c.to], i) {
			return true
		}
	}
	return false
}

// withoutHiddenRows returns the regular records of the sample that cannot hide rows, because the others
// would be evidence for themselves. It returns all records if most of them can hide rows.
func (s *sheet) withoutHiddenRows(records [][]byte) [][]byte {
	kept := make([][]byte, 0, len(records))
	var r record
	for _, text := range records {
		if bytes.ContainsAny(bytes.TrimRight(text, "\r\n"), "\r\n") {
			if s.dialect.parseRecord(text, notFound, &r); s.hidesRows(text, &r) {
				continue
			}
		}
		kept = append(kept, text)
	}
	if 2*len(kept) < len(records) {
		return records
	}
	return kept
}

// isRegular reports whether a record follows the dialect and has one cell per column.
func (s *sheet) isRegular(rec *record) bool {
	return len(rec.cells) == s.width && !rec.loose && !rec.unclosed && !rec.inner && !rec.crossing
}

package csv

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// maxShownLines is the maximum number of lines of a record that are shown as examples.
	maxShownLines = 4
	// maxSampleJudgeWork is the maximum work for judging the quotes of the sample, in units of the
	// repairer.
	maxSampleJudgeWork = 64 << 20
)

// misplacedChoice is the name of the choice about quotes that may be misplaced.
const misplacedChoice = "quoting of lines"

// quoteDoubts counts the records whose quotes may be misplaced, and describes the first one.
type quoteDoubts struct {
	n int64
	// likely is the reading of the first record, and opened and closed are its lines.
	likely         string
	opened, closed int64
	// whole shows the record read as one, and lines show it read as several.
	whole string
	lines []string
}

// add adds a record that begins on a line. likely is how it is read.
func (q *quoteDoubts) add(s *sheet, row []byte, rec *record, line int64, likely string) {
	if q.n++; q.n > 1 {
		return
	}
	q.likely = likely
	q.opened, q.closed = quotedLines(row, rec, line)
	short := *rec
	short.cells = rec.cells[:min(len(rec.cells), maxShownCells)]
	q.whole = showCells(s.dialect.cellTexts(row, &short))
	r := record{maxCells: maxShownCells}
	for len(row) > 0 && len(q.lines) < maxShownLines {
		text := row[:firstLineLength(row)]
		row = row[len(text):]
		s.dialect.parseRecord(text, notFound, &r)
		if r.unclosed {
			s.dialect.parseUnclosedLine(text, &r, maxRepairBytes)
		}
		q.lines = append(q.lines, showCells(s.dialect.cellTexts(text, &r)))
	}
}

// maxShownCells is the maximum number of cells of a row that are shown.
const maxShownCells = 20

// showCells returns the cells of a row in one line.
func showCells(cells []string) string {
	short := make([]string, 0, len(cells))
	for _, cell := range cells {
		short = append(short, excerpt(strings.NewReplacer("\r\n", " ⏎ ", "\n", " ⏎ ", "\r", " ⏎ ").Replace(excerpt(cell))))
	}
	return excerpt(strings.Join(short, " | "))
}

// addTo returns the evidence with the choice about quotes, if there are records in doubt.
func (q *quoteDoubts) addTo(list []intray.Evidence) []intray.Evidence {
	if q.n == 0 {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(e intray.Evidence) bool { return e.Choice == misplacedChoice })
	reason := intray.NewMessage("quote.closed_late", intray.Params{"line": q.opened, "end": q.closed})
	if q.n > 1 {
		reason = intray.NewMessage("quote.closed_late_often", intray.Params{"line": q.opened, "end": q.closed, "n": q.n - 1})
	}
	lines := intray.Params{"line": q.opened, "end": q.closed, "n": q.closed - q.opened + 1}
	choices := []intray.Choice{
		{Value: source.MisplacedAsQuotes, Label: intray.NewMessage("quote.lines_are_record", lines), Reason: intray.NewMessage("quote.encloses_lines", nil), Examples: []string{q.whole}},
		{Value: source.MisplacedAsText, Label: intray.NewMessage("quote.lines_are_records", lines), Reason: intray.NewMessage("quote.lines_like_rows", nil), Examples: q.lines},
	}
	if q.likely == source.MisplacedAsText {
		slices.Reverse(choices)
	}
	return append(list, intray.Evidence{Choice: misplacedChoice, Value: q.likely, Reason: reason, Alternatives: choices, Tie: true})
}

// judgeSample adds a tie to the evidence if quotes in the sample may be misplaced, so that the question
// is asked before the records are read.
func (s *sheet) judgeSample(rows []sampledRow, sample []byte) {
	if s.misplaced != "" {
		other := intray.Choice{Value: source.MisplacedAsText, Label: intray.NewMessage("quote.lines_like_rows", nil)}
		if s.misplaced == source.MisplacedAsText {
			other = intray.Choice{Value: source.MisplacedAsQuotes, Label: intray.NewMessage("quote.encloses_lines", nil)}
		}
		s.evidence = append(s.evidence, intray.Evidence{Choice: misplacedChoice, Value: s.misplaced, Reason: intray.NewMessage("option.requested", nil), Alternatives: []intray.Choice{other}})
		return
	}
	var doubts quoteDoubts
	var rec record
	judge := quoteJudge{sheet: s}
	for _, row := range rows {
		text := sample[row.from:row.to]
		if judge.work > maxSampleJudgeWork {
			break
		}
		if firstLineLength(text) == len(text) {
			continue
		}
		s.dialect.parseRecord(text, notFound, &rec)
		judge.work += int64(len(text))
		switch verdict := judge.verdict(text, &rec); {
		case rec.unclosed, verdict < quotesMaybeMisplaced, verdict == quotesMisplaced, verdict == quotesMaybeMisplaced && s.isRepaired(text, &rec):
		case verdict == quotesLikelyMisplaced:
			doubts.add(s, text, &rec, row.line, source.MisplacedAsText)
		default:
			doubts.add(s, text, &rec, row.line, source.MisplacedAsQuotes)
		}
	}
	s.evidence = doubts.addTo(s.evidence)
}

// isRepaired reports whether the reader probably repairs a record of the sample.
func (s *sheet) isRepaired(text []byte, rec *record) bool {
	if s.profile == nil || s.isRegular(rec) || len(text) > maxRepairBytes {
		return false
	}
	r := newRepairer(s.dialect, s.width, s.profile())
	r.nearbyScore = r.profile.meanScore
	_, ok := r.repair(text, rec, nil)
	return ok
}

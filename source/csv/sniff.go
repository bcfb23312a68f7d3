package csv

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/intraydata/intray"
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

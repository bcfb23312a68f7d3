package csv

import "bytes"

// dialectFit describes how well a dialect explains a sample.
type dialectFit struct {
	dialect
	score float64
	// rows is the number of records. Most of them have width cells, and regular is their number.
	rows, width, regular int
	// firstWidth is the number of cells in the first record.
	firstWidth int
	// quoted is the number of records with quoted cells, and broken is the number of records whose
	// quotes do not follow the dialect.
	quoted, broken int
	// emptyLast is the number of records whose last cell is empty.
	emptyLast int
}

// measureDialects measures each dialect that can explain a sample. work is the work of the
// detection, in units of source.Work.
func measureDialects(sample []byte, whole bool, delims []string) (fits []dialectFit, work int64) {
	looks := &traitsCache{seen: map[string]cellTraits{}}
	most := int64(0)
	for _, d := range candidateDialects(sample, delims) {
		f, n := d.measure(sample, whole, looks)
		work, most = work+n, max(most, n)
		if d.delim != "#" || len(delims) == 1 || f.provesNumberSign() {
			fits = append(fits, f)
		}
	}
	preferProvenQuotes(fits, sample)
	preferRuns(fits)
	preferDelimiterOfAllRows(fits)
	return fits, work + 4*most // the sample is parsed up to four more times
}

// measure returns how well a dialect explains a sample. The score depends on how consistent the
// number of cells per record is, and on the share of cells that look like values. whole reports
// whether the sample is the whole text. work is the work for the measurement.
func (d dialect) measure(sample []byte, whole bool, looks *traitsCache) (f dialectFit, work int64) {
	f.dialect = d
	widths := map[int]int{}
	var known, cells, spoiled float64
	longest := 0
	for text, r := range d.sniffedRecords(sample) {
		work += byteWork*int64(len(text)) + cellWork*int64(len(r.cells))
		if r.unclosed && !whole && f.rows > 0 && len(text) <= maxCutRecord*longest {
			break // the sample ends inside the record
		}
		longest = max(longest, len(text))
		if f.rows++; f.rows == 1 {
			f.firstWidth = len(r.cells)
		}
		widths[len(r.cells)]++
		if r.loose {
			spoiled++
		}
		if r.loose || r.unclosed {
			f.broken++
		}
		if r.unclosed && len(text) > 4096 {
			spoiled += float64(bytes.Count(text, []byte{'\n'}))
		}
		hasQuoted := false
		for _, c := range r.cells[:min(len(r.cells), sniffCells)] {
			cells++
			known += d.cellScore(text, c, looks)
			hasQuoted = hasQuoted || c.quoted
		}
		if hasQuoted {
			f.quoted++
		}
		if last := r.cells[len(r.cells)-1]; last.from == last.to {
			f.emptyLast++
		}
	}
	if f.rows == 0 {
		return f, work
	}
	f.width, f.regular = mostFrequent(widths)
	f.score = markWeight(d.delim) * markWeight(d.open) * consistency(widths, f.rows) * (0.02 + known/max(cells, 1)) / (1 + 2*spoiled/float64(f.rows))
	f.score *= f.shapeWeight()
	return f, work
}

// maxCutRecord is the maximum length of a record that the end of the sample cuts, as a multiple of
// the longest other record. A longer one is the result of a quote that does not belong to the
// dialect.
const maxCutRecord = 4

// shapeWeight returns the weight of the shape of the records, from 0 to 1. It is lower if the
// delimiter only ends lines of one cell, and if there is a single record, whose number of cells proves
// nothing, so that more common delimiters are more likely.
func (f *dialectFit) shapeWeight() float64 {
	weight := 1.0
	if f.rows > 1 && f.emptyLast == f.rows && f.width == 2 {
		weight = 0.5
	}
	if f.rows == 1 {
		switch f.delim {
		case ",", ";", "\t", ", ":
		case " ":
			weight *= 0.3
		default:
			weight *= 0.85
		}
	}
	return weight
}

// provesNumberSign reports whether the records prove that "#" is the delimiter: nearly all of them
// have the same number of cells, at least three, or two of which one is quoted. Otherwise, the
// character starts a comment, a number or a part of an address.
func (f *dialectFit) provesNumberSign() bool {
	return f.rows > 1 && 20*f.regular >= 19*f.rows && (f.width > 2 || f.width == 2 && 20*f.quoted >= 19*f.rows)
}

// provesQuotes reports whether the records prove the quotes: some cells are quoted, all quotes
// follow the dialect, and nearly all records have the same number of cells.
func (f *dialectFit) provesQuotes() bool {
	return f.quoted > 0 && f.broken == 0 && 10*f.regular >= 9*f.rows && markWeight(f.delim) >= 0.9
}

// minQuotedShare is the minimum share of the records with cells in apostrophes, if these are
// quotes.
const minQuotedShare = 0.1

// preferProvenQuotes lowers the score of dialects with apostrophes as quotes if other quotes are
// proven. If there are no quotation marks and apostrophes enclose many cells, it raises their
// score.
func preferProvenQuotes(fits []dialectFit, sample []byte) {
	proven := false
	for i := range fits {
		proven = proven || fits[i].open == `"` && fits[i].provesQuotes()
	}
	unused := !bytes.Contains(sample, []byte{'"'})
	for i := range fits {
		f := &fits[i]
		switch {
		case f.open != "'":
		case proven:
			f.score = 0
		case unused && f.provesQuotes() && float64(f.quoted) >= minQuotedShare*float64(f.rows):
			f.score /= markWeight(f.open)
			for j := range fits {
				if g := &fits[j]; g.open == `"` && g.delim == f.delim && g.width == f.width {
					g.score = min(g.score, 0.99*f.score)
				}
			}
		}
	}
}

// preferRuns lowers the score of single spaces as delimiters if runs of spaces split at least as many
// rows into the same number of cells. Cells between adjacent spaces are then not empty cells.
func preferRuns(fits []dialectFit) {
	for i := range fits {
		runs := &fits[i]
		if !runs.runs || 10*runs.regular < 9*runs.rows || runs.width < 2 {
			continue
		}
		for j := range fits {
			if f := &fits[j]; f.delim == " " && !f.runs && f.open == runs.open && f.regular <= runs.regular {
				f.score = min(f.score, 0.99*runs.score)
			}
		}
	}
}

// preferDelimiterOfAllRows lowers the score of the best dialect if it does not split the first row,
// although another delimiter splits every row into the same number of cells. That is unlikely
// unless it separates the cells, because characters of values do not occur in the header.
func preferDelimiterOfAllRows(fits []dialectFit) {
	best, every := 0, notFound
	for i := range fits {
		f := &fits[i]
		if f.score > fits[best].score {
			best = i
		}
		if f.width > 1 && f.regular == f.rows && f.rows > 2 && f.broken == 0 && f.emptyLast < f.rows && markWeight(f.delim) >= 0.9 && (every == notFound || f.score > fits[every].score) {
			every = i
		}
	}
	if every == notFound || fits[best].firstWidth > 1 || fits[every].score < fits[best].score/2 {
		return
	}
	delim := fits[best].delim
	for i := range fits {
		if fits[i].delim == delim {
			fits[i].score = min(fits[i].score, 0.99*fits[every].score)
		}
	}
}

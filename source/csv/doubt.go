package csv

import (
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/table"
)

// tie is how near the score of another delimiter must come for a person to be
// asked.
const tie = 0.97

// doubtHeader tells beside the header where another header fits about as well as the one found.
func (s *sheet) doubtHeader(layout table.Layout, rows []sampled, texts [][]string) {
	if !layout.Unsure() || layout.First >= len(rows) || layout.Headers > 0 && layout.Rival == table.NoHeader && standsOut(texts[layout.First], texts[layout.Body():]) {
		return
	}
	told := &s.evidence[len(s.evidence)-1]
	told.Tie = layout.Headers <= 1 // nobody can ask for several rows
	switch rival := layout.Rival; {
	case rival == table.NoHeader:
		told.Rivals = []intray.Choice{{Value: intray.NoAnswer, Label: intray.NewMessage("header.none", nil), Reason: intray.NewMessage("header.like_rows_below", nil), Examples: rows[layout.First].cells}}
	case rival >= 0 && rival < len(rows):
		told.Rivals = []intray.Choice{{Value: strconv.Itoa(rival + 1), Label: intray.NewMessage("header.row", intray.Params{"row": rival + 1}), Reason: intray.NewMessage("header.could_name_columns", nil), Examples: rows[rival].cells}}
	}
}

// fewestRepeats is how many cells a column must have to show that it repeats few
// values.
const fewestRepeats = 4

// standsOut says whether a row has a cell that the column below it never has,
// where that repeats few values: then the row is no record.
func standsOut(header []string, body [][]string) bool {
	for c, name := range header {
		values := map[string]bool{}
		filled := 0
		for _, row := range body {
			if c < len(row) && row[c] != "" {
				values[row[c]] = true
				filled++
			}
		}
		if name != "" && !values[name] && filled >= fewestRepeats && 2*len(values) <= filled {
			return true
		}
	}
	return false
}

// delimiterEvidence tells the delimiter, and another that cuts the file about as
// well.
func delimiterEvidence(found sniffed) intray.Evidence {
	named := func(delim string) string { return strings.ReplaceAll(delim, noDelimiter, "none") }
	e := intray.Evidence{Choice: "delimiter", Value: named(found.delim), Reason: found.delimWhy}
	if found.rivalShare >= tie {
		e.Tie = true
		e.Rivals = []intray.Choice{{Value: named(found.rival), Reason: intray.NewMessage("delimiter.about_as_good", nil)}}
	}
	return e
}

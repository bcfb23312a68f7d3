package csv

import (
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/table"
)

// tie is how near the score of another delimiter must come for a person to be
// asked.
const tie = 0.97

// doubtHeader tells where another header fits about as well as the one found.
func (s *sheet) doubtHeader(layout table.Layout, rows []sampled, texts [][]string) {
	if !layout.Unsure() || layout.First >= len(rows) || layout.Headers > 0 && layout.Rival == table.NoHeader && standsOut(texts[layout.First], texts[layout.Body():]) {
		return
	}
	first := rows[layout.First]
	choice := "The first row of values is read as such, in line %d, and no header (%s)"
	if layout.Headers > 0 {
		choice = "Line %d is read as the header (%s)"
	}
	text := fmt.Sprintf(choice, first.line, spokenRow(first)) + ", which is not sure: "
	switch rival := layout.Rival; {
	case rival == table.NoHeader:
		text += "the file may have no header."
	case rival >= 0 && rival < len(rows):
		text += fmt.Sprintf("line %d may be the header (%s).", rows[rival].line, spokenRow(rows[rival]))
	}
	s.uncertain(text + " Say which row is the header, or give each column a name in the first row and send the file again.")
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

// doubtDelimiter tells where another delimiter cuts the file about as well.
func (s *sheet) doubtDelimiter(found sniffed) {
	if found.rivalShare >= tie {
		s.uncertain(fmt.Sprintf("The cells are separated with %s, which is not sure: %s cuts the rows about as well. Say which it is, or put the cells in quotes and send the file again.",
			spoken(found.delim), spoken(found.rival)))
	}
}

func (s *sheet) uncertain(text string) {
	s.notices = append(s.notices, intray.Notice{Type: intray.HeaderRowUncertain, Level: intray.LevelError, Text: text})
}

func spokenRow(row sampled) string { return excerpt(strings.Join(row.cells, " | ")) }

package headerdetect

import (
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// Evidence returns the choice of the header as evidence. If the layout is unsure, the evidence is
// a tie with the alternative. rows are the rows in which the layout was found, and above is the
// number of rows of the sheet before them.
func (l Layout) Evidence(rows [][]string, above int64) intray.Evidence {
	e := intray.Evidence{Choice: "header row", Value: headerValue(l.First, l.Headers, above), Reason: l.Reason, Tie: l.Unsure()}
	if e.Tie {
		e.Alternatives = []intray.Choice{l.alternativeChoice(rows, above)}
	}
	return e
}

// headerValue returns the value of the choice of header rows, as [intray.ParseHeaderRows] parses
// it.
func headerValue(first, headers int, above int64) string {
	number := func(row int) string { return strconv.FormatInt(above+int64(row)+1, 10) }
	switch headers {
	case 0:
		return intray.NoAnswer
	case 1:
		return number(first)
	}
	return number(first) + "–" + number(first+headers-1)
}

func (l Layout) alternativeChoice(rows [][]string, above int64) intray.Choice {
	if l.Alternative == NoHeader {
		return intray.Choice{Value: intray.NoAnswer, Label: intray.NewMessage("header.none", nil), Reason: intray.NewMessage("header.like_rows_below", nil), Examples: exampleCells(rows[l.First])}
	}
	headers := max(1, l.AlternativeHeaders)
	c := intray.Choice{Value: headerValue(l.Alternative, headers, above)}
	first, last := above+int64(l.Alternative)+1, above+int64(l.Alternative+headers)
	if headers == 1 {
		c.Label, c.Reason = intray.NewMessage("header.row", intray.Params{"row": first}), intray.NewMessage("header.could_name_columns", nil)
		c.Examples = exampleCells(rows[l.Alternative])
		return c
	}
	c.Label, c.Reason = intray.NewMessage("header.rows", intray.Params{"first": first, "last": last}), intray.NewMessage("header.more_rows_could_name", nil)
	c.Examples = exampleCells(Layout{Width: l.Width, First: l.Alternative, Headers: headers}.ColumnNames(rows))
	return c
}

const (
	// maxExamples is the maximum number of examples, and maxExampleChars is the maximum length of
	// each, in characters.
	maxExamples, maxExampleChars = 5, 80
)

// exampleCells returns the first nonempty cells of a row, at most maxExamples.
func exampleCells(row []string) (cells []string) {
	for _, cell := range row {
		if cell = strings.TrimSpace(cell); cell == "" || len(cells) == maxExamples {
			continue
		}
		if runes := []rune(cell[:min(len(cell), 4*maxExampleChars)]); len(runes) > maxExampleChars {
			cell = string(runes[:maxExampleChars-3]) + "..."
		}
		cells = append(cells, cell)
	}
	return cells
}

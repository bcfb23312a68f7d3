package mapping

import (
	"regexp"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// costYear is what it costs that a column is of one year only.
const costYear = 0.03

// yearOf knows years of the last and of this century, with the words that go with
// them.
var yearOf = regexp.MustCompile(`(?i)(?:\bFY\s*)?((?:19|20)[0-9]{2})(?:[年년]度?)?`)

// withoutYear takes the one year out of a header: "Revenue 2025" is revenue. The
// year is "" where there is none, or several figures.
func withoutYear(header string) (rest, year string) {
	if !strings.Contains(header, "19") && !strings.Contains(header, "20") {
		return header, ""
	}
	at := yearOf.FindStringSubmatchIndex(header)
	if at == nil {
		return header, ""
	}
	rest = header[:at[0]] + " " + header[at[1]:]
	if figures(rest) != "" || strings.TrimSpace(rest) == "" {
		return header, ""
	}
	return rest, header[at[2]:at[3]]
}

// nouns counts how many columns there are of each name, whatever their years;
// it is empty where no column has a year.
func nouns(columns []intray.Column) map[string]int {
	all := map[string]int{}
	if !slices.ContainsFunc(columns, func(c intray.Column) bool { _, year := withoutYear(c.Header); return year != "" }) {
		return all
	}
	for _, c := range columns {
		rest, _ := withoutYear(c.Header)
		all[fold(rest)]++
	}
	return all
}

// readYear reads the header of a column of amounts that has a year behind its
// name, where no other column has that name; none for other columns.
func readYear(l *lexicon.Lexicon, header string, nouns map[string]int) (readings []lexicon.Reading, year string) {
	rest, year := withoutYear(header)
	if year == "" || nouns[fold(rest)] > 1 {
		return nil, ""
	}
	readings = slices.DeleteFunc(l.Read(rest), func(r lexicon.Reading) bool {
		return !slices.Contains([]string{"amount", "number", "percent"}, l.Concept(r.Named).Values)
	})
	if len(readings) == 0 {
		return nil, ""
	}
	for i := range readings {
		readings[i].Cost += costYear
	}
	return readings, year
}

// otherYear says whether a field's name is of another year than a column.
func otherYear(name, year string) bool {
	if year == "" {
		return false
	}
	_, own := withoutYear(name)
	return own != "" && own != year
}

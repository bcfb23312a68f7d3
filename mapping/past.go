package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray/mapping/lexicon"
)

// maxCertainCost is the maximum cost of a reading that leaves no doubt about what a name means.
const maxCertainCost = 0.15

// pastEvents are the qualifiers of dates that are never in the future.
var pastEvents = []string{"birth", "death"}

// NamesPastDate reports whether a name means a date that is never in the future: of a birth or a
// death.
func NamesPastDate(name string) bool {
	known, err := lexicon.Standard()
	if err != nil {
		return false
	}
	readings := known.Read(name)
	return len(readings) > 0 && readings[0].Cost <= maxCertainCost && readings[0].Head == "date" &&
		slices.ContainsFunc(readings[0].Qualifiers, func(q string) bool { return slices.Contains(pastEvents, q) })
}

// yearWords are words for a year, folded.
var yearWords = strings.Fields("year yr years jahr baujahr annee ano anno rok god рік год година yil vuosi ar ev aasta gads metai godina leto ετος 年 年度 연도 년도 nam tahun ปี ปีพศ سنه السنه سال שנה वर्ष")

// NamesYear reports whether a word of a name means a year.
func NamesYear(name string) bool {
	return slices.ContainsFunc(lexicon.SplitWords(name), func(word string) bool { return slices.Contains(yearWords, word) })
}

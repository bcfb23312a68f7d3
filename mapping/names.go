package mapping

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// grade is one degree of closeness between a header and a name of a field.
type grade struct {
	// alternates selects the alternate names instead of the key and the label.
	alternates bool
	// spelling returns a name in the spelling in which names are compared.
	spelling func(string) string
	// match returns the reason why a header matches a name of the field.
	match func(header string, n name) intray.Message
	score float64
	// many restricts the grade to many-to-one fields.
	many bool
}

// grades lists the grades for fields of all kinds in the order in which they are tried.
var grades = []grade{
	{spelling: exactSpelling, score: 1, match: isName},
	{spelling: exactSpelling, score: 1, match: isName, alternates: true},
	{spelling: normalize, score: 0.95, match: isRespelled},
	{spelling: normalize, score: 0.9, match: isRespelled, alternates: true},
}

// seriesGrades follow grades. They are for many-to-one fields and columns that differ only
// in a number.
var seriesGrades = []grade{
	{spelling: unnumbered, score: 0.94, match: isNumbered, many: true},
	{spelling: unnumbered, score: 0.92, match: isNumbered, many: true, alternates: true},
}

// exactGrades is the number of grades that compare exact names.
const exactGrades = 2

func exactSpelling(name string) string { return name }

func isName(_ string, n name) intray.Message {
	return intray.NewMessage("mapping.header_is_name", intray.Params{"kind": n.kind.message(), "name": Shorten(n.text)})
}

func isRespelled(header string, n name) intray.Message {
	return intray.NewMessage("mapping.header_is_name_respelled", intray.Params{"header": header, "kind": n.kind.message(), "name": Shorten(n.text)})
}

func isNumbered(header string, n name) intray.Message {
	return intray.NewMessage("mapping.header_is_name_numbered", intray.Params{"header": header, "kind": n.kind.message(), "name": Shorten(n.text)})
}

func isUnaccented(header string, n name) intray.Message {
	return intray.NewMessage("mapping.header_is_name_unaccented", intray.Params{"header": header, "kind": n.kind.message(), "name": Shorten(n.text)})
}

func isAlike(header string, n name) intray.Message {
	return intray.NewMessage("mapping.header_like_name", intray.Params{"header": header, "kind": n.kind.message(), "name": Shorten(n.text)})
}

// name is one of a field's names.
type name struct {
	kind nameKind
	text string
	// spelled is the name in the spelling of the grade.
	spelled string
}

// because returns a reason that concerns the name.
func (n name) because(why func(header string, n name) intray.Message) reason {
	return func(header string) intray.Message { return why(header, n) }
}

// nameKind is the kind of a field's name, such as key or label.
type nameKind uint8

const (
	keyName nameKind = iota
	labelName
	alternateName
)

func (k nameKind) message() intray.Message {
	switch k {
	case keyName:
		return intray.NewMessage("field_name.key", nil)
	case labelName:
		return intray.NewMessage("field_name.label", nil)
	}
	return intray.NewMessage("field_name.alternate", nil)
}

// namesOf returns the names of a field that the grade compares. It skips empty names and
// names with the same spelling as an earlier one.
func (g grade) namesOf(f intray.Field) []name {
	all := []name{{kind: keyName, text: f.Key}, {kind: labelName, text: f.Label}}
	if g.alternates {
		all = all[:0]
		for _, text := range f.AlternateMatches {
			all = append(all, name{kind: alternateName, text: text})
		}
	}
	seen := make(map[string]bool, len(all))
	kept := all[:0]
	for _, n := range all {
		n.spelled = g.spelling(n.text)
		if n.spelled == "" || seen[n.spelled] || g.many && digitsOf(n.text) != "" {
			continue
		}
		seen[n.spelled] = true
		kept = append(kept, n)
	}
	return kept
}

// matched returns the match between a column and a field with the given name.
func (g grade) matched(column intray.Column, n name) intray.Match {
	return intray.Match{
		Column: column.Index, Header: column.Header, Score: g.score,
		Reasons: []intray.Message{g.match(Shorten(column.Header), n)},
	}
}

// normalize returns a name in lower case and without spaces and punctuation, so that "First
// Name", "first_name", "firstName" and "FIRST-NAME" are equal. It retains accents and the signs
// # % & + $ € £, which carry meaning, so that "Amount" and "Amount %" remain different.
func normalize(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		case strings.ContainsRune("#%&+$€£", r):
			return r
		}
		return -1
	}, norm.NFC.String(name))
}

// maxNamed is the maximum number of columns or fields that a message lists, because a file may
// have thousands of columns.
const maxNamed = 5

// Shorten is [intray.Shorten], under the name by which the packages that use mappings know it.
func Shorten(text string) string { return intray.Shorten(text) }

// costYear is the cost of a column that holds the amounts of one year only.
const costYear = 0.03

// yearOf matches years from 1900 to 2099 and words for year next to them.
var yearOf = regexp.MustCompile(`(?i)(?:\bFY\s*)?((?:19|20)[0-9]{2})(?:[年년]度?)?`)

// withoutYear splits a header into the name and the year: "Revenue 2025" becomes "Revenue"
// and "2025". The year is "" if the header has no year, several numbers or no other text.
func withoutYear(header string) (rest, year string) {
	if !strings.Contains(header, "19") && !strings.Contains(header, "20") {
		return header, ""
	}
	at := yearOf.FindStringSubmatchIndex(header)
	if at == nil {
		return header, ""
	}
	rest = header[:at[0]] + " " + header[at[1]:]
	if digitsOf(rest) != "" || strings.TrimSpace(rest) == "" {
		return header, ""
	}
	return rest, header[at[2]:at[3]]
}

// countNames returns the number of columns for each name without its year. The result is empty
// if no header has a year.
func countNames(columns []intray.Column) map[string]int {
	all := map[string]int{}
	if !slices.ContainsFunc(columns, func(c intray.Column) bool { _, year := withoutYear(c.Header); return year != "" }) {
		return all
	}
	for _, c := range columns {
		rest, _ := withoutYear(c.Header)
		all[foldName(rest)]++
	}
	return all
}

// readYear reads the header of a column of amounts that contains a year. It returns no readings
// for any other column, or if a second column has the same name without the year.
func readYear(l *lexicon.Lexicon, header string, nameCounts map[string]int) (readings []lexicon.Reading, year string) {
	rest, year := withoutYear(header)
	if year == "" || nameCounts[foldName(rest)] > 1 {
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

// isOtherYear reports whether the name of a field contains a different year than the column.
func isOtherYear(name, year string) bool {
	if year == "" {
		return false
	}
	_, own := withoutYear(name)
	return own != "" && own != year
}

// similarity returns the similarity of the letters of two folded names, from 0 to 1. It
// returns 0 if the names differ in a digit.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	if digitsOf(a) != digitsOf(b) {
		return 0
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if strings.Join(x, "") == strings.Join(y, "") {
		return 0.98
	}
	slices.Sort(x)
	slices.Sort(y)
	if slices.Equal(x, y) {
		return 0.95
	}
	return max(abbreviationScore(strings.Fields(a), strings.Fields(b)), editSimilarity([]rune(a), []rune(b)))
}

// wordOverlap returns the share of words that two names have in common, from 0 to 1. A word
// counts as equal to its abbreviations and inflected forms.
func wordOverlap(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for _, x := range a {
		if slices.ContainsFunc(b, func(y string) bool { return lexicon.Abbreviates(x, y) || lexicon.Abbreviates(y, x) || sameStem(x, y) }) {
			n++
		}
	}
	return min(1, 2*float64(n)/float64(len(a)+len(b)))
}

// sameStem reports whether two words differ only in their ending, such as category and
// categories.
func sameStem(a, b string) bool {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return a == b || n >= 4 && 10*n >= 7*max(len(x), len(y))
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// abbreviationScore rates from 0 to 1 how well one name abbreviates the other. It compares the
// names word by word. The abbreviation of a word is its beginning or some of its consonants.
func abbreviationScore(a, b []string) float64 {
	if len(a) != len(b) {
		return 0
	}
	score := 1.0
	for i := range a {
		switch {
		case a[i] == b[i]:
		case lexicon.Abbreviates(a[i], b[i]) || lexicon.Abbreviates(b[i], a[i]):
			score -= 0.12
		default:
			return 0
		}
	}
	return score
}

// maxCompared is the maximum number of letters of a name that editSimilarity considers.
const maxCompared = 64

// editSimilarity returns the share of letters that need no change, based on the
// Damerau-Levenshtein distance (optimal string alignment).
func editSimilarity(a, b []rune) float64 {
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	longer := max(len(a), len(b))
	if longer == 0 {
		return 0
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return 1 - float64(last[len(b)])/float64(longer)
}

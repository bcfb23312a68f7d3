package mapping

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// grade is one degree of closeness between a header and a name of a field.
type grade struct {
	// alternates selects the alternate names.
	alternates bool
	// spelling maps names to the spelling in which they are compared.
	spelling func(string) string
	// match explains that a matching header is the name of the field.
	match func(header string, n name) intray.Message
	score float64
	// many restricts the grade to fields that take several columns.
	many bool
}

// grades are tried in order.
var grades = []grade{
	{spelling: exactSpelling, score: 1, match: isName},
	{spelling: exactSpelling, score: 1, match: isName, alternates: true},
	{spelling: normalize, score: 0.95, match: isRespelled},
	{spelling: normalize, score: 0.9, match: isRespelled, alternates: true},
}

// seriesGrades follow grades, for columns that only a number distinguishes and
// fields that take several.
var seriesGrades = []grade{
	{spelling: unnumbered, score: 0.94, match: isNumbered, many: true},
	{spelling: unnumbered, score: 0.92, match: isNumbered, many: true, alternates: true},
}

// exactGrades is how many of the grades compare exact names.
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
	// spelled is the name as the grade compares it.
	spelled string
}

// because returns a reason that is about the name.
func (n name) because(why func(header string, n name) intray.Message) reason {
	return func(header string) intray.Message { return why(header, n) }
}

// nameKind is which of a field's names one is.
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

// namesOf returns the names of a field that the grade compares. Of two that are
// alike it returns the first; it skips empty names.
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

// matched returns the match of a column with the header to a field with the
// name.
func (g grade) matched(column intray.Column, n name) intray.Match {
	return intray.Match{
		Column: column.Index, Header: column.Header, Score: g.score,
		Reasons: []intray.Message{g.match(Shorten(column.Header), n)},
	}
}

// normalize maps the spellings of one name to one text: lower case, without
// spaces and punctuation. "First Name", "first_name", "firstName" and
// "FIRST-NAME" are one name. Letters keep their accents, and signs that are
// neither letters nor digits but carry meaning (# % & + $ € £) stay, so that
// "Amount" and "Amount %" remain two.
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

// Texts name at most this many columns or fields, and cut each name after this
// many characters: a file may have thousands, each of some kilobytes.
const (
	maxNamed = 5
	maxQuote = 100
)

// Shorten cuts a header or another name after 100 characters and adds an
// ellipsis. It is for texts that people read.
func Shorten(text string) string {
	if len(text) <= maxQuote || utf8.RuneCountInString(text) <= maxQuote {
		return text
	}
	end := 0
	for range maxQuote {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + "…"
}

// costYear is the cost of a column that is of one year only.
const costYear = 0.03

// yearOf matches years of the last and of this century, with the words that
// belong to them.
var yearOf = regexp.MustCompile(`(?i)(?:\bFY\s*)?((?:19|20)[0-9]{2})(?:[年년]度?)?`)

// withoutYear removes the one year from a header: "Revenue 2025" is revenue.
// The year is "" if there is none, or several numbers.
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

// countNames counts the columns of each name regardless of their years. It is
// empty if no column has a year.
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

// readYear reads the header of a column of amounts with a year after its name,
// if no other column has that name. It returns none for other columns.
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

// isOtherYear reports whether a field's name is of another year than a column.
func isOtherYear(name, year string) bool {
	if year == "" {
		return false
	}
	_, own := withoutYear(name)
	return own != "" && own != year
}

package mapping

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
)

// grade is one degree of closeness between a header and a name of a field.
type grade struct {
	// alternates says that the names are the alternate ones.
	alternates bool
	// spelling brings the spellings together that count as one.
	spelling func(string) string
	// remark is what a reason says of a header that is not the name itself.
	remark string
	score  float64
	// many says that it is for fields that take several columns.
	many bool
}

// grades are tried in order.
var grades = []grade{
	{spelling: asWritten, score: 1},
	{spelling: asWritten, score: 1, alternates: true},
	{spelling: normalize, score: 0.95, remark: ", written otherwise"},
	{spelling: normalize, score: 0.9, remark: ", written otherwise", alternates: true},
}

// series are the grades that come behind: of columns that are told apart by a
// number, for fields that take several.
var series = []grade{
	{spelling: unnumbered, score: 0.94, remark: ", one of several", many: true},
	{spelling: unnumbered, score: 0.92, remark: ", one of several", many: true, alternates: true},
}

// exactGrades is how many of the grades take names to the letter.
const exactGrades = 2

func asWritten(name string) string { return name }

// name is one of a field's names.
type name struct {
	// what says whose name it is, for a reason.
	what, text string
	// spelled is the name as the grade compares it.
	spelled string
}

// What a field's key and its alternate names are called in reasons.
const (
	keyName       = "the field's key"
	alternateName = "the alternate name"
)

// names gives those of a field that the grade looks at. Where two are alike,
// the first stands for both; one without any text stands for nothing.
func (g grade) names(f intray.Field) []name {
	all := []name{{what: keyName, text: f.Key}, {what: "the field's label", text: f.Label}}
	if g.alternates {
		all = all[:0]
		for _, text := range f.AlternateMatches {
			all = append(all, name{what: alternateName, text: text})
		}
	}
	seen := make(map[string]bool, len(all))
	kept := all[:0]
	for _, n := range all {
		n.spelled = g.spelling(n.text)
		if n.spelled == "" || seen[n.spelled] || g.many && figures(n.text) != "" {
			continue
		}
		seen[n.spelled] = true
		kept = append(kept, n)
	}
	return kept
}

// match is that of a column with the header to a field with the name.
func (g grade) match(column intray.Column, n name) intray.Match {
	header := ""
	if g.remark != "" {
		header = " " + quote(column.Header)
	}
	return intray.Match{
		Column: column.Index, Header: column.Header, Score: g.score,
		Reasons: []intray.Message{intray.Literal(fmt.Sprintf("the header%s is %s %s%s", header, n.what, quote(n.text), g.remark))},
	}
}

// normalize brings the spellings of one name together: lower case, without
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

// Texts name at most this many columns or fields, and cut each name behind
// this many characters: a file may have thousands, each of some kilobytes.
const (
	maxNamed = 5
	maxQuote = 100
)

// quote puts a name into a text.
func quote(text string) string { return fmt.Sprintf("%q", Shorten(text)) }

// Shorten cuts a header or another name behind 100 characters, and says so
// with an ellipsis. It is for texts that people read.
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

// listed joins the first of total parts, and counts those left out.
func listed(parts []string, total int) string {
	text := strings.Join(parts, ", ")
	if more := total - len(parts); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

package mapping

import (
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
	// match says how a header that fits is the name of the field.
	match func(header string, n name) intray.Message
	score float64
	// many says that it is for fields that take several columns.
	many bool
}

// grades are tried in order.
var grades = []grade{
	{spelling: asWritten, score: 1, match: isName},
	{spelling: asWritten, score: 1, match: isName, alternates: true},
	{spelling: normalize, score: 0.95, match: isRespelled},
	{spelling: normalize, score: 0.9, match: isRespelled, alternates: true},
}

// series are the grades that come behind: of columns that are told apart by a
// number, for fields that take several.
var series = []grade{
	{spelling: unnumbered, score: 0.94, match: isNumbered, many: true},
	{spelling: unnumbered, score: 0.92, match: isNumbered, many: true, alternates: true},
}

// exactGrades is how many of the grades take names to the letter.
const exactGrades = 2

func asWritten(name string) string { return name }

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

// because is a reason that is about the name.
func (n name) because(why func(header string, n name) intray.Message) reason {
	return func(header string) intray.Message { return why(header, n) }
}

// nameKind says which of a field's names one is.
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

// names gives those of a field that the grade looks at. Where two are alike,
// the first stands for both; one without any text stands for nothing.
func (g grade) names(f intray.Field) []name {
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
		if n.spelled == "" || seen[n.spelled] || g.many && figures(n.text) != "" {
			continue
		}
		seen[n.spelled] = true
		kept = append(kept, n)
	}
	return kept
}

// matched is the match of a column with the header to a field with the name.
func (g grade) matched(column intray.Column, n name) intray.Match {
	return intray.Match{
		Column: column.Index, Header: column.Header, Score: g.score,
		Reasons: []intray.Message{g.match(Shorten(column.Header), n)},
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

package lint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
)

// significantSigns are the characters other than letters and digits that distinguish names
// of fields: Amount and Amount % are different.
const significantSigns = "#%&+$€£"

// fieldName returns the name of a field in lower case and without accents, spaces and
// punctuation, so that "First Name", "first_name" and "firstName" are equal.
func fieldName(text string) string { return normalizeName(text, "") }

// separators are characters that count as spaces between two words in the name of an
// option. At the start or end of a name, they may be significant: A and A- are different.
const separators = "-_–—/.,;:'’`\"()"

// optionName returns the name of an option in lower case and without accents, with one space
// between words.
func optionName(text string) string { return normalizeName(text, " ") }

// normalizeName returns text in lower case and without accents, with the string join between
// its words.
func normalizeName(text, join string) string {
	if plain := normalizeASCII(text, join); plain != "" {
		return plain
	}
	return normalizeUnicode(text, join)
}

func normalizeUnicode(text, join string) string {
	text = norm.NFKD.String(strings.ToLower(strings.TrimSpace(text)))
	out := make([]byte, 0, len(text))
	gap := false
	for i, r := range text {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		case unicode.Is(unicode.Mn, r):
			continue
		case join != "" && (unicode.IsSpace(r) || strings.ContainsRune(separators, r) && i > 0 && i+utf8.RuneLen(r) < len(text)):
			gap = true
			continue
		case join == "" && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(significantSigns, r):
			continue
		}
		if gap && len(out) > 0 {
			out = append(out, join...)
		}
		gap = false
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// normalizeASCII is normalizeName for text that consists of ASCII letters, digits and
// single spaces. It returns "" for any other text.
func normalizeASCII(text, join string) string {
	out := make([]byte, 0, len(text))
	blank := true
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == ' ' && !blank:
			blank = true
			out = append(out, join...)
			continue
		default:
			return ""
		}
		blank = false
		out = append(out, c)
	}
	if blank {
		return ""
	}
	return string(out)
}

// fieldNames returns the names of a field, with the properties that contain them.
func fieldNames(f intray.Field) []fieldWord {
	all := []fieldWord{{"key", f.Key}, {"label", f.Label}}
	for i, text := range f.AlternateMatches {
		all = append(all, fieldWord{indexed("alternateMatches", i), text})
	}
	return all
}

// fieldWord is one name of a field, with the property that contains it.
type fieldWord struct{ what, text string }

// nameOwner is the first field that has a certain name.
type nameOwner struct {
	field int
	word  fieldWord
}

// checkNames reports fields that no header can distinguish.
func (l *linter) checkNames() {
	taken := map[string]nameOwner{}
	lower := map[string]int{}
	for i, f := range l.schema.Fields {
		key := strings.ToLower(f.Key)
		first, twin := lower[key]
		if twin {
			l.warn(l.fieldAt(i, "key"), "keys_differ_in_case",
				intray.NewMessage("lint.keys_differ_in_case", intray.Params{"key": shorten(f.Key), "path": indexed("fields", first), "other": shorten(l.schema.Fields[first].Key)}))
		} else {
			lower[key] = i
		}
		l.checkOwnNames(i, f)
		if !f.Hidden {
			l.checkSharedNames(i, f, taken, twin)
		}
	}
}

// checkOwnNames checks the alternate names of a field.
func (l *linter) checkOwnNames(i int, f intray.Field) {
	seen := map[string]int{}
	for n, text := range f.AlternateMatches {
		at := l.fieldAt(i, indexed("alternateMatches", n))
		first, again := seen[text]
		switch {
		case strings.TrimSpace(text) == "":
			l.info(at, "empty_name", intray.NewMessage("lint.empty_alternate_match", nil))
		case again:
			l.info(at, "repeated_name", intray.NewMessage("lint.repeated_alternate_match", intray.Params{"name": shorten(text), "path": indexed("alternateMatches", first)}))
		default:
			seen[text] = n
		}
	}
}

// checkSharedNames reports, for each earlier field, the first name that the field has in
// common with it, unless their keys were already reported.
func (l *linter) checkSharedNames(i int, f intray.Field, taken map[string]nameOwner, reported bool) {
	with := map[int]bool{}
	for _, w := range fieldNames(f) {
		name := fieldName(w.text)
		if name == "" {
			continue
		}
		first, known := taken[name]
		if !known {
			taken[name] = nameOwner{i, w}
			continue
		}
		if first.field == i || with[first.field] || reported {
			continue
		}
		with[first.field] = true
		params := intray.Params{
			"name": shorten(w.text), "kind": kindOfName(first.word.what), "field": shorten(l.schema.Fields[first.field].Key), "path": indexed("fields", first.field),
		}
		if w.text == first.word.text {
			l.warn(l.fieldAt(i, w.what), "fields_alike", intray.NewMessage("lint.fields_share_name", params))
			continue
		}
		params["other"] = shorten(first.word.text)
		l.warn(l.fieldAt(i, w.what), "fields_alike", intray.NewMessage("lint.fields_share_spelling", params))
	}
}

// These are the properties that contain names.
var (
	keyName       = intray.NewMessage("lint.name_key", nil)
	labelName     = intray.NewMessage("lint.name_label", nil)
	valueName     = intray.NewMessage("lint.name_value", nil)
	alternateName = intray.NewMessage("lint.name_alternate_match", nil)
)

func kindOfName(what string) intray.Message {
	switch what {
	case "key":
		return keyName
	case "label":
		return labelName
	case "value":
		return valueName
	}
	return alternateName
}

package date

import (
	_ "embed" // the names and patterns of the locales
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

//go:embed locales.txt
var localesText string

// Locale is how a language, or a country in it, writes dates. It is read only.
type Locale struct {
	// Code is the language tag, such as de or en-GB.
	Code string

	language int
	entries  map[string]string
	parent   *Locale
}

// FindLocale gives the locale of a language tag such as de-AT or pt_BR, or that
// of its language where the country has none. False where neither is known.
func FindLocale(tag string) (*Locale, bool) {
	if len(tag) > 64 {
		return nil, false // longer than any language tag that is in use
	}
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	for tag != "" {
		if other, is := localeAliases[tag]; is {
			tag = other
		}
		if l := locales().byCode[tag]; l != nil {
			return l, true
		}
		tag = tag[:max(0, strings.LastIndexByte(tag, '-'))]
	}
	return nil, false
}

// LocaleCodes lists the language tags of all locales.
func LocaleCodes() []string {
	var codes []string
	for _, l := range locales().all {
		codes = append(codes, l.Code)
	}
	return codes
}

var localeAliases = map[string]string{
	"no": "nb", "nn": "nb", "iw": "he", "in": "id", "tl": "fil", "sh": "sr-latn", "pt-br": "pt",
	"zh-cn": "zh", "zh-sg": "zh", "zh-hans": "zh", "zh-tw": "zh-hant", "zh-mo": "zh-hk", "zh-hant-hk": "zh-hk",
	"sr-rs": "sr", "sr-cyrl": "sr", "sr-latn-rs": "sr-latn", "es-419": "es-mx",
}

// entry gives what the locale, or the one it takes over from, says under key.
func (l *Locale) entry(key string) string {
	for ; l != nil; l = l.parent {
		if value, is := l.entries[key]; is {
			return value
		}
	}
	return ""
}

// names gives a list of names; the form in a date is that outside of one where
// the locale does not tell them apart.
func (l *Locale) names(key string) []string {
	for at := l; at != nil; at = at.parent {
		for _, k := range [2]string{key, key + ".alone"} {
			if value, is := at.entries[k]; is {
				return strings.Split(value, "|")
			}
		}
	}
	return nil
}

// Order is the order of day, month and year in the locale's short date.
func (l *Locale) Order() Order { return patternOrder(l.entry("D")) }

// patternOrder gives the order of day, month and year in a pattern that has
// nothing else.
func patternOrder(pattern string) Order {
	var seen []byte
	for _, c := range []byte(pattern) {
		if strings.IndexByte("dMyL", c) >= 0 && (len(seen) == 0 || seen[len(seen)-1] != c) {
			seen = append(seen, c)
		}
	}
	switch strings.ReplaceAll(string(seen), "L", "M") {
	case "dMy":
		return DMY
	case "Mdy":
		return MDY
	case "yMd":
		return YMD
	case "ydM":
		return YDM
	}
	return Undecided
}

// Languages is a set of languages.
type Languages uint64

// Codes lists the tags of the languages.
func (s Languages) Codes() []string {
	var codes []string
	for ; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros64(uint64(s)); i < len(locales().languages) {
			codes = append(codes, locales().languages[i])
		}
	}
	return codes
}

// parseLanguages reads codes joined by plus signs.
func (t *localeTable) parseLanguages(codes string) (Languages, error) {
	var set Languages
	for code := range strings.SplitSeq(codes, "+") {
		l := t.byCode[strings.ToLower(code)]
		if l == nil {
			return 0, fmt.Errorf("the language %q is not known", code)
		}
		set |= 1 << l.language
	}
	return set, nil
}

// localeTable is the content of the file of locales.
type localeTable struct {
	all       []*Locale
	byCode    map[string]*Locale
	languages []string
	words     map[string]*word
	// index gives the place of a word in dictionary, whose first entry is none.
	index      map[string]wordID
	dictionary []word
	thai       Languages
}

var locales = sync.OnceValue(func() *localeTable {
	t, err := parseLocales(localesText)
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return t
})

func parseLocales(text string) (*localeTable, error) {
	t := &localeTable{byCode: map[string]*Locale{}, words: map[string]*word{}}
	var section *Locale
	for number, line := range strings.Split(text, "\n") {
		if err := t.line(strings.TrimSpace(line), &section); err != nil {
			return nil, fmt.Errorf("locales, line %d: %w", number+1, err)
		}
	}
	if err := t.addWords(); err != nil {
		return nil, err
	}
	t.index, t.dictionary = make(map[string]wordID, len(t.words)), make([]word, 1, len(t.words)+1)
	for key, w := range t.words {
		t.index[key] = wordID(len(t.dictionary))
		t.dictionary = append(t.dictionary, *w)
	}
	var err error
	t.thai, err = t.parseLanguages("th")
	return t, err
}

func (t *localeTable) line(line string, section **Locale) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
		*section = t.open(line[1 : len(line)-1])
		return nil
	}
	key, value, is := strings.Cut(line, " = ")
	if !is || *section == nil {
		return errors.New("no section and no \"key = value\"")
	}
	if key == "parent" {
		return t.inherit(*section, value)
	}
	value, err := unescape(value)
	(*section).entries[key] = value
	return err
}

// open begins a section. Each has a language of its own, until it names its
// parent.
func (t *localeTable) open(code string) *Locale {
	l := &Locale{Code: code, language: len(t.languages), entries: map[string]string{}}
	t.byCode[strings.ToLower(code)] = l
	if code == "any" {
		delete(t.byCode, code)
		l.language = -1
		t.all = append(t.all[:0], l)
		return l
	}
	t.languages = append(t.languages, code)
	t.all = append(t.all, l)
	return l
}

func (t *localeTable) inherit(l *Locale, parent string) error {
	l.parent = t.byCode[strings.ToLower(parent)]
	if l.parent == nil {
		return fmt.Errorf("the parent %q stands nowhere above", parent)
	}
	l.language = l.parent.language
	t.languages = t.languages[:len(t.languages)-1]
	return nil
}

// unescape replaces \u202f and the like.
func unescape(text string) (string, error) {
	for {
		at := strings.Index(text, `\u`)
		if at < 0 {
			return text, nil
		}
		if len(text) < at+6 {
			return "", fmt.Errorf("%q ends too early", text)
		}
		r, err := strconv.ParseUint(text[at+2:at+6], 16, 16)
		if err != nil {
			return "", fmt.Errorf("read %q: %w", text, err)
		}
		text = text[:at] + string(rune(r)) + text[at+6:]
	}
}

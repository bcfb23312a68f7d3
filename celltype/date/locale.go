package date

import (
	_ "embed" // the names and patterns of the locales
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

//go:embed locales.txt
var localesText string

// Locale describes how dates are written in a language, or in a country where
// it is spoken. It is immutable.
type Locale struct {
	// Code is the language tag, such as de or en-GB.
	Code string

	language int
	entries  map[string]string
	parent   *Locale
	// nameElements contains the elements of layouts that have been compiled, by list of names.
	nameElements sync.Map
}

// FindLocale returns the locale for a language tag such as de-AT or pt_BR. If
// there is none for the country, it returns the locale of the language. It
// reports false if there is no locale for the language either.
func FindLocale(tag string) (*Locale, bool) {
	if len(tag) > maxTag {
		return nil, false
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

// maxTag is the maximum length of a language tag in bytes. No tag in use is longer.
const maxTag = 64

// UnknownLocale returns the error for a language tag without a locale. Its message contains at
// most the first 64 bytes of the tag.
func UnknownLocale(tag string) error {
	if len(tag) > maxTag {
		tag = strings.ToValidUTF8(tag[:maxTag], "") + "…"
	}
	return &intray.MessageError{Message: intray.NewMessage("date_format.unknown_locale", intray.Params{"locale": tag})}
}

var localeAliases = map[string]string{
	"no": "nb", "nn": "nb", "iw": "he", "in": "id", "tl": "fil", "sh": "sr-latn", "pt-br": "pt",
	"zh-cn": "zh", "zh-sg": "zh", "zh-hans": "zh", "zh-tw": "zh-hant", "zh-mo": "zh-hk", "zh-hant-hk": "zh-hk",
	"sr-rs": "sr", "sr-cyrl": "sr", "sr-latn-rs": "sr-latn", "es-419": "es-mx",
}

// lookup returns the entry of the locale or, if it has none, of its closest ancestor that has
// one.
func (l *Locale) lookup(key string) string {
	for ; l != nil; l = l.parent {
		if value, is := l.entries[key]; is {
			return value
		}
	}
	return ""
}

// nameList returns a list of names. If the locale has no separate list of names
// for use within a date, it returns the stand-alone names.
func (l *Locale) nameList(key string) []string {
	for at := l; at != nil; at = at.parent {
		for _, k := range [2]string{key, key + ".alone"} {
			if value, is := at.entries[k]; is {
				return strings.Split(value, "|")
			}
		}
	}
	return nil
}

// DateOrder returns the order of day, month and year in the locale's short date format.
func (l *Locale) DateOrder() Order { return patternOrder(l.lookup("D")) }

// patternOrder returns the order of day, month and year in a pattern. It
// returns Undecided if the pattern does not have all three.
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

// Tags returns the language tags of the set.
func (s Languages) Tags() []string {
	var codes []string
	for ; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros64(uint64(s)); i < len(locales().languages) {
			codes = append(codes, locales().languages[i])
		}
	}
	return codes
}

// parseLanguages parses language tags separated by plus signs.
func (t *localeTable) parseLanguages(codes string) (Languages, error) {
	var set Languages
	for code := range strings.SplitSeq(codes, "+") {
		l := t.byCode[strings.ToLower(code)]
		if l == nil {
			return 0, fmt.Errorf("unknown language %q", code)
		}
		set |= 1 << l.language
	}
	return set, nil
}

// localeTable is the parsed content of locales.txt.
type localeTable struct {
	all       []*Locale
	byCode    map[string]*Locale
	languages []string
	words     map[string]*word
	// index maps a word to its position in dictionary. The first entry of dictionary is unused.
	index      map[string]wordID
	dictionary []word
	thai       Languages
}

var locales = sync.OnceValue(func() *localeTable {
	t, err := parseLocales(localesText)
	if err != nil {
		panic(err) // the file is embedded, and a test parses it
	}
	return t
})

func parseLocales(text string) (*localeTable, error) {
	t := &localeTable{byCode: map[string]*Locale{}, words: map[string]*word{}}
	common := &Locale{}
	var section *Locale
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, isEntry := strings.Cut(line, " = ")
		unescaped, err := strconv.Unquote(`"` + value + `"`)
		switch {
		case line == "[any]":
			section = common
			section.entries = map[string]string{}
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = &Locale{Code: line[1 : len(line)-1], language: len(t.languages), entries: map[string]string{}}
			t.byCode[strings.ToLower(section.Code)] = section
			t.all = append(t.all, section)
			// A section without a parent is a separate language.
			t.languages = append(t.languages, section.Code)
		case !isEntry || section == nil:
			err = errors.New("neither a section nor an entry of one")
		case key == "parent":
			if section.parent = t.byCode[strings.ToLower(value)]; section.parent == nil {
				err = fmt.Errorf("the parent %q must precede the section", value)
				break
			}
			section.language = section.parent.language
			t.languages = t.languages[:len(t.languages)-1]
		default:
			section.entries[key] = unescaped
		}
		if err != nil {
			return nil, fmt.Errorf("locales, line %d: %w", number+1, err)
		}
	}
	if common.entries == nil || len(t.languages) > 64 {
		return nil, fmt.Errorf("locales: no section [any], or more than 64 languages")
	}
	if err := t.addWords(common); err != nil {
		return nil, fmt.Errorf("locales: %w", err)
	}
	var err error
	t.thai, err = t.parseLanguages("th")
	return t, err
}

// word is a word that can occur in a date, with its meanings in all languages.
type word struct {
	months, days []sense
	flags        wordFlag
	// value is the offset of a zone in minutes, the year before the first year of an era, or
	// the year that a word such as 令和元年 means.
	value int32
	// last is the last year of an era that has ended, or 0.
	last int32
}

// wordID is the position of a word in the dictionary, or 0 for no word. Tokens
// store it instead of a pointer, because a pointer would move them to the heap.
type wordID uint16

func (id wordID) entry() *word { return &locales().dictionary[id] }

// sense is one meaning of a name: the month or weekday with the given number, in some languages.
type sense struct {
	number    uint8
	languages Languages
}

type wordFlag uint16

const (
	flagSkipped wordFlag = 1 << iota
	flagHour
	flagMinute
	flagSecond
	flagMonthBefore // the number of the month follows, as in tháng 3
	flagYear
	flagMonthAfter
	flagDay
	flagOrdinal
	flagZone
	flagEra
	flagFirstYear
	flagAM
	flagPM
	// flagPrefix marks the first word of a name that has several words.
	flagPrefix
)

// commonFlags maps the entries of the section [any] to their flags. In the
// file, a zone, era or first year is followed by an equals sign and its value.
var commonFlags = map[string]wordFlag{
	"skip": flagSkipped, "hours": flagHour, "minutes": flagMinute, "seconds": flagSecond,
	"months": flagMonthBefore, "years": flagYear, "monthsafter": flagMonthAfter, "days": flagDay, "ordinals": flagOrdinal,
	"zones": flagZone, "eras": flagEra, "firstyears": flagFirstYear,
}

// addWords builds the dictionary from the section [any] and the names of all locales.
func (t *localeTable) addWords(common *Locale) error {
	for key, value := range common.entries {
		flag := commonFlags[key]
		if flag == 0 {
			return fmt.Errorf("unknown entry %q of [any]", key)
		}
		for text := range strings.SplitSeq(value, "|") {
			name, number, _ := strings.Cut(text, "=")
			w := t.wordFor(name)
			w.flags |= flag
			if flag&(flagZone|flagEra|flagFirstYear) == 0 {
				continue
			}
			first, last, ended := strings.Cut(number, "/")
			if !ended {
				last = "0"
			}
			value, err := strconv.ParseInt(first, 10, 16)
			end, endErr := strconv.ParseInt(last, 10, 16)
			if err = errors.Join(err, endErr); err != nil {
				return fmt.Errorf("the value of %q: %w", name, err)
			}
			w.value, w.last = int32(value), int32(end)
		}
	}
	for _, l := range t.all {
		for key, value := range l.entries {
			if err := t.addNames(l, key, strings.Split(value, "|")); err != nil {
				return fmt.Errorf("%s, %s: %w", l.Code, key, err)
			}
		}
	}
	t.index, t.dictionary = make(map[string]wordID, len(t.words)), make([]word, 1, len(t.words)+1)
	for key, w := range t.words {
		t.index[key] = wordID(len(t.dictionary))
		t.dictionary = append(t.dictionary, *w)
	}
	return nil
}

// addNames adds the names of an entry. It ignores patterns and digits.
func (t *localeTable) addNames(l *Locale, key string, names []string) error {
	kind, rest, _ := strings.Cut(strings.TrimSuffix(key, ".alone"), ".")
	n, _ := strconv.Atoi(strings.TrimLeft(rest, "md"))
	switch {
	case rest == "narrow": // the same letter can stand for several months
	case kind == "months" && len(names) == 12, kind == "days" && len(names) == 7:
		for i, name := range names {
			t.addSense(l, name, kind == "months", i+1)
		}
	case kind == "meridiems" && len(names) == 2:
		t.wordFor(names[0]).flags |= flagAM
		t.wordFor(names[1]).flags |= flagPM
	case key == "read.am" || key == "read.pm":
		for _, name := range names {
			t.wordFor(name).flags |= map[string]wordFlag{"am": flagAM, "pm": flagPM}[rest]
		}
	case kind == "read" && n >= 1 && (rest[0] == 'm' && n <= 12 || rest[0] == 'd' && n <= 7):
		for _, name := range names {
			t.addSense(l, name, rest[0] == 'm', n)
		}
	case slices.Contains([]string{"months", "days", "meridiems", "read"}, kind):
		return fmt.Errorf("unknown entry, or one with %d names", len(names))
	}
	return nil
}

// addSense adds a meaning of a name. It ignores single letters and names with
// digits, which are parsed as numbers.
func (t *localeTable) addSense(l *Locale, name string, month bool, n int) {
	key := dictionaryKey(name)
	first, size := utf8.DecodeRuneInString(key)
	if strings.ContainsAny(key, "0123456789") || size == len(key) && !unicode.In(first, unicode.Han, unicode.Hangul) {
		return
	}
	w := t.wordFor(name)
	senses := &w.days
	if month {
		senses = &w.months
	}
	for i, s := range *senses {
		if int(s.number) == n {
			(*senses)[i].languages |= 1 << l.language
			return
		}
	}
	*senses = append(*senses, sense{number: uint8(n), languages: 1 << l.language})
	if l.Code == "he" && month && !strings.HasPrefix(name, "ב") {
		t.addSense(l, "ב"+name, true, n) // "in March" is written as one word
	}
}

// wordFor returns the dictionary entry of a name. If the tokenizer splits the
// name, it also flags the first part as a prefix.
func (t *localeTable) wordFor(name string) *word {
	folded := foldString(name)
	if at := strings.IndexAny(folded, " -'"); at > 0 && at < len(folded)-1 {
		t.wordByKey(dictionaryKey(folded[:at])).flags |= flagPrefix
	}
	return t.wordByKey(dictionaryKey(name))
}

func (t *localeTable) wordByKey(key string) *word {
	w := t.words[key]
	if w == nil {
		w = &word{}
		t.words[key] = w
	}
	return w
}

// senseBits returns the set of meanings that a name has in the given languages. If the name has
// no meaning in these languages, senseBits returns its meanings in all languages.
func senseBits(senses []sense, in Languages) (set uint16) {
	var others uint16
	for _, s := range senses {
		if s.languages&in != 0 {
			set |= 1 << s.number
		}
		others |= 1 << s.number
	}
	if set == 0 {
		return others
	}
	return set
}

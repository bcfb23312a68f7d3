package date

import (
	_ "embed" // the names and patterns of the locales
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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

// lookup gives what the locale, or the one it takes over from, says under key.
func (l *Locale) lookup(key string) string {
	for ; l != nil; l = l.parent {
		if value, is := l.entries[key]; is {
			return value
		}
	}
	return ""
}

// nameList gives a list of names; the form in a date is that outside of one where
// the locale does not tell them apart.
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

// DateOrder is the order of day, month and year in the locale's short date.
func (l *Locale) DateOrder() Order { return patternOrder(l.lookup("D")) }

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

// Tags lists the tags of the languages.
func (s Languages) Tags() []string {
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
		if err := t.parseLine(strings.TrimSpace(line), &section); err != nil {
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

func (t *localeTable) parseLine(line string, section **Locale) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
		*section = t.openSection(line[1 : len(line)-1])
		return nil
	}
	key, value, is := strings.Cut(line, " = ")
	if !is || *section == nil {
		return errors.New("no section and no \"key = value\"")
	}
	if key == "parent" {
		return t.setParent(*section, value)
	}
	value, err := unescape(value)
	(*section).entries[key] = value
	return err
}

// openSection begins a section. Each has a language of its own, until it names its
// parent.
func (t *localeTable) openSection(code string) *Locale {
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

func (t *localeTable) setParent(l *Locale, parent string) error {
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

// word is what a word can mean in a date, in all languages together.
type word struct {
	months, days []sense
	flags        wordFlag
	// value is the offset of a zone in minutes, the year before the first of an
	// era, or the first year itself.
	value int32
	// last is the last year of an era that has ended, or 0.
	last int32
}

// wordID is the place of a word in the dictionary; 0 is no word. Tokens hold it
// instead of a pointer, which would move them to the heap.
type wordID uint16

func (id wordID) entry() *word { return &locales().dictionary[id] }

// sense is one meaning of a name: the month or weekday n in some languages.
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
	flagMonthBefore // the number of the month follows: tháng 3
	flagYear
	flagMonthAfter
	flagDay
	flagOrdinal
	flagZone
	flagEra
	flagFirstYear
	flagAM
	flagPM
	// flagPrefix is the first word of a name of several words.
	flagPrefix
)

// flagKeys are the entries of the section [any] that hold plain words.
var flagKeys = map[string]wordFlag{
	"skip": flagSkipped, "hours": flagHour, "minutes": flagMinute, "seconds": flagSecond,
	"months": flagMonthBefore, "years": flagYear, "monthsafter": flagMonthAfter, "days": flagDay, "ordinals": flagOrdinal,
}

// valueKeys are those whose words have a value.
var valueKeys = map[string]wordFlag{"zones": flagZone, "eras": flagEra, "firstyears": flagFirstYear}

// addWords makes the dictionary. all[0] is the section [any].
func (t *localeTable) addWords() error {
	if len(t.all) == 0 || t.all[0].language >= 0 || len(t.languages) > 64 {
		return fmt.Errorf("locales: no section [any], or more than 64 languages")
	}
	for key, value := range t.all[0].entries {
		if err := t.addCommonWords(key, strings.Split(value, "|")); err != nil {
			return err
		}
	}
	t.all = t.all[1:]
	for _, l := range t.all {
		for key, value := range l.entries {
			if err := t.addNames(l, key, strings.Split(value, "|")); err != nil {
				return fmt.Errorf("locale %s, %s: %w", l.Code, key, err)
			}
		}
	}
	return nil
}

func (t *localeTable) addCommonWords(key string, words []string) error {
	flag, plain := flagKeys[key]
	if !plain {
		flag = valueKeys[key]
	}
	if flag == 0 {
		return fmt.Errorf("locales: [any] has no entry %q", key)
	}
	for _, text := range words {
		name, number, _ := strings.Cut(text, "=")
		w := t.wordFor(name)
		w.flags |= flag
		if plain {
			continue
		}
		if err := w.setValue(number); err != nil {
			return fmt.Errorf("locales: the value of %q: %w", name, err)
		}
	}
	return nil
}

// setValue reads a number, or a number and the last year of an era behind a
// slash.
func (w *word) setValue(text string) error {
	first, last, ended := strings.Cut(text, "/")
	value, err := strconv.ParseInt(first, 10, 16)
	if err != nil {
		return err
	}
	w.value = int32(value)
	if ended {
		value, err = strconv.ParseInt(last, 10, 16)
		w.last = int32(value)
	}
	return err
}

func (t *localeTable) addNames(l *Locale, key string, names []string) error {
	base, _, _ := strings.Cut(strings.TrimSuffix(key, ".alone"), ".")
	switch {
	case strings.HasSuffix(key, ".narrow"):
		return nil // one letter names several months
	case base == "months" && len(names) == 12, base == "days" && len(names) == 7:
		for i, name := range names {
			t.addSense(l, name, base == "months", i+1)
		}
		return nil
	case base == "meridiems" && len(names) == 2:
		t.wordFor(names[0]).flags |= flagAM
		t.wordFor(names[1]).flags |= flagPM
		return nil
	case base == "read":
		return t.addReadNames(l, strings.TrimPrefix(key, "read."), names)
	case base == "months" || base == "days" || base == "meridiems":
		return fmt.Errorf("%d names", len(names))
	}
	return nil
}

func (t *localeTable) addReadNames(l *Locale, key string, names []string) error {
	n, err := strconv.Atoi(key[1:])
	for _, name := range names {
		switch {
		case key == "am":
			t.wordFor(name).flags |= flagAM
		case key == "pm":
			t.wordFor(name).flags |= flagPM
		case err == nil && n >= 1 && (key[0] == 'm' && n <= 12 || key[0] == 'd' && n <= 7):
			t.addSense(l, name, key[0] == 'm', n)
		default:
			return fmt.Errorf("no entry of this name is read")
		}
	}
	return nil
}

// addSense adds a name, unless it holds digits, which are read as numbers, or is
// a single letter.
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
		t.addSense(l, "ב"+name, true, n) // "in March" is one word
	}
}

// wordFor gives the entry of a name, and marks the first part of one that the
// tokens of a cell split.
func (t *localeTable) wordFor(name string) *word {
	folded := string(appendFolded(make([]byte, 0, 4*len(name)+utf8.UTFMax), []byte(name)))
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

// senseBits gives the meanings of a name in the given languages, or in all where
// none of them knows it, as a set of bits.
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

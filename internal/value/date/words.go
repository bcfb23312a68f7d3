package date

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

func (id wordID) word() *word { return &locales().dictionary[id] }

// sense is one meaning of a name: the month or weekday n in some languages.
type sense struct {
	n         uint8
	languages Languages
}

type wordFlag uint16

const (
	isSkipped wordFlag = 1 << iota
	isHour
	isMinute
	isSecond
	isMonthBefore // the number of the month follows: tháng 3
	isYear
	isMonthAfter
	isDay
	isOrdinal
	isZone
	isEra
	isFirstYear
	isAM
	isPM
	// isPrefix is the first word of a name of several words.
	isPrefix
)

// flagKeys are the entries of the section [any] that hold plain words.
var flagKeys = map[string]wordFlag{
	"skip": isSkipped, "hours": isHour, "minutes": isMinute, "seconds": isSecond,
	"months": isMonthBefore, "years": isYear, "monthsafter": isMonthAfter, "days": isDay, "ordinals": isOrdinal,
}

// valueKeys are those whose words have a value.
var valueKeys = map[string]wordFlag{"zones": isZone, "eras": isEra, "firstyears": isFirstYear}

// addWords makes the dictionary. all[0] is the section [any].
func (t *localeTable) addWords() error {
	if len(t.all) == 0 || t.all[0].language >= 0 || len(t.languages) > 64 {
		return fmt.Errorf("locales: no section [any], or more than 64 languages")
	}
	for key, value := range t.all[0].entries {
		if err := t.addGeneral(key, strings.Split(value, "|")); err != nil {
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

func (t *localeTable) addGeneral(key string, words []string) error {
	flag, plain := flagKeys[key]
	if !plain {
		flag = valueKeys[key]
	}
	if flag == 0 {
		return fmt.Errorf("locales: [any] has no entry %q", key)
	}
	for _, text := range words {
		name, number, _ := strings.Cut(text, "=")
		w := t.word(name)
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
		t.word(names[0]).flags |= isAM
		t.word(names[1]).flags |= isPM
		return nil
	case base == "read":
		return t.addRead(l, strings.TrimPrefix(key, "read."), names)
	case base == "months" || base == "days" || base == "meridiems":
		return fmt.Errorf("%d names", len(names))
	}
	return nil
}

func (t *localeTable) addRead(l *Locale, key string, names []string) error {
	n, err := strconv.Atoi(key[1:])
	for _, name := range names {
		switch {
		case key == "am":
			t.word(name).flags |= isAM
		case key == "pm":
			t.word(name).flags |= isPM
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
	key := wordKey(name)
	first, size := utf8.DecodeRuneInString(key)
	if strings.ContainsAny(key, "0123456789") || size == len(key) && !unicode.In(first, unicode.Han, unicode.Hangul) {
		return
	}
	w := t.word(name)
	senses := &w.days
	if month {
		senses = &w.months
	}
	for i, s := range *senses {
		if int(s.n) == n {
			(*senses)[i].languages |= 1 << l.language
			return
		}
	}
	*senses = append(*senses, sense{n: uint8(n), languages: 1 << l.language})
	if l.Code == "he" && month && !strings.HasPrefix(name, "ב") {
		t.addSense(l, "ב"+name, true, n) // "in March" is one word
	}
}

// word gives the entry of a name, and marks the first part of one that the
// tokens of a cell split.
func (t *localeTable) word(name string) *word {
	folded := string(appendFolded(make([]byte, 0, 4*len(name)+utf8.UTFMax), []byte(name)))
	if at := strings.IndexAny(folded, " -'"); at > 0 && at < len(folded)-1 {
		t.at(wordKey(folded[:at])).flags |= isPrefix
	}
	return t.at(wordKey(name))
}

func (t *localeTable) at(key string) *word {
	w := t.words[key]
	if w == nil {
		w = &word{}
		t.words[key] = w
	}
	return w
}

// numbers gives the meanings of a name in the given languages, or in all where
// none of them knows it, as a set of bits.
func numbers(senses []sense, in Languages) (set uint16) {
	var others uint16
	for _, s := range senses {
		if s.languages&in != 0 {
			set |= 1 << s.n
		}
		others |= 1 << s.n
	}
	if set == 0 {
		return others
	}
	return set
}

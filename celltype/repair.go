package celltype

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
)

// correction is text that may be what invalid text means, with the message code of the reason.
type correction struct{ text, reason string }

// repairFunc returns corrections of text, which has no surrounding white space, the best first. They
// need not be valid.
type repairFunc func(text string) []correction

// The reasons for corrections.
const (
	reasonSigns        = "suggestion.signs"
	reasonPart         = "suggestion.part"
	reasonScheme       = "suggestion.scheme"
	reasonDigits       = "suggestion.digits"
	reasonPrefix       = "suggestion.prefix"
	reasonSeparators   = "suggestion.separators"
	reasonBlanks       = "suggestion.white_space"
	reasonUnit         = "suggestion.unit"
	reasonAbbreviation = "suggestion.abbreviation"
)

// repairs holds the function that corrects text, by type. For multi-select, listRepair replaces it.
var repairs = map[intray.TypeName]repairFunc{
	intray.TypeString:      repairText,
	intray.TypeNumber:      repairNumber,
	intray.TypeDate:        repairDate,
	intray.TypeDatetime:    repairDate,
	intray.TypeTime:        repairTime,
	intray.TypeCheckbox:    repairFlag,
	intray.TypeEmail:       repairEmail,
	intray.TypePhone:       repairPhone,
	intray.TypeURL:         repairURL,
	intray.TypeDomain:      repairDomain,
	intray.TypeZIP:         repairZIP,
	intray.TypeSSN:         repairSSN,
	intray.TypeUUID:        repairUUID,
	intray.TypeCountry:     repairName,
	intray.TypeState:       repairState,
	intray.TypeMultiSelect: listRepair(","),
}

// maxRepairLength is the maximum length, in bytes, of text that is corrected.
const maxRepairLength = 512

// corrections returns the valid corrections of text, up to the number given by most. Text that is valid
// needs none, except for white space in text fields, where only validators can be dissatisfied.
func (s *Suggester) corrections(text string, most int) (list []Suggestion) {
	if s.repair == nil || len(text) > maxRepairLength {
		return nil
	}
	if _, isText := s.parser.(stringParser); !isText {
		if _, valid := s.value(text); valid || strings.TrimSpace(text) == "" {
			return nil
		}
	}
	values := make([]string, 0, most)
	for _, c := range s.repair(strings.TrimSpace(text)) {
		value, valid := s.value(c.text)
		another := c.reason == reasonScheme && len(list) > 0 // http is for fields without https
		if len(list) == most || !valid || another || c.text == text || slices.Contains(values, value) {
			continue
		}
		values = append(values, value)
		list = append(list, Suggestion{Text: c.text, Label: c.text, Reason: intray.NewMessage(c.reason, nil)})
	}
	return list
}

// value returns the value of text, and reports whether the text is valid, without a warning, and not
// empty.
func (s *Suggester) value(text string) (value string, valid bool) {
	r := s.parser.Parse(Cell{Raw: []byte(text)}, nil)
	switch {
	case r.Note != nil && r.Note.Level != intray.LevelInfo:
	case r.State == Unchanged:
		return text, true
	case r.State == Parsed:
		return string(r.Value), true
	}
	return "", false
}

// repairText removes white space at the ends, repeated white space and invisible characters.
func repairText(text string) []correction {
	return []correction{{cleanBlanks(text), reasonBlanks}}
}

// cleanBlanks replaces each run of white space with a space and removes invisible characters.
func cleanBlanks(text string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}

// compact returns text without white space and invisible characters, and with full-width characters
// replaced by their usual forms.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

// unwrap removes quotes and brackets around text.
func unwrap(text string) string {
	for _, pair := range []string{"<>", "()", "[]", "{}", `""`, "''", "„“", "“”", "«»", "‘’"} {
		first, last := string([]rune(pair)[0]), string([]rune(pair)[1])
		if len(text) > len(pair) && strings.HasPrefix(text, first) && strings.HasSuffix(text, last) {
			return strings.TrimSpace(text[len(first) : len(text)-len(last)])
		}
	}
	return text
}

// lazyRegexp returns a function that compiles a regular expression when it is first called, because
// many programs never correct a value.
func lazyRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// digitLetters replaces letters that look like digits.
var digitLetters = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1")

// repairName finds a name or code in text that has several parts, such as "Germany (DE)" and
// "Texas, USA", and the code in the flag of a country.
func repairName(text string) (list []correction) {
	if code := flagCode(text); code != "" {
		list = append(list, correction{code, reasonSigns})
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("()[]/,;:|–—", r) || r == '-' })
	if cleaned := strings.Trim(cleanBlanks(text), ".,;:!?*'\" "); cleaned != text {
		list = append(list, correction{cleaned, reasonSigns})
	}
	if len(parts) > 1 {
		for _, part := range parts {
			list = append(list, correction{strings.TrimSpace(part), reasonPart})
		}
	}
	return list
}

// stateAbbreviations are the traditional abbreviations of states, in upper case and without dots. The
// others are the same as the codes.
const stateAbbreviations = `ALA=AL ALAS=AK ARIZ=AZ ARK=AR CALIF=CA CAL=CA COLO=CO CONN=CT DEL=DE FLA=FL ILL=IL IND=IN KANS=KS KAN=KS
MASS=MA MICH=MI MINN=MN MISS=MS MONT=MT NEB=NE NEBR=NE NEV=NV OKLA=OK ORE=OR PENN=PA PENNA=PA TENN=TN TEX=TX WASH=WA WVA=WV WISC=WI WIS=WI WYO=WY`

// repairState removes dots, completes traditional abbreviations, and corrects what repairName corrects.
func repairState(text string) (list []correction) {
	plain := strings.ToUpper(strings.ReplaceAll(cleanBlanks(text), ".", ""))
	for pair := range strings.FieldsSeq(stateAbbreviations) {
		if name, code, _ := strings.Cut(pair, "="); name == strings.ReplaceAll(plain, " ", "") {
			list = append(list, correction{code, reasonAbbreviation})
		}
	}
	return append(append(list, correction{plain, reasonSigns}), repairName(text)...)
}

// flagCode returns the two letters of a flag, or "".
func flagCode(text string) string {
	const first, last = '🇦', '🇿'
	letters := []rune(text)
	if len(letters) != 2 || letters[0] < first || letters[0] > last || letters[1] < first || letters[1] > last {
		return ""
	}
	return string([]rune{letters[0] - first + 'A', letters[1] - first + 'A'})
}

// listRepair returns a function that corrects the delimiter between options.
func listRepair(delimiter string) repairFunc {
	return func(text string) (list []correction) {
		for _, other := range []string{";", "|", "/", "\n", "&", "+", ",", " and ", " und ", " et "} {
			if other != delimiter && strings.Contains(text, other) {
				parts := strings.Split(text, other)
				for i := range parts {
					parts[i] = strings.TrimSpace(parts[i])
				}
				list = append(list, correction{strings.Join(parts, delimiter), reasonSeparators})
			}
		}
		return list
	}
}

// repairFlag removes punctuation and brackets around a word.
func repairFlag(text string) []correction {
	if compact(text) == "[]" {
		return []correction{{"false", reasonSigns}}
	}
	return []correction{{strings.Trim(norm.NFKC.String(text), "[](){}<>.,;:!?*'\" "), reasonSigns}}
}

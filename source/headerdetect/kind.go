// Package headerdetect finds the table among the rows of a sheet.
//
// A [Kind] is the type of a cell, based only on its text. A [Layout] defines which rows are
// titles, which rows are the header, and how many columns there are. Rows can come from any
// format, as strings. The package does not read files, parse quotes or delimiters, or change
// cells.
package headerdetect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the type of a cell, based only on its text.
type Kind uint8

// The kinds are in order from the most to the least specific.
const (
	// Empty cells have no text, or a common marker for a missing value such as n/a, null or -.
	Empty Kind = iota
	Integer
	// Number cells have a decimal point, a currency, a percent sign or other characters
	// besides digits.
	Number
	Date
	Time
	// Flag cells are booleans, such as yes or no, true or false.
	Flag
	Email
	Link
	// Code cells have letters and digits without spaces, such as MG-8769 or a UUID.
	Code
	// Text is everything else.
	Text
	// Kinds is the number of kinds.
	Kinds
)

// IsTyped reports whether cells of this kind are rarely column names.
func (k Kind) IsTyped() bool { return k >= Integer && k <= Link && k != Flag }

// KindOf returns the kind of a cell.
func KindOf(cell string) Kind {
	cell = strings.TrimSpace(cell)
	switch {
	case isMissing(cell):
		return Empty
	case len(cell) > 256:
		return Text
	}
	first, _ := utf8.DecodeRuneInString(cell)
	if hasDigit(cell) {
		if kind, ok := numberKind(cell); ok {
			return kind
		}
		switch {
		case isTime(cell):
			return Time
		case isDate(cell):
			return Date
		}
	}
	switch {
	case isFlag(cell):
		return Flag
	case isEmail(cell):
		return Email
	case strings.Contains(cell, "://") && !strings.ContainsAny(cell, " \t\n"), len(cell) >= 4 && strings.EqualFold(cell[:4], "www."):
		return Link
	case isCode(cell) && (unicode.IsLetter(first) || unicode.IsDigit(first)):
		return Code
	}
	return Text
}

func hasDigit(cell string) bool {
	for i := range len(cell) {
		if cell[i]-'0' <= 9 {
			return true
		}
	}
	return false
}

// maxKeywordBytes is an upper bound for the length of keywords in bytes. Longer cells need no
// lookup.
const maxKeywordBytes = 8

func isMissing(cell string) bool {
	if len(cell) > maxKeywordBytes {
		return false
	}
	switch strings.ToLower(cell) {
	case "", "-", "--", "—", "–", "n/a", "na", "#n/a", "nan", "null", "none", "nil", `\n`:
		return true
	}
	return false
}

func isFlag(cell string) bool {
	if len(cell) > maxKeywordBytes {
		return false
	}
	switch strings.ToLower(cell) {
	case "true", "false", "yes", "no", "ja", "nein", "oui", "non", "sí", "si", "sim", "não", "y", "n", "t", "f", "on", "off":
		return true
	}
	return false
}

func isEmail(cell string) bool {
	at := strings.IndexByte(cell, '@')
	return at > 0 && at == strings.LastIndexByte(cell, '@') && strings.IndexByte(cell[at:], '.') > 1 &&
		!strings.HasSuffix(cell, ".") && !strings.ContainsAny(cell, " \t\n,;\"")
}

// isCode reports whether a cell contains at least one digit and consists only of letters,
// digits and characters that join them.
func isCode(cell string) bool {
	digits := false
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits = true
		case unicode.IsLetter(r), strings.ContainsRune("-_./#:+", r):
		default:
			return false
		}
	}
	return digits
}

// numberKind returns the kind of a number, which can contain signs, currencies, percent signs
// and separators. It returns false if the cell is not a number.
func numberKind(cell string) (Kind, bool) {
	body := strings.TrimSpace(cell)
	if strings.HasPrefix(body, "(") && strings.HasSuffix(body, ")") {
		body = body[1 : len(body)-1]
	}
	body = strings.TrimFunc(body, isMoney)
	body = trimCode(body)
	if body == "" {
		return 0, false
	}
	return classifyNumber(body, len(body) == len(cell))
}

// classifyNumber returns the kind of a number from which currencies, percent signs and
// parentheses were removed. plain reports whether there was nothing to remove.
func classifyNumber(body string, plain bool) (Kind, bool) {
	digits, others := 0, 0
	for i, r := range body {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case i == 0 && (r == '-' || r == '+' || r == '−'):
			plain = plain && r != '+'
		case r == '.', r == ',', r == '\'', r == ' ', r == '\u00a0', r == '\u202f', r == '’':
			others++
		case (r == 'e' || r == 'E') && digits > 0 && isExponent(body[i+1:]):
			return Number, true
		default:
			return 0, false
		}
	}
	switch {
	case digits == 0, others > 0 && !hasValidGroups(body):
		return 0, false
	case others == 0 && plain:
		return Integer, true
	}
	return Number, true
}

func isMoney(r rune) bool {
	return unicode.Is(unicode.Sc, r) || r == '%' || r == '‰' || r == ' ' || r == '\u00a0'
}

// trimCode returns a number without its currency code, as in USD 12.00 and 12.00 EUR.
func trimCode(body string) string {
	if len(body) > 4 && isUpper(body[:3]) && !isUpper(body[3:4]) {
		return strings.TrimSpace(body[3:])
	}
	if n := len(body); n > 4 && isUpper(body[n-3:]) && body[n-4] == ' ' {
		return strings.TrimSpace(body[:n-4])
	}
	return body
}

func isUpper(s string) bool {
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

func isExponent(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return s != "" && strings.Trim(s, "0123456789") == "" && len(s) <= 4
}

// hasValidGroups reports whether the separators in a number are in valid positions. Three
// digits must follow each separator, or two in the Indian numbering system. The last separator
// can be a decimal separator if its character occurs only once.
func hasValidGroups(body string) bool {
	runs, seps := digitRuns(strings.TrimLeft(body, "-+−"))
	first, last := runs[0], runs[len(runs)-1]
	if len(seps) == 1 {
		point := seps[0] == '.'
		return (first > 0 || point || seps[0] == ',') && (last > 0 || point)
	}
	for i := 1; i < len(seps); i++ {
		decimal := i == len(seps)-1 && seps[i] != seps[0]
		if runs[i] != 3 && runs[i] != 2 || seps[i] != seps[0] && !decimal {
			return false
		}
	}
	whole := seps[len(seps)-1] == seps[0]
	return first > 0 && first <= 3 && last > 0 && (last == 3 || !whole)
}

// digitRuns returns the separators of a number, and the numbers of digits before, between and
// after them.
func digitRuns(body string) (runs []int, seps []rune) {
	run := 0
	for _, r := range body {
		if r >= '0' && r <= '9' {
			run++
			continue
		}
		seps, runs, run = append(seps, r), append(runs, run), 0
	}
	return append(runs, run), seps
}

// isTime reports whether a cell is a time of day, such as 9:30, 09:30:15, 09:30:15.250 or 9:30
// AM.
func isTime(cell string) bool {
	if cell == "" || cell[0]-'0' > 9 || strings.IndexByte(cell, ':') < 0 {
		return false
	}
	upper := strings.ToUpper(cell)
	for _, half := range []string{"AM", "PM", "A.M.", "P.M."} {
		if rest, ok := strings.CutSuffix(upper, half); ok {
			upper = strings.TrimSpace(rest)
			break
		}
	}
	var room [maxDigitGroups]string
	groups, seps := digitGroups(upper, &room)
	switch seps {
	case ":", "::", "::.", "::,":
	default:
		return false
	}
	if len(groups) != len(seps)+1 {
		return false
	}
	for i, g := range groups {
		if i < 3 && len(g) > 2 || g == "" || i > 0 && i < 3 && len(g) != 2 {
			return false
		}
	}
	return true
}

// isDate reports whether a cell is a date in digits, optionally with a time, or a date with
// the name of a month. It does not decide which part is the day.
func isDate(cell string) bool {
	day := cell
	if at := strings.IndexAny(cell[:min(len(cell), 12)], "T "); at >= 6 && at+1 < len(cell) {
		rest := strings.TrimRight(cell[at+1:], "Zz")
		if zone := strings.LastIndexAny(rest, "+-"); zone > 0 {
			rest = rest[:zone]
		}
		if isTime(strings.TrimSpace(rest)) {
			day = cell[:at]
		}
	}
	var room [maxDigitGroups]string
	groups, seps := digitGroups(day, &room)
	switch {
	case len(groups) == 3 && len(seps) == 2 && seps[0] == seps[1] && strings.IndexByte("-/.", seps[0]) >= 0:
		return isDayGroups(groups)
	case len(groups) == 3 && seps == "年月日", len(groups) == 3 && seps == ".. ":
		return true
	case len(day) == 7 && len(groups) == 2 && (seps == "-" || seps == "/"):
		return len(groups[0]) == 4 && groups[1] <= "12" && groups[1] >= "01"
	}
	return hasMonth(day)
}

func isDayGroups(groups []string) bool {
	a, b, c := len(groups[0]), len(groups[1]), len(groups[2])
	small := func(n int) bool { return n == 1 || n == 2 }
	within := func(g string, most string) bool { return len(g) < len(most) || g <= most }
	switch {
	case a == 4 && small(b) && small(c):
		return within(groups[1], "12") && within(groups[2], "31")
	case small(a) && small(b) && (c == 4 || c == 2):
		return within(groups[0], "31") && within(groups[1], "31")
	}
	return false
}

// maxDigitGroups is the maximum number of groups of digits that are parsed. A date with a time
// has fewer groups.
const maxDigitGroups = 6

// joinsDigits reports whether a character separates the parts of dates and times.
func joinsDigits(r rune) bool {
	switch r {
	case ':', '-', '/', '.', ',', ' ', '年', '月', '日':
		return true
	}
	return false
}

// digitGroups splits s into groups of digits and the separators between them, which must be
// single characters that occur in dates and times. It returns nil and "" for any other string.
func digitGroups(s string, into *[maxDigitGroups]string) (groups []string, seps string) {
	groups = into[:0]
	var marks [4 * maxDigitGroups]byte
	from, n := 0, 0
	for i, r := range s {
		if r >= '0' && r <= '9' {
			continue
		}
		if len(groups) == maxDigitGroups-1 || !joinsDigits(r) {
			return nil, ""
		}
		groups = append(groups, s[from:i])
		from = i + utf8.RuneLen(r)
		n += copy(marks[n:], s[i:from])
	}
	if from < len(s) {
		groups = append(groups, s[from:])
	}
	return groups, internSeparators(marks[:n])
}

// internSeparators returns seps as a string, without an allocation for common separators.
func internSeparators(seps []byte) string {
	for _, usual := range [...]string{"", ":", "::", "--", "..", "//", ".", "-"} {
		if string(seps) == usual {
			return usual
		}
	}
	return string(seps)
}

// hasMonth reports whether day is a date with the name of a month, such as "12 Jan 2020", "Jan
// 12, 2020", "12-Jan-20" or "3. März 2021".
func hasMonth(day string) bool {
	if !mayHaveMonth(day) {
		return false
	}
	count, digits, names := 0, 0, 0
	for w := range strings.FieldsFuncSeq(day, func(r rune) bool { return r == ' ' || r >= ',' && r <= '/' }) {
		if count++; count > 4 {
			return false
		}
		if allDigits(w) && len(w) <= 4 {
			digits++
			continue
		}
		switch w = strings.ToLower(w); {
		case months[w]:
			names++
		case strings.Trim(w, "0123456789") == "th", w == "de":
		default:
			return false
		}
	}
	return names == 1 && digits >= 1 && count >= 2
}

// mayHaveMonth reports whether a text has letters, and no ASCII characters that do not occur in dates
// with the name of a month. It is a fast check before words are looked up.
func mayHaveMonth(day string) bool {
	letters := false
	for i := range len(day) {
		switch c := day[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= utf8.RuneSelf:
			letters = true
		case c < ' ' || c > ' ' && c < ',' || c > '9':
			return false
		}
	}
	return letters
}

func allDigits(w string) bool {
	for i := range len(w) {
		if w[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// monthNames lists the names and abbreviations of months in the most common languages.
const monthNames = " jan feb mar apr may jun jul aug sep sept oct nov dec " +
	"january february march april june july august september october november december " +
	"jän mär mrz mai okt dez januar jänner februar märz juni juli oktober dezember " +
	"janv févr fév mars avr juin juil aoû août déc janvier février avril juillet septembre octobre novembre décembre " +
	"ene abr ago dic enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre " +
	"gen mag giu lug set ott gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre " +
	"fev out janeiro fevereiro março maio junho julho setembro outubro novembro dezembro " +
	"mrt mei januari februari maart augustus maj oktober desember " +
	"sty lut kwi cze lip sie wrz paź lis gru stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "

// months is the set of the words in monthNames.
var months = wordSet(monthNames)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

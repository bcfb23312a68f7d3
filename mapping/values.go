package mapping

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// shape is a set of bits that describes the appearance of a cell. A cell may have several shapes.
type shape uint16

const (
	shapeEmail shape = 1 << iota
	shapeURL
	shapeDate
	shapeTime
	shapeNumber
	// shapeInteger is a number that consists only of digits, without a sign.
	shapeInteger
	shapePhone
	shapeIBAN
	shapeUUID
	shapeFlag
	shapeCurrency
	// shapeProse is text of at least five words.
	shapeProse
	shapeDigit
	shapeLetter
	shapeDomain
)

// profile counts the samples of a column by shape.
type profile struct {
	counts map[shape]int
	total  int
	// counted reports whether the cells are consecutive row numbers.
	counted bool
	// distinct is the number of distinct cells.
	distinct int
}

// maxCell is the maximum number of bytes of a sample that are considered.
const maxCell = 256

// profileColumn returns the profile of a column's samples.
func profileColumn(column intray.Column) profile {
	p := profile{counts: map[shape]int{}}
	rows, seen := 0, map[string]bool{}
	for _, cell := range column.Samples {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if len(cell) > maxCell {
			cell = strings.ToValidUTF8(cell[:maxCell], "")
		}
		p.total++
		seen[cell] = true
		if n, err := strconv.Atoi(cell); err == nil && n == p.total {
			rows++
		}
		s := shapeOf(cell)
		for bit := shapeEmail; bit <= shapeDomain; bit <<= 1 {
			if s&bit != 0 {
				p.counts[bit]++
			}
		}
	}
	p.distinct = len(seen)
	p.counted = rows == p.total && rows >= 2
	return p
}

// share returns the share of samples that have the most frequent of the given shapes. It
// returns 0 if there are no samples.
func (p profile) share(shapes ...shape) float64 {
	if p.total == 0 {
		return 0
	}
	n := 0
	for _, s := range shapes {
		n = max(n, p.counts[s])
	}
	return float64(n) / float64(p.total)
}

// shapeOf returns the shapes of a nonempty cell.
func shapeOf(cell string) shape {
	var s shape
	letters, digits, spaces := 0, 0, 0
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case unicode.IsSpace(r):
			spaces++
		}
	}
	s |= shapeIf(digits > 0, shapeDigit) | shapeIf(letters > 0, shapeLetter) | shapeIf(spaces >= 4 && letters > digits, shapeProse)
	s |= shapeIf(isEmail(cell), shapeEmail) | shapeIf(isURL(cell), shapeURL) | shapeIf(isDomain(cell), shapeDomain)
	s |= shapeIf(isDate(cell, letters, digits), shapeDate) | shapeIf(isClock(cell), shapeTime)
	s |= shapeIf(digits >= 6 && digits <= 15 && letters <= 4 && spaces <= 6 && hasOnly(cell, "+-()/. x"), shapePhone)
	s |= shapeIf(isIBAN(cell, letters, digits), shapeIBAN) | shapeIf(isUUID(cell), shapeUUID)
	s |= shapeIf(digits > 0 && isNumber(cell), shapeNumber) | shapeIf(digits > 0 && digits == utf8.RuneCountInString(cell), shapeInteger)
	s |= shapeIf(flags[strings.ToLower(cell)], shapeFlag) | shapeIf(isCurrency(cell), shapeCurrency)
	return s
}

func shapeIf(yes bool, s shape) shape {
	if yes {
		return s
	}
	return 0
}

// hasOnly reports whether the cell contains only letters, digits and the given signs.
func hasOnly(cell, signs string) bool {
	return strings.IndexFunc(cell, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(signs, r)
	}) < 0
}

func isEmail(cell string) bool {
	name, host, ok := strings.Cut(cell, "@")
	return ok && name != "" && !strings.ContainsAny(name, " \t") && isDomain(host)
}

func isURL(cell string) bool {
	lower := strings.ToLower(cell)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "www.")
}

// isDomain reports whether the cell is a host name with or without a path.
func isDomain(cell string) bool {
	host, _, _ := strings.Cut(cell, "/")
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 || strings.ContainsAny(host, " @,") {
		return false
	}
	return strings.IndexFunc(host[dot+1:], func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// isDate reports whether the cell is a date, optionally with a time. The date may consist of
// digits and separators, or contain the name of a month or East Asian characters for year and
// month.
func isDate(cell string, letters, digits int) bool {
	switch {
	case digits < 3 || digits > 20 || letters > 24:
		return false
	case letters <= 4 && strings.ContainsAny(cell, "年년/.-") || letters == 0 && strings.Contains(cell, " "):
		if parts, ok := threeFigures(cell); ok {
			return isDateParts(parts)
		}
	}
	if letters >= 3 && digits <= 14 {
		return hasMonthName(cell)
	}
	return letters == 0 && digits == 8 && len(cell) == 8 && (strings.HasPrefix(cell, "19") || strings.HasPrefix(cell, "20"))
}

// threeFigures returns the three numbers of a date. Only a time, which has colons, may
// follow the date.
func threeFigures(cell string) ([]string, bool) {
	day, _, _ := strings.Cut(cell, "T")
	parts := strings.FieldsFunc(day, func(r rune) bool { return !unicode.IsDigit(r) })
	if len(parts) < 3 || !strings.HasPrefix(cell, parts[0]) || len(parts) > 3 && !strings.Contains(cell, ":") {
		return nil, false
	}
	return parts, len(parts[0]) <= 4 && len(parts[1]) <= 2 && (len(parts[2]) <= 2 || len(parts[2]) == 4)
}

// isDateParts reports whether three numbers can be a year, a month and a day.
func isDateParts(parts []string) bool {
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(parts[i])
	}
	if len(parts[0]) == 4 {
		return n[1] >= 1 && n[1] <= 12 && n[2] >= 1 && n[2] <= 31
	}
	return len(parts[0]) <= 2 && n[0] >= 1 && n[0] <= 31 && n[1] >= 1 && n[1] <= 31 && (n[0] <= 12 || n[1] <= 12)
}

// hasMonthName reports whether the cell contains a month. It recognizes months by the first
// letters of their names in European languages.
func hasMonthName(cell string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(cell), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) < 3 {
			continue
		}
		if months[string([]rune(word)[:3])] {
			return true
		}
	}
	return false
}

var months = wordSet("jan feb mar apr may jun jul aug sep oct nov dec mär mai okt dez fév avr jui aoû déc ene abr ago dic gen mag giu lug set ott fev out dez maj янв фев мар апр май мая июн июл авг сен окт ноя дек")

var flags = wordSet("yes no true false y n 0 1 ja nein oui non sí si no sim não да нет tak nie はい いいえ 是 否 active inactive on off x ✓ enabled disabled")

func wordSet(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

func isClock(cell string) bool {
	hours, rest, ok := strings.Cut(cell, ":")
	return ok && len(hours) >= 1 && len(hours) <= 2 && len(rest) >= 2 && unicode.IsDigit(rune(hours[0])) && unicode.IsDigit(rune(rest[0]))
}

// isNumber reports whether the cell is a number, optionally with signs, separators and a
// currency.
func isNumber(cell string) bool {
	digits, letters, points := 0, 0, 0
	for i, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune(".,'’ \u00a0\u202f", r):
			points++
		case strings.ContainsRune("-−–", r) && i > 0 && i < len(cell)-1 && digits > 0:
			return false
		case strings.ContainsRune("+-−–%()", r) || unicode.Is(unicode.Sc, r):
		default:
			return false
		}
	}
	return digits > 0 && letters <= 4 && points <= digits && !strings.Contains(cell, "..")
}

func isIBAN(cell string, letters, digits int) bool {
	plain := strings.ReplaceAll(cell, " ", "")
	if len(plain) < 15 || len(plain) > 34 || letters+digits != len(plain) {
		return false
	}
	return plain[0] >= 'A' && plain[0] <= 'Z' && plain[1] >= 'A' && plain[1] <= 'Z' && unicode.IsDigit(rune(plain[2])) && unicode.IsDigit(rune(plain[3]))
}

func isUUID(cell string) bool {
	return len(cell) == 36 && cell[8] == '-' && cell[13] == '-' && cell[18] == '-' && cell[23] == '-'
}

// isCurrency reports whether the text is a code of three upper-case letters or a currency sign.
func isCurrency(cell string) bool {
	if utf8.RuneCountInString(cell) == 1 {
		r, _ := utf8.DecodeRuneInString(cell)
		return unicode.Is(unicode.Sc, r) || r == '元' || r == '円'
	}
	return len(cell) == 3 && strings.ToUpper(cell) == cell && strings.IndexFunc(cell, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

// fit is how well the cells of a column fit a meaning.
type fit int

const (
	// fitVeto means that the cells contradict the meaning.
	fitVeto fit = iota - 1
	fitOpen
	// fitSure means that the cells hardly fit any other meaning.
	fitSure
)

// A shape counts as present if at least mostShare of the cells have it, and as absent if less
// than fewShare of them do.
const (
	mostShare = 0.8
	fewShare  = 0.25
)

// shapeRule specifies the shapes of a kind of values.
type shapeRule struct {
	// any lists shapes. At least one of them must occur in some cells.
	any []shape
	// none lists shapes that must not occur in most cells.
	none []shape
	// distinctive reports whether only this kind has the shapes. label is the message code for
	// the name of the values.
	distinctive bool
	label       string
}

// shapeRules maps the lexicon's kinds of values to their rules. A kind without a rule may
// have any shape.
var shapeRules = map[string]shapeRule{
	"email":    {any: []shape{shapeEmail}, distinctive: true, label: "values.email_addresses"},
	"url":      {any: []shape{shapeURL, shapeDomain}, none: []shape{shapeEmail}, distinctive: true, label: "values.web_addresses"},
	"domain":   {any: []shape{shapeDomain, shapeURL}, none: []shape{shapeEmail}, distinctive: true, label: "values.domains"},
	"date":     {any: []shape{shapeDate, shapeInteger}, label: "values.dates"},
	"time":     {any: []shape{shapeTime, shapeDate}, label: "values.times"},
	"amount":   {any: []shape{shapeNumber}, none: []shape{shapeDate, shapeEmail}, label: "values.numbers"},
	"number":   {any: []shape{shapeNumber, shapeDigit}, none: []shape{shapeDate, shapeEmail}, label: "values.numbers"},
	"percent":  {any: []shape{shapeNumber}, none: []shape{shapeDate, shapeEmail}, label: "values.numbers"},
	"phone":    {any: []shape{shapePhone}, none: []shape{shapeEmail, shapeDate, shapeURL}, label: "values.phone_numbers"},
	"uuid":     {any: []shape{shapeUUID}, distinctive: true, label: "values.uuids"},
	"currency": {any: []shape{shapeCurrency, shapeLetter}, none: []shape{shapeDigit, shapeProse}, label: "values.currencies"},
	"country":  {any: []shape{shapeLetter}, none: []shape{shapeDigit, shapeEmail, shapeProse}, label: "values.countries"},
	"postal":   {any: []shape{shapeDigit}, none: []shape{shapeDate, shapeEmail}, label: "values.postal_codes"},
	"iban":     {any: []shape{shapeIBAN, shapeDigit, shapeLetter}, none: []shape{shapeDate, shapeProse}, label: "values.account_numbers"},
	"name":     {any: []shape{shapeLetter}, none: []shape{shapeDate, shapeURL, shapeEmail, shapeNumber, shapeUUID, shapeIBAN}, label: "values.names"},
	"text":     {any: []shape{shapeLetter}, none: []shape{shapeDate, shapeNumber}, label: "values.texts"},
	"id":       {any: []shape{shapeDigit, shapeLetter}, none: []shape{shapeProse, shapeURL}, label: "values.numbers_or_codes"},
	"flag":     {none: []shape{shapeProse, shapeDate, shapeEmail, shapeURL}, label: "values.yes_or_no"},
	"prose":    {none: []shape{shapeUUID, shapeURL}, label: "values.texts"},
}

// kindOf returns the kind of values of a field type, or "" if the type has several.
func kindOf(t intray.TypeName) string {
	switch t {
	case intray.TypeNumber:
		return "number"
	case intray.TypeDate, intray.TypeDatetime:
		return "date"
	case intray.TypeTime:
		return "time"
	case intray.TypeEmail:
		return "email"
	case intray.TypePhone:
		return "phone"
	case intray.TypeURL:
		return "url"
	case intray.TypeDomain:
		return "domain"
	case intray.TypeZIP:
		return "postal"
	case intray.TypeCountry:
		return "country"
	case intray.TypeUUID:
		return "uuid"
	case intray.TypeCheckbox:
		return "flag"
	}
	return ""
}

// matchKind returns how well the samples fit a kind of values, with the reason. The reason is
// nil if the samples do not decide.
func (p profile) matchKind(kind string) (fit, reason) {
	d, known := shapeRules[kind]
	if !known || p.total == 0 {
		return fitOpen, nil
	}
	for _, s := range d.none {
		if share := p.share(s); share >= mostShare && (p.total > 1 || s&(shapeDate|shapeEmail|shapeURL|shapeUUID) != 0) {
			return fitVeto, func(string) intray.Message {
				return intray.NewMessage("mapping.values_look_like", intray.Params{"percent": percent(share), "values": intray.NewMessage(shapeWords[s], nil)})
			}
		}
	}
	if len(d.any) == 0 {
		return fitOpen, nil
	}
	share := p.share(d.any...)
	switch {
	case share < fewShare:
		return fitVeto, valuesAre(share, d.label)
	case share >= mostShare && d.distinctive:
		return fitSure, valuesAre(share, d.label)
	case kind == "iban" && p.share(shapeIBAN) >= mostShare:
		return fitSure, valuesAre(p.share(shapeIBAN), "values.ibans")
	case share >= mostShare && (kind == "date" || kind == "time"):
		if p.share(d.any[0]) < mostShare {
			return fitOpen, nil
		}
		return fitSure, valuesAre(share, d.label)
	}
	return fitOpen, nil
}

// valuesAre returns a reason that states the share of the values that are of a certain kind.
// word is the message code for values of that kind.
func valuesAre(share float64, word string) reason {
	return func(string) intray.Message {
		values := intray.NewMessage(word, nil)
		if share == 0 {
			return intray.NewMessage("mapping.no_values_are", intray.Params{"values": values})
		}
		return intray.NewMessage("mapping.values_are", intray.Params{"percent": percent(share), "values": values})
	}
}

// shapeWords maps shapes to the message codes for values of that shape.
var shapeWords = map[shape]string{
	shapeEmail: "values.email_addresses", shapeURL: "values.web_addresses", shapeDate: "values.dates", shapeNumber: "values.numbers",
	shapeUUID: "values.uuids", shapeIBAN: "values.account_numbers", shapeProse: "values.sentences", shapeDigit: "values.with_digits",
}

// maxOptions is the maximum number of options of a field. Values are not compared with
// longer lists.
const maxOptions = 1000

// optionNames returns the spellings of the options of a select field. It returns none if
// the field has more than maxOptions.
func optionNames(f intray.Field) map[string]bool {
	if len(f.SelectOptions) > maxOptions {
		return nil
	}
	known := map[string]bool{}
	for _, o := range f.SelectOptions {
		known[normalize(o.Label)], known[normalize(o.Value)] = true, true
		for _, other := range o.AlternateMatches {
			known[normalize(other)] = true
		}
	}
	delete(known, "")
	return known
}

// chosenFrom returns the share of samples that are options. It reports false if there are
// no options or no samples.
func chosenFrom(known map[string]bool, c intray.Column) (float64, bool) {
	if len(known) == 0 {
		return 0, false
	}
	hits, total := 0, 0
	for _, cell := range c.Samples {
		if cell = strings.TrimSpace(cell); cell == "" || len(cell) > maxCell {
			continue
		}
		total++
		if known[normalize(cell)] {
			hits++
		}
	}
	if total == 0 {
		return 0, false
	}
	return float64(hits) / float64(total), true
}

// isContradicted reports whether the values of a column contradict a field whose key equals the
// header in a different spelling. A key is for programs and may be less specific than the label.
func (s *suggestion) isContradicted(g grade, f intray.Field, n name, o *offer) bool {
	if g.score == 1 || n.kind != keyName || normalize(f.Label) == n.spelled || len(o.columns) != 1 {
		return false
	}
	p := profileColumn(s.columns[o.columns[0]])
	return p.rulesOut(kindOf(f.Type.Name)) || p.rulesOut(labelKind(f))
}

func (p profile) rulesOut(kind string) bool {
	verdict, _ := p.matchKind(kind)
	return verdict == fitVeto
}

// labelKind returns the kind of values that the label of a field names, or "".
func labelKind(f intray.Field) string {
	l, err := lexicon.Standard()
	if err != nil {
		return ""
	}
	if readings := l.Read(f.Label); len(readings) > 0 && readings[0].Cost < knownCost {
		return l.Concept(readings[0].Named).Values
	}
	return ""
}

// enoughToWarn is the minimum number of samples for a warning that the values contradict the
// type of the field.
const enoughToWarn = 5

// withValueWarning appends a warning to the reasons of a match by name if the values of the
// column contradict the type of the field.
func (s *suggestion) withValueWarning(field int, column intray.Column, reasons []intray.Message) []intray.Message {
	p := profileColumn(column)
	if p.total < enoughToWarn {
		return reasons
	}
	if verdict, why := p.matchKind(kindOf(s.fields[field].Type.Name)); verdict == fitVeto {
		return append(reasons, intray.NewMessage("mapping.contradicted_by_values", intray.Params{"reason": why(Shorten(column.Header))}))
	}
	return reasons
}

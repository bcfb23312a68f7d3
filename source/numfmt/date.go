package numfmt

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	dayMillis = 24 * 60 * 60 * 1000
	// maxSerial is the serial of the first day of the year 10000. Serials must be lower.
	maxSerial = 2958466
	// epoch1904Offset is the serial that the first day of the 1904 system has in the 1900 system.
	epoch1904Offset = 1462
)

// compileDate compiles a section that contains date letters. It reports whether the
// section is valid and its calendar is supported.
func (s *section) compileDate(p rawSection) bool {
	s.shape = shapeDate
	s.roundTo = 1
	s.names = namesOf(p.tag.language)
	s.islamic = p.hijri || p.tag.calendar == calendarHijri
	s.buddhist = p.tag.calendar == calendarBuddhist
	clock, places := false, 0
	for _, t := range p.tokens {
		switch t.kind {
		case tokDigit, tokGeneral, tokText:
			return false
		case tokSubsecond:
			places = max(places, min(t.count, 3))
		case tokAMPM:
			s.twelveHour = true
		}
		clock = clock || t.kind.isTimeLetter()
		s.addDateItem(t)
	}
	s.elapsedOnly = p.countTokens(tokElapsed) == 1
	for _, t := range p.tokens {
		s.elapsedOnly = s.elapsedOnly && (t.kind == tokElapsed || t.kind == tokLiteral)
	}
	if clock {
		s.roundTo = [...]int64{1000, 100, 10, 1}[places]
	}
	return p.readable()
}

func (s *section) addDateItem(t token) {
	if t.kind == tokLiteral {
		s.items = append(s.items, item{text: t.text})
		return
	}
	s.items = append(s.items, item{kind: itemDate, letter: t.kind, count: t.count, text: t.text})
}

// readable reports whether the calendar of the section is supported.
func (p *rawSection) readable() bool {
	switch p.tag.calendar {
	case calendarJapan, calendarTaiwan, calendarKorea, calendarHebrew:
		return false
	}
	if p.tag.language != languageJapan && p.tag.language != languageTaiwan {
		return true
	}
	return !slices.ContainsFunc(p.tokens, func(t token) bool { return t.kind == tokEra || t.kind == tokYear && t.text[0]|0x20 == 'e' })
}

// serialParts are the parts of the date and time that a serial represents.
type serialParts struct {
	// total is the number of milliseconds since serial 0, and clock is the number since midnight.
	total, clock     int64
	year, month, day int
	// weekday is the day of the week, counted from 0 for Sunday.
	weekday int
}

// serialMillis converts a serial to milliseconds since serial 0 of the 1900 system,
// rounded to a multiple of unit. It returns false if the serial is not a valid date.
func serialMillis(v float64, epoch1904 bool, unit int64) (int64, bool) {
	if v < 0 {
		return 0, false
	}
	if epoch1904 {
		v += epoch1904Offset
	}
	if v >= maxSerial {
		return 0, false
	}
	total := int64(math.Round(v * dayMillis))
	total = (total + unit/2) / unit * unit
	return total, total < maxSerial*dayMillis
}

// splitSerial splits milliseconds since serial 0 of the 1900 system into parts.
func splitSerial(total int64) serialParts {
	days := total / dayMillis
	m := serialParts{total: total, clock: total % dayMillis, weekday: int((days + 6) % 7)}
	switch {
	case days == 0:
		m.year, m.month = 1900, 1
	case days < 60:
		m.year, m.month, m.day = civilDate(days + 1)
	case days == 60:
		m.year, m.month, m.day = 1900, 2, 29
	default:
		m.year, m.month, m.day = civilDate(days)
	}
	return m
}

// civilDate converts a day, counted from 1899-12-30, to a date. In the calculation, the
// year starts in March, so that a leap day is the last day of the year.
func civilDate(days int64) (year, month, day int) {
	n := days + 693899 // days since 0000-03-01
	century := (4*n + 3) / 146097
	n -= century * 146097 / 4
	years := (4*n + 3) / 1461
	n -= years * 1461 / 4
	months := (5*n + 2) / 153
	day = int(n-(153*months+2)/5) + 1
	year, month = int(century*100+years), int(months)+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// islamicDate converts a day, counted from 1899-12-30, to a date in the tabular Islamic
// calendar. The epoch of this calendar is 15 July 622, as in Microsoft's implementation.
func islamicDate(days int64) (year, month, day int) {
	n := days + 466580
	year = int((30*n + 10646) / 10631)
	n -= int64(year-1)*354 + int64(3+11*year)/30
	month = min(int(2*n/59)+1, 12)
	return year, month, int(n-(int64(month-1)*59+1)/2) + 1
}

// appendDate appends the serial v as a date, a time or both.
func (s *section) appendDate(dst []byte, v float64, epoch1904 bool) []byte {
	negative := v < 0 && (epoch1904 || s.elapsedOnly)
	total, ok := serialMillis(math.Abs(v), epoch1904, s.roundTo)
	if !ok || v < 0 && !negative {
		return appendHashes(dst)
	}
	if negative {
		dst = append(dst, '-')
	}
	m := splitSerial(total)
	if s.islamic {
		m.year, m.month, m.day = islamicDate(total / dayMillis)
	}
	if epoch1904 {
		m.total -= epoch1904Offset * dayMillis
	}
	for i := range s.items {
		dst = s.appendDateItem(dst, &s.items[i], &m)
	}
	return dst
}

func (s *section) appendDateItem(dst []byte, it *item, m *serialParts) []byte {
	switch {
	case it.kind == itemLiteral:
		return append(dst, it.text...)
	case it.letter.isDateLetter():
		return s.appendDayItem(dst, it, m)
	}
	return s.appendClockItem(dst, it, m)
}

func (s *section) appendDayItem(dst []byte, it *item, m *serialParts) []byte {
	switch it.letter {
	case tokYear:
		year := m.year
		if s.buddhist {
			year += 543
		}
		return appendYear(dst, year, it.count)
	case tokBuddhist:
		return appendYear(dst, m.year+543, it.count)
	case tokMonth:
		return s.appendMonth(dst, it.count, m.month)
	case tokDay:
		switch it.count {
		case 1, 2:
			return appendPadded(dst, int64(m.day), it.count)
		case 3:
			return append(dst, s.names.shortDays[m.weekday]...)
		}
		return append(dst, s.names.days[m.weekday]...)
	}
	return dst // eras have no names
}

func appendYear(dst []byte, year, count int) []byte {
	if count <= 2 {
		return appendPadded(dst, int64(year%100), 2)
	}
	return appendPadded(dst, int64(year), 4)
}

func (s *section) appendMonth(dst []byte, count, month int) []byte {
	names := s.names
	if s.islamic {
		names = &islamicNames
	}
	switch count {
	case 1, 2:
		return appendPadded(dst, int64(month), count)
	case 3:
		return append(dst, names.shortMonths[month-1]...)
	case 5:
		return append(dst, names.months[month-1][:runeLen(names.months[month-1])]...)
	}
	return append(dst, names.months[month-1]...)
}

func (s *section) appendClockItem(dst []byte, it *item, m *serialParts) []byte {
	switch it.letter {
	case tokHour:
		return appendPadded(dst, s.hourOfDay(m), min(it.count, 2))
	case tokMinute:
		return appendPadded(dst, m.clock/60000%60, min(it.count, 2))
	case tokSecond:
		return appendPadded(dst, m.clock/1000%60, min(it.count, 2))
	case tokAMPM:
		return appendAMPM(dst, it.text, m.clock >= dayMillis/2)
	case tokSubsecond:
		return appendSubsecond(dst, m.clock%1000, it.count)
	}
	return appendElapsed(dst, it, m.total)
}

func (s *section) hourOfDay(m *serialParts) int64 {
	hour := m.clock / (60 * 60 * 1000)
	if s.twelveHour {
		return (hour+11)%12 + 1
	}
	return hour
}

// appendAMPM appends AM or PM. For the code A/P, it appends A or P in the same case as
// in the code.
func appendAMPM(dst []byte, text string, afternoon bool) []byte {
	at := 0
	if afternoon {
		at = len(text)/2 + 1
	}
	if len(text) == 3 {
		return append(dst, text[at])
	}
	return append(dst, text[at]&^0x20, 'M')
}

func appendSubsecond(dst []byte, millis int64, count int) []byte {
	dst = append(dst, '.')
	dst = appendPadded(dst, millis/[...]int64{1, 100, 10, 1}[min(count, 3)], min(count, 3))
	for range count - 3 {
		dst = append(dst, '0')
	}
	return dst
}

func appendElapsed(dst []byte, it *item, total int64) []byte {
	switch it.text[0] | 0x20 {
	case 'h':
		total /= 60 * 60 * 1000
	case 'm':
		total /= 60 * 1000
	default:
		total /= 1000
	}
	return appendPadded(dst, total, it.count)
}

// appendPadded appends a non-negative number, padded with zeros to width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	var buf [20]byte
	text := strconv.AppendInt(buf[:0], n, 10)
	for i := len(text); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// These are the languages in which the codes of eras (g and e) use a local calendar.
const (
	languageJapan  = 0x411
	languageTaiwan = 0x404
)

// names holds the names of months and weekdays in one language.
type names struct {
	months, shortMonths [12]string
	days, shortDays     [7]string
}

// languages lists the supported languages. number is the lower ten bits of the language
// identifier, and tag is the beginning of the language tag.
var languages = [...]struct {
	number uint16
	tag    string
	names  *names
}{
	{0x07, "de", &german},
	{0x0a, "es", &spanish},
	{0x0c, "fr", &french},
	{0x10, "it", &italian},
	{0x13, "nl", &dutch},
	{0x16, "pt", &portuguese},
	{languageJapan, "ja", &english},
}

// namesOf returns the names in the language of a locale tag, or the English names if
// the language is not supported.
func namesOf(language uint16) *names {
	for i := range languages {
		if languages[i].number == language&0x3ff {
			return languages[i].names
		}
	}
	return &english
}

// languageOf returns the number of the language of a tag such as de-DE.
func languageOf(tag string) uint16 {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	for i := range languages {
		if languages[i].tag == tag {
			return languages[i].number
		}
	}
	return 0
}

var (
	english = names{
		months:      [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		shortMonths: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
		days:        [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		shortDays:   [7]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
	}
	german = names{
		months:      [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		shortMonths: [12]string{"Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
		days:        [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		shortDays:   [7]string{"So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"},
	}
	spanish = names{
		months:      [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		shortMonths: [12]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
		days:        [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		shortDays:   [7]string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
	}
	french = names{
		months:      [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		shortMonths: [12]string{"janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"},
		days:        [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
		shortDays:   [7]string{"dim", "lun", "mar", "mer", "jeu", "ven", "sam"},
	}
	italian = names{
		months:      [12]string{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
		shortMonths: [12]string{"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"},
		days:        [7]string{"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"},
		shortDays:   [7]string{"dom", "lun", "mar", "mer", "gio", "ven", "sab"},
	}
	dutch = names{
		months:      [12]string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
		shortMonths: [12]string{"jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
		days:        [7]string{"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"},
		shortDays:   [7]string{"zo", "ma", "di", "wo", "do", "vr", "za"},
	}
	portuguese = names{
		months:      [12]string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"},
		shortMonths: [12]string{"jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"},
		days:        [7]string{"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"},
		shortDays:   [7]string{"dom", "seg", "ter", "qua", "qui", "sex", "sáb"},
	}
	// islamicNames has only the names of months, which are those of the Islamic year.
	islamicNames = names{
		months:      islamicMonths,
		shortMonths: islamicMonths,
	}
	islamicMonths = [12]string{"Muharram", "Safar", "Rabi I", "Rabi II", "Jumada I", "Jumada II", "Rajab", "Sha'ban", "Ramadan", "Shawwal", "Dhu'l-Qi'dah", "Dhu'l-Hijjah"}
)

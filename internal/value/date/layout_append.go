package date

import (
	"strconv"
	"unicode/utf8"
)

// Append appends m in the layout. What m lacks, as a time of day lacks a month,
// is left out. It allocates nothing where dst is large enough.
func (l *Layout) Append(dst []byte, m Moment) []byte {
	if l.iso {
		return l.appendISO(dst, m)
	}
	for i := range l.pieces {
		dst = l.appendPiece(dst, &l.pieces[i], m)
	}
	return dst
}

func (l *Layout) appendISO(dst []byte, m Moment) []byte {
	switch l.want {
	case WantDate:
		return m.Date.Append(dst)
	case WantClock:
		return m.Clock.Append(dst, l.seconds)
	}
	return m.Append(dst, l.seconds)
}

func (l *Layout) appendPiece(dst []byte, p *piece, m Moment) []byte {
	switch p.field {
	case literal:
		return append(dst, p.text...)
	case monthName, weekdayName, meridiemField, eraName:
		return append(dst, p.nameOf(m)...)
	case zoneNarrow:
		return append(dst, "+0"...)
	case zoneColon:
		return append(dst, "+00:00"...)
	case zonePlain:
		return append(dst, "+0000"...)
	case zoneID:
		return append(dst, "UTC"...)
	}
	if m.IsZero() && p.isDay() {
		return dst
	}
	return l.number(dst, p.numberOf(m), int(p.width))
}

// isDay says whether the number needs a day.
func (p *piece) isDay() bool {
	switch p.field {
	case yearField, monthField, dayField, weekdayField, weekYearField, weekField, yearDayField, quarterField, unixField, unixMilliField:
		return true
	}
	return false
}

func (p *piece) nameOf(m Moment) string {
	at := 0
	switch p.field {
	case monthName:
		at = int(m.Month) - 1
	case weekdayName:
		if m.IsZero() {
			return ""
		}
		at = m.Weekday() - 1
	case meridiemField:
		at = int(m.Hour) / 12
	case eraName:
		at = 1
	}
	if uint(at) >= uint(len(p.names)) {
		return ""
	}
	return p.names[at]
}

func (p *piece) numberOf(m Moment) int64 {
	switch p.field {
	case yearField:
		return p.shortYear(int64(m.Year))
	case monthField:
		return int64(m.Month)
	case dayField:
		return int64(m.Day)
	case weekdayField:
		return int64(m.Weekday())
	case yearDayField:
		return int64(m.YearDay())
	case quarterField:
		return int64(m.Month+2) / 3
	case weekYearField, weekField:
		return p.weekOf(m.Date)
	case unixField, unixMilliField:
		return p.unixOf(m)
	}
	return p.clockOf(m.Clock)
}

func (p *piece) clockOf(c Clock) int64 {
	switch p.field {
	case hourField:
		return int64(c.Hour)
	case hour12Field:
		return int64(c.Hour+11)%12 + 1
	case minuteField:
		return int64(c.Minute)
	case secondField:
		return int64(c.Second)
	case milliField:
		return int64(c.Nano / 1_000_000)
	case centiField:
		return int64(c.Nano / 10_000_000)
	}
	return int64(c.Nano / 100_000_000)
}

func (p *piece) shortYear(year int64) int64 {
	if p.width == 2 {
		return year % 100
	}
	return year
}

func (p *piece) weekOf(d Date) int64 {
	year, week := d.Week()
	if p.field == weekField {
		return int64(week)
	}
	return p.shortYear(int64(year))
}

func (p *piece) unixOf(m Moment) int64 {
	seconds := int64(m.number()-unixEpoch)*86400 + int64(m.Hour)*3600 + int64(m.Minute)*60 + int64(m.Second)
	if p.field == unixField {
		return seconds
	}
	return seconds*1000 + int64(m.Nano/1_000_000)
}

// number appends n in the digits of the locale.
func (l *Layout) number(dst []byte, n int64, width int) []byte {
	from := len(dst)
	if n < 0 {
		dst, n = append(dst, '-'), -n
		from++
	}
	for limit := int64(10); width > 1; width, limit = width-1, limit*10 {
		if n < limit {
			dst = append(dst, "000000"[:width-1]...)
			break
		}
	}
	dst = strconv.AppendInt(dst, n, 10)
	if l.zero == '0' {
		return dst
	}
	var digits [32]byte
	plain := digits[:copy(digits[:], dst[from:])]
	dst = dst[:from]
	for _, c := range plain {
		dst = utf8.AppendRune(dst, l.zero+rune(c-'0'))
	}
	return dst
}

package xlsx

import (
	"bytes"
	"strconv"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/grid"
)

// number makes a cell of the number in raw. What is no number is text: the file
// says otherwise, and nothing of it is lost.
func (r *rows) number(c *grid.Cell, st *style) {
	if st.general && isShort(r.raw) {
		c.Kind, c.Value = intray.CellNumber, r.keep(r.raw)
		return
	}
	v, ok := parseNumber(r.raw)
	if !ok {
		r.showText(c, st, r.keep(r.raw))
		return
	}
	r.showNumber(c, st, v)
}

func (r *rows) showNumber(c *grid.Cell, st *style, v float64) {
	epoch1904 := r.book.catalog.epoch1904
	from := len(r.memory)
	r.memory, c.Kind = st.format.AppendValue(r.memory, v, epoch1904)
	middle := len(r.memory)
	r.memory = st.format.AppendShown(r.memory, v, epoch1904)
	c.Value = r.memory[from:middle:middle]
	if shown := r.memory[middle:len(r.memory):len(r.memory)]; !bytes.Equal(c.Value, shown) {
		c.Shown = shown
	} else {
		r.memory = r.memory[:middle]
	}
}

// isShort says whether the format General shows a number just as it is written,
// which most numbers are: at most 10 digits, none of them idle.
func isShort(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
		if string(raw) == "0" {
			return false
		}
	}
	if len(raw) == 0 || len(raw) > 11 {
		return false
	}
	point, ok := onePoint(raw)
	if point < 0 {
		return ok && len(raw) <= 10 && (raw[0] != '0' || len(raw) == 1)
	}
	// Small ones may be shown with an exponent.
	return ok && raw[0] >= '1' && raw[0] <= '9' && point+1 < len(raw) && raw[len(raw)-1] != '0'
}

// onePoint finds the point among digits, -1 where there is none. Anything else
// is not ok.
func onePoint(raw []byte) (point int, ok bool) {
	point = -1
	for i, c := range raw {
		if c == '.' && point < 0 {
			point = i
		} else if c < '0' || c > '9' {
			return point, false
		}
	}
	return point, true
}

// parseNumber reads a number as XML has it; not Inf, NaN or another base.
func parseNumber(raw []byte) (float64, bool) {
	raw = trim(raw)
	for _, c := range raw {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// date makes a cell of the ISO date or time in raw.
func (r *rows) date(c *grid.Cell, st *style) {
	t, kind, ok := parseDate(string(r.raw))
	if !ok {
		r.showText(c, st, r.keep(r.raw))
		return
	}
	if k := st.format.Kind(); k == intray.CellDate || k == intray.CellDateTime || k == intray.CellTime {
		r.showNumber(c, st, serial(t, kind, r.book.catalog.epoch1904))
		return
	}
	layout := map[intray.CellKind]string{intray.CellDate: time.DateOnly, intray.CellDateTime: "2006-01-02T15:04:05.999", intray.CellTime: "15:04:05.999"}[kind]
	c.Kind, c.Value = kind, r.keep([]byte(t.Format(layout)))
}

// parseDate reads a day, a time or both. A zone is refused: cells have none; a
// Z is how some programs end all times.
func parseDate(text string) (t time.Time, kind intray.CellKind, ok bool) {
	if n := len(text); n > 0 && text[n-1] == 'Z' {
		text = text[:n-1]
	}
	for _, form := range []struct {
		layout string
		kind   intray.CellKind
	}{
		{time.DateOnly, intray.CellDate},
		{"2006-01-02T15:04:05", intray.CellDateTime},
		{"2006-01-02T15:04", intray.CellDateTime},
		{"15:04:05", intray.CellTime},
		{"T15:04:05", intray.CellTime},
		{"15:04", intray.CellTime},
	} {
		if t, err := time.Parse(form.layout, text); err == nil {
			return t, form.kind, true
		}
	}
	return time.Time{}, 0, false
}

// serial gives the number that a workbook has for a day and time.
func serial(t time.Time, kind intray.CellKind, epoch1904 bool) float64 {
	const day = 24 * time.Hour
	midnight := t.Truncate(day)
	fraction := float64(t.Sub(midnight)) / float64(day)
	if kind == intray.CellTime {
		return fraction
	}
	if epoch1904 {
		return float64(daysFrom(midnight, 1904, 1, 1)) + fraction
	}
	days := daysFrom(midnight, 1899, 12, 30)
	if days <= 60 {
		days-- // the system has a 29 February 1900
	}
	return float64(days) + fraction
}

// daysFrom counts the days between a day and a midnight.
func daysFrom(midnight time.Time, year int, month time.Month, day int) int64 {
	return (midnight.Unix() - time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()) / 86400
}

package xmlss

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/grid"
)

// valueType is what the attribute Type says of a value.
type valueType uint8

const (
	typeString valueType = iota // and all that is not known
	typeNumber
	typeDateTime
	typeBoolean
	typeError
)

func typeOf(name []byte) valueType {
	switch string(name) {
	case "Number":
		return typeNumber
	case "DateTime":
		return typeDateTime
	case "Boolean":
		return typeBoolean
	case "Error":
		return typeError
	}
	return typeString
}

// shown makes a cell of the value in raw. What is not of its type is text: the
// file says otherwise, and nothing of it is lost.
func (r *rows) shown(kind valueType, st *style) (c grid.Cell) {
	plain := bytes.TrimSpace(r.raw)
	switch kind {
	case typeNumber:
		if st.general && isShort(plain) {
			return grid.Cell{Kind: intray.CellNumber, Value: r.keep(plain)}
		}
		if n, ok := parseNumber(string(plain)); ok {
			return r.ofNumber(n, st)
		}
	case typeDateTime:
		if t, ok := parseTime(string(plain)); ok {
			return r.date(t, st)
		}
	case typeBoolean:
		switch strings.ToLower(string(plain)) {
		case "1", "true":
			return grid.Cell{Kind: intray.CellBool, Value: []byte("true"), Shown: []byte("TRUE")}
		case "0", "false":
			return grid.Cell{Kind: intray.CellBool, Value: []byte("false"), Shown: []byte("FALSE")}
		}
	case typeError:
		if len(plain) > 0 && plain[0] == '#' {
			return grid.Cell{Kind: intray.CellError, Value: r.keep(plain)}
		}
	}
	c.Value = r.keep(r.raw)
	if !st.plain && len(c.Value) > 0 {
		from := len(r.memory)
		r.memory = st.AppendShownText(r.memory, c.Value)
		c.Shown = r.memory[from:len(r.memory):len(r.memory)]
	}
	return c
}

// keep copies a text into the memory of the row.
func (r *rows) keep(text []byte) []byte {
	from := len(r.memory)
	r.memory = append(r.memory, text...)
	return r.memory[from:len(r.memory):len(r.memory)]
}

// ofNumber makes a cell of a number.
func (r *rows) ofNumber(n float64, st *style) (c grid.Cell) {
	epoch1904 := r.book.survey.epoch1904
	from := len(r.memory)
	r.memory, c.Kind = st.AppendValue(r.memory, n, epoch1904)
	middle := len(r.memory)
	r.memory = st.AppendShown(r.memory, n, epoch1904)
	end := len(r.memory)
	c.Value = r.memory[from:middle:middle]
	if shown := r.memory[middle:end:end]; !bytes.Equal(c.Value, shown) {
		c.Shown = shown
	}
	return c
}

// date makes a cell of a day and time. Where its style is for other values, it
// is shown as it is: its number would tell a person nothing.
func (r *rows) date(t time.Time, st *style) grid.Cell {
	if k := st.Kind(); k == intray.CellDate || k == intray.CellDateTime || k == intray.CellTime {
		return r.ofNumber(serial(t, r.book.survey.epoch1904), st)
	}
	layout, kind := time.DateOnly, intray.CellDate
	if !t.Equal(t.Truncate(24 * time.Hour)) {
		layout, kind = "2006-01-02T15:04:05.999", intray.CellDateTime
	}
	from := len(r.memory)
	r.memory = t.AppendFormat(r.memory, layout)
	return grid.Cell{Kind: kind, Value: r.memory[from:len(r.memory):len(r.memory)]}
}

// isShort says whether the format General shows a number just as it is written:
// at most ten digits, none of them idle.
func isShort(raw []byte) bool {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || len(digits) > 10 || string(raw) == "-0" {
		return false
	}
	point := -1
	for i, c := range digits {
		if c == '.' && point < 0 {
			point = i
		} else if c < '0' || c > '9' {
			return false
		}
	}
	last := len(digits) - 1
	if point < 0 {
		return digits[0] != '0' || last == 0
	}
	return digits[0] >= '1' && digits[0] <= '9' && point < last && digits[last] != '0'
}

// parseNumber reads a number as XML has it; no Inf, NaN or other base.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseTime reads a day, or a day and a time. A Z, which some programs end all
// times with, is no zone.
func parseTime(text string) (time.Time, bool) {
	text = strings.TrimSuffix(text, "Z")
	for _, layout := range []string{"2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// serial gives the number that a workbook has for a day and time. Times without
// a day are written with the day whose number is 0.
func serial(t time.Time, epoch1904 bool) float64 {
	const day = 24 * time.Hour
	midnight := t.Truncate(day)
	fraction := float64(t.Sub(midnight)) / float64(day)
	zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if epoch1904 {
		zero = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	days := (midnight.Unix() - zero.Unix()) / int64(day/time.Second)
	if !epoch1904 && days <= 60 {
		days-- // the system has a 29 February 1900
	}
	return float64(days) + fraction
}

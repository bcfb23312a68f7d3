package output

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// columnKind is what the column of a field holds.
type columnKind int

const (
	// textColumn are UTF-8.
	textColumn columnKind = iota
	// doubleColumn are numbers whose places are not fixed.
	doubleColumn
	// decimalColumn are numbers with a fixed number of places, as whole numbers of
	// their last place; without places they are plain whole numbers.
	decimalColumn
	// booleanColumn are one bit each.
	booleanColumn
	// dateColumn are counted from 1970-01-01.
	dateColumn
	// timestampColumn are microseconds from that day on, and clocks those of a day.
	timestampColumn
	timeColumn
	// listColumn hold texts, any number of them in a row.
	listColumn
)

// columnWriter is a column of a Parquet file. While one page of it is filled, the page
// before may be encoded.
type columnWriter struct {
	name string
	kind columnKind
	// places are those of decimals.
	places   int
	filling  page
	encoding page
	chunk    columnChunk
}

// newColumnWriter is the column of a field. One that is written in a format of its own is
// text.
func newColumnWriter(schemaField intray.Field, f *field) *columnWriter {
	switch {
	case f.shape == listShape:
		return &columnWriter{kind: listColumn}
	case f.write != nil:
		return &columnWriter{kind: textColumn}
	case f.shape == booleanShape:
		return &columnWriter{kind: booleanColumn}
	case f.shape == numberShape:
		if places, fixed := decimalPlaces(schemaField.Type.Options); fixed {
			return &columnWriter{kind: decimalColumn, places: places}
		}
		return &columnWriter{kind: doubleColumn}
	}
	switch schemaField.Type.Name {
	case intray.TypeDate:
		return &columnWriter{kind: dateColumn}
	case intray.TypeDatetime:
		return &columnWriter{kind: timestampColumn}
	case intray.TypeTime:
		return &columnWriter{kind: timeColumn}
	}
	return &columnWriter{kind: textColumn}
}

// mayRejectValues says whether the column may be unable to hold what is to be written:
// text as it was received, or a number with more digits than it keeps.
func (l *columnWriter) mayRejectValues(received bool) bool {
	return l.kind == doubleColumn || l.kind == decimalColumn || received && l.kind != textColumn
}

// byteWidth is how many bytes a value takes in a page; 0 where that depends on it.
func (k columnKind) byteWidth() int {
	switch k {
	case doubleColumn, decimalColumn, timestampColumn, timeColumn:
		return 8
	case dateColumn:
		return 4
	case booleanColumn:
		return 1
	}
	return 0
}

// appendValue adds a value by its canonical text, and says whether the column holds it.
// Nothing is added where it does not.
func (l *columnWriter) appendValue(v []byte) (ok bool) {
	var n int64
	switch l.kind {
	case listColumn:
		return l.filling.appendJSONArray(v)
	case doubleColumn:
		var x float64
		x, ok = parseDouble(v)
		n = int64(math.Float64bits(x))
	case decimalColumn:
		n, ok = parseDecimal(v, l.places)
	case booleanColumn:
		if ok = true; v[0] == 't' {
			n = 1
		}
	case dateColumn:
		n, ok = parseDate(v)
	case timestampColumn:
		n, ok = parseTimestamp(v)
	case timeColumn:
		n, ok = parseTimeOfDay(v)
	}
	if ok {
		l.filling.appendNumber(uint64(n), l.kind.byteWidth())
	}
	return ok
}

// appendNull adds a row without a value.
func (l *columnWriter) appendNull() {
	l.filling.levels = append(l.filling.levels, 0)
	if l.kind == listColumn {
		l.filling.repeats = append(l.filling.repeats, 0)
	}
}

// page is a run of rows of one column, not yet encoded.
type page struct {
	// levels are definition levels: 0 for null. In a list, where each entry has
	// one, 1 is a list of nothing and 2 a null in it.
	levels []byte
	// repeats are repetition levels, of lists only: 0 where a row begins.
	repeats []byte
	// plain are the values, as the encoding PLAIN has them; but each truth takes a
	// byte. There are so many of them.
	plain  []byte
	values int
}

func (p *page) reset() {
	p.levels, p.repeats, p.plain, p.values = p.levels[:0], p.repeats[:0], p.plain[:0], 0
}

// appendNumber adds a value of so many bytes.
func (p *page) appendNumber(n uint64, width int) {
	p.levels = append(p.levels, 1)
	p.values++
	switch width {
	case 8:
		p.plain = binary.LittleEndian.AppendUint64(p.plain, n)
	case 4:
		p.plain = binary.LittleEndian.AppendUint32(p.plain, uint32(n))
	default:
		p.plain = append(p.plain, byte(n))
	}
}

func (p *page) appendText(v []byte) {
	p.levels = append(p.levels, 1)
	p.appendString(v)
}

// appendString adds a text without its level. Bytes that are no UTF-8 become U+FFFD.
func (p *page) appendString(v []byte) {
	p.values++
	at := len(p.plain)
	p.plain = append(binary.LittleEndian.AppendUint32(p.plain, uint32(len(v))), v...)
	if utf8.Valid(v) {
		return
	}
	p.plain = p.plain[:at+4]
	for len(v) > 0 {
		r, size := utf8.DecodeRune(v)
		p.plain = utf8.AppendRune(p.plain, r)
		v = v[size:]
	}
	binary.LittleEndian.PutUint32(p.plain[at:], uint32(len(p.plain)-at-4))
}

// appendJSONArray adds the elements of a JSON array, which must be one, as texts: those of
// strings as they are, and all others as they stand in JSON. A null is a null.
func (p *page) appendJSONArray(v []byte) (ok bool) {
	const nothing, nullHere, textHere = 1, 2, 3
	repeat := byte(0)
	for rest := trimJSON(v[1:]); rest[0] != ']'; {
		end := elementEnd(rest)
		element := bytes.TrimRight(rest[:end], " \t\r\n")
		p.repeats = append(p.repeats, repeat)
		repeat = 1
		if string(element) == "null" {
			p.levels = append(p.levels, nullHere)
		} else {
			p.levels = append(p.levels, textHere)
			p.appendString(unquoteJSON(element))
		}
		if rest = rest[end:]; rest[0] == ',' {
			rest = trimJSON(rest[1:])
		}
	}
	if repeat == 0 {
		p.levels, p.repeats = append(p.levels, nothing), append(p.repeats, 0)
	}
	return true
}

func trimJSON(v []byte) []byte { return bytes.TrimLeft(v, " \t\r\n") }

// elementEnd is where the first element of what is left of an array ends: at a
// comma or at the end of the array.
func elementEnd(v []byte) int {
	depth, quoted := 0, false
	for i := 0; ; i++ {
		switch c := v[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case (c == ',' || c == ']') && depth == 0:
			return i
		case c == ']' || c == '}':
			depth--
		}
	}
}

// unquoteJSON is the text of a JSON string, and any other JSON as it is.
func unquoteJSON(element []byte) []byte {
	if element[0] != '"' {
		return element
	}
	if inside := element[1 : len(element)-1]; bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var s string
	if json.Unmarshal(element, &s) != nil {
		return element
	}
	return []byte(s)
}

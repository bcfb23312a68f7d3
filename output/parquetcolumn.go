package output

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// kind is what the column of a field holds.
type kind int

const (
	// texts are UTF-8.
	texts kind = iota
	// doubles are numbers whose places are not fixed.
	doubles
	// decimals are numbers with a fixed number of places, as whole numbers of
	// their last place; without places they are plain whole numbers.
	decimals
	// truths are one bit each.
	truths
	// days are counted from 1970-01-01.
	days
	// moments are microseconds from that day on, and clocks those of a day.
	moments
	clocks
	// lists hold texts, any number of them in a row.
	lists
)

// leaf is a column of a Parquet file. While one page of it is filled, the page
// before may be encoded.
type leaf struct {
	name string
	kind kind
	// places are those of decimals.
	places   int
	filling  page
	encoding page
	chunk    chunk
}

// leafOf is the column of a field. One that is written in a format of its own is
// text.
func leafOf(of intray.Field, f *field) *leaf {
	switch {
	case f.shape == list:
		return &leaf{kind: lists}
	case f.write != nil:
		return &leaf{kind: texts}
	case f.shape == truth:
		return &leaf{kind: truths}
	case f.shape == number:
		if places, fixed := placesOf(of.Type.Options); fixed {
			return &leaf{kind: decimals, places: places}
		}
		return &leaf{kind: doubles}
	}
	switch of.Type.Name {
	case intray.TypeDate:
		return &leaf{kind: days}
	case intray.TypeDatetime:
		return &leaf{kind: moments}
	case intray.TypeTime:
		return &leaf{kind: clocks}
	}
	return &leaf{kind: texts}
}

// mayLack says whether the column may be unable to hold what is to be written:
// text as it was received, or a number with more digits than it keeps.
func (l *leaf) mayLack(received bool) bool {
	return l.kind == doubles || l.kind == decimals || received && l.kind != texts
}

// width is how many bytes a value takes in a page; 0 where that depends on it.
func (k kind) width() int {
	switch k {
	case doubles, decimals, moments, clocks:
		return 8
	case days:
		return 4
	case truths:
		return 1
	}
	return 0
}

// add adds a value by its canonical text, and says whether the column holds it.
// Nothing is added where it does not.
func (l *leaf) add(v []byte) (ok bool) {
	var n int64
	switch l.kind {
	case lists:
		return l.filling.list(v)
	case doubles:
		var x float64
		x, ok = double(v)
		n = int64(math.Float64bits(x))
	case decimals:
		n, ok = scaled(v, l.places)
	case truths:
		if ok = true; v[0] == 't' {
			n = 1
		}
	case days:
		n, ok = day(v)
	case moments:
		n, ok = moment(v)
	case clocks:
		n, ok = clock(v)
	}
	if ok {
		l.filling.number(uint64(n), l.kind.width())
	}
	return ok
}

// null adds a row without a value.
func (l *leaf) null() {
	l.filling.levels = append(l.filling.levels, 0)
	if l.kind == lists {
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

// number adds a value of so many bytes.
func (p *page) number(n uint64, width int) {
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

func (p *page) text(v []byte) {
	p.levels = append(p.levels, 1)
	p.string(v)
}

// string adds a text without its level. Bytes that are no UTF-8 become U+FFFD.
func (p *page) string(v []byte) {
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

// list adds the elements of a JSON array, which must be one, as texts: those of
// strings as they are, and all others as they stand in JSON. A null is a null.
func (p *page) list(v []byte) (ok bool) {
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
			p.string(unquoted(element))
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

// unquoted is the text of a JSON string, and any other JSON as it is.
func unquoted(element []byte) []byte {
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

package output

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// page holds consecutive rows of one column that are not yet encoded.
type page struct {
	// rows is the number of levels.
	rows int
	// levels are the definition levels. 0 means null. It is empty if no value is null, except in a
	// list.
	levels []byte
	// repeats holds the repetition levels of a list. 0 means the start of a row.
	repeats []byte
	// values is the number of values that are not null.
	values int
	// plain holds headroom bytes, followed by entries. They are in the encoding PLAIN, except that a boolean
	// takes one byte: numbers, or strings after their lengths.
	plain []byte
	// ends holds the offset in plain at which each entry ends. It is empty if the values of the column have a
	// fixed width.
	ends []uint32
	// count is the number of entries.
	count int
	// indexes holds the index of the entry of each value. It is empty if the entries are the values.
	indexes []int32
}

// headroom is the number of bytes in front of the values that are reserved for encoded levels. Longer levels
// require a copy of the page.
const headroom = 16

func (p *page) reset() {
	*p = page{levels: p.levels[:0], repeats: p.repeats[:0], plain: slices.Grow(p.plain[:0], headroom)[:headroom], ends: p.ends[:0], indexes: p.indexes[:0]}
}

// appendNull appends a row whose value is null.
func (p *page) appendNull(kind columnKind) {
	if len(p.levels) == 0 && kind != listColumn {
		p.levels = appendOnes(p.levels, p.rows)
	}
	p.levels = append(p.levels, 0)
	p.rows++
	if kind == listColumn {
		p.repeats = append(p.repeats, 0)
	}
}

// appendLevels appends the levels of n values.
func (p *page) appendLevels(n int) {
	if len(p.levels) > 0 {
		p.levels = appendOnes(p.levels, n)
	}
	p.rows += n
	p.values += n
}

func appendOnes(b []byte, n int) []byte {
	from := len(b)
	b = slices.Grow(b, n)[:from+n]
	for i := range b[from:] {
		b[from+i] = 1
	}
	return b
}

// addNumber adds an entry of width bytes.
func (p *page) addNumber(n uint64, width int) {
	p.count++
	switch width {
	case 8:
		p.plain = binary.LittleEndian.AppendUint64(p.plain, n)
	case 4:
		p.plain = binary.LittleEndian.AppendUint32(p.plain, uint32(n))
	default:
		p.plain = append(p.plain, byte(n))
	}
}

// addText adds an entry. It replaces invalid UTF-8 with U+FFFD.
func (p *page) addText(v []byte) {
	p.count++
	if utf8.Valid(v) {
		p.plain = parquetio.AppendPlainText(p.plain, v)
	} else {
		start := len(p.plain)
		p.plain = append(p.plain, 0, 0, 0, 0)
		for len(v) > 0 {
			r, size := utf8.DecodeRune(v)
			p.plain = utf8.AppendRune(p.plain, r)
			v = v[size:]
		}
		binary.LittleEndian.PutUint32(p.plain[start:], uint32(len(p.plain)-start-parquetio.PlainLength))
	}
	p.ends = append(p.ends, uint32(len(p.plain)))
}

// addTexts adds the texts [from, to) as entries. They must be valid UTF-8.
func (p *page) addTexts(t *intray.Texts, from, to int) {
	p.count += to - from
	offset := uint32(len(p.plain))
	if from > 0 {
		offset -= t.Ends[from-1]
	}
	p.plain = parquetio.AppendPlainTexts(p.plain, t, from, to)
	p.ends = slices.Grow(p.ends, to-from)
	for _, end := range t.Ends[from:to] {
		offset += parquetio.PlainLength
		p.ends = append(p.ends, offset+end)
	}
}

// plainEntry returns an entry in the encoding PLAIN. It has width bytes, or is a string after its length if
// width is 0.
func (p *page) plainEntry(i, width int) []byte {
	if width > 0 {
		return p.plain[headroom+i*width:][:width]
	}
	start := uint32(headroom)
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.plain[start:p.ends[i]]
}

// entry returns an entry without the length of a string.
func (p *page) entry(i, width int) []byte {
	if width > 0 {
		return p.plainEntry(i, width)
	}
	return p.plainEntry(i, 0)[parquetio.PlainLength:]
}

// useNewEntries makes the last n entries the next values.
func (p *page) useNewEntries(n int) {
	if len(p.indexes) == 0 {
		return
	}
	for i := range n {
		p.indexes = append(p.indexes, int32(p.count-n+i))
	}
}

// beginIndexes prepares the page for values that share entries.
func (p *page) beginIndexes() {
	for i := len(p.indexes); i < p.values; i++ {
		p.indexes = append(p.indexes, int32(i))
	}
}

// appendText appends a row with a text.
func (p *page) appendText(v []byte) {
	p.addText(v)
	p.useNewEntries(1)
	p.appendLevels(1)
}

// appendTexts appends rows with the texts [from, to).
func (p *page) appendTexts(t *intray.Texts, from, to int) {
	if from == to {
		return
	}
	if !areValidTexts(t, from, to) {
		for i := from; i < to; i++ {
			p.appendText(t.At(i))
		}
		return
	}
	p.addTexts(t, from, to)
	p.useNewEntries(to - from)
	p.appendLevels(to - from)
}

// areValidTexts reports whether all texts in the range, which must not be empty, are valid UTF-8.
func areValidTexts(t *intray.Texts, from, to int) bool {
	start := uint32(0)
	if from > 0 {
		start = t.Ends[from-1]
	}
	all := t.Arena[start:t.Ends[to-1]]
	if !utf8.Valid(all) {
		return false
	}
	for _, end := range t.Ends[from:to] { // a character may be in two texts
		if at := int(end - start); at < len(all) && !utf8.RuneStart(all[at]) {
			return false
		}
	}
	return true
}

// These are the definition levels of a list.
const (
	listEmpty = 1 + iota
	listNull
	listValue
)

// appendJSONArray appends a row with the elements of v, which must be a JSON array. It appends null as
// null, strings without quotes, and everything else as it is in JSON.
func (p *page) appendJSONArray(v []byte) {
	before := len(p.levels)
	repeat := byte(0)
	for rest := trimJSON(v[1:]); rest[0] != ']'; {
		end := elementEnd(rest)
		element := trimEnd(rest[:end])
		p.repeats = append(p.repeats, repeat)
		repeat = 1
		if string(element) == "null" {
			p.levels = append(p.levels, listNull)
		} else {
			p.levels = append(p.levels, listValue)
			p.addText(unquoteJSON(element))
			p.values++
		}
		if rest = rest[end:]; rest[0] == ',' {
			rest = trimJSON(rest[1:])
		}
	}
	if repeat == 0 {
		p.levels, p.repeats = append(p.levels, listEmpty), append(p.repeats, 0)
	}
	p.rows += len(p.levels) - before
}

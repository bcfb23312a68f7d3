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
	// entries holds values in the encoding PLAIN, except that a boolean takes one byte: numbers, or strings
	// after their lengths. If the values of the column have a fixed width, entries has no ends.
	entries intray.Texts
	// count is the number of entries.
	count int
	// indexes holds the index of the entry of each value. It is empty if the entries are the values.
	indexes []int32
}

func (p *page) reset() {
	p.entries.Reset()
	*p = page{levels: p.levels[:0], repeats: p.repeats[:0], entries: p.entries, indexes: p.indexes[:0]}
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
		p.entries.Arena = binary.LittleEndian.AppendUint64(p.entries.Arena, n)
	case 4:
		p.entries.Arena = binary.LittleEndian.AppendUint32(p.entries.Arena, uint32(n))
	default:
		p.entries.Arena = append(p.entries.Arena, byte(n))
	}
}

// addText adds an entry. It replaces invalid UTF-8 with U+FFFD.
func (p *page) addText(v []byte) {
	p.count++
	e := &p.entries
	if utf8.Valid(v) {
		e.Arena = parquetio.AppendPlainText(e.Arena, v)
	} else {
		start := len(e.Arena)
		e.Arena = append(e.Arena, 0, 0, 0, 0)
		for len(v) > 0 {
			r, size := utf8.DecodeRune(v)
			e.Arena = utf8.AppendRune(e.Arena, r)
			v = v[size:]
		}
		binary.LittleEndian.PutUint32(e.Arena[start:], uint32(len(e.Arena)-start-parquetio.PlainLength))
	}
	e.Ends = append(e.Ends, uint32(len(e.Arena)))
}

// addTexts adds the texts [from, to) as entries. They must be valid UTF-8.
func (p *page) addTexts(t *intray.Texts, from, to int) {
	p.count += to - from
	end := uint32(len(p.entries.Arena))
	p.entries.Arena = parquetio.AppendPlainTexts(p.entries.Arena, t, from, to)
	p.entries.Ends = slices.Grow(p.entries.Ends, to-from)
	if from > 0 {
		end -= t.Ends[from-1]
	}
	for _, textEnd := range t.Ends[from:to] {
		end += parquetio.PlainLength
		p.entries.Ends = append(p.entries.Ends, textEnd+end)
	}
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

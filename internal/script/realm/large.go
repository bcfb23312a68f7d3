package realm

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Keep gives a worker some rows of a column ahead of a call with very many rows,
// in the order of the rows. It stays until such a call has ended otherwise than
// for columns that were missed, or until the next [Load]. The answer says nothing.
type Keep struct {
	// Field is the place of the field, Part which of the columns that feed it, or
	// -1 where it has no Parts.
	Field, Part int
	// From is the first of the rows, and Size how many rows come in each Keep of
	// the column but the last.
	From, Size int
	// Column holds the cells.
	Column *Column
	Budget time.Duration
}

// Append adds the request to dst.
func (k *Keep) Append(dst []byte) []byte {
	dst = appendHead(dst, k.Budget, "keep")
	for _, one := range []struct {
		name  string
		value int
	}{{"field", k.Field}, {"part", k.Part}, {"from", k.From}, {"size", k.Size}} {
		dst = append(append(append(dst, `,"`...), one.name...), `":`...)
		dst = strconv.AppendInt(dst, int64(one.value), 10)
	}
	dst = k.Column.Value.pack(append(dst, `,"pack":{"value":`...))
	if k.Column.Result != nil {
		dst = k.Column.Result.pack(append(dst, `,"result":`...))
	}
	dst = appendFlag(dst, "lists", k.Column.Value.lists() || k.Column.Result != nil && k.Column.Result.lists())
	if len(k.Column.Infos) > 0 {
		dst = appendInfos(append(dst, `,"infos":`...), k.Column.Infos)
	}
	if len(k.Column.Options) > 0 {
		dst = appendOptions(append(dst, `,"options":`...), k.Column.Options)
	}
	return append(dst, "}}"...)
}

// More asks for the changes that follow those of an answer that says so.
type More struct{ Budget time.Duration }

// Append adds the request to dst.
func (m *More) Append(dst []byte) []byte {
	return append(appendHead(dst, m.Budget, "more"), '}')
}

// The length of a text in a pack is a character, from firstSize on; longest
// stands for one that is listed apart.
const (
	firstSize = 0x100
	longest   = 0xd6ff
)

// pack writes cells as one text, with the length of each in UTF-16.
func (c *Cells) pack(dst []byte) []byte {
	var all, sizes []byte
	var long []int
	for i := range c.count() {
		text, kind := c.at(i)
		if kind == ValueNull {
			text = nil
		}
		if !utf8.Valid(text) {
			text = []byte(string([]rune(string(text)))) // each bad byte alone, as appendText has it
		}
		all = append(all, text...)
		size := utf16Length(text)
		if size >= longest {
			long = append(long, size)
			size = longest
		}
		sizes = utf8.AppendRune(sizes, rune(size+firstSize))
	}
	dst = appendText(append(dst, `{"text":`...), all)
	dst = appendText(append(dst, `,"sizes":`...), sizes)
	dst = c.packKinds(dst)
	if len(long) > 0 {
		dst = append(dst, `,"long":[`...)
		for i, size := range long {
			dst = strconv.AppendInt(appendComma(dst, i), int64(size), 10)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// packKinds tells a text (s), null (z) and JSON (j), unless all are texts.
func (c *Cells) packKinds(dst []byte) []byte {
	plain := true
	kinds := make([]byte, len(c.Kinds))
	for i, kind := range c.Kinds {
		kinds[i] = 'j'
		switch kind {
		case ValueText:
			kinds[i] = 's'
		case ValueNull:
			kinds[i] = 'z'
		}
		plain = plain && kind == ValueText
	}
	if plain {
		return dst
	}
	return appendText(append(dst, `,"kinds":`...), kinds)
}

// utf16Length counts as JavaScript does. A byte that is no UTF-8 is U+FFFD there.
func utf16Length(text []byte) (n int) {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

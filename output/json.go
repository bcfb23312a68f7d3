package output

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// jsonWriter writes rows as JSON objects, with given text before, between and after them.
type jsonWriter struct {
	fields                 []field
	between, before, after string
	// keys are the keys of the fields in JSON, each with the comma before it and the colon
	// after it.
	keys [][]byte
	// passed reports whether rows have unmapped columns. columns are the keys of these
	// columns, in the same format as keys.
	passed  bool
	columns [][]byte
}

func newJSONWriter(schema *intray.Schema, fields []field, between, before, after string) *jsonWriter {
	f := &jsonWriter{fields: fields, between: between, before: before, after: after}
	f.passed = schema.Settings.PassThroughUnmappedColumns
	for i := range fields {
		f.keys = append(f.keys, jsonKey(fields[i].key, i == 0))
	}
	return f
}

// jsonKey returns a key in JSON with the comma before it, unless it is the first, and the
// colon after it.
func jsonKey(key string, first bool) []byte {
	var b []byte
	if !first {
		b = append(b, ',')
	}
	return append(appendString(b, []byte(key)), ':')
}

func (f *jsonWriter) appendStart(b []byte, columns []int) []byte {
	for i, c := range columns {
		f.columns = append(f.columns, jsonKey(strconv.Itoa(c), i == 0))
	}
	return append(b, f.before...)
}

func (f *jsonWriter) rowSeparator() string { return f.between }

func (f *jsonWriter) appendEnd(b []byte, rows int64) ([]byte, error) {
	if rows > 0 || f.before != "" {
		b = append(b, f.after...)
	}
	return b, nil
}

func (f *jsonWriter) appendRow(b []byte, r *rowCursor, first bool) ([]byte, error) {
	if !first {
		b = append(b, f.between...)
	}
	b = append(b, '{')
	for i := range f.fields {
		if text, prepared := r.preparedCell(i); prepared {
			b = append(b, text...)
			continue
		}
		if text, plain := r.plainCell(i); plain {
			b = append(append(append(append(b, f.keys[i]...), '"'), text...), '"')
			continue
		}
		v, kind, err := r.outputValue(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		if b, err = f.appendValue(b, i, v, kind); err != nil {
			return b, err
		}
	}
	if f.passed {
		b = f.appendUnmapped(b, r)
	}
	return append(b, '}'), nil
}

func (f *jsonWriter) appendValue(b []byte, i int, v []byte, kind content) ([]byte, error) {
	return f.fields[i].appendJSON(append(b, f.keys[i]...), v, kind)
}

func (f *jsonWriter) isPlain(texts []byte) bool { return plainPrefixEnd(texts, 0) == len(texts) }

func (f *jsonWriter) appendUnmapped(b []byte, r *rowCursor) []byte {
	b = append(b, jsonKey(unmappedKey, len(f.fields) == 0)...)
	b = append(b, '{')
	for i := range f.columns {
		b = append(b, f.columns[i]...)
		b = appendString(b, r.batch.Unmapped[i].Cells.At(r.index))
	}
	return append(b, '}')
}

func (f *field) appendJSON(b, v []byte, kind content) ([]byte, error) {
	switch {
	case kind == null:
		return append(b, "null"...), nil
	case kind == received || f.shape == textShape:
		return appendString(b, v), nil
	case !f.shape.isLiteral(v):
		return b, fmt.Errorf("the value of field %q does not have the format of its type", f.key)
	}
	return append(b, v...), nil
}

// appendString appends s as a JSON string. It replaces invalid UTF-8 with U+FFFD.
func appendString(b, s []byte) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		if i = plainPrefixEnd(s, i); i == len(s) {
			break
		}
		if c := s[i]; c < utf8.RuneSelf {
			b = append(b, s[from:i]...)
			b = appendEscape(b, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[from:i]...)
			b = appendUnicode(b, r)
			from = i + size
		}
		i += size
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// plainPrefixEnd returns the index of the first byte at or after i that is not plain ASCII in a
// JSON string. It examines eight bytes at a time. Its mask has the high bit set for each byte
// that is a control character, a quote, a backslash or not ASCII. A borrow may also set the high
// bit of later bytes, but not of earlier ones.
func plainPrefixEnd(s []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		found := (w - ones*' ') | (quote - ones) | (slash - ones) | w
		if found &= high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// appendEscape appends the escape sequence of a control character, quote or backslash.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return appendUnicode(b, rune(c))
}

func appendUnicode(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

package output

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// columnKind is the kind of values that a column holds.
type columnKind int

const (
	// textColumn holds UTF-8 strings.
	textColumn columnKind = iota
	// doubleColumn holds numbers without a fixed number of decimal places.
	doubleColumn
	// decimalColumn holds numbers with a fixed number of decimal places, as integers in
	// units of the last place. With no decimal places, they are plain integers.
	decimalColumn
	// booleanColumn holds booleans, one bit each.
	booleanColumn
	// dateColumn holds the number of days since 1970-01-01.
	dateColumn
	// timestampColumn holds the number of microseconds since 1970-01-01T00:00. timeColumn
	// holds the number of microseconds since midnight.
	timestampColumn
	timeColumn
	// listColumn holds any number of strings in each row.
	listColumn
)

// columnTypes holds the physical type of each kind, and the size in bytes of a value in a
// page that is being filled. The size is 0 if it depends on the value.
var columnTypes = [...]struct {
	physical format.Type
	width    int
}{
	textColumn: {format.ByteArray, 0}, listColumn: {format.ByteArray, 0},
	doubleColumn: {format.Double, 8}, decimalColumn: {format.Int64, 8}, timestampColumn: {format.Int64, 8}, timeColumn: {format.Int64, 8},
	dateColumn: {format.Int32, 4}, booleanColumn: {format.Boolean, 1},
}

func (k columnKind) byteWidth() int { return columnTypes[k].width }

// columnWriter is a column of a Parquet file. While one of its pages is being filled, the
// previous page may be encoded concurrently.
type columnWriter struct {
	name string
	kind columnKind
	// places is the number of decimal places.
	places   int
	filling  page
	encoding page
	chunk    columnChunk
}

// newColumnWriter returns the column of a field. If the field has an output format, the column
// is text, unless it is a list.
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

// mayRejectValues reports whether there may be values that the column cannot hold: raw text, or
// numbers with too many digits. received reports whether rows may contain raw text.
func (l *columnWriter) mayRejectValues(received bool) bool {
	return l.kind == doubleColumn || l.kind == decimalColumn || received && l.kind != textColumn
}

// elements returns the schema elements of the column. A list has the three elements that
// the specification requires (LogicalTypes.md).
func (l *columnWriter) elements() []parquetio.Element {
	value := parquetio.Element{Name: []byte(l.name), Type: columnTypes[l.kind].physical, Repetition: format.Optional}
	switch l.kind {
	case textColumn, listColumn:
		value.Logical.Kind = parquetio.LogicalString
	case dateColumn:
		value.Logical.Kind = parquetio.LogicalDate
	case timestampColumn:
		value.Logical = parquetio.LogicalType{Kind: parquetio.LogicalTimestamp, Digits: parquetio.Micros}
	case timeColumn:
		value.Logical = parquetio.LogicalType{Kind: parquetio.LogicalTime, Digits: parquetio.Micros}
	case decimalColumn:
		if l.places > 0 {
			value.Logical = parquetio.LogicalType{Kind: parquetio.LogicalDecimal, Scale: l.places, Precision: maxInt64Digits}
		}
	}
	if l.kind != listColumn {
		return []parquetio.Element{value}
	}
	value.Name = []byte("element")
	return []parquetio.Element{
		{Name: []byte(l.name), Type: parquetio.NoType, Repetition: format.Optional, Children: 1, Logical: parquetio.LogicalType{Kind: parquetio.LogicalList}},
		{Name: []byte("list"), Type: parquetio.NoType, Repetition: format.Repeated, Children: 1},
		value,
	}
}

// parse returns a canonical value as a number. It reports false if the value does not have the format of its
// type, or the column cannot hold it.
func (l *columnWriter) parse(v []byte) (n uint64, ok bool) {
	var i int64
	switch l.kind {
	case doubleColumn:
		x, ok := parseDouble(v)
		return math.Float64bits(x), ok
	case decimalColumn:
		i, ok = parseDecimal(v, l.places)
	case booleanColumn:
		if ok = booleanShape.isLiteral(v); ok && v[0] == 't' {
			i = 1
		}
	case dateColumn:
		i, ok = parseDate(v)
	case timestampColumn:
		i, ok = parseTimestamp(v)
	case timeColumn:
		i, ok = parseTimeOfDay(v)
	}
	return uint64(i), ok
}

// jsonSpace is the white space between the elements of an array.
const jsonSpace = " \t\r\n"

func trimJSON(v []byte) []byte { return bytes.TrimLeft(v, jsonSpace) }

func trimEnd(v []byte) []byte { return bytes.TrimRight(v, jsonSpace) }

// elementEnd returns the index at which the first element in v ends: at a comma or at the
// end of the array.
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

// unquoteJSON returns the content of a JSON string, and any other JSON unchanged.
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

package output

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// csvWriter writes rows to a CSV file.
type csvWriter struct {
	fields  []field
	columns int
	// followsMinus reports whether the current cell follows a negative number at the start of
	// the row. Such a cell is quoted: if a spreadsheet does not split at commas, the text
	// "-5,5+A1" would be a formula.
	followsMinus bool
	// guarded is a buffer for text with escaped formulas.
	guarded []byte
}

func (f *csvWriter) appendStart(b []byte, columns []int) []byte {
	f.columns = len(columns)
	for i := range f.fields {
		b = f.appendComma(b, i)
		b = f.appendCell(b, []byte(f.fields[i].key), true)
	}
	for i, c := range columns {
		b = f.appendComma(b, len(f.fields)+i)
		b = f.appendCell(b, []byte(unmappedKey+"."+strconv.Itoa(c)), true)
	}
	return append(b, '\n')
}

func (f *csvWriter) rowSeparator() string { return "" }

func (f *csvWriter) appendEnd(b []byte, _ int64) ([]byte, error) { return b, nil }

func (f *csvWriter) appendRow(b []byte, r *rowCursor, _ bool) ([]byte, error) {
	for i := range f.fields {
		if text, prepared := r.preparedCell(i); prepared && !f.followsMinus {
			b = append(b, text...)
			f.followsMinus = i == 0 && f.fields[i].shape == numberShape && len(text) > 0 && text[0] == '-'
			continue
		}
		if text, plain := r.plainCell(i); plain {
			b = f.appendClassified(f.appendComma(b, i), text, 0, true)
			f.followsMinus = false
			continue
		}
		v, kind, err := r.outputValue(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		if b, err = f.appendValue(b, i, v, kind); err != nil {
			return b, err
		}
		f.followsMinus = i == 0 && f.isExempt(i, kind) && v[0] == '-'
	}
	for i := range f.columns {
		b = f.appendComma(b, len(f.fields)+i)
		b = f.appendCell(b, r.batch.Unmapped[i].Cells.At(r.index), true)
		f.followsMinus = false
	}
	f.followsMinus = false
	return append(b, '\n'), nil
}

func (f *csvWriter) appendValue(b []byte, i int, v []byte, kind content) ([]byte, error) {
	exempt := f.isExempt(i, kind)
	if exempt && !f.fields[i].shape.isLiteral(v) {
		return b, fmt.Errorf("the value of field %q does not have the format of its type", f.fields[i].key)
	}
	return f.appendCell(f.appendComma(b, i), v, !exempt), nil
}

// isPlain reports whether no byte of the texts has a class.
func (f *csvWriter) isPlain(texts []byte) bool {
	for c, class := range byteClasses {
		if class != 0 && bytes.IndexByte(texts, byte(c)) >= 0 {
			return false
		}
	}
	return true
}

// isExempt reports whether a cell is a number or a boolean, which cannot be a formula.
func (f *csvWriter) isExempt(i int, kind content) bool {
	return kind == canonical && (f.fields[i].shape == numberShape || f.fields[i].shape == booleanShape)
}

func (f *csvWriter) appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// appendCell appends a cell, in quotes if necessary. If guard is set, it escapes formulas.
func (f *csvWriter) appendCell(b, s []byte, guard bool) []byte {
	if len(s) == 0 {
		// An empty cell in a file with one column is quoted, because most readers skip
		// empty lines.
		if len(f.fields)+f.columns == 1 {
			b = append(b, `""`...)
		}
		return b
	}
	class := byte(0)
	for _, c := range s {
		class |= byteClasses[c]
	}
	return f.appendClassified(b, s, class, guard)
}

// appendClassified appends a cell that is not empty. class contains the classes of its bytes.
func (f *csvWriter) appendClassified(b, s []byte, class byte, guard bool) []byte {
	atStart := guard && startsFormula(s)
	if guard && class&separatorByte != 0 {
		f.guarded = appendGuarded(f.guarded[:0], s)
		s = f.guarded
	}
	// Some readers trim cells, so a cell that begins or ends with a space needs quotes.
	quote := class&quotedByte != 0 || s[0] == ' ' || s[len(s)-1] == ' ' || guard && f.followsMinus
	if !quote {
		if atStart {
			b = append(b, '\'')
		}
		return append(b, s...)
	}
	b = append(b, '"')
	if atStart {
		b = append(b, '\'')
	}
	for {
		at := bytes.IndexByte(s, '"')
		if at < 0 {
			break
		}
		b = append(append(b, s[:at+1]...), '"')
		s = s[at+1:]
	}
	return append(append(b, s...), '"')
}

const (
	// quotedByte is the class of bytes that need quotes.
	quotedByte = 1 << iota
	// separatorByte is the class of bytes at which a spreadsheet may split a line, depending
	// on its settings and the country. Spreadsheets recognize quotes only at the start of a
	// cell, so quotes do not protect text that follows such a byte. A comma is not in this
	// class: a spreadsheet that splits at commas recognizes the quotes.
	separatorByte
)

var byteClasses = [256]byte{
	',': quotedByte, '"': quotedByte, '\n': quotedByte | separatorByte, '\r': quotedByte | separatorByte,
	';': separatorByte, '\t': separatorByte, '|': separatorByte,
}

// appendGuarded appends text with ' after each separator that precedes a formula. Like
// startsFormula, it ignores invisible characters before the formula, and also quotes. Its time
// is linear, even if the text consists of separators.
func appendGuarded(dst, s []byte) []byte {
	end, formula := 0, false // of the invisible characters and quotes that follow a separator
	for i, c := range s {
		dst = append(dst, c)
		if byteClasses[c]&separatorByte == 0 || c == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			continue
		}
		if i >= end {
			rest := bytes.TrimLeftFunc(s[i+1:], func(r rune) bool { return r == '"' || isInvisible(r) })
			end = len(s) - len(rest)
			r, _ := utf8.DecodeRune(rest)
			formula = isFormulaSign(r)
		}
		if formula {
			dst = append(dst, '\'')
		}
	}
	return dst
}

// startsFormula reports whether a spreadsheet could treat the text as a formula. It ignores
// white space and invisible characters at the beginning, because some readers trim cells.
func startsFormula(s []byte) bool {
	switch c := s[0]; {
	case c == '\t' || c == '\r' || c == '\n' || c == 0:
		return true
	case c > ' ' && c < 0x7f:
		return isFormulaSign(rune(c))
	}
	r, _ := utf8.DecodeRune(bytes.TrimLeftFunc(s, isInvisible))
	return isFormulaSign(r)
}

// isFormulaSign reports whether a formula can begin with the character. Some applications
// also accept the full-width and small forms.
func isFormulaSign(r rune) bool {
	switch r {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫':
		return true
	}
	return false
}

func isInvisible(r rune) bool { return unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf) }

// EscapeFormula returns text in which ' precedes each part that a spreadsheet could treat as
// a formula, as [Write] does in CSV. It returns any other text unchanged.
func EscapeFormula(text string) string {
	if text == "" {
		return text
	}
	guarded := appendGuarded(make([]byte, 0, len(text)), []byte(text))
	if startsFormula([]byte(text)) {
		return "'" + string(guarded)
	}
	return string(guarded)
}

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
		b = f.appendComma(b, i)
		v, kind, err := r.outputValue(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		exempt := kind == canonical && (f.fields[i].shape == numberShape || f.fields[i].shape == booleanShape)
		if exempt && !f.fields[i].shape.isLiteral(v) {
			return b, fmt.Errorf("the value of field %q does not have the format of its type", f.fields[i].key)
		}
		b = f.appendCell(b, v, !exempt)
	}
	for i := range f.columns {
		b = f.appendComma(b, len(f.fields)+i)
		b = f.appendCell(b, r.batch.Unmapped[i].Cells.At(r.index), true)
	}
	return append(b, '\n'), nil
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
	guard = guard && startsFormula(s)
	if !needsQuotes(s) {
		if guard {
			b = append(b, '\'')
		}
		return append(b, s...)
	}
	b = append(b, '"')
	if guard {
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

// needsQuotes reports whether a cell needs quotes. A cell that begins or ends with a space
// does, because some readers trim cells.
func needsQuotes(s []byte) bool {
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return true
	}
	for _, c := range s {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
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

// EscapeFormula prefixes text with ' if a spreadsheet could treat it as a formula, as
// [Write] does in CSV. It returns any other text unchanged.
func EscapeFormula(text string) string {
	if text != "" && startsFormula([]byte(text)) {
		return "'" + text
	}
	return text
}

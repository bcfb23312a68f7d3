package xls

import "github.com/intraydata/intray/source/numfmt"

// style describes how to display cells with a certain XF record.
type style struct {
	*numfmt.Format
	// plain is true if the format displays text unchanged.
	plain bool
}

// styles holds the XF and FORMAT records of a workbook.
type styles struct {
	// xfs holds the number of the format of each XF record.
	xfs []uint16
	// codes maps the number of each format that the workbook defines to its format
	// code. unnumbered counts the formats without a number.
	codes      map[uint16]string
	unnumbered int
	// hasBuiltins is true if the version of the file has built-in formats.
	hasBuiltins bool
	compiled    map[uint16]style
	general     style
}

// maxXFs is the maximum number of XF records that cells can refer to.
const maxXFs = 1 << 16

func (s *styles) addXF(format uint16) {
	if len(s.xfs) < maxXFs {
		s.xfs = append(s.xfs, format)
	}
}

// addCode adds a format code. number is negative if the format has no number. Such
// formats are numbered from 0 in file order.
func (s *styles) addCode(number int, code string) {
	if number < 0 {
		number = s.unnumbered
		s.unnumbered++
	}
	if s.codes == nil {
		s.codes = map[uint16]string{}
	}
	if number < maxXFs {
		s.codes[uint16(number)] = code
	}
}

// compile compiles the formats that cells may use. No format or style may be added
// afterwards.
func (s *styles) compile(byFormat bool) {
	s.compiled = map[uint16]style{}
	s.general = compileStyle("General")
	if byFormat { // BIFF2 cells refer to formats instead of XF records
		s.xfs = nil
		for number := range uint16(64) {
			s.xfs = append(s.xfs, number)
		}
	}
	for _, number := range s.xfs {
		if _, done := s.compiled[number]; done {
			continue
		}
		s.compiled[number] = s.general
		if code := s.formatCode(number); code != "" {
			s.compiled[number] = compileStyle(code)
		}
	}
}

// formatCode returns the code of the format with the given number, or "" if there is
// none.
func (s *styles) formatCode(number uint16) string {
	if code, ok := s.codes[number]; ok || !s.hasBuiltins {
		return code
	}
	return numfmt.Builtin(int(number))
}

func compileStyle(code string) style {
	format, _ := numfmt.Compile(code) // an invalid code is displayed as General
	one, two := format.AppendFormattedText(nil, []byte("x")), format.AppendFormattedText(nil, []byte("yz"))
	return style{Format: format, plain: string(one) == "x" && string(two) == "yz"}
}

// forXF returns the style of a cell, or General if the workbook has none.
func (s *styles) forXF(xf uint16) style {
	if int(xf) >= len(s.xfs) {
		return s.general
	}
	return s.compiled[s.xfs[xf]]
}

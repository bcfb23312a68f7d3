package xls

import "github.com/intraydata/intray/source/numfmt"

// style is how the cells of one XF record are shown.
type style struct {
	*numfmt.Format
	// plain says that texts are shown as they are.
	plain bool
}

// styles knows the XF and FORMAT records of a workbook.
type styles struct {
	// xfs holds for each XF record the number of its format.
	xfs []uint16
	// codes are the formats that the workbook brings; listed is how many of
	// them came without a number.
	codes      map[uint16]string
	unnumbered int
	// hasBuiltins says that there are formats besides those of the workbook.
	hasBuiltins bool
	compiled    map[uint16]style
	general     style
}

// maxXFs is how many a cell can choose from.
const maxXFs = 1 << 16

func (s *styles) addXF(format uint16) {
	if len(s.xfs) < maxXFs {
		s.xfs = append(s.xfs, format)
	}
}

// addCode keeps a format; one without a number follows the one before it.
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

// compile readies the formats that cells may use; the styles do not change
// behind it.
func (s *styles) compile(byFormat bool) {
	s.compiled = map[uint16]style{}
	s.general = compileStyle("General")
	if byFormat { // the cells of the oldest version name formats
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

// formatCode gives the code of a format, "" for none.
func (s *styles) formatCode(number uint16) string {
	if code, ok := s.codes[number]; ok || !s.hasBuiltins {
		return code
	}
	return numfmt.Builtin(int(number))
}

func compileStyle(code string) style {
	format, _ := numfmt.Compile(code) // what cannot be read is shown as General
	one, two := format.AppendFormattedText(nil, []byte("x")), format.AppendFormattedText(nil, []byte("yz"))
	return style{Format: format, plain: string(one) == "x" && string(two) == "yz"}
}

// forXF gives the style of a cell; where the workbook has none, General.
func (s *styles) forXF(xf uint16) style {
	if int(xf) >= len(s.xfs) {
		return s.general
	}
	return s.compiled[s.xfs[xf]]
}

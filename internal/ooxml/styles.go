package ooxml

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
	"github.com/intraydata/intray/source/workbook"
)

// Style describes how to display cells with a certain number format.
type Style struct {
	Format *numfmt.Format
	// General is true for the format General.
	General bool
	// PlainText is true if the format displays text unchanged.
	PlainText bool
}

// SetNumber sets the kind, value and displayed text of a cell with a number. It appends the text
// to buf, and returns the extended buffer.
func (st *Style) SetNumber(c *workbook.Cell, buf []byte, v float64, epoch1904 bool) []byte {
	from := len(buf)
	buf, c.Kind = st.Format.AppendValue(buf, v, epoch1904)
	middle := len(buf)
	if st.General && workbook.IsVerbatim(buf[from:]) {
		c.Value = buf[from:middle:middle]
		return buf
	}
	buf = st.Format.AppendFormatted(buf, v, epoch1904)
	c.Value = buf[from:middle:middle]
	shown := buf[middle:len(buf):len(buf)]
	if bytes.Equal(c.Value, shown) {
		return buf[:middle]
	}
	c.Formatted = shown
	return buf
}

// SetText sets the kind, value and displayed text of a cell with text, which must remain valid
// as long as the cell. It appends the displayed text to buf if the format changes it, and returns
// the extended buffer.
func (st *Style) SetText(c *workbook.Cell, buf, text []byte) []byte {
	c.Kind, c.Value = intray.CellText, text
	if st.PlainText || len(text) == 0 {
		return buf
	}
	from := len(buf)
	buf = st.Format.AppendFormattedText(buf, text)
	c.Formatted = buf[from:len(buf):len(buf)]
	return buf
}

// SetBool sets the kind, value and displayed text of a cell with a Boolean. Excel displays TRUE and
// FALSE by the section of the format for text. SetBool appends the text to buf, and returns the
// extended buffer.
func (st *Style) SetBool(c *workbook.Cell, buf []byte, v bool) []byte {
	value, text := "false", "FALSE"
	if v {
		value, text = "true", "TRUE"
	}
	from := len(buf)
	buf = append(buf, text...)
	buf = st.SetText(c, buf, buf[from:len(buf):len(buf)])
	if c.Formatted == nil {
		c.Formatted = c.Value
	}
	from = len(buf)
	buf = append(buf, value...)
	c.Kind, c.Value = intray.CellBool, buf[from:len(buf):len(buf)]
	return buf
}

// Styles are the number formats of cells, as stored in the file.
type Styles struct {
	// limit is the maximum number of cell styles, and also of number formats.
	limit int
	// formats counts the number formats that were added.
	formats int
	// codes maps the id of each number format that the file defines to its format code.
	codes map[int]string
	// ids holds the format id of each cell style.
	ids []int
	// codeBytes is the total length of the format codes in bytes.
	codeBytes int
}

// NewStyles returns an empty list of styles. limit is the maximum number of cell styles, and also
// of number formats.
func NewStyles(limit int) *Styles { return &Styles{limit: limit, codes: map[int]string{}} }

// StyleCache compiles the styles for one reader, each on first use.
type StyleCache struct {
	*Styles
	byFormat map[int]*Style
	byIndex  []*Style
}

// NewCache returns a cache for one reader. No styles may be added afterwards.
func (st *Styles) NewCache() *StyleCache {
	return &StyleCache{Styles: st, byFormat: map[int]*Style{}, byIndex: make([]*Style, len(st.ids))}
}

// GeneralID is the format id of cells without a style.
const GeneralID = 0

// maxCodeBytes is the maximum length of a valid format code, in bytes. A code has up to
// 255 characters of up to 4 bytes.
const maxCodeBytes = 4 * 255

// maxCodesBytes is the maximum total length of the format codes of a workbook, in bytes. Excel
// allows at most 250 of them. A compiled format takes many times the memory of its code.
const maxCodesBytes = 2 << 20

// AddCode adds the number format with the given id.
func (st *Styles) AddCode(id int, code string) error {
	code = strings.Clone(code[:min(len(code), maxCodeBytes)])
	if st.codeBytes += len(code); st.codeBytes > maxCodesBytes {
		return &source.LimitError{Reason: intray.NewMessage("workbook.formats_too_long", intray.Params{"limit": maxCodesBytes})}
	}
	st.formats++
	st.codes[id] = code
	return st.checkCount(st.formats)
}

// AddStyle adds a cell style with the given format id.
func (st *Styles) AddStyle(formatID int) error {
	st.ids = append(st.ids, formatID)
	return st.checkCount(len(st.ids))
}

func (st *Styles) checkCount(count int) error {
	if count > st.limit {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": st.limit})}
	}
	return nil
}

// At returns the style with the given index, or the style of the format General if
// the index is invalid.
func (st *StyleCache) At(index int) *Style {
	if index < 0 || index >= len(st.byIndex) {
		return st.compile(GeneralID)
	}
	if st.byIndex[index] == nil {
		st.byIndex[index] = st.compile(st.ids[index])
	}
	return st.byIndex[index]
}

func (st *StyleCache) compile(id int) *Style {
	if made := st.byFormat[id]; made != nil {
		return made
	}
	code, defined := st.codes[id]
	if !defined {
		code = numfmt.Builtin(id)
	}
	code = cmp.Or(code, "General")
	f, _ := numfmt.Compile(code)
	const probe = "a 1\x01%"
	made := &Style{Format: f, General: strings.EqualFold(code, "General"), PlainText: string(f.AppendFormattedText(nil, []byte(probe))) == probe}
	st.byFormat[id] = made
	return made
}

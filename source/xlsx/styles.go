package xlsx

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
)

// style describes how to display cells with a certain number format.
type style struct {
	format *numfmt.Format
	// general is true for the format General.
	general bool
	// plainText is true if the format displays text unchanged.
	plainText bool
}

// styles are the number formats of cells, as stored in the file.
type styles struct {
	// codes maps the id of each number format that the file defines to its format code.
	codes map[int]string
	// ids holds the format id of each cell style.
	ids []int
	// codeBytes is the total length of the format codes in bytes.
	codeBytes int
}

// styleCache compiles the styles for one reader, each on first use.
type styleCache struct {
	*styles
	byFormat map[int]*style
	byIndex  []*style
}

func (st *styles) newCache() *styleCache {
	return &styleCache{styles: st, byFormat: map[int]*style{}, byIndex: make([]*style, len(st.ids))}
}

// generalID is the format id of cells without a style.
const generalID = 0

// maxCodeBytes is the maximum length of a valid format code, in bytes. A code has up to
// 255 characters of up to 4 bytes.
const maxCodeBytes = 4 * 255

// maxCodesBytes is the maximum total length of the format codes of a workbook, in bytes. Excel
// allows at most 250 of them. A compiled format takes many times the memory of its code.
const maxCodesBytes = 2 << 20

func readStyles(ctx context.Context, arc *archive, name string) (*styles, error) {
	st := &styles{codes: map[int]string{}}
	if name == "" {
		return st, nil
	}
	err := arc.readSmallPart(ctx, name, func(s *xmlscan.Scanner) error { return st.read(s, arc.limits) })
	return st, err
}

func (st *styles) read(s *xmlscan.Scanner, limits Limits) error {
	if err := s.OpenRoot("styleSheet"); err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		switch string(s.Name) {
		case "numFmts":
			return st.readChildren(s, "numFmt", limits, st.addCode)
		case "cellXfs":
			return st.readChildren(s, "xf", limits, st.addStyle)
		}
		return s.Skip()
	})
}

// readChildren calls add for each child element with the given name.
func (st *styles) readChildren(s *xmlscan.Scanner, name string, limits Limits, add func(*xmlscan.Scanner) error) error {
	count := 0
	return s.ForEachChild(func() error {
		if string(s.Name) == name {
			if count++; count > limits.Styles {
				return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": limits.Styles})}
			}
			if err := add(s); err != nil {
				return err
			}
		}
		return s.Skip()
	})
}

func (st *styles) addCode(s *xmlscan.Scanner) error {
	id, err := strconv.Atoi(string(s.Attr("numFmtId")))
	if err != nil {
		return nil //nolint:nilerr // no cell can refer to a format without an id
	}
	code, err := s.AttrText("formatCode")
	code = strings.Clone(code[:min(len(code), maxCodeBytes)])
	if st.codeBytes += len(code); st.codeBytes > maxCodesBytes {
		return &source.LimitError{Reason: intray.NewMessage("workbook.formats_too_long", intray.Params{"limit": maxCodesBytes})}
	}
	st.codes[id] = code
	return err
}

func (st *styles) addStyle(s *xmlscan.Scanner) error {
	id, err := strconv.Atoi(string(s.Attr("numFmtId")))
	if err != nil {
		id = generalID // the default of a missing attribute
	}
	st.ids = append(st.ids, id)
	return nil
}

// styleAt returns the style with the given index, or the style of the format General if
// the index is invalid.
func (st *styleCache) styleAt(index int) *style {
	if index < 0 || index >= len(st.byIndex) {
		return st.compile(generalID)
	}
	if st.byIndex[index] == nil {
		st.byIndex[index] = st.compile(st.ids[index])
	}
	return st.byIndex[index]
}

func (st *styleCache) compile(id int) *style {
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
	made := &style{format: f, general: strings.EqualFold(code, "General"), plainText: string(f.AppendFormattedText(nil, []byte(probe))) == probe}
	st.byFormat[id] = made
	return made
}

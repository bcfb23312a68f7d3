package xlsx

import (
	"context"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
)

// style is how cells with one number format are displayed.
type style struct {
	format *numfmt.Format
	// general is set for the format General.
	general bool
	// plainText is set if texts are displayed unchanged.
	plainText bool
}

// styles are the number formats of cells, as stored in the file.
type styles struct {
	// codes are the format codes that the file defines, by id.
	codes map[int]string
	// ids has the format id of each cell style.
	ids []int
}

// styleCache compiles the styles for one reader on first use.
type styleCache struct {
	*styles
	byFormat map[int]*style
	byIndex  []*style
}

func (st *styles) newCache() *styleCache {
	return &styleCache{styles: st, byFormat: map[int]*style{}, byIndex: make([]*style, len(st.ids))}
}

// generalID is the format of cells without a style.
const generalID = 0

// maxCodeBytes is the most bytes of a valid format code, which has up to 255
// characters.
const maxCodeBytes = 4 * 255

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

// readChildren calls add for the children with a name.
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
		return nil //nolint:nilerr // no cell can refer to a format without a number
	}
	code, err := s.AttrText("formatCode")
	st.codes[id] = strings.Clone(code[:min(len(code), maxCodeBytes)])
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

// styleAt returns the style with an index, and General for an invalid index.
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
	if code == "" {
		code = "General"
	}
	f, _ := numfmt.Compile(code)
	const probe = "a 1\x01%"
	made := &style{format: f, general: strings.EqualFold(code, "General"), plainText: string(f.AppendFormattedText(nil, []byte(probe))) == probe}
	st.byFormat[id] = made
	return made
}

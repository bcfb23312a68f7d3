package xlsx

import (
	"context"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/numfmt"
)

// style is how the cells of one number format are shown.
type style struct {
	format *numfmt.Format
	// general is the format General.
	general bool
	// bare says that texts are shown as they are.
	bare bool
}

// styles are the number formats of cells as the file has them.
type styles struct {
	// codes are those that the file defines, by their ids.
	codes map[int]string
	// ids has the id of each cell style's format.
	ids []int
}

// shown are the styles that one reader uses, compiled when first met.
type shown struct {
	*styles
	made map[int]*style
	of   []*style
}

func (st *styles) reader() *shown {
	return &shown{styles: st, made: map[int]*style{}, of: make([]*style, len(st.ids))}
}

// generalID is the format of cells that have no style.
const generalID = 0

// codeBytes is the most of a code that can count: 255 characters.
const codeBytes = 4 * 255

func readStyles(ctx context.Context, arc *archive, name string) (*styles, error) {
	st := &styles{codes: map[int]string{}}
	if name == "" {
		return st, nil
	}
	p, err := arc.openSmall(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.end()
	s, err := newScanner(p, name, arc.limits)
	if err == nil {
		err = st.read(s, arc.limits)
	}
	return st, stopped(ctx, err)
}

func (st *styles) read(s *scanner, limits Limits) error {
	if err := s.root("styleSheet"); err != nil {
		return err
	}
	for {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		switch string(s.name) {
		case "numFmts":
			err = st.each(s, "numFmt", limits, st.addCode)
		case "cellXfs":
			err = st.each(s, "xf", limits, st.addStyle)
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// each hands on the children of that name.
func (st *styles) each(s *scanner, name string, limits Limits, add func(*scanner) error) error {
	for count := 0; ; {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		if string(s.name) == name {
			if count++; count > limits.Styles {
				return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": limits.Styles})}
			}
			if err := add(s); err != nil {
				return err
			}
		}
		if err := s.skip(); err != nil {
			return err
		}
	}
}

func (st *styles) addCode(s *scanner) error {
	id, err := strconv.Atoi(string(s.attr("numFmtId")))
	if err != nil {
		return nil //nolint:nilerr // a format without a number is one that no cell can have
	}
	code, err := s.attrText("formatCode")
	st.codes[id] = strings.Clone(code[:min(len(code), codeBytes)])
	return err
}

func (st *styles) addStyle(s *scanner) error {
	id, err := strconv.Atoi(string(s.attr("numFmtId")))
	if err != nil {
		id = generalID // the attribute may be missing, and then means this
	}
	st.ids = append(st.ids, id)
	return nil
}

// at gives the style that a cell names. A style that is not there means
// General, as a cell without one does.
func (st *shown) at(index int) *style {
	if index < 0 || index >= len(st.of) {
		return st.make(generalID)
	}
	if st.of[index] == nil {
		st.of[index] = st.make(st.ids[index])
	}
	return st.of[index]
}

func (st *shown) make(id int) *style {
	if made := st.made[id]; made != nil {
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
	made := &style{format: f, general: strings.EqualFold(code, "General"), bare: string(f.AppendShownText(nil, []byte(probe))) == probe}
	st.made[id] = made
	return made
}

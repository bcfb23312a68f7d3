package xlsx

import (
	"context"
	"strconv"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
)

func readStyles(ctx context.Context, arc *ooxml.Archive, name string, limit int) (*ooxml.Styles, error) {
	st := ooxml.NewStyles(limit)
	if name == "" {
		return st, nil
	}
	err := arc.ReadSmallPart(ctx, name, func(s *xmlscan.Scanner) error { return readStyleSheet(s, st) })
	return st, err
}

func readStyleSheet(s *xmlscan.Scanner, st *ooxml.Styles) error {
	if err := s.OpenRoot("styleSheet"); err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		switch string(s.Name) {
		case "numFmts":
			return readChildren(s, st, "numFmt", addCode)
		case "cellXfs":
			return readChildren(s, st, "xf", addStyle)
		}
		return s.Skip()
	})
}

// readChildren calls add for each child element with the given name.
func readChildren(s *xmlscan.Scanner, st *ooxml.Styles, name string, add func(*xmlscan.Scanner, *ooxml.Styles) error) error {
	return s.ForEachChild(func() error {
		if string(s.Name) == name {
			if err := add(s, st); err != nil {
				return err
			}
		}
		return s.Skip()
	})
}

func addCode(s *xmlscan.Scanner, st *ooxml.Styles) error {
	id, err := strconv.Atoi(string(s.Attr("numFmtId")))
	if err != nil {
		return nil //nolint:nilerr // no cell can refer to a format without an id
	}
	code, err := s.AttrText("formatCode")
	if err != nil {
		return err
	}
	return st.AddCode(id, code)
}

func addStyle(s *xmlscan.Scanner, st *ooxml.Styles) error {
	id, err := strconv.Atoi(string(s.Attr("numFmtId")))
	if err != nil {
		id = ooxml.GeneralID // the default of a missing attribute
	}
	return st.AddStyle(id)
}

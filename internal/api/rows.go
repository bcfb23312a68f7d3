package api

import (
	"io"
	"net/http"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// rowsField is the property whose value is kept apart from the rest of the
// body: it may be large, and nobody needs it decoded.
const rowsField = "initial_data"

// splitRows passes over a body and keeps the value of its top-level property
// initial_data apart; the rest gets an empty array in its place. A body without
// the property, or with null, has no rows. Rows without an error must be
// closed.
func (a *API) splitRows(from io.Reader, rest io.Writer) (rows *spool, err error) {
	s := &splitter{Scanner: shape.NewScanner(from, rest), rest: rest, api: a}
	if err := s.body(); err != nil {
		if s.rows != nil {
			s.rows.close()
		}
		return nil, err
	}
	return s.rows, nil
}

// splitter sorts a body into the rows and the rest.
type splitter struct {
	*shape.Scanner
	api  *API
	rest io.Writer
	rows *spool
}

func (s *splitter) body() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b == '{' {
		err = s.Members(s.member)
	} else {
		err = s.Value() // the check of the rest says that it is no object
	}
	if err != nil {
		return err
	}
	return s.End()
}

func (s *splitter) member(name string) error {
	if name == rowsField {
		return s.takeRows()
	}
	return s.Value()
}

// takeRows keeps the value that follows apart.
func (s *splitter) takeRows() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '[' {
		if b == 'n' || !beginsValue(b) {
			return s.Value() // null, or the scanner says what is wrong
		}
		return invalidField(rowsField, intray.NewMessage("import.initial_data_not_objects", nil))
	}
	s.rows = s.api.newSpool(maxRows, refuse(http.StatusRequestEntityTooLarge, "initial_data_too_large", intray.NewMessage("import.initial_data_too_large", intray.Params{"size": maxRows})))
	if err := s.Divert(s.rows); err != nil {
		return err
	}
	if err := s.Elements(s.row); err != nil {
		return err
	}
	if err := s.Divert(s.rest); err != nil {
		return err
	}
	_, err = io.WriteString(s.rest, "[]")
	return err
}

func (s *splitter) row(i int) error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '{' && beginsValue(b) {
		return invalidField(rowsField, intray.NewMessage("import.initial_data_element_not_object", intray.Params{"element": i}))
	}
	return s.Value()
}

// beginsValue says whether a JSON value may begin so.
func beginsValue(b byte) bool { return strings.IndexByte(`{["-0123456789tfn`, b) >= 0 }

package model

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/intraydata/intray"
)

// Cursor is the position after the last row of a page. Clients must treat it as opaque. It remains
// valid if rows are added or deleted, including its own row.
type Cursor string

// PageRequest selects a page of a list.
type PageRequest struct {
	// Offset is the number of rows before the page. It is not used if After is set. The cost of
	// reading a page grows with Offset, but not with the position of After.
	Offset int64
	// Limit is the maximum number of rows in the page. A negative number counts as 0.
	Limit int64
	// After selects the rows after a cursor of the same list, if it is not "". A string that is not
	// a cursor of the list causes an error of kind Invalid.
	After Cursor
}

// CountLimit is the maximum of Page.Total in lists whose rows are counted when a page is read.
// Counting more rows would take longer than reading the page.
const CountLimit = 10_000

// Page is a part of a list.
type Page[T any] struct {
	Rows []T
	// Total is the number of rows in the list. In lists without a stored count, it is at most
	// CountLimit.
	Total int64
	// Next is the cursor after the last row, or "" if no rows follow.
	Next Cursor
}

// NewCursor returns a cursor that contains the values by which a list is ordered: integers of type
// int64 and strings.
func NewCursor(position ...any) Cursor {
	text, err := json.Marshal(position)
	if err != nil {
		panic(err) // neither integers nor strings cause an error
	}
	return Cursor(base64.RawURLEncoding.EncodeToString(text))
}

// Position returns the values that a cursor contains. It returns an Invalid error if their number or
// types differ from those of like.
func (c Cursor) Position(like ...any) ([]any, error) {
	invalid := InvalidField("cursor", intray.NewMessage("request.invalid_cursor", nil))
	text, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil {
		return nil, invalid
	}
	var values []json.RawMessage
	if json.Unmarshal(text, &values) != nil || len(values) != len(like) {
		return nil, invalid
	}
	position := make([]any, len(values))
	for i, value := range values {
		if _, number := like[i].(int64); number {
			position[i], err = decodeAs[int64](value)
		} else {
			position[i], err = decodeAs[string](value)
		}
		if err != nil {
			return nil, invalid
		}
	}
	return position, nil
}

func decodeAs[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	if s, isText := any(value).(string); isText && strings.ContainsRune(s, 0) {
		err = errors.New("PostgreSQL does not store U+0000")
	}
	return value, err
}

// Cursor returns the position of an upload in a list of uploads.
func (u Upload) Cursor() Cursor { return NewCursor(u.Created.UnixMicro(), u.ID) }

// Cursor returns the position of a schema in a list of schemas.
func (s Schema) Cursor() Cursor { return NewCursor(s.Created.UnixMicro(), s.ID) }

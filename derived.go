package intray

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// MaxDerivedColumns is the maximum number of columns that a person can add to a table.
const MaxDerivedColumns = 100

// maxDerivedText is the maximum length of each text of such a column, such as its name, in bytes.
const maxDerivedText = 1000

// DerivedColumn is a column that a person adds to the table of a file. It follows the columns of the file.
// Exactly one of Constant, Join, Split and Change is set.
type DerivedColumn struct {
	// Name is the header of the column.
	Name string `json:"name"`
	// Constant is the text of all cells.
	Constant *string `json:"constant,omitempty"`
	// Join combines the cells of several columns.
	Join *JoinedColumns `json:"join,omitempty"`
	// Split takes a part of the cells of a column.
	Split *SplitColumn `json:"split,omitempty"`
	// Change is a copy of a column with other text.
	Change *ChangedColumn `json:"change,omitempty"`
}

// JoinedColumns combines the cells of several columns. Blank cells are skipped.
type JoinedColumns struct {
	// Columns are the indexes of columns of the file.
	Columns []int `json:"columns"`
	// With is the text between the cells.
	With string `json:"with"`
}

// SplitColumn takes a part of the cells of a column. Parts are trimmed.
type SplitColumn struct {
	// Column is the index of a column of the file.
	Column int `json:"column"`
	// At is the text between the parts. It is not empty.
	At string `json:"at"`
	// Part is the index of the part, counted from 0. A cell with fewer parts is empty.
	Part int `json:"part"`
	// Rest is set if the part includes everything that follows.
	Rest bool `json:"rest,omitempty"`
}

// ChangedColumn is a copy of a column in which the text of each cell is changed: first Find is
// replaced, then dates are rewritten, then spaces are removed, and then the letter case changes. At
// least one of these changes is set.
type ChangedColumn struct {
	// Column is the index of a column of the file.
	Column int `json:"column"`
	// Find is the text to replace with With, in the given case. It is empty if nothing is replaced.
	Find string `json:"find,omitempty"`
	With string `json:"with,omitempty"`
	// Trim is set to remove spaces from both ends, and all but one of several spaces inside.
	Trim bool `json:"trim,omitempty"`
	// Case is "upper", "lower", "title" (the first letter of each word is a capital) or, to keep the
	// case, empty.
	Case string `json:"case,omitempty"`
	// Dates is set to write dates in a different format.
	Dates *RewrittenDates `json:"dates,omitempty"`
}

func (c *ChangedColumn) isValid() bool {
	isCase := slices.Contains([]string{"", "upper", "lower", "title"}, c.Case)
	areDates := c.Dates == nil || c.Dates.isValid()
	return isCase && areDates && (c.Find != "" || c.Trim || c.Case != "" || c.Dates != nil)
}

// RewrittenDates writes dates in a different format. A time of day is dropped. Cells that are not dates, or that
// do not fit Order, stay the same.
type RewrittenDates struct {
	// Order is the order of the numbers in dates that are written in numbers and do not start with a year of
	// four digits: DMY, MDY or YMD.
	Order string `json:"order"`
	// Format is one of DateFormats.
	Format string `json:"format"`
}

// DateFormats are the formats that RewrittenDates can write, in Luxon tokens.
var DateFormats = []string{
	"yyyy-MM-dd", "dd.MM.yyyy", "dd/MM/yyyy", "dd-MM-yyyy", "d.M.yyyy", "d/M/yyyy", "MM/dd/yyyy", "M/d/yyyy", "yyyy/MM/dd", "yyyyMMdd",
	"yyyy-MM", "MM/yyyy", "yyyy",
}

func (d *RewrittenDates) isValid() bool {
	return slices.Contains([]string{"DMY", "MDY", "YMD"}, d.Order) && slices.Contains(DateFormats, d.Format)
}

// ParseDerivedColumns parses the answer with the id AnswerDerived: a JSON list of columns. columns is the
// number of columns of the file, or -1 if it is unknown. ok is false if the answer is not valid.
func ParseDerivedColumns(answer string, columns int) (list []DerivedColumn, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(answer))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&list) != nil || list == nil || len(list) > MaxDerivedColumns {
		return nil, false
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	for _, c := range list {
		if !c.isValid(columns) {
			return nil, false
		}
	}
	return list, true
}

func (c DerivedColumn) isValid(columns int) bool {
	if c.Name == "" || slices.ContainsFunc(c.texts(), func(text string) bool { return len(text) > maxDerivedText }) {
		return false
	}
	exists := func(column int) bool { return column >= 0 && (columns < 0 || column < columns) }
	var valid []bool
	if c.Constant != nil {
		valid = append(valid, true)
	}
	if j := c.Join; j != nil {
		missing := slices.ContainsFunc(j.Columns, func(at int) bool { return !exists(at) })
		distinct := len(slices.Compact(slices.Sorted(slices.Values(j.Columns)))) == len(j.Columns)
		valid = append(valid, len(j.Columns) > 0 && len(j.Columns) <= MaxDerivedColumns && distinct && !missing)
	}
	if s := c.Split; s != nil {
		valid = append(valid, exists(s.Column) && s.At != "" && s.Part >= 0)
	}
	if c.Change != nil {
		valid = append(valid, exists(c.Change.Column) && c.Change.isValid())
	}
	return len(valid) == 1 && valid[0]
}

// texts returns the texts that a person has chosen.
func (c DerivedColumn) texts() []string {
	list := []string{c.Name}
	if c.Constant != nil {
		list = append(list, *c.Constant)
	}
	if c.Join != nil {
		list = append(list, c.Join.With)
	}
	if c.Split != nil {
		list = append(list, c.Split.At)
	}
	if c.Change != nil {
		list = append(list, c.Change.Find, c.Change.With)
	}
	return list
}

package jsonrows

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// noColumn is the column of a name that has none.
const noColumn = -1

// name is one name of a member of an object, at its place below the element.
type name struct {
	text string
	// full is the names on the way to here, joined by dots.
	full     string
	children map[string]*name
	// first is the child met first, next the name met behind this one: most
	// objects give their names in the order of the object before.
	first, next *name
	column      int
	// id counts all names, quoted is the name and its colon as most files have
	// them, or "".
	id     int
	quoted string
	// filled says that some element has text here.
	filled  bool
	samples []string
}

// names is the tree of all names, and the columns they make.
type names struct {
	root *name
	// columns are in the order of their first appearance.
	columns []*name
	// taken holds the columns by their full names.
	taken map[string]*name
	// frozen says that the tree is complete. Several readers share it then.
	frozen bool
	limits source.Limits
	// count is the number of names.
	count int
	// bytes counts those of all names, full and plain; headers those of the
	// columns.
	bytes, headers int
}

func newNames(limits source.Limits) *names {
	return &names{root: &name{column: noColumn}, count: 1, taken: map[string]*name{}, limits: limits}
}

func tooManyColumns(limit int) error {
	return beyond(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
}

// errChanged says that the file is not what it was when its columns were read.
var errChanged = &fault{problem: intray.NewMessage("file.changed", nil)}

// child finds the name key below in, and makes it while the tree grows. last is
// the child met before it in the same object, or nil. readOnly leaves the tree as
// it is.
func (t *names) child(in, last *name, key []byte, readOnly bool) (*name, error) {
	guess := in.first
	if last != nil {
		guess = last.next
	}
	if guess != nil && guess.text == string(key) {
		return guess, nil
	}
	found := in.children[string(key)]
	if found == nil {
		if readOnly {
			return nil, errIrregular
		}
		if t.frozen {
			return nil, errChanged
		}
		found = t.grow(in, string(key))
		if t.bytes > t.limits.RecordBytes {
			return nil, beyond(intray.NewMessage("json_file.names_too_long", intray.Params{"limit": t.limits.RecordBytes}))
		}
	}
	if !t.frozen && !readOnly {
		foretell(in, last, found)
	}
	return found, nil
}

func (t *names) grow(in *name, key string) *name {
	n := &name{text: key, full: key, column: noColumn, id: t.count}
	t.count++
	if quoted := `"` + key + `":`; stringStop([]byte(quoted), 1) == len(key)+1 {
		n.quoted = quoted
	}
	if in != t.root {
		n.full = in.full + "." + key
	}
	if in.children == nil {
		in.children = map[string]*name{}
	}
	in.children[key] = n
	t.bytes += len(n.full) + len(key)
	return n
}

// foretell remembers what is met first in an object, and behind what.
func foretell(in, last, found *name) {
	switch {
	case last == nil && in.first == nil:
		in.first = found
	case last != nil && last.next == nil:
		last.next = found
	}
}

// leaf makes a column of a name, once.
func (t *names) leaf(n *name) error {
	if n.column != noColumn {
		return nil
	}
	if t.taken[n.full] != nil {
		return &fault{problem: intray.NewMessage("json_file.ambiguous_column", intray.Params{"column": source.Excerpt(n.full)})}
	}
	if len(t.columns) == t.limits.Columns {
		return tooManyColumns(t.limits.Columns)
	}
	n.column = len(t.columns)
	t.headers += len(n.full)
	if over := t.limits.OverHeader(n.column+1, len(n.full), t.headers); !over.IsZero() {
		return &fault{over, true}
	}
	t.columns = append(t.columns, n)
	t.taken[n.full] = n
	return nil
}

// freeze drops the columns that only ever were a missing object, and closes the
// tree.
func (t *names) freeze() []intray.Column {
	kept := make([]intray.Column, 0, len(t.columns))
	for _, n := range t.columns {
		if !n.filled && len(n.children) > 0 {
			n.column = noColumn
			continue
		}
		n.column = len(kept)
		kept = append(kept, intray.Column{Index: n.column, Header: n.full, Samples: n.samples})
	}
	t.columns, t.taken, t.frozen = nil, nil, true
	return kept
}

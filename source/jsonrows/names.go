package jsonrows

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// noColumn is the column of a name that has none.
const noColumn = -1

// nameNode is one name of a member of an object, at its place below the element.
type nameNode struct {
	text string
	// path is the names on the way to here, joined by dots.
	path     string
	children map[string]*nameNode
	// first is the child met first, next the name met behind this one: most
	// objects give their names in the order of the object before.
	firstChild, nextSibling *nameNode
	column                  int
	// id counts all names, quoted is the name and its colon as most files have
	// them, or "".
	id     int
	quoted string
	// filled says that some element has text here.
	filled  bool
	samples []string
}

// nameTree is the tree of all names, and the columns they make.
type nameTree struct {
	root *nameNode
	// columns are in the order of their first appearance.
	columns []*nameNode
	// columnsByPath holds the columns by their full names.
	columnsByPath map[string]*nameNode
	// frozen says that the tree is complete. Several readers share it then.
	frozen bool
	limits source.Limits
	// count is the number of names.
	count int
	// bytes counts those of all names, full and plain; headers those of the
	// columns.
	bytes, headers int
}

func newNameTree(limits source.Limits) *nameTree {
	return &nameTree{root: &nameNode{column: noColumn}, count: 1, columnsByPath: map[string]*nameNode{}, limits: limits}
}

func tooManyColumnsError(limit int) error {
	return beyond(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
}

// errChanged says that the file is not what it was when its columns were read.
var errChanged = &fault{problem: intray.NewMessage("file.changed", nil)}

// findOrAddChild finds the name key below in, and makes it while the tree grows. last is
// the child met before it in the same object, or nil. readOnly leaves the tree as
// it is.
func (t *nameTree) findOrAddChild(in, last *nameNode, key []byte, readOnly bool) (*nameNode, error) {
	guess := in.firstChild
	if last != nil {
		guess = last.nextSibling
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
		found = t.addChild(in, string(key))
		if t.bytes > t.limits.RecordBytes {
			return nil, beyond(intray.NewMessage("json_file.names_too_long", intray.Params{"limit": t.limits.RecordBytes}))
		}
	}
	if !t.frozen && !readOnly {
		linkSiblings(in, last, found)
	}
	return found, nil
}

func (t *nameTree) addChild(in *nameNode, key string) *nameNode {
	n := &nameNode{text: key, path: key, column: noColumn, id: t.count}
	t.count++
	if quoted := `"` + key + `":`; stringStop([]byte(quoted), 1) == len(key)+1 {
		n.quoted = quoted
	}
	if in != t.root {
		n.path = in.path + "." + key
	}
	if in.children == nil {
		in.children = map[string]*nameNode{}
	}
	in.children[key] = n
	t.bytes += len(n.path) + len(key)
	return n
}

// linkSiblings remembers what is met first in an object, and behind what.
func linkSiblings(in, last, found *nameNode) {
	switch {
	case last == nil && in.firstChild == nil:
		in.firstChild = found
	case last != nil && last.nextSibling == nil:
		last.nextSibling = found
	}
}

// addColumn makes a column of a name, once.
func (t *nameTree) addColumn(n *nameNode) error {
	if n.column != noColumn {
		return nil
	}
	if t.columnsByPath[n.path] != nil {
		return &fault{problem: intray.NewMessage("json_file.ambiguous_column", intray.Params{"column": source.Excerpt(n.path)})}
	}
	if len(t.columns) == t.limits.Columns {
		return tooManyColumnsError(t.limits.Columns)
	}
	n.column = len(t.columns)
	t.headers += len(n.path)
	if over := t.limits.HeaderLimitReason(n.column+1, len(n.path), t.headers); !over.IsZero() {
		return &fault{over, true}
	}
	t.columns = append(t.columns, n)
	t.columnsByPath[n.path] = n
	return nil
}

// freeze drops the columns that only ever were a missing object, and closes the
// tree.
func (t *nameTree) freeze() []intray.Column {
	kept := make([]intray.Column, 0, len(t.columns))
	for _, n := range t.columns {
		if !n.filled && len(n.children) > 0 {
			n.column = noColumn
			continue
		}
		n.column = len(kept)
		kept = append(kept, intray.Column{Index: n.column, Header: n.path, Samples: n.samples})
	}
	t.columns, t.columnsByPath, t.frozen = nil, nil, true
	return kept
}

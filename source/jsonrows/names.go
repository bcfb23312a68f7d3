package jsonrows

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// noColumn is the column of a name without a column.
const noColumn = -1

// nameNode is the name of a member at one path below the element.
type nameNode struct {
	text string
	// path are the names from the element to this one, joined by dots.
	path     string
	children map[string]*nameNode
	// firstChild is the child found first, and nextSibling the name found after this one.
	// Most objects list their names in the same order as the object before.
	firstChild, nextSibling *nameNode
	column                  int
	// id numbers all names. quoted is the name and its colon in their usual spelling, or
	// "".
	id     int
	quoted string
	// filled reports whether some element has text here.
	filled  bool
	samples []string
}

// nameTree is the tree of all names and the columns built from it.
type nameTree struct {
	root *nameNode
	// columns are in the order of their first appearance.
	columns []*nameNode
	// columnsByPath holds the columns by path.
	columnsByPath map[string]*nameNode
	// frozen reports whether the tree is complete. Several readers can then share it.
	frozen bool
	limits source.Limits
	// count is the number of names.
	count int
	// bytes is the total length of all names and paths, headers that of the columns.
	bytes, headers int
}

func newNameTree(limits source.Limits) *nameTree {
	return &nameTree{root: &nameNode{column: noColumn}, count: 1, columnsByPath: map[string]*nameNode{}, limits: limits}
}

func tooManyColumnsError(limit int) error {
	return beyond(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
}

// errChanged reports that the file has changed since its columns were read.
var errChanged = &fault{problem: intray.NewMessage("file.changed", nil)}

// findOrAddChild returns the child of in with the name key, and adds it unless the tree is
// frozen. last is the previous child in the same object, or nil. readOnly prevents any
// change of the tree.
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

// linkSiblings stores which name came first in an object or after another name.
func linkSiblings(in, last, found *nameNode) {
	switch {
	case last == nil && in.firstChild == nil:
		in.firstChild = found
	case last != nil && last.nextSibling == nil:
		last.nextSibling = found
	}
}

// addColumn adds a column for a name unless it has one.
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

// freeze completes the tree. It drops the columns that were only ever a missing object, and
// returns the others.
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

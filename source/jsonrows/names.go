package jsonrows

import (
	"bytes"
	"encoding/binary"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// noColumn is the value of nameNode.column for a name without a column.
const noColumn = -1

// nameNode is the name of a member at one path in the elements.
type nameNode struct {
	text string
	// path consists of the names from the element to this member, joined by dots.
	path     string
	children map[string]*nameNode
	// firstChild is the first child found, and nextSibling is the name found after this one.
	// Most objects have their names in the same order as the previous object.
	firstChild, nextSibling *nameNode
	column                  int
	// id is the number of the name in the tree. key is the JSON of the name with its colon, as
	// usually written.
	id  int
	key memberKey
	// filled reports whether at least one element has text for this name.
	filled  bool
	samples []string
}

// nameTree is the tree of all names, with the columns built from it.
type nameTree struct {
	root *nameNode
	// columns holds the names with columns in the order of their first appearance.
	columns []*nameNode
	// columnsByPath maps the paths of these names to the names.
	columnsByPath map[string]*nameNode
	// frozen reports whether the tree is complete. Several readers can then share it.
	frozen bool
	limits source.Limits
	// count is the number of names in the tree.
	count int
	// bytes is the total length of all names and paths in bytes, and headers is the total
	// length of the column headers.
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

// findOrAddChild returns the node's child with the given name. If there is none, it adds the
// child, or returns an error if the tree is frozen or readOnly is set. last is the previous
// child in the same object, or nil.
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
		switch {
		case last == nil && in.firstChild == nil:
			in.firstChild = found
		case last != nil && last.nextSibling == nil:
			last.nextSibling = found
		}
	}
	return found, nil
}

// memberKey is the JSON of a name with its colon, prepared for comparison. That of a name with escape
// sequences is unusualKey.
type memberKey struct {
	length int
	// words holds the first 16 bytes, and masks has bits for the bytes that belong to the key. rest holds
	// the other bytes.
	words, masks [2]uint64
	rest         []byte
}

// unusualKey consists of control characters, so that no name is equal to it.
var unusualKey = memberKey{masks: [2]uint64{1<<64 - 1, 1<<64 - 1}}

func newMemberKey(name string) (k memberKey) {
	text := []byte(`"` + name + `":`)
	if stringStop(text, 1) != len(name)+1 {
		return unusualKey
	}
	k.length = len(text)
	padded, mask := make([]byte, 16), make([]byte, 16)
	copy(mask, bytes.Repeat([]byte{0xFF}, copy(padded, text)))
	for i := range k.words {
		k.words[i], k.masks[i] = binary.LittleEndian.Uint64(padded[8*i:]), binary.LittleEndian.Uint64(mask[8*i:])
	}
	k.rest = text[min(16, len(text)):]
	return k
}

// startsAt reports whether the first 16 bytes of the key are at text[at]. The capacity of text must be at
// least at+16.
func (k *memberKey) startsAt(text []byte, at int) bool {
	first := text[at : at+16]
	return (binary.LittleEndian.Uint64(first)^k.words[0])&k.masks[0]|(binary.LittleEndian.Uint64(first[8:])^k.words[1])&k.masks[1] == 0
}

// endsAt reports whether the other bytes of the key, if any, are at text[at].
func (k *memberKey) endsAt(text []byte, at int) bool {
	return k.length <= 16 || bytes.HasPrefix(text[at:], k.rest)
}

func (t *nameTree) addChild(in *nameNode, key string) *nameNode {
	n := &nameNode{text: key, path: key, column: noColumn, id: t.count}
	t.count++
	n.key = newMemberKey(key)
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

// freeze completes the tree and returns the columns. It drops an empty column if the same member
// is an object in other elements.
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

package parquet

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// maxDepth is how deep groups may stand in each other.
	maxDepth = 64
	// elementsPerColumn bounds the schema: a list of texts has three elements,
	// and two of them are no leaf.
	elementsPerColumn = 8
	// maxListed is how many columns are named with their types.
	maxListed = 200
)

// form is how a node becomes JSON.
type form uint8

const (
	formAtom form = iota
	formObject
	formList
	formMap
)

// node is a group or a leaf in its place.
type node struct {
	element
	form form
	// rep and def are the levels of an entry that is there; above is the def of
	// the group around.
	rep, def, above int
	children        []*node
	// first and end bound the leaves below, by their indexes.
	first, end int
	leaf       *leaf
	// inner is the repeated node of a list or map, item what a list repeats.
	inner, item *node
}

func (n *node) repeated() bool { return n.repetition == format.Repeated }

// leaf is a node with values.
type leaf struct {
	index    int
	path     string
	physical format.Type
	length   int
	rep, def int
	meaning  meaning
	// kind names the type.
	kind string
	// misfit says that the meaning of the schema does not fit the physical type.
	misfit bool
	// unexplained says that no type explains the bytes; hex is how they are
	// written then. The survey sets it, and why.
	unexplained, hex bool
	why              intray.Message
}

// column is a column of the sheet.
type column struct {
	header string
	kind   string
	node   *node
}

// tree is the schema.
type tree struct {
	columns []*column
	leaves  []*leaf
	// empty are the groups without members.
	empty []string

	elements []element
	limits   source.Limits
	headers  int
}

// plant makes a tree of the elements, which come with each group before its
// members. The first of them is the root.
func plant(elements []element, limits source.Limits) (*tree, error) {
	if len(elements) == 0 {
		return nil, damage{intray.NewMessage("parquet.no_schema", nil)}
	}
	root := &node{element: elements[0]}
	t := &tree{elements: elements[1:], limits: limits}
	if err := t.members(root, "", 1); err != nil {
		return nil, err
	}
	if len(t.elements) > 0 {
		return nil, damage{intray.NewMessage("parquet.elements_outside_root", nil)}
	}
	for _, child := range root.children {
		if err := t.column(child, ""); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// grow takes the next node and all below it.
func (t *tree) grow(above *node, path string, depth int) (*node, error) {
	if len(t.elements) == 0 {
		return nil, damage{intray.NewMessage("parquet.schema_ends_early", nil)}
	}
	n := &node{element: t.elements[0], rep: above.rep, def: above.def, above: above.def, first: len(t.leaves)}
	t.elements = t.elements[1:]
	if !isText(n.name) {
		return nil, damage{intray.NewMessage("parquet.column_name_not_text", nil)}
	}
	path = under(path, string(n.name))
	switch n.repetition {
	case format.Required:
	case format.Optional:
		n.def++
	case format.Repeated:
		n.def++
		n.rep++
	default:
		return nil, damage{intray.NewMessage("parquet.no_repetition", intray.Params{"column": source.Excerpt(path)})}
	}
	if n.physical == noPhysical {
		return n, t.members(n, path, depth)
	}
	return n, t.bear(n, path)
}

// under is the path of a member of a group.
func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// members takes the members of a group.
func (t *tree) members(n *node, path string, depth int) error {
	if depth > maxDepth {
		return damage{intray.NewMessage("parquet.too_deep", intray.Params{"limit": maxDepth})}
	}
	if n.element.children < 0 || n.element.children > len(t.elements) {
		return damage{intray.NewMessage("parquet.too_many_members", nil)}
	}
	for range n.element.children {
		child, err := t.grow(n, path, depth+1)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	n.end = len(t.leaves)
	n.shape()
	return nil
}

// bear makes a leaf of a node.
func (t *tree) bear(n *node, path string) error {
	if n.physical < format.Boolean || n.physical > format.FixedLenByteArray {
		return damage{intray.NewMessage("parquet.unknown_type", intray.Params{"column": source.Excerpt(path)})}
	}
	if n.physical == format.FixedLenByteArray && n.length <= 0 {
		return damage{intray.NewMessage("parquet.no_length", intray.Params{"column": source.Excerpt(path)})}
	}
	if len(t.leaves) == t.limits.Columns {
		return limitReached{intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": t.limits.Columns})}
	}
	l := &leaf{index: len(t.leaves), path: path, physical: n.physical, length: n.length, rep: n.rep, def: n.def}
	if l.meaning = fitting(n.element); l.meaning.impossible() {
		return damage{intray.NewMessage("parquet.impossible_decimals", intray.Params{
			"column": source.Excerpt(path), "precision": l.meaning.precision, "scale": l.meaning.scale,
		})}
	}
	l.misfit = l.meaning.kind != n.meaning.kind
	l.kind = l.typeName()
	l.unexplained = l.meaning.kind == noMeaning && (n.physical == format.ByteArray || n.physical == format.FixedLenByteArray)
	n.leaf = l
	t.leaves = append(t.leaves, l)
	n.end = len(t.leaves)
	return nil
}

// shape finds how a group becomes JSON: as a list and a map in the forms that
// the format wants and those that older programs wrote, else as an object.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
func (n *node) shape() {
	n.form = formObject
	if len(n.children) != 1 || !n.children[0].repeated() || n.repeated() {
		return
	}
	inner := n.children[0]
	switch {
	case n.meaning.kind == meansList:
		n.form, n.inner, n.item = formList, inner, inner
		if len(inner.children) == 1 && !inner.children[0].repeated() && !isOldItem(n, inner) {
			n.item = inner.children[0]
		}
	case n.meaning.kind == meansMap && isPair(inner):
		n.form, n.inner = formMap, inner
	}
}

// isPair says whether a group holds a key and a value.
func isPair(n *node) bool {
	if len(n.children) != 2 {
		return false
	}
	key, value := n.children[0], n.children[1]
	return key.leaf != nil && !key.repeated() && value.first < value.end
}

// isOldItem says whether the one member of a list's repeated group is a member
// of its items, by the names that older programs gave.
func isOldItem(list, inner *node) bool {
	return string(inner.name) == "array" || string(inner.name) == string(list.name)+"_tuple"
}

// column makes columns of a node: one of a leaf, a list, a map or a repeated
// field, else those of its members.
func (t *tree) column(n *node, path string) error {
	path = under(path, string(n.name))
	if n.first == n.end {
		t.empty = append(t.empty, path)
		return nil
	}
	if n.form == formObject && !n.repeated() {
		for _, child := range n.children {
			if err := t.column(child, path); err != nil {
				return err
			}
		}
		return nil
	}
	t.headers += len(path)
	if over := t.limits.OverHeader(len(t.columns)+1, len(path), t.headers); !over.IsZero() {
		return limitReached{over}
	}
	t.columns = append(t.columns, &column{header: path, kind: t.nameOf(n), node: n})
	return nil
}

// nameOf names the type of a column.
func (t *tree) nameOf(n *node) string {
	name := "object"
	switch {
	case n.leaf != nil:
		name = n.leaf.kind
	case n.form == formList && n.item.first < n.item.end && n.item.leaf != nil:
		name = "list of " + n.item.leaf.kind
	case n.form == formList:
		name = "list"
	case n.form == formMap:
		name = "map"
	}
	if n.repeated() {
		return "repeated " + name
	}
	return name
}

func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// listing names the columns with their types.
func (t *tree) listing() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.header + ": " + c.kind
	}
	if len(names) == 0 {
		return "no columns"
	}
	return listed(names)
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

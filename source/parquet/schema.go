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
	formScalar form = iota
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
	rep, def, parentDef int
	children            []*node
	// first and end bound the leaves below, by their indexes.
	first, end int
	leaf       *leaf
	// inner is the repeated node of a list or map, item what a list repeats.
	inner, item *node
}

func (n *node) isRepeated() bool { return n.repetition == format.Repeated }

// leaf is a node with values.
type leaf struct {
	index    int
	path     string
	physical format.Type
	length   int
	rep, def int
	logical  logicalType
	// kind names the type.
	kind string
	// typeMismatch says that the meaning of the schema does not fit the physical type.
	typeMismatch bool
	// untypedBytes says that no type explains the bytes; hex is how they are
	// written then. The survey sets it, and why.
	untypedBytes, hex bool
	why               intray.Message
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

	elements    []element
	limits      source.Limits
	headerBytes int
}

// buildTree makes a tree of the elements, which come with each group before its
// members. The first of them is the root.
func buildTree(elements []element, limits source.Limits) (*tree, error) {
	if len(elements) == 0 {
		return nil, damageError{intray.NewMessage("parquet.no_schema", nil)}
	}
	root := &node{element: elements[0]}
	t := &tree{elements: elements[1:], limits: limits}
	if err := t.readMembers(root, "", 1); err != nil {
		return nil, err
	}
	if len(t.elements) > 0 {
		return nil, damageError{intray.NewMessage("parquet.elements_outside_root", nil)}
	}
	for _, child := range root.children {
		if err := t.addColumns(child, ""); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// readNode takes the next node and all below it.
func (t *tree) readNode(above *node, path string, depth int) (*node, error) {
	if len(t.elements) == 0 {
		return nil, damageError{intray.NewMessage("parquet.schema_ends_early", nil)}
	}
	n := &node{element: t.elements[0], rep: above.rep, def: above.def, parentDef: above.def, first: len(t.leaves)}
	t.elements = t.elements[1:]
	if !isText(n.name) {
		return nil, damageError{intray.NewMessage("parquet.column_name_not_text", nil)}
	}
	path = joinPath(path, string(n.name))
	switch n.repetition {
	case format.Required:
	case format.Optional:
		n.def++
	case format.Repeated:
		n.def++
		n.rep++
	default:
		return nil, damageError{intray.NewMessage("parquet.no_repetition", intray.Params{"column": source.Excerpt(path)})}
	}
	if n.physical == noPhysical {
		return n, t.readMembers(n, path, depth)
	}
	return n, t.addLeaf(n, path)
}

// joinPath is the path of a member of a group.
func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// readMembers takes the members of a group.
func (t *tree) readMembers(n *node, path string, depth int) error {
	if depth > maxDepth {
		return damageError{intray.NewMessage("parquet.too_deep", intray.Params{"limit": maxDepth})}
	}
	if n.element.children < 0 || n.element.children > len(t.elements) {
		return damageError{intray.NewMessage("parquet.too_many_members", nil)}
	}
	for range n.element.children {
		child, err := t.readNode(n, path, depth+1)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	n.end = len(t.leaves)
	n.detectForm()
	return nil
}

// addLeaf makes a leaf of a node.
func (t *tree) addLeaf(n *node, path string) error {
	if n.physical < format.Boolean || n.physical > format.FixedLenByteArray {
		return damageError{intray.NewMessage("parquet.unknown_type", intray.Params{"column": source.Excerpt(path)})}
	}
	if n.physical == format.FixedLenByteArray && n.length <= 0 {
		return damageError{intray.NewMessage("parquet.no_length", intray.Params{"column": source.Excerpt(path)})}
	}
	if len(t.leaves) == t.limits.Columns {
		return limitError{intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": t.limits.Columns})}
	}
	l := &leaf{index: len(t.leaves), path: path, physical: n.physical, length: n.length, rep: n.rep, def: n.def}
	if l.logical = effectiveType(n.element); l.logical.isInvalid() {
		return damageError{intray.NewMessage("parquet.impossible_decimals", intray.Params{
			"column": source.Excerpt(path), "precision": l.logical.precision, "scale": l.logical.scale,
		})}
	}
	l.typeMismatch = l.logical.kind != n.logical.kind
	l.kind = l.typeName()
	l.untypedBytes = l.logical.kind == logicalNone && (n.physical == format.ByteArray || n.physical == format.FixedLenByteArray)
	n.leaf = l
	t.leaves = append(t.leaves, l)
	n.end = len(t.leaves)
	return nil
}

// detectForm finds how a group becomes JSON: as a list and a map in the forms that
// the format wants and those that older programs wrote, else as an object.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
func (n *node) detectForm() {
	n.form = formObject
	if len(n.children) != 1 || !n.children[0].isRepeated() || n.isRepeated() {
		return
	}
	inner := n.children[0]
	switch {
	case n.logical.kind == logicalList:
		n.form, n.inner, n.item = formList, inner, inner
		if len(inner.children) == 1 && !inner.children[0].isRepeated() && !isLegacyItem(n, inner) {
			n.item = inner.children[0]
		}
	case n.logical.kind == logicalMap && isKeyValue(inner):
		n.form, n.inner = formMap, inner
	}
}

// isKeyValue says whether a group holds a key and a value.
func isKeyValue(n *node) bool {
	if len(n.children) != 2 {
		return false
	}
	key, value := n.children[0], n.children[1]
	return key.leaf != nil && !key.isRepeated() && value.first < value.end
}

// isLegacyItem says whether the one member of a list's repeated group is a member
// of its items, by the names that older programs gave.
func isLegacyItem(list, inner *node) bool {
	return string(inner.name) == "array" || string(inner.name) == string(list.name)+"_tuple"
}

// addColumns makes columns of a node: one of a leaf, a list, a map or a repeated
// field, else those of its members.
func (t *tree) addColumns(n *node, path string) error {
	path = joinPath(path, string(n.name))
	if n.first == n.end {
		t.empty = append(t.empty, path)
		return nil
	}
	if n.form == formObject && !n.isRepeated() {
		for _, child := range n.children {
			if err := t.addColumns(child, path); err != nil {
				return err
			}
		}
		return nil
	}
	t.headerBytes += len(path)
	if over := t.limits.HeaderLimitReason(len(t.columns)+1, len(path), t.headerBytes); !over.IsZero() {
		return limitError{over}
	}
	t.columns = append(t.columns, &column{header: path, kind: t.columnType(n), node: n})
	return nil
}

// columnType names the type of a column.
func (t *tree) columnType(n *node) string {
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
	if n.isRepeated() {
		return "repeated " + name
	}
	return name
}

func joinNames(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// describeColumns names the columns with their types.
func (t *tree) describeColumns() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.header + ": " + c.kind
	}
	if len(names) == 0 {
		return "no columns"
	}
	return joinNames(names)
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

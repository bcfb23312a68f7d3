package parquet

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source"
)

const (
	// maxDepth is the maximum nesting depth of groups.
	maxDepth = 64
	// elementsPerColumn is the maximum average number of schema elements per column. A list of
	// strings has three elements, two of which are groups.
	elementsPerColumn = 8
	// maxListed is the maximum number of columns or empty groups that evidence lists.
	maxListed = 200
)

// form is the JSON form of a node.
type form uint8

const (
	formScalar form = iota
	formObject
	formList
	formMap
)

// node is a group or a leaf of the schema.
type node struct {
	parquetio.Element
	form form
	// rep and def are the repetition and definition levels of an entry in which the node is
	// present. parentDef is the definition level of the enclosing group.
	rep, def, parentDef int
	members             []*node
	// first and end are the range of leaf indexes under the node, from first up to but not
	// including end.
	first, end int
	leaf       *leaf
	// inner is the repeated node of a list or map, and item is the node of each item in a list.
	inner, item *node
}

func (n *node) isRepeated() bool { return n.Repetition == format.Repeated }

// leaf describes a node that has values.
type leaf struct {
	parquetio.Leaf
	index   int
	path    string
	logical parquetio.LogicalType
	// kind is the name of the type for messages.
	kind string
	// typeMismatch reports whether the schema declares a logical type that does not
	// fit the physical type.
	typeMismatch bool
	// untypedBytes reports whether the values are bytes without a logical type. hex reports
	// whether they are rendered in hexadecimal. why holds the reason for this choice. detectText
	// sets hex and why.
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
	// empty holds the names of groups without members.
	empty []string

	// elements holds the elements that are not in the tree yet.
	elements    []parquetio.Element
	limits      source.Limits
	headerBytes int
}

// buildTree builds the tree from the elements of a schema. The elements must start with the
// root, and each group must precede its members.
func buildTree(elements []parquetio.Element, limits source.Limits) (*tree, error) {
	if len(elements) == 0 {
		return nil, parquetio.Damaged(intray.NewMessage("parquet.no_schema", nil))
	}
	root := &node{Element: elements[0]}
	t := &tree{elements: elements[1:], limits: limits}
	if err := t.readMembers(root, "", 1); err != nil {
		return nil, err
	}
	if len(t.elements) > 0 {
		return nil, parquetio.Damaged(intray.NewMessage("parquet.elements_outside_root", nil))
	}
	for _, member := range root.members {
		if err := t.addColumns(member, ""); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// readNode reads the next node and its descendants.
func (t *tree) readNode(parent *node, path string, depth int) (*node, error) {
	if len(t.elements) == 0 {
		return nil, parquetio.Damaged(intray.NewMessage("parquet.schema_ends_early", nil))
	}
	n := &node{Element: t.elements[0], rep: parent.rep, def: parent.def, parentDef: parent.def, first: len(t.leaves)}
	t.elements = t.elements[1:]
	if !isText(n.Name) {
		return nil, parquetio.Damaged(intray.NewMessage("parquet.column_name_not_text", nil))
	}
	path = joinPath(path, string(n.Name))
	switch n.Repetition {
	case format.Required:
	case format.Optional:
		n.def++
	case format.Repeated:
		n.def++
		n.rep++
	default:
		return nil, parquetio.Damaged(intray.NewMessage("parquet.no_repetition", intray.Params{"column": source.Excerpt(path)}))
	}
	if n.Type == parquetio.NoType {
		return n, t.readMembers(n, path, depth)
	}
	return n, t.addLeaf(n, path)
}

// joinPath returns the path of a group's member, given the path of the group and the name of
// the member.
func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (t *tree) readMembers(n *node, path string, depth int) error {
	if depth > maxDepth {
		return parquetio.Damaged(intray.NewMessage("parquet.too_deep", intray.Params{"limit": maxDepth}))
	}
	if n.Children < 0 || n.Children > len(t.elements) {
		return parquetio.Damaged(intray.NewMessage("parquet.too_many_members", nil))
	}
	for range n.Children {
		member, err := t.readNode(n, path, depth+1)
		if err != nil {
			return err
		}
		n.members = append(n.members, member)
	}
	n.end = len(t.leaves)
	n.detectForm()
	return nil
}

func (t *tree) addLeaf(n *node, path string) error {
	if n.Type < format.Boolean || n.Type > format.FixedLenByteArray {
		return parquetio.Damaged(intray.NewMessage("parquet.unknown_type", intray.Params{"column": source.Excerpt(path)}))
	}
	if n.Type == format.FixedLenByteArray && n.Length <= 0 {
		return parquetio.Damaged(intray.NewMessage("parquet.no_length", intray.Params{"column": source.Excerpt(path)}))
	}
	if len(t.leaves) == t.limits.Columns {
		return parquetio.Limited(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": t.limits.Columns}))
	}
	l := &leaf{index: len(t.leaves), path: path, logical: effectiveType(n.Element)}
	l.Leaf = parquetio.Leaf{Type: n.Type, Length: n.Length, MaxRep: n.rep, MaxDef: n.def}
	if isInvalidDecimal(l.logical) {
		return parquetio.Damaged(intray.NewMessage("parquet.impossible_decimals", intray.Params{
			"column": source.Excerpt(path), "precision": l.logical.Precision, "scale": l.logical.Scale,
		}))
	}
	l.typeMismatch = l.logical.Kind != n.Logical.Kind
	l.kind = l.typeName()
	l.untypedBytes = l.logical.Kind == parquetio.LogicalNone && (n.Type == format.ByteArray || n.Type == format.FixedLenByteArray)
	n.leaf = l
	t.leaves = append(t.leaves, l)
	n.end = len(t.leaves)
	return nil
}

// detectForm sets the JSON form of a group. The group is a list or a map if it has the structure
// that the Parquet format requires, or one that older programs wrote. Otherwise it is an object.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
func (n *node) detectForm() {
	n.form = formObject
	if len(n.members) != 1 || !n.members[0].isRepeated() || n.isRepeated() {
		return
	}
	inner := n.members[0]
	switch {
	case n.Logical.Kind == parquetio.LogicalList:
		n.form, n.inner, n.item = formList, inner, inner
		// If the repeated group has one of these names, it was written by an older program and
		// is itself the item.
		legacy := string(inner.Name) == "array" || string(inner.Name) == string(n.Name)+"_tuple"
		if len(inner.members) == 1 && !inner.members[0].isRepeated() && !legacy {
			n.item = inner.members[0]
		}
	case n.Logical.Kind == parquetio.LogicalMap && inner.isKeyValue():
		n.form, n.inner = formMap, inner
	}
}

// isKeyValue reports whether a group has exactly two members, of which the first can be a key
// and the second a value.
func (n *node) isKeyValue() bool {
	if len(n.members) != 2 {
		return false
	}
	key, value := n.members[0], n.members[1]
	return key.leaf != nil && !key.isRepeated() && value.first < value.end
}

// addColumns adds the columns of a node. A leaf, a list, a map or a repeated field is one
// column. Any other group has the columns of its members.
func (t *tree) addColumns(n *node, path string) error {
	path = joinPath(path, string(n.Name))
	if n.first == n.end {
		t.empty = append(t.empty, path)
		return nil
	}
	if n.form == formObject && !n.isRepeated() {
		for _, member := range n.members {
			if err := t.addColumns(member, path); err != nil {
				return err
			}
		}
		return nil
	}
	t.headerBytes += len(path)
	if over := t.limits.HeaderLimitReason(len(t.columns)+1, len(path), t.headerBytes); !over.IsZero() {
		return parquetio.Limited(over)
	}
	t.columns = append(t.columns, &column{header: path, kind: n.columnType(), node: n})
	return nil
}

// columnType returns the type name of a column for messages.
func (n *node) columnType() string {
	name := "object"
	switch {
	case n.leaf != nil:
		name = n.leaf.kind
	case n.form == formList && n.item.leaf != nil:
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

// describeColumns returns the headers of the columns with their types.
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

const (
	// maxPrecision is the maximum number of digits of a decimal.
	maxPrecision = 1000
	uuidBytes    = 16
	float16Bytes = 2
	// intervalBytes is the size of an interval in bytes: months, days and milliseconds.
	intervalBytes = 12
)

// effectiveType returns the logical type of a leaf. It returns the zero LogicalType if the
// declared type does not fit the physical type. The physical type then determines the text of
// values.
func effectiveType(e parquetio.Element) parquetio.LogicalType {
	fits := false
	switch e.Type {
	case format.Int32, format.Int64:
		fits = fitsInts(e)
	case format.ByteArray, format.FixedLenByteArray:
		fits = fitsBytes(e)
	}
	if !fits && e.Logical.Kind != parquetio.LogicalNull {
		return parquetio.LogicalType{}
	}
	return e.Logical
}

func fitsInts(e parquetio.Element) bool {
	t, wide := e.Logical, e.Type == format.Int64
	switch t.Kind {
	case parquetio.LogicalDecimal:
		return true
	case parquetio.LogicalDate:
		return !wide
	case parquetio.LogicalTime, parquetio.LogicalTimestamp:
		return t.Digits > 0 && wide == (t.Kind == parquetio.LogicalTimestamp || t.Digits != parquetio.Millis)
	case parquetio.LogicalInteger:
		return wide && t.Bits == 64 || !wide && (t.Bits == 8 || t.Bits == 16 || t.Bits == 32)
	}
	return false
}

func fitsBytes(e parquetio.Element) bool {
	switch e.Logical.Kind {
	case parquetio.LogicalString, parquetio.LogicalEnum, parquetio.LogicalJSON, parquetio.LogicalBSON,
		parquetio.LogicalGeometry, parquetio.LogicalGeography, parquetio.LogicalDecimal:
		return true
	case parquetio.LogicalUUID:
		return e.Type == format.FixedLenByteArray && e.Length == uuidBytes
	case parquetio.LogicalFloat16:
		return e.Type == format.FixedLenByteArray && e.Length == float16Bytes
	case parquetio.LogicalInterval:
		return e.Type == format.FixedLenByteArray && e.Length == intervalBytes
	}
	return false
}

// isInvalidDecimal reports whether a type is a decimal with an invalid precision or scale.
func isInvalidDecimal(t parquetio.LogicalType) bool {
	return t.Kind == parquetio.LogicalDecimal && (t.Precision <= 0 || t.Precision > maxPrecision || t.Scale < 0 || t.Scale > t.Precision)
}

// typeName returns the name of the type for messages.
func (l *leaf) typeName() string {
	t := l.logical
	switch t.Kind {
	case parquetio.LogicalDecimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case parquetio.LogicalTime, parquetio.LogicalTimestamp:
		name := map[int]string{parquetio.LogicalTime: "time", parquetio.LogicalTimestamp: "timestamp"}[t.Kind]
		unit := map[int]string{parquetio.Millis: "ms", parquetio.Micros: "us", parquetio.Nanos: "ns"}[t.Digits]
		if t.UTC {
			return name + "(" + unit + ", UTC)"
		}
		return name + "(" + unit + ")"
	case parquetio.LogicalInteger:
		if t.Signed {
			return fmt.Sprintf("int%d", t.Bits)
		}
		return fmt.Sprintf("uint%d", t.Bits)
	case parquetio.LogicalNone:
		return l.TypeName()
	}
	return map[int]string{
		parquetio.LogicalString: "string", parquetio.LogicalEnum: "enum", parquetio.LogicalDate: "date", parquetio.LogicalInterval: "interval",
		parquetio.LogicalNull: "null", parquetio.LogicalJSON: "JSON", parquetio.LogicalBSON: "BSON", parquetio.LogicalUUID: "UUID",
		parquetio.LogicalFloat16: "float16", parquetio.LogicalGeometry: "geometry", parquetio.LogicalGeography: "geography",
	}[t.Kind]
}

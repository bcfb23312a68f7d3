package stage

import (
	"strconv"
	"strings"
)

const (
	rowColumn  = "_row"
	lineColumn = "_line"
	rawSuffix  = "__raw"
)

// Layout says what the batches of a stage hold.
type Layout struct {
	// Fields are the keys of the fields, in the order of the schema. Any
	// texts will do, also alike ones.
	Fields []string
	// Unmapped are the indexes of the columns that are passed through, in the
	// order of the batches.
	Unmapped []int
}

// FieldColumns says which columns of the segments hold a field.
type FieldColumns struct {
	// Key is the field's key.
	Key string `json:"key"`
	// Value names the column of the values.
	Value string `json:"value"`
	// Raw names the column of the raw texts that differ from the values.
	Raw string `json:"raw"`
	// Type says what the column of values holds: "text", canonical texts.
	Type string `json:"type"`
}

const textType = "text"

// UnmappedColumn says which column of the segments holds a passed column.
type UnmappedColumn struct {
	// Index is the column's index in the source file.
	Index int `json:"index"`
	// Name names the column of the segments.
	Name string `json:"name"`
}

// names hands out column names, none twice.
type names map[string]bool

func (n names) free(name string) bool { return !n[strings.ToLower(name)] }
func (n names) take(name string)      { n[strings.ToLower(name)] = true }

// name finds the columns of all fields and passed columns.
func (l Layout) name() ([]FieldColumns, []UnmappedColumn) {
	taken := names{}
	taken.take(rowColumn)
	taken.take(lineColumn)
	var unmapped []UnmappedColumn
	for _, index := range l.Unmapped {
		name := "$unmapped_" + strconv.Itoa(index)
		taken.take(name)
		unmapped = append(unmapped, UnmappedColumn{index, name})
	}
	fields := make([]FieldColumns, 0, len(l.Fields))
	for _, key := range l.Fields {
		value := taken.forField(key)
		fields = append(fields, FieldColumns{key, value, value + rawSuffix, textType})
	}
	return fields, unmapped
}

// forField takes a name for a field, and with it that of its raw texts.
func (n names) forField(key string) string {
	base := columnText(key)
	name := base
	for i := 2; !n.free(name) || !n.free(name+rawSuffix); i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.take(name)
	n.take(name + rawSuffix)
	return name
}

// columnText makes a key fit to name a column: readers want UTF-8, C strings
// end at NUL, and no reader likes an empty name.
func columnText(key string) string {
	key = strings.ToValidUTF8(strings.ReplaceAll(key, "\x00", "_"), "_")
	if key == "" {
		return "field"
	}
	return key
}

// columns lists the columns of a segment in their order.
func columns(fields []FieldColumns, unmapped []UnmappedColumn) []column {
	list := make([]column, 0, 2*len(fields)+len(unmapped)+2)
	for _, f := range fields {
		list = append(list,
			column{name: f.Value, text: true, optional: true},
			column{name: f.Raw, text: true, optional: true})
	}
	for _, u := range unmapped {
		list = append(list, column{name: u.Name, text: true})
	}
	return append(list, column{name: rowColumn}, column{name: lineColumn})
}

package realm

import (
	"strconv"
	"time"

	"github.com/intraydata/intray"
)

// Rows are the rows that a call is about, column by column.
type Rows struct {
	// Count is how many there are. It stands alone, for there may be no column.
	Count int
	// First is the index of the first row; the others follow it.
	First int64
	// Indexes holds the index of each row where they do not follow each other.
	Indexes []int64
	// IDs holds the id of each row; nil stands for the index as text.
	IDs []string
	// Columns holds one entry for each field of the load; nil is not sent.
	Columns []*Column
}

// Column is what hooks see of one field.
type Column struct {
	// Value is each cell as it is displayed.
	Value Cells
	// Result is each cell as it goes out; nil where it is the value itself.
	Result *Cells
	// Infos and Options are those that cells have of their own.
	Infos   []CellInfos
	Options []CellOptions
	// Parts holds, for a field with Many, one column for each column of the
	// file that feeds it, and is not nil even where there is none; the rest is
	// empty then.
	Parts []Column
	// Kept says that the column was sent by [Keep] calls, each of its Parts as
	// well; all else but the number of Parts is empty then.
	Kept bool
}

// ValueKind is what a value is in JavaScript.
type ValueKind uint8

// The kinds of values.
const (
	// ValueText is a text.
	ValueText ValueKind = iota
	// ValueNull is null.
	ValueNull
	// ValueNumber is a number, written as in JSON.
	ValueNumber
	// ValueBool is true or false.
	ValueBool
	// ValueList is a JSON array of the others.
	ValueList
)

// Cells are the values of a column over the rows.
type Cells struct {
	// Texts holds a text for each row of the call: what its kind says.
	Texts *intray.Texts
	// From and To cut the rows of the call out of a longer list; where To is 0, all
	// are meant.
	From, To int
	// Kinds holds the kind of each; nil where all are texts.
	Kinds []ValueKind
}

// Info is a message that a cell carries.
type Info struct {
	Message string
	Level   intray.Level
}

// CellInfos are the messages of the cell in one row.
type CellInfos struct {
	Row   int
	Infos []Info
}

// CellOptions are the select options that the cell in one row has of its own.
type CellOptions struct {
	Row     int
	Options []intray.SelectOption
}

// RowsCall calls row hooks, bulk row hooks or row delete hooks, as Kind says.
type RowsCall struct {
	Kind HookKind
	// Hooks are the names of those that are called, in their order, each of which
	// sees what the one before it gave; nil is all of the kind.
	Hooks []string
	Rows  Rows
	// Mode is init or update.
	Mode string
	// Learn asks which columns the hooks use. All columns must be there.
	Learn bool
	// Fresh makes the functions of all hooks anew, and drops what they left on
	// the global object, before anything is called.
	Fresh bool
	// Lazy gives bulk hooks a list that makes its records when they are looked
	// at: for very many rows. All columns that are sent were kept before.
	Lazy bool
	// Trace notes each row before a row hook is called with it.
	Trace bool
	// Limit takes the place of that of the load, where it is not 0.
	Limit  int
	Budget time.Duration
}

// operations are the names of the calls with rows.
var operations = map[HookKind]string{HookRow: "rows", HookBulkRow: "bulk", HookRowDelete: "delete"}

// Append adds the request to dst.
func (c *RowsCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, operations[c.Kind])
	if c.Hooks != nil {
		dst = appendNames(append(dst, `,"hooks":`...), c.Hooks)
	}
	dst = appendMember(append(dst, ','), "mode", c.Mode)
	dst = appendFlag(dst, "learn", c.Learn)
	dst = appendFlag(dst, "fresh", c.Fresh)
	dst = appendFlag(dst, "lazy", c.Lazy)
	dst = appendFlag(dst, "trace", c.Trace)
	dst = appendLimit(dst, c.Limit)
	return append(c.Rows.append(dst), '}')
}

// ColumnCall calls column hooks over one column.
type ColumnCall struct {
	// Hooks are the names of the hooks, in their order; each sees what the one
	// before it changed.
	Hooks []string
	// Field is the field, Part which of the columns that feed it, where there
	// are several. The column must be sent, others need not.
	Field, Part int
	Rows        Rows
	// Lazy and Limit are those of a [RowsCall].
	Lazy   bool
	Limit  int
	Budget time.Duration
}

// Append adds the request to dst.
func (c *ColumnCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, "column")
	dst = appendNames(append(dst, `,"hooks":`...), c.Hooks)
	part := -1
	if column := c.Rows.Columns[c.Field]; column.Parts != nil {
		part = c.Part
	}
	dst = appendLimit(appendFlag(dst, "lazy", c.Lazy), c.Limit)
	dst = append(dst, `,"field":`...)
	dst = strconv.AppendInt(dst, int64(c.Field), 10)
	dst = append(dst, `,"part":`...)
	dst = strconv.AppendInt(dst, int64(part), 10)
	return append(c.Rows.append(dst), '}')
}

// StepCall calls step hooks. What they tell the import to do comes back as
// [Command]s.
type StepCall struct {
	// Hooks are the names of the hooks, in their order.
	Hooks []string
	// Step is its name, which says what methods are of use. Default all of them.
	Step string
	// About is the second argument, as JSON.
	About []byte
	// NewIDs is what the ids of added rows begin with; a number from NextID on
	// follows.
	NewIDs string
	NextID int
	Budget time.Duration
}

// Append adds the request to dst.
func (c *StepCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, "step")
	if c.Step != "" {
		dst = appendMember(append(dst, ','), "step", c.Step)
	}
	dst = appendNames(append(dst, `,"hooks":`...), c.Hooks)
	dst = appendAbout(dst, c.About)
	return append(appendNewIDs(dst, c.NewIDs, c.NextID), '}')
}

// FinishCall calls the last callback with the rows of the result.
type FinishCall struct {
	Count int
	// Keys and Values are the columns of the result.
	Keys []string
	// Values is empty in a Lazy call: each column was kept then, by the place of
	// its key.
	Values []Cells
	Lazy   bool
	// Fresh is that of a [RowsCall].
	Fresh bool
	// About is the second argument, as JSON.
	About  []byte
	NewIDs string
	NextID int
	Budget time.Duration
}

// Append adds the request to dst.
func (c *FinishCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, "finish")
	dst = append(dst, `,"rows":`...)
	dst = strconv.AppendInt(dst, int64(c.Count), 10)
	dst = appendNames(append(dst, `,"keys":`...), c.Keys)
	dst = appendFlag(appendFlag(dst, "lazy", c.Lazy), "fresh", c.Fresh)
	dst = append(dst, `,"values":[`...)
	for i := range c.Values {
		dst = c.Values[i].append(appendComma(dst, i))
	}
	dst = appendAbout(append(dst, ']'), c.About)
	return append(appendNewIDs(dst, c.NewIDs, c.NextID), '}')
}

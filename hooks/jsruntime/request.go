package jsruntime

import (
	"cmp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// HookKind is when a hook is called.
type HookKind string

// The kinds of hooks.
const (
	HookRow          HookKind = "row"
	HookBulkRow      HookKind = "bulkRow"
	HookRowDelete    HookKind = "rowDelete"
	HookColumn       HookKind = "column"
	HookStep         HookKind = "step"
	HookBeforeFinish HookKind = "beforeFinish"
)

// Hook is one function of a schema, as source.
type Hook struct {
	Kind HookKind
	// Name is where it stands in the schema: rowHooks[0]. It is in all that is
	// told about the hook, and names it in [ColumnCall] and [StepCall].
	Name   string
	Source string
}

// HooksOf lists the hooks of a schema with their names.
func HooksOf(all intray.Hooks) []Hook {
	var list []Hook
	add := func(kind HookKind, group string, sources []string) {
		for i, source := range sources {
			list = append(list, Hook{Kind: kind, Name: group + "[" + strconv.Itoa(i) + "]", Source: source})
		}
	}
	add(HookRow, "rowHooks", all.Row)
	add(HookBulkRow, "bulkRowHooks", all.BulkRow)
	add(HookRowDelete, "rowDeleteHooks", all.RowDelete)
	for i, hook := range all.Column {
		list = append(list, Hook{Kind: HookColumn, Name: "columnHooks[" + strconv.Itoa(i) + "]", Source: hook.Source})
	}
	for i, hook := range all.Step {
		list = append(list, Hook{Kind: HookStep, Name: "stepHooks[" + strconv.Itoa(i) + "]", Source: hook.Source})
	}
	if all.BeforeFinish != "" {
		list = append(list, Hook{Kind: HookBeforeFinish, Name: "beforeFinishCallback", Source: all.BeforeFinish})
	}
	return list
}

// Field is what hooks must know of a field of the schema.
type Field struct {
	Key string
	// ManyToOne says that several columns feed it.
	ManyToOne bool
}

// Pins are what would else differ from one run to the next.
type Pins struct {
	// Now is what the clock shows, to the millisecond.
	Now time.Time
	// Seed decides what Math.random gives.
	Seed uint32
	// TimeZone is a name of the IANA database. Default UTC; QuickJS has no
	// other.
	TimeZone string
	// Locale is what counts where a hook names none. Default en-US; QuickJS
	// has no other.
	Locale string
}

// LoadCall gives a worker the hooks of a schema. It may come again: fields and hooks
// are then those of the last one. [ReadLoaded] reads the answer.
type LoadCall struct {
	Fields []Field
	Hooks  []Hook
	Pins   Pins
	// Limit is about the most that hooks may change in one call, in bytes of
	// the answer. Default DefaultMaxAnswer.
	Limit int
	// Sparse is from how many columns on that were not sent a row is made with
	// the others only, and gets these when a hook looks at the row as a whole.
	// Hooks see no difference. Default 0: what is fastest in the runtime.
	Sparse int
	// Budget is how long it may take; 0 is the worker's own.
	Budget time.Duration
	// Memory is the most that the engine may hold from now on, in bytes; 0
	// leaves it. Node has its bound from its start.
	Memory int64
}

// Append adds the request to dst.
func (l *LoadCall) Append(dst []byte) []byte {
	dst = appendHead(dst, l.Budget, "load")
	dst = strconv.AppendInt(append(dst, `,"memory":`...), l.Memory, 10)
	dst = append(dst, `,"fields":[`...)
	for i, field := range l.Fields {
		dst = appendComma(dst, i)
		dst = appendMember(append(dst, '{'), "key", field.Key)
		if field.ManyToOne {
			dst = append(dst, `,"many":true`...)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `],"hooks":[`...)
	for i, hook := range l.Hooks {
		dst = appendComma(dst, i)
		dst = appendMember(append(dst, '{'), "kind", string(hook.Kind))
		dst = appendMember(append(dst, ','), "name", hook.Name)
		dst = appendMember(append(dst, ','), "source", hook.Source)
		dst = appendFlag(dst, "reads", hook.Kind == HookRow && readsOnlyCells(hook.Source, l.Fields))
		dst = append(dst, '}')
	}
	dst = append(dst, `],"pins":{"now":`...)
	dst = strconv.AppendInt(dst, l.Pins.Now.UnixMilli(), 10)
	dst = append(dst, `,"seed":`...)
	dst = strconv.AppendUint(dst, uint64(l.Pins.Seed), 10)
	dst = appendMember(append(dst, ','), "timeZone", cmp.Or(l.Pins.TimeZone, "UTC"))
	dst = appendMember(append(dst, ','), "locale", cmp.Or(l.Pins.Locale, "en-US"))
	dst = appendNumber(append(dst, '}'), "limit", cmp.Or(l.Limit, DefaultMaxAnswer))
	return append(appendNumber(dst, "sparse", l.Sparse), '}')
}

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
	// Kept says that the column was sent by [KeepCall] calls, each of its Parts as
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
	dst = appendLimit(appendFlag(dst, "lazy", c.Lazy), c.Limit)
	dst = appendPart(appendNumber(dst, "field", c.Field), c.Part, c.Rows.Columns[c.Field].Parts != nil)
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
	dst = appendNumber(dst, "rows", c.Count)
	dst = appendNames(append(dst, `,"keys":`...), c.Keys)
	dst = appendFlag(appendFlag(dst, "lazy", c.Lazy), "fresh", c.Fresh)
	dst = append(dst, `,"values":[`...)
	for i := range c.Values {
		dst = c.Values[i].append(appendComma(dst, i))
	}
	dst = appendAbout(append(dst, ']'), c.About)
	return append(appendNewIDs(dst, c.NewIDs, c.NextID), '}')
}

// KeepCall gives a worker some rows of a column ahead of a call with very many rows,
// in the order of the rows. It stays until such a call has ended otherwise than
// for columns that were missed, or until the next [LoadCall]. The answer says nothing.
type KeepCall struct {
	// Field is the index of the field, and Part that of a column of a ManyToOne field.
	Field, Part int
	ManyToOne   bool
	// From is the first of the rows, and Size how many rows come in each Keep of
	// the column but the last.
	From, Size int
	// Column holds the cells.
	Column *Column
	Budget time.Duration
}

// Append adds the request to dst.
func (k *KeepCall) Append(dst []byte) []byte {
	dst = appendHead(dst, k.Budget, "keep")
	dst = appendPart(appendNumber(dst, "field", k.Field), k.Part, k.ManyToOne)
	dst = appendNumber(appendNumber(dst, "from", k.From), "size", k.Size)
	dst = k.Column.Value.appendPacked(append(dst, `,"pack":{"value":`...))
	if k.Column.Result != nil {
		dst = k.Column.Result.appendPacked(append(dst, `,"result":`...))
	}
	dst = appendFlag(dst, "lists", k.Column.Value.hasLists() || k.Column.Result != nil && k.Column.Result.hasLists())
	if len(k.Column.Infos) > 0 {
		dst = appendInfos(append(dst, `,"infos":`...), k.Column.Infos)
	}
	if len(k.Column.Options) > 0 {
		dst = appendOptions(append(dst, `,"options":`...), k.Column.Options)
	}
	return append(dst, "}}"...)
}

// MoreCall asks for the changes that follow those of an answer that says so.
type MoreCall struct{ Budget time.Duration }

// Append adds the request to dst.
func (m *MoreCall) Append(dst []byte) []byte {
	return append(appendHead(dst, m.Budget, "more"), '}')
}

// The length of a text in a pack is a character, from firstSize on; longest
// stands for one that is listed apart.
const (
	firstSize = 0x100
	longSize  = 0xd6ff
)

// appendPacked writes cells as one text, with the length of each in UTF-16.
func (c *Cells) appendPacked(dst []byte) []byte {
	var all, sizes []byte
	var long []int
	for i := range c.count() {
		text, kind := c.cellAt(i)
		if kind == ValueNull {
			text = nil
		}
		if !utf8.Valid(text) {
			text = []byte(string([]rune(string(text)))) // each bad byte alone, as appendText has it
		}
		all = append(all, text...)
		size := utf16Length(text)
		if size >= longSize {
			long = append(long, size)
			size = longSize
		}
		sizes = utf8.AppendRune(sizes, rune(size+firstSize))
	}
	dst = appendText(append(dst, `{"text":`...), all)
	dst = appendText(append(dst, `,"sizes":`...), sizes)
	dst = c.appendPackedKinds(dst)
	if len(long) > 0 {
		dst = append(dst, `,"long":[`...)
		for i, size := range long {
			dst = strconv.AppendInt(appendComma(dst, i), int64(size), 10)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendPackedKinds tells a text (s), null (z) and JSON (j), unless all are texts.
func (c *Cells) appendPackedKinds(dst []byte) []byte {
	plain := true
	kinds := make([]byte, len(c.Kinds))
	for i, kind := range c.Kinds {
		kinds[i] = 'j'
		switch kind {
		case ValueText:
			kinds[i] = 's'
		case ValueNull:
			kinds[i] = 'z'
		}
		plain = plain && kind == ValueText
	}
	if plain {
		return dst
	}
	return appendText(append(dst, `,"kinds":`...), kinds)
}

// utf16Length counts as JavaScript does. A byte that is no UTF-8 is U+FFFD there.
func utf16Length(text []byte) (n int) {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

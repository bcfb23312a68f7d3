package jsruntime

import (
	"cmp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// HookKind is the kind of a hook.
type HookKind string

// These are the kinds of hooks.
const (
	HookRow          HookKind = "row"
	HookBulkRow      HookKind = "bulkRow"
	HookRowDelete    HookKind = "rowDelete"
	HookColumn       HookKind = "column"
	HookStep         HookKind = "step"
	HookBeforeFinish HookKind = "beforeFinish"
)

// Hook is the source of a hook.
type Hook struct {
	Kind HookKind
	// Name is the path in the hooks of a schema, such as rowHooks[0]. It is used in errors,
	// and to select hooks in [ColumnCall] and [StepCall].
	Name   string
	Source string
}

// HooksOf returns the hooks of a schema with their names.
func HooksOf(all intray.Hooks) []Hook {
	list := make([]Hook, 0, len(all.Row)+len(all.BulkRow)+len(all.RowDelete)+len(all.Column)+len(all.Step)+1)
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

// Field describes a field of the schema for hooks.
type Field struct {
	Key string
	// ManyToOne reports whether several columns may be mapped to the field.
	ManyToOne bool
}

// Pins fix everything that would otherwise differ between two runs of the same hooks.
type Pins struct {
	// Now is the time that the clock shows, with a precision of milliseconds.
	Now time.Time
	// Seed is the seed of Math.random.
	Seed uint32
	// TimeZone is the name of a time zone in the IANA database. Default UTC. QuickJS
	// supports no other time zone.
	TimeZone string
	// Locale is the locale of calls that do not specify one. Default en-US. QuickJS
	// supports no other locale.
	Locale string
}

// LoadCall loads the hooks of a schema. It replaces hooks that were loaded earlier.
// [ReadLoaded] reads the answer.
type LoadCall struct {
	Fields []Field
	Hooks  []Hook
	Pins   Pins
	// Limit is the approximate maximum size of the changes from one call, in bytes of the
	// answer. Default DefaultMaxAnswer.
	Limit int
	// Sparse is the minimum number of unsent columns for which records are created without the
	// fields of these columns. The fields are added when a hook accesses the row as a whole, so
	// hooks cannot see a difference. The default of 0 means the fastest value for the runtime.
	Sparse int
	// Budget is the time limit. 0 means the time limit of the runtime.
	Budget time.Duration
	// Memory is the new memory limit of the engine, in bytes; 0 keeps the current limit.
	// Node ignores it, because its limit is set when it starts.
	Memory int64
}

// Append appends the request to dst.
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

// Rows are the rows of a call, column by column.
type Rows struct {
	// Count is the number of rows. It is separate because there may be no columns.
	Count int
	// First is the index of the first row.
	First int64
	// Indexes contains the index of each row. Nil means that the indexes are consecutive
	// from First.
	Indexes []int64
	// IDs contains the ID of each row. Nil means that the ID of a row is its index.
	IDs []string
	// Columns has an entry for each field in the [LoadCall]. Columns that are nil are not sent.
	Columns []*Column
}

// Column contains the cells of a field, as hooks see them.
type Column struct {
	// Value contains the displayed value of each cell.
	Value Cells
	// Result contains the result value of each cell. Nil means that the results equal Value.
	Result *Cells
	// Infos and Options are the messages and select options of individual cells.
	Infos   []CellInfos
	Options []CellOptions
	// Parts holds the columns that are mapped to a ManyToOne field. It is empty but not nil if
	// there are none. If Parts is not nil, the fields above are unused.
	Parts []Column
	// Kept reports whether the column was sent by [KeepCall] requests. If so, only the
	// number of Parts is used.
	Kept bool
}

// ValueKind is the JavaScript type of a value.
type ValueKind uint8

// These are the kinds of values.
const (
	// ValueText is a string.
	ValueText ValueKind = iota
	// ValueNull is null.
	ValueNull
	// ValueNumber is a number in JSON syntax.
	ValueNumber
	// ValueBool is true or false.
	ValueBool
	// ValueList is a JSON array of values of the other kinds.
	ValueList
)

// TextList is an [intray.Texts] or [intray.TextColumn].
type TextList interface {
	Len() int
	At(i int) []byte
}

// Cells are the values of a column.
type Cells struct {
	// Texts contains the text of each value. Its format depends on the kind.
	Texts TextList
	// From and To select the rows [From, To) of Texts for the call. If To is 0, the call
	// has all rows.
	From, To int
	// Kinds contains the kind of each value. Nil means that all values are strings.
	Kinds []ValueKind
}

// Info is a message about a cell.
type Info struct {
	Message string
	Level   intray.Level
}

// CellInfos are the messages for the cell in one row.
type CellInfos struct {
	Row   int
	Infos []Info
}

// CellOptions are the select options for the cell in one row. They replace the options of
// the field.
type CellOptions struct {
	Row     int
	Options []intray.SelectOption
}

// RowsCall calls the row hooks, bulk row hooks or row delete hooks.
type RowsCall struct {
	Kind HookKind
	// Hooks are the names of the hooks to call, in order. Each hook sees the changes that
	// earlier hooks made. Nil means all hooks of the kind.
	Hooks []string
	Rows  Rows
	// Mode is "init" or "update".
	Mode string
	// Learn requests a list of the fields that the hooks use, which the worker returns in
	// [Answer.Used]. All columns must be sent.
	Learn bool
	// Fresh evaluates the sources of all hooks again before any hook is called. It also
	// removes everything that they added to the global object.
	Fresh bool
	// Lazy passes bulk hooks an array that creates its records on access. All columns must be
	// sent by [KeepCall] requests first.
	Lazy bool
	// Trace sends a note before each row that a row hook is called with.
	Trace bool
	// Limit replaces the Limit of the [LoadCall] unless it is 0.
	Limit  int
	Budget time.Duration
}

// operations maps the kinds of hooks to the names of requests with rows.
var operations = map[HookKind]string{HookRow: "rows", HookBulkRow: "bulk", HookRowDelete: "delete"}

// Append appends the request to dst.
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

// ColumnCall calls column hooks with one column.
type ColumnCall struct {
	// Hooks are the names of the hooks to call, in order. Each hook sees the changes that
	// earlier hooks made.
	Hooks []string
	// Field is the index of the field in the [LoadCall]. Part is the index of a column of a
	// ManyToOne field. Only this column must be sent.
	Field, Part int
	Rows        Rows
	// Lazy and Limit have the same meaning as in a [RowsCall].
	Lazy   bool
	Limit  int
	Budget time.Duration
}

// Append appends the request to dst.
func (c *ColumnCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, "column")
	dst = appendNames(append(dst, `,"hooks":`...), c.Hooks)
	dst = appendLimit(appendFlag(dst, "lazy", c.Lazy), c.Limit)
	dst = appendPart(appendNumber(dst, "field", c.Field), c.Part, c.Rows.Columns[c.Field].Parts != nil)
	return append(c.Rows.append(dst), '}')
}

// StepCall calls step hooks. The answer contains their method calls as [Command] values.
type StepCall struct {
	// Hooks are the names of the hooks to call, in order.
	Hooks []string
	// Step is the name of the step. It determines which methods are available. Default: all
	// methods.
	Step string
	// About is the second argument of the hooks, as JSON.
	About []byte
	// NewIDs is the prefix of the IDs of added rows. A number follows it, starting at NextID.
	NewIDs string
	NextID int
	Budget time.Duration
}

// Append appends the request to dst.
func (c *StepCall) Append(dst []byte) []byte {
	dst = appendHead(dst, c.Budget, "step")
	if c.Step != "" {
		dst = appendMember(append(dst, ','), "step", c.Step)
	}
	dst = appendNames(append(dst, `,"hooks":`...), c.Hooks)
	dst = appendAbout(dst, c.About)
	return append(appendNewIDs(dst, c.NewIDs, c.NextID), '}')
}

// FinishCall calls beforeFinishCallback with the rows of the result.
type FinishCall struct {
	Count int
	// Keys are the keys of the columns in the result. Values are their cells.
	Keys []string
	// Values is empty in a Lazy call. The columns of such a call must first be sent by
	// [KeepCall] requests whose Field is the index of the key in Keys.
	Values []Cells
	Lazy   bool
	// Fresh has the same meaning as in a [RowsCall].
	Fresh bool
	// About is the second argument of the hook, as JSON.
	About  []byte
	NewIDs string
	NextID int
	Budget time.Duration
}

// Append appends the request to dst.
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

// KeepCall sends some rows of a column ahead of a lazy call, in row order. The worker keeps
// them until a lazy call ends without missing columns, or until the next [LoadCall]. The
// answer is empty.
type KeepCall struct {
	// Field is the index of the field in the [LoadCall]. Part is the index of a column of a
	// ManyToOne field.
	Field, Part int
	ManyToOne   bool
	// From is the index of the first row. Size is the number of rows in each KeepCall for
	// the column, except the last.
	From, Size int
	// Column contains the cells.
	Column *Column
	Budget time.Duration
}

// Append appends the request to dst.
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

// MoreCall requests further changes after an answer in which More is true.
type MoreCall struct{ Budget time.Duration }

// Append appends the request to dst.
func (m *MoreCall) Append(dst []byte) []byte {
	return append(appendHead(dst, m.Budget, "more"), '}')
}

// The length of a string in a pack is encoded as one character: firstSize plus the length.
// longSize means that the length is in a separate list.
const (
	firstSize = 0x100
	longSize  = 0xd6ff
)

// appendPacked appends the cells as one string, with the length of each cell in UTF-16 code
// units.
func (c *Cells) appendPacked(dst []byte) []byte {
	var all, sizes []byte
	var long []int
	for i := range c.count() {
		text, kind := c.cellAt(i)
		if kind == ValueNull {
			text = nil
		}
		if !utf8.Valid(text) {
			text = []byte(string([]rune(string(text)))) // replace each invalid byte, as appendText does
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

// appendPackedKinds appends the kinds of the cells, unless all are strings: s for a string,
// z for null, j for other JSON.
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

// utf16Length returns the length of text in JavaScript, in UTF-16 code units. Each invalid
// byte counts as U+FFFD.
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

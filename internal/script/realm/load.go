package realm

import (
	"cmp"
	"strconv"
	"time"

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
	// Many says that several columns feed it.
	Many bool
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

// Load gives a worker the hooks of a schema. It may come again: fields and hooks
// are then those of the last one. [ReadLoaded] reads the answer.
type Load struct {
	Fields []Field
	Hooks  []Hook
	Pins   Pins
	// Limit is about the most that hooks may change in one call, in bytes of
	// the answer. Default DefaultAnswer.
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
func (l *Load) Append(dst []byte) []byte {
	dst = appendHead(dst, l.Budget, "load")
	dst = strconv.AppendInt(append(dst, `,"memory":`...), l.Memory, 10)
	dst = append(dst, `,"fields":[`...)
	for i, field := range l.Fields {
		dst = appendComma(dst, i)
		dst = appendMember(append(dst, '{'), "key", field.Key)
		if field.Many {
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
		dst = appendFlag(dst, "reads", hook.Kind == HookRow && onlyReads(hook.Source, l.Fields))
		dst = append(dst, '}')
	}
	dst = append(dst, `],"pins":{"now":`...)
	dst = strconv.AppendInt(dst, l.Pins.Now.UnixMilli(), 10)
	dst = append(dst, `,"seed":`...)
	dst = strconv.AppendUint(dst, uint64(l.Pins.Seed), 10)
	dst = appendMember(append(dst, ','), "timeZone", cmp.Or(l.Pins.TimeZone, "UTC"))
	dst = appendMember(append(dst, ','), "locale", cmp.Or(l.Pins.Locale, "en-US"))
	dst = append(dst, `},"limit":`...)
	dst = strconv.AppendInt(dst, int64(cmp.Or(l.Limit, DefaultAnswer)), 10)
	dst = append(dst, `,"sparse":`...)
	dst = strconv.AppendInt(dst, int64(l.Sparse), 10)
	return append(dst, '}')
}

package jsruntime_test

import (
	"cmp"
	"fmt"
	"testing"
)

// TestRowLoop checks that a hook that only reads cells has the same results with and without
// Trace. Without it, QuickJS runs the row loop of the host; with it, the prelude calls the hook.
func TestRowLoop(t *testing.T) {
	for name, source := range map[string]string{
		"a text":               `(r) => ({ row: { a: { value: r.row.a.value + "!" } } })`,
		"a text and infos":     `(r) => ({ row: { a: { value: r.row.a.value + "é😀", info: r.index === 42 ? [{ message: "m" }] : undefined } } })`,
		"a number":             `(r) => ({ row: { a: { value: r.index / 2 } } })`,
		"a list":               `(r) => ({ row: { a: { value: [r.row.a.resultValue, null, true] } } })`,
		"the same text":        `(r) => ({ row: { a: { value: r.row.a.value } } })`,
		"some rows":            `(r) => r.index % 2 === 0 ? null : r.index === 41 ? undefined : { row: { a: { value: "y" } } }`,
		"an empty row":         `(r) => r.index === 41 ? { row: {} } : { row: { a: { value: "y" } } }`,
		"random numbers":       `(r) => ({ row: { a: { value: "" + r.row.a.value + Math.random() + Math.random() } } })`,
		"a promise":            `(r) => r.index === 42 ? Promise.resolve({ row: { a: { value: "z" } } }) : { row: { a: { value: "y" } } }`,
		"a rejection":          `(r) => r.index === 42 ? Promise.reject(Error("no")) : { row: { a: { value: "y" } } }`,
		"an error":             `(r) => { if (r.index === 43) throw TypeError("no"); return { row: { a: { value: "y" } } }; }`,
		"an unknown field":     `(r) => r.index < 43 ? null : { row: { a: { value: "y" }, b: {} } }`,
		"a text as a result":   `(r) => r.index < 43 ? null : "y"`,
		"a text as a row":      `(r) => r.index < 43 ? null : { row: "y" }`,
		"an empty list as row": `(r) => r.index < 43 ? null : { row: [] }`,
		"a list as a row":      `(r) => r.index < 43 ? null : { row: [1] }`,
		"a text as a cell":     `(r) => r.index < 43 ? null : { row: { a: "y" } }`,
		"no row":               `(r) => r.index < 43 ? null : {}`,
		"half of a character":  `(r) => ({ row: { a: { value: r.index === 43 ? "\ud83d" : "y" } } })`,
		"half in a message":    `(r) => ({ row: { a: { info: [{ message: r.index === 43 ? "\ud83d" : "y" }] } } })`,
		"a backslash":          `(r) => ({ row: { a: { value: "\\ud83d\"\n" + r.index } } })`,
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			for _, trace := range []bool{true, false} {
				callWithFiveRows(t, source, trace, func(t *testing.T, a *answerWithChanges) {
					t.Helper()
					got := fmt.Sprintf("%+v %v", a.Changes, a.Failure)
					if want = cmp.Or(want, got); got != want {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			}
		})
	}
}

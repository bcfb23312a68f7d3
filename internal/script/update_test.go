package script_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script"
)

// TestChangedRows calls hooks with rows that a person changed: the mode says so, and
// each row has the number that it has among all.
func TestChangedRows(t *testing.T) {
	const tell = `{out: {value: mode + " " + record.index + " " + record.rowId + " " + record.row.x.value}}`
	fields := []intray.Field{text("x"), text("out")}
	everywhere(t, func(t *testing.T, s *script.Script) {
		b := batch(3, []any{"a", nil}, []any{"b", nil}, []any{"c", nil})
		b.Numbers = []int64{3, 70, 1000}
		rows := rowsOf(fields, b)
		rows.Update = true
		want := []string{"0.1 update 3 3 a", "1.1 update 70 70 b", "2.1 update 1000 1000 c"}
		changes, err := open(t, s, rowHooks(`(record, mode) => ({row: `+tell+`})`)).Rows(t.Context(), 0, rows)
		if diff := cmp.Diff(want, told(changes)); diff != "" || err != nil {
			t.Error(err, diff)
		}
		bulk := intray.Hooks{BulkRow: []string{`(records, mode) => records.map(record => ({index: record.index, row: ` + tell + `}))`}}
		changes, err = open(t, s, bulk).Bulk(t.Context(), 0, rows)
		if diff := cmp.Diff(want, told(changes)); diff != "" || err != nil {
			t.Error(err, diff)
		}
		var failed *intray.HookError
		_, err = open(t, s, rowHooks(`record => { if (record.index === 70) record.row.nobody.value }`)).Rows(t.Context(), 0, rows)
		if !errors.As(err, &failed) || failed.Row == nil || *failed.Row != 70 {
			t.Errorf("a row that fails: %v", err)
		}
	})
}

// TestDeletedRows tells hooks of rows that a person deletes, one call for each.
func TestDeletedRows(t *testing.T) {
	everywhere(t, func(t *testing.T, s *script.Script) {
		b := batch(3, []any{"a"}, []any{"b"})
		b.Numbers = []int64{3, 70}
		rows := rowsOf([]intray.Field{text("x")}, b)
		session := open(t, s, intray.Hooks{RowDelete: []string{`record => { console.log("gone", record.rowId, record.row.x.value); return {row: {x: {value: "no"}}} }`}})
		if err := session.Deleted(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(session.Console(), "\n"); !strings.Contains(got, "gone 3 a") || !strings.Contains(got, "gone 70 b") {
			t.Errorf("the hook printed %q", got)
		}
		fails := open(t, s, intray.Hooks{RowDelete: []string{`record => { throw new Error("keep it") }`}})
		var failed *intray.HookError
		if err := fails.Deleted(t.Context(), rows); !errors.As(err, &failed) || failed.Hook != "rowDeleteHooks[0]" || failed.Row == nil || *failed.Row != 3 {
			t.Errorf("a hook that fails: %v", err)
		}
	})
}

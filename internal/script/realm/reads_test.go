package realm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// TestHooksThatOnlyRead tells which hooks are shown all rows in one record.
func TestHooksThatOnlyRead(t *testing.T) {
	for source, want := range map[string]bool{
		`(record) => ({ row: { a: { value: record.row.a.value.toLowerCase() } } })`:                                 true,
		`r => ({ row: { a: { value: r.row.b.resultValue + r.index } } })`:                                           true,
		`(record, mode) => { if (record.row.a.value === "") { return; } return { row: { b: { value: mode } } }; };`: true,
		"(r) => ({ row: { a: { value: `${r.row.a.value} ${ r . row\n. b . value }` } } })":                          true,
		`(r) => { for (const c of r.row.a.value) if (c === "r.row") return null; /* r */ }`:                         true,
		`(r) => ({ row: { a: { value: (r.row.a.value ?? "").trim() || r.row.b.value?.length } } })`:                 true,
		`(r) => ({ row: { a: { value: x.r.row } } })`:                                                               true,
		`(record) => record`:                                        false,
		`(record) => ({ row: record.row })`:                         false,
		`(record) => ({ row: { a: record.row.a } })`:                false,
		`(record) => { const { row } = record; return { row }; }`:   false,
		`(record) => ({ record })`:                                  false,
		`({ row }) => ({ row })`:                                    false,
		`(record = {}) => null`:                                     false,
		`(...records) => null`:                                      false,
		`(r) => ({ row: { a: { value: r.rowId } } })`:               false,
		`(r) => ({ row: { a: { value: r.row["a"].value } } })`:      false,
		`(r) => ({ row: { a: { value: r.row?.a.value } } })`:        false,
		`(r) => ({ row: { a: { value: r.row.a.value$ } } })`:        false,
		`(r) => ({ row: { a: { value: r.row.a.valueé } } })`:        false,
		`(r) => ({ row: { a: { info: r.row.a.info } } })`:           false,
		`(r) => ({ row: { a: { value: r.row.absent.value } } })`:    false,
		`(r) => ({ row: { a: { value: r.row.__proto__.value } } })`: false,
		`(r) => { r.row.a.value = "x"; }`:                           false,
		`(r) => { r.row.a.value(); }`:                               false,
		`(r) => { ((r.row.a.value) )(); }`:                          false,
		`(r) => { r.row.a.value/**/(); }`:                           false,
		`(r) => { r.row.a.value?.(); }`:                             false,
		"(r) => { r.row.a.value\u00a0(); }":                         false,
		"(r) => { r.row.a.value`x`; }":                              false,
		`(r) => { delete r.row.a.value; }`:                          false,
		`(r) => { keep = () => r.row.a.value; }`:                    false,
		`(r) => { keep = { m() { return r.row.a.value; } }; }`:      false,
		`(r) => { keep = { get m() { return r.row.a.value; } }; }`:  false,
		`(r) => { keep = class { m = r.row.a.value; }; }`:           false,
		`(r) => { \u0072.row; return r.row.a.value; }`:              false,
		`async (r) => { await 1; return r.row.a.value; }`:           false,
		`function (r) { return r.row.a.value; }`:                    false,
		`((r) => r.row.a.value)`:                                    false,
	} {
		load := realm.Load{
			Fields: []realm.Field{{Key: "a"}, {Key: "b"}},
			Hooks:  []realm.Hook{{Kind: realm.HookRow, Source: source}},
		}
		if got := strings.Contains(string(load.Append(nil)), `,"reads":true}`); got != want {
			t.Errorf("%s: it only reads: %v, want %v", source, got, want)
		}
		if load.Hooks[0].Kind = realm.HookRowDelete; strings.Contains(string(load.Append(nil)), `"reads"`) {
			t.Errorf("%s: as a delete hook it counts as one that only reads", source)
		}
	}
}

// TestOneRecordForAllRows holds hooks that only read against the same hooks with a
// parameter more, of which that is not known.
func TestOneRecordForAllRows(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, body := range []string{
				`({ row: { a: { value: r.row.a.value + r.row.b.value + r.index } } })`,
				`({ row: { a: { value: r.row.a.resultValue }, b: { value: r.row.a.value } } })`,
				`r.row.a.value === "a1" ? { row: { b: { value: null, info: [{ message: r.row.b.value }] } } } : undefined`,
				`{ row: { c: { value: r.row.c.value } } }`,
				`({ row: { a: { value: [r.row.a.value, r.row.b.value] } } })`,
				`({ row: { a: { value: Math.random() } } })`,
				`r.index === 1 ? r.row.a.value.absent() : undefined`,
			} {
				one, own := answersOf(t, w, "(r       ) => "+body), answersOf(t, w, "(r, m = 0) => "+body)
				if diff := cmp.Diff(own, one); diff != "" {
					t.Errorf("%s: in records of their own (-) and in one (+):\n%s", body, diff)
				}
			}
		})
	}
}

// answersOf calls a hook that learns, then with the columns a and b, and with infos.
func answersOf(t *testing.T, w worker, source string) (list []string) {
	t.Helper()
	load := &realm.Load{
		Fields: []realm.Field{{Key: "a"}, {Key: "b"}, {Key: "c"}},
		Hooks:  []realm.Hook{{Kind: realm.HookRow, Name: "rowHooks[0]", Source: source}},
	}
	mustLoad(t, w, load)
	columns := make([]*realm.Column, 3)
	for f := range columns {
		texts := &intray.Texts{}
		for i := range 4 {
			texts.AppendString(fmt.Sprintf("%s%d", load.Fields[f].Key, i))
		}
		columns[f] = &realm.Column{Value: realm.Cells{Texts: texts}}
	}
	infos := *columns[0]
	infos.Infos = []realm.CellInfos{{Row: 2, Infos: []realm.Info{{Message: "before"}}}}
	for _, call := range []realm.RowsCall{
		{Learn: true, Rows: realm.Rows{Columns: columns}},
		{Rows: realm.Rows{Columns: []*realm.Column{columns[0], columns[1], nil}}},
		{Rows: realm.Rows{Columns: []*realm.Column{&infos, columns[1], columns[2]}}},
	} {
		call.Kind, call.Mode, call.Rows.Count = realm.HookRow, "init", 4
		answer := ask(t, w, call.Append(nil), realm.Bounds{Rows: 4, Parts: make([]int, 3), Learn: call.Learn})
		list = append(list, fmt.Sprintf("%+v %v %v %+v", answer.Changes, answer.Used, answer.Missed, answer.Failure))
	}
	return list
}

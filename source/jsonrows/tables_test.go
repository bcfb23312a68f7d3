package jsonrows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// inside holds files whose tables are members of an object.
var inside = []sourcetest.Sample{
	{
		Name: "one array in an object", Text: []byte(`{"count":2,"result":{"rows":[{"a":1},{"a":{"b":2}}],"next":null}}`),
		Sheets: []sourcetest.Sheet{{Name: "result.rows", Headers: []string{"a", "a.b"}, Records: [][]string{{"1", ""}, {"", "2"}}, Lines: []int64{1, 2}}},
	},
	{
		Name: "several arrays", Text: []byte("{\"people\": [{\"n\":\"Ada\"}],\n \"cells\" :[[1,2],[3,4]], \"none\":[]}\n"),
		Sheets: []sourcetest.Sheet{
			{Name: "people", Headers: []string{"n"}, Records: [][]string{{"Ada"}}, Lines: []int64{1}},
			{Name: "cells", Headers: []string{"", ""}, Records: [][]string{{"1", "2"}, {"3", "4"}}, Lines: []int64{1, 2}},
		},
	},
	{
		Name: "line.ndjson", Text: []byte(`{"a":[{"b":1}]}`),
		Sheets: []sourcetest.Sheet{{Headers: []string{"a"}, Records: [][]string{{`[{"b":1}]`}}, Lines: []int64{1}}},
	},
	{
		Name: "arrays.jsonl", Text: []byte("[1,[2]]\n[3,[4]]\n[5,[6]]\n"),
		Sheets: []sourcetest.Sheet{{Headers: []string{"", ""}, Records: [][]string{{"1", "[2]"}, {"3", "[4]"}, {"5", "[6]"}}, Lines: []int64{1, 2, 3}}},
	},
	{
		Name: "array.jsonl", Text: []byte(`[{"a":1}]`),
		Sheets: []sourcetest.Sheet{{Headers: []string{"a"}, Records: [][]string{{"1"}}, Lines: []int64{1}}},
	},
}

func TestEvidenceOfTables(t *testing.T) {
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(`{"n":1,"a":[{"b":2}],"c":{"d":[3]}}`)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := book.Evidence()[1:]
	want := []intray.Evidence{
		{Choice: "form", Value: "array of objects", Reason: intray.NewMessage("json_file.one_array", intray.Params{"name": "a"})},
		{Choice: "beside the tables", Value: "n, c.d", Reason: intray.NewMessage("json_file.other_members", nil)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// objectOfTables returns an object with n arrays that contain one object each.
func objectOfTables(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"t%d":[{"a":%d}]`, i, i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestLimitsOfTables(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 62) + `{"b":[{"c":1}],"d":[[1]]}` + strings.Repeat("}", 62)
	tests := []struct {
		name, text, reason string
		limits             source.Limits
	}{
		{"most sheets", objectOfTables(MaxSheets), "", source.Limits{}},
		{"too many sheets", objectOfTables(MaxSheets + 1), "there are more than 1,024 tables", source.Limits{}},
		{"depth of elements", `{"x":` + deep + `}`, "nested more than 64", source.Limits{}},
		{"other members", `{"a":[{}],"b":"` + strings.Repeat("x", 3000) + `"}`, "longer than 1,000 bytes", source.Limits{RecordBytes: 1000}},
		{"elements do not count", `{"a":[` + strings.Repeat(`{"b":"cccccccccccc"},`, 999) + `{}]}`, "", source.Limits{RecordBytes: 5000}},
		{"columns", `[[1,2],[1,2,3]]`, "in element 2, there are more than 2 columns", source.Limits{Columns: 2}},
		{"cells", `[[1,2],[1,2,3]]`, "in element 2, the sheet has more than 4 cells", source.Limits{Cells: 4}},
		{"cell", `[["x"],["xxxxx"]]`, "in element 2, a value is longer than 4 bytes", source.Limits{CellBytes: 4}},
		{"name of a table", `{"abcde":[{}]}`, "longer than 4 bytes", source.Limits{HeaderBytes: 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readText(t, test.text, source.Options{Limits: test.limits})
			if (err == nil) != (test.reason == "") || err != nil && (!isTyped(err) || !strings.Contains(err.Error(), test.reason)) {
				t.Errorf("got %v, want %q", err, test.reason)
			}
		})
	}
	_, err := readText(t, "{"+strings.TrimSuffix(strings.Repeat(`"a":[{}],`, 2), ",")+"}", source.Options{})
	if err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("duplicate name: %v", err)
	}
}

package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
)

func (s *server) cells(id string) {
	s.Helper()
	path := "/api/v1/headless/imports/" + id + "/cells/"
	var got struct {
		Row, Line int64
		Cells     []wire.Cell
	}
	check(s.T, json.Unmarshal(s.do("GET", path+"?row=1&field=email", "").Body.Bytes(), &got))
	if got.Row != 1 || got.Line != 3 || len(got.Cells) != 1 {
		s.Fatalf("the cells are %+v", got)
	}
	one := got.Cells[0]
	var steps []string
	for _, step := range one.Steps {
		steps = append(steps, step.Step)
	}
	if diff := cmp.Diff([]string{"read", "map", "parse", "check", "output"}, steps); diff != "" || one.Raw != "nobody" || one.Value != nil {
		s.Errorf("the cell is %+v", one)
	}
	if diff := cmp.Diff([]wire.CellColumn{{Index: 0, Header: "E-Mail"}}, one.Columns); diff != "" || len(one.Problems) != 1 || one.Problems[0].Code != "email" || one.Problems[0].Level != "error" {
		s.Errorf("the cell is %+v", one)
	}
	if all := s.do("GET", path+"?row=0", "").Body.String(); !strings.Contains(all, `"raw":"ada@example.org","value":"ada@example.org"`) {
		s.Errorf("all cells of a row: %s", all)
	}
	for query, want := range map[string]struct {
		status int
		field  string
	}{
		"": {400, "row"}, "?row=": {400, "row"}, "?row=-1": {400, "row"}, "?row=x&field=nothing": {400, "row"}, "?row=9223372036854775808": {400, "row"},
		"?row=2": {404, "row"}, "?row=9223372036854775807": {404, "row"}, "?row=0&field=nothing": {404, "field"},
	} {
		w := s.send("GET", path+query, "")
		if w.Code != want.status || !strings.Contains(w.Body.String(), `"`+want.field+`":["`) {
			s.Errorf("%s: status %d, %s", query, w.Code, w.Body)
		}
	}
	for _, unknown := range []string{"x", "00000000-0000-4000-8000-000000000000"} {
		if w := s.send("GET", strings.Replace(path, id, unknown, 1), ""); w.Code != 404 {
			s.Errorf("the import %s: status %d, %s", unknown, w.Code, w.Body)
		}
	}
	made := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "id")
	if w := s.send("GET", strings.Replace(path, id, made, 1)+"?row=0", ""); w.Code != 409 || !strings.Contains(w.Body.String(), `"code":"no_rows"`) {
		s.Errorf("an import without rows: status %d, %s", w.Code, w.Body)
	}
}

// TestCellsAreTruncated checks that values that are too long for a response are truncated.
func TestCellsAreTruncated(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", maxCellText)
	trace := intray.Trace{Raw: long, Value: &long, Steps: []intray.TraceStep{{Step: "read", Text: &long}, {Step: "output"}}}
	got := wireCell(intray.Field{}, trace)
	if want := long[:maxCellText] + "…"; got.Raw != want || *got.Value != want {
		t.Errorf("%d and %d bytes of a long text", len(got.Raw), len(*got.Value))
	}
	if want := long[:maxStepText] + "…"; *got.Steps[0].Text != want || got.Steps[1].Text != nil {
		t.Errorf("%d bytes of a long text in a step", len(*got.Steps[0].Text))
	}
	for _, c := range []struct {
		text, want string
		most       int
	}{{"", "", 0}, {"ab", "ab", 2}, {"abc", "ab…", 2}, {"aüb", "a…", 2}, {"aü", "aü", 3}, {"\xff\xff", "\xff…", 1}} {
		if got := truncate(c.text, c.most); got != c.want {
			t.Errorf("%d bytes of %q: %q, want %q", c.most, c.text, got, c.want)
		}
	}
}

func TestProblemsOfManyColumns(t *testing.T) {
	t.Parallel()
	trace := intray.Trace{Problems: []intray.Problem{{Part: 1, Code: "email"}, {Field: intray.NoField, Code: "cell_count"}}}
	for many, want := range map[bool]string{true: `[{"code":"email","level":"error","message":"","manyToOneIndex":1},{"code":"cell_count","level":"error","message":""}]`,
		false: `[{"code":"email","level":"error","message":""},{"code":"cell_count","level":"error","message":""}]`} {
		got, err := encodeJSON(wireCell(intray.Field{ManyToOne: many}, trace).Problems)
		check(t, err)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Error(diff)
		}
	}
}

package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/engine/enginetest"
	"github.com/intraydata/intray/source/formats"
)

// TestExplain checks the codes of the reasons in the trace of a cell that is text, parsed,
// empty, invalid or without a column.
func TestExplain(t *testing.T) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "day", Label: "Day", Type: intray.FieldType{Name: intray.TypeDate}, Validators: []intray.Validator{{Rule: "required", Level: intray.LevelWarning}}},
		{Key: "other", Label: "Other", Type: intray.FieldType{Name: intray.TypeEmail}},
	}}
	recorder := &enginetest.BatchRecorder{}
	out := importInto(t, engine.Config{}, "Name,Day\nAda,13/04/2021\nBob,\nCy,never\nDi\n", schema, recorder)
	for _, c := range []struct {
		row, field int
		raw, value string
		parse      string
		check      string
	}{
		{0, 0, "Ada", "Ada", "trace.text_is_value", "trace.no_problem"},
		{0, 1, "13/04/2021", "2021-04-13", "trace.read_as_type trace.column_read_as", "trace.no_problem"},
		{1, 1, "", "", "trace.cell_empty trace.column_read_as", "trace.problem level.warning"},
		{2, 1, "never", "", "trace.no_value_of_type trace.column_read_as", "trace.problem level.error"},
		{3, 0, "Di", "Di", "trace.text_is_value", "trace.row_problem level.error"},
		{1, 2, "", "", "", "trace.no_problem"},
	} {
		trace := out.Explain(schema, recorder.Batch, c.row, c.field)
		if trace.Row != int64(c.row) || trace.Line != int64(c.row+2) || trace.Field != schema.Fields[c.field].Key || trace.Raw != c.raw {
			t.Errorf("row %d, field %d: %+v", c.row, c.field, trace)
		}
		if value := trace.Value; (value != nil) != (c.value != "") || value != nil && *value != c.value {
			t.Errorf("row %d, field %d: value %v, want %q", c.row, c.field, value, c.value)
		}
		steps := map[string]string{}
		var order []string
		for _, step := range trace.Steps {
			order = append(order, step.Step)
			var codes []string
			for _, reason := range step.Reasons {
				codes = append(codes, reason.Code)
				if level, ok := reason.Params()["level"].(intray.Message); ok {
					codes = append(codes, level.Code)
				}
			}
			steps[step.Step] = strings.Join(codes, " ")
		}
		want := []string{"read", "map", "parse", "check"}
		if c.parse == "" {
			want = []string{"map", "check"}
		}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("row %d, field %d: steps (-want +got):\n%s", c.row, c.field, diff)
		}
		if steps["parse"] != c.parse || steps["check"] != c.check {
			t.Errorf("row %d, field %d: parse %q, check %q; want %q, %q", c.row, c.field, steps["parse"], steps["check"], c.parse, c.check)
		}
		if c.field == 1 && (len(trace.Columns) != 1 || trace.Columns[0] != intray.TracedColumn{Index: 1, Header: "Day"}) {
			t.Errorf("columns %v", trace.Columns)
		}
	}
}

// TestAnswersAddColumns checks that answers about columns extend many-to-one fields,
// including the first field of the schema.
func TestAnswersAddColumns(t *testing.T) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "tags", Label: "Tag", Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: true},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
	}}
	for answers, want := range map[string][]int{"field:2=tags": {0, 2}, "field:2=tags field:3=tags": {0, 2, 3}, "column:tags=3,2": {2, 3}, "column:tags=none": nil} {
		imp := engine.Import{Input: inputOf("x.csv", "Tag,Name,x,y\na,b,c,d\n"), Schema: schema, Answers: intray.Answers{}}
		for pair := range strings.FieldsSeq(answers) {
			id, value, _ := strings.Cut(pair, "=")
			imp.Answers[id] = value
		}
		out, err := engine.New(engine.Config{Formats: formats.Formats("")}).MapColumns(t.Context(), imp)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.Mapping.Fields[0].Columns); diff != "" || out.Mapping.Fields[1].Column != 1 {
			t.Errorf("%s: name is column %d, columns of tags (-want +got):\n%s", answers, out.Mapping.Fields[1].Column, diff)
		}
		if len(want) > 0 && out.Mapping.Fields[0].Column != want[0] {
			t.Errorf("%s: first column %d", answers, out.Mapping.Fields[0].Column)
		}
	}
}

package output_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// kinds holds a field of each kind, with values that it may have.
var kinds = []struct {
	field  intray.Field
	values []string
}{
	{intray.Field{Key: "name", Type: intray.FieldType{Name: intray.TypeString}}, []string{"", "Ada", "=1", "a\"b\xff\n", "null"}},
	{intray.Field{Key: "age", Type: intray.FieldType{Name: intray.TypeNumber}}, []string{"36", "-1.5"}},
	{intray.Field{Key: "ok", Type: intray.FieldType{Name: intray.TypeCheckbox}}, []string{"true", "false"}},
	{intray.Field{Key: "tags", Type: intray.FieldType{Name: intray.TypeMultiSelect}}, []string{`["a","b"]`, "[]"}},
	{intray.Field{Key: "phones", Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: true}, []string{`["1",null]`, `["",""]`}},
	{intray.Field{Key: "dates", Type: intray.FieldType{Name: intray.TypeDate, Options: map[string]any{"outputFormat": "dd.MM.yyyy"}}, ManyToOne: true},
		[]string{`["2026-03-04",null]`, `[null,"2026-03-05"]`}},
	{intray.Field{Key: "born", Type: intray.FieldType{Name: intray.TypeDate, Options: map[string]any{"outputFormat": "dd.MM.yyyy"}}}, []string{"2026-03-04"}},
	{intray.Field{Key: "mail", Type: intray.FieldType{Name: intray.TypeEmail}}, []string{"ada@example.org", ""}},
}

func allKinds(behavior intray.InvalidDataBehavior) *intray.Schema {
	schema := &intray.Schema{Settings: intray.Settings{InvalidDataBehavior: behavior}}
	for _, k := range kinds {
		schema.Fields = append(schema.Fields, k.field)
	}
	return schema
}

// drawBatch draws rows with fields and problems of all kinds.
func drawBatch(t *rapid.T) *intray.Batch {
	n := rapid.IntRange(1, 5).Draw(t, "rows")
	b := &intray.Batch{First: 7, Lines: make([]int64, n), Fields: make([]intray.Cells, len(kinds))}
	raw := rapid.SampledFrom([]string{"", " ", " Ada ", "-old"})
	raws := rapid.SampledFrom([]string{`["x",""]`, `["=1"," "]`})
	for f, k := range kinds {
		for range n {
			value := []byte(rapid.SampledFrom(k.values).Draw(t, "value"))
			switch cell := rapid.IntRange(0, 2).Draw(t, "cell"); {
			case k.field.ManyToOne && cell > 0:
				b.Fields[f].AppendParsed(value, []byte(raws.Draw(t, "raw")))
			case k.field.ManyToOne:
				b.Fields[f].AppendNull(nil)
			case cell == 0:
				b.Fields[f].AppendValue(value)
			case cell == 1:
				b.Fields[f].AppendParsed(value, []byte(raw.Draw(t, "raw")))
			default:
				b.Fields[f].AppendNull([]byte(raw.Draw(t, "raw")))
			}
		}
	}
	for range rapid.IntRange(0, 6).Draw(t, "problems") {
		b.Problems = append(b.Problems, intray.Problem{
			Row: rapid.IntRange(0, n-1).Draw(t, "row"), Field: rapid.IntRange(intray.NoField, len(kinds)-1).Draw(t, "field"),
			Part: rapid.IntRange(0, 1).Draw(t, "part"), Level: rapid.SampledFrom([]intray.Level{intray.LevelError, intray.LevelWarning}).Draw(t, "level"),
		})
	}
	slices.SortFunc(b.Problems, func(x, y intray.Problem) int { return x.Row - y.Row })
	return b
}

// explained returns, as JSON, the rows that Write must write according to Explain, and the
// number of rows that Write must omit.
func explained(t *rapid.T, schema *intray.Schema, b *intray.Batch) (rows []string, back int) {
	for i := range b.Rows() {
		var cells []string
		for f := range schema.Fields {
			step, err := output.Explain(schema, b, i, f)
			if err != nil || step.Step != "output" {
				t.Fatalf("row %d, field %d: step %q, error %v", i, f, step.Step, err)
			}
			first := strings.Join(intray.RenderAll(step.Reasons), "; ")
			switch {
			case strings.HasPrefix(first, "the row is dropped"), strings.HasPrefix(first, "nothing is written"):
				if step.Text != nil {
					t.Errorf("row %d, field %d is not written, and is %s", i, f, *step.Text)
				}
			case step.Text != nil:
				cells = append(cells, standard(t, schema.Fields[f].Key)+":"+*step.Text)
			case strings.HasPrefix(first, "null: "):
				cells = append(cells, standard(t, schema.Fields[f].Key)+":null")
			default:
				t.Errorf("row %d, field %d has no text, and the reasons do not say why: %s", i, f, first)
			}
		}
		switch len(cells) {
		case len(schema.Fields):
			rows = append(rows, "{"+strings.Join(cells, ",")+"}\n")
		case 0:
			back++
		default:
			t.Errorf("row %d is written in part: %q", i, cells)
		}
	}
	return rows, back
}

func TestExplainAgreesWithWrite(t *testing.T) {
	for _, behavior := range []intray.InvalidDataBehavior{
		intray.BlockSubmit, intray.RemoveInvalidRows, intray.IncludeInvalidRows, intray.IncludeInvalidValues,
	} {
		t.Run(string(behavior), rapid.MakeCheck(func(t *rapid.T) {
			schema, b := allKinds(behavior), drawBatch(t)
			rows, back := explained(t, schema, b)
			var written bytes.Buffer
			n, err := output.Write(context.Background(), &written, output.NDJSON, schema, of(b))
			if behavior == intray.BlockSubmit && errors.Is(err, output.ErrInvalidRow) != (back > 0) {
				t.Fatalf("%d rows are said to hold the import up; error %v", back, err)
			}
			if behavior == intray.BlockSubmit && back > 0 {
				return
			}
			if err != nil || int(n) != b.Rows()-back {
				t.Fatalf("%d of %d rows were written, %d kept back, error %v", n, b.Rows(), back, err)
			}
			if diff := cmp.Diff(written.String(), strings.Join(rows, "")); diff != "" {
				t.Error(diff)
			}
		}))
	}
}

func TestExplainReasons(t *testing.T) {
	const because = "the cell has an error, and invalidDataBehavior is "
	for _, c := range []struct {
		behavior   intray.InvalidDataBehavior
		row, field int
		text       string
		reasons    []string
	}{
		{intray.RemoveInvalidRows, 0, 1, "36", nil},
		{intray.RemoveInvalidRows, 2, 0, "", []string{"the row is dropped: it has an error, and invalidDataBehavior is REMOVE_INVALID_ROWS"}},
		{intray.RemoveInvalidRows, 4, 1, "-5", nil},
		{intray.BlockSubmit, 1, 1, "", []string{"nothing is written: the row has an error, and invalidDataBehavior is BLOCK_SUBMIT"}},
		{intray.IncludeInvalidRows, 3, 1, "", []string{"null: " + because + "INCLUDE_INVALID_ROWS"}},
		{intray.IncludeInvalidRows, 6, 2, "", []string{"null: the cell has no value"}},
		{intray.IncludeInvalidValues, 3, 1, `"999,5"`, []string{"the raw value: " + because + "INCLUDE_INVALID_ROWS_AND_VALUES"}},
		{intray.IncludeInvalidValues, 1, 0, `""`, []string{"the value is kept: " + because + "INCLUDE_INVALID_ROWS_AND_VALUES"}},
		{intray.IncludeInvalidValues, 5, 1, "", []string{"null: the cell has no raw value", because + "INCLUDE_INVALID_ROWS_AND_VALUES"}},
	} {
		want := intray.TraceStep{Step: "output", Reasons: literals(c.reasons)}
		if c.text != "" {
			want.Text = &c.text
		}
		got, err := output.Explain(people(c.behavior), peopleRows(), c.row, c.field)
		if diff := cmp.Diff(want, got, asText); diff != "" || err != nil {
			t.Errorf("%s, row %d, field %d: error %v, %s", c.behavior, c.row, c.field, err, diff)
		}
	}
}

func TestExplainReasonsOfManyToOneFields(t *testing.T) {
	b := &intray.Batch{Lines: []int64{2}, Fields: make([]intray.Cells, len(kinds))}
	for f := range kinds {
		b.Fields[f].AppendParsed([]byte(kinds[f].values[0]), []byte(`["4.3.2026","soon"]`))
	}
	b.Problems = []intray.Problem{{Field: 5, Part: 1}}
	const format = "formatted with the field's outputFormat"
	for _, c := range []struct {
		behavior intray.InvalidDataBehavior
		field    int
		text     string
		reasons  []string
	}{
		{intray.IncludeInvalidValues, 6, `"04.03.2026"`, []string{format}},
		{intray.IncludeInvalidRows, 5, `["04.03.2026",null]`, []string{"null for each column whose cell has an error, because invalidDataBehavior is INCLUDE_INVALID_ROWS", format}},
		{intray.IncludeInvalidValues, 5, `["04.03.2026","soon"]`, []string{
			"the raw value, or null if there is none, for each column whose cell has an error, because invalidDataBehavior is INCLUDE_INVALID_ROWS_AND_VALUES", format,
		}},
	} {
		got, err := output.Explain(allKinds(c.behavior), b, 0, c.field)
		if err != nil || got.Text == nil || *got.Text != c.text {
			t.Fatalf("%s, field %d: %+v, error %v", c.behavior, c.field, got, err)
		}
		if diff := cmp.Diff(c.reasons, intray.RenderAll(got.Reasons)); diff != "" {
			t.Errorf("%s, field %d: %s", c.behavior, c.field, diff)
		}
	}
}

func TestExplainErrors(t *testing.T) {
	forged := peopleRows()
	forged.Fields[1].Values.Reset()
	for range 7 {
		forged.Fields[1].Values.Texts.AppendString(`1,"admin":true`)
	}
	short := peopleRows()
	short.Fields = short.Fields[1:]
	beyond := peopleRows()
	beyond.Problems[0].Field = 4
	reservedKey := people(intray.RemoveInvalidRows)
	reservedKey.Fields[1].Key, reservedKey.Settings.PassThroughUnmappedColumns = "$unmapped", true
	for name, c := range map[string]struct {
		schema *intray.Schema
		batch  *intray.Batch
		want   string
	}{
		"forged number": {people(intray.RemoveInvalidRows), forged, "does not have the format of its type"},
		"fields":        {people(intray.RemoveInvalidRows), short, "3 fields"},
		"problem field": {people(intray.RemoveInvalidRows), beyond, "names field 4"},
		"no behavior":   {people(""), peopleRows(), "invalidDataBehavior"},
		"key":           {reservedKey, peopleRows(), "$unmapped"},
	} {
		row := 0
		if name == "problem field" {
			row = 1
		}
		step, err := output.Explain(c.schema, c.batch, row, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) || step.Text != nil {
			t.Errorf("%s: %+v, error %v; want an error with %q", name, step, err, c.want)
		}
	}
}

// asText makes cmp compare messages by their English text.
var asText = cmp.Transformer("text", intray.Message.String)

func literals(texts []string) (list []intray.Message) {
	for _, text := range texts {
		list = append(list, intray.Literal(text))
	}
	return list
}

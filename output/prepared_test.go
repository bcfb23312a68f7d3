package output_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct/distincttest"
	"github.com/intraydata/intray/output"
)

// TestPreparedCells writes batches whose columns have codes, and the same batches without codes. The files
// must be equal.
func TestPreparedCells(t *testing.T) {
	texts := map[intray.TypeName][]string{
		intray.TypeString:   {"", "a", "-a", "=1+2", "say \"x\"", "a,b", "line\nbreak", "é\u2028", "\xff", "a long text without anything special"},
		intray.TypeNumber:   {"0", "-5", "12.5", "-0.25", "1e300"},
		intray.TypeCheckbox: {"true", "false"},
		intray.TypeDate:     {"2024-02-29", "1999-12-31"},
	}
	names := []intray.TypeName{intray.TypeString, intray.TypeNumber, intray.TypeCheckbox, intray.TypeDate}
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t)
		rows := rapid.IntRange(1, 40).Draw(t, "rows")
		plain, coded := &intray.Batch{Lines: make([]int64, rows)}, &intray.Batch{Lines: make([]int64, rows)}
		for f := range rapid.IntRange(1, 4).Draw(t, "fields") {
			kind := rapid.SampledFrom(names).Draw(t, "type")
			field := intray.Field{Key: string(rune('a' + f)), Type: intray.FieldType{Name: kind}}
			if kind == intray.TypeDate && rapid.Bool().Draw(t, "format") {
				field.Type.Options = map[string]any{"outputFormat": "DD.MM.YYYY"}
			}
			schema.Fields = append(schema.Fields, field)
			var cells intray.Cells
			for row := range rows {
				switch rapid.IntRange(0, 9).Draw(t, "cell") {
				case 0:
					cells.AppendNull(nil)
				case 1:
					cells.AppendNull([]byte("-bad"))
					plain.Problems = append(plain.Problems, intray.Problem{Row: row, Field: f, Level: intray.LevelError})
				case 2:
					cells.AppendParsed([]byte(rapid.SampledFrom(texts[kind]).Draw(t, "value")), []byte("raw"))
				default:
					cells.AppendValue([]byte(rapid.SampledFrom(texts[kind]).Draw(t, "value")))
				}
			}
			plain.Fields = append(plain.Fields, cells)
			cells.Values = distincttest.WithCodes(&cells.Values)
			if rapid.Bool().Draw(t, "raws") {
				cells.Raws = distincttest.WithCodes(&cells.Raws)
			}
			coded.Fields = append(coded.Fields, cells)
		}
		sortProblems(plain)
		coded.Problems = plain.Problems
		for _, format := range []output.Format{output.JSON, output.NDJSON, output.CSV, output.XLSX} {
			var want, got bytes.Buffer
			wantRows, err := output.Write(context.Background(), &want, format, schema, of(plain))
			if err != nil {
				t.Fatal(err)
			}
			gotRows, err := output.Write(context.Background(), &got, format, schema, of(coded))
			if err != nil || gotRows != wantRows || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Fatalf("%s: %d rows, %v:\n%s\nwithout codes, %d rows:\n%s", format, gotRows, err, got.String(), wantRows, want.String())
			}
		}
	})
}

// TestPlainCells writes batches in which no column contains anything that is escaped or put in quotes, and the same
// batches with another row in which every text does. The files must begin with the same rows.
func TestPlainCells(t *testing.T) {
	texts := []string{"", "a", "-a", "=1+2", "+", "@x", "\uff1dx", " edge", "edge ", "\u200b=1", "é", "a long text without anything special", "'"}
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t)
		rows := rapid.IntRange(1, 10).Draw(t, "rows")
		plain, escaped := &intray.Batch{Lines: make([]int64, rows)}, &intray.Batch{Lines: make([]int64, rows+1)}
		for f := range rapid.IntRange(1, 4).Draw(t, "fields") {
			field := intray.Field{Key: string(rune('a' + f)), Type: intray.FieldType{Name: intray.TypeString}}
			values, last := texts, "\\,;\"\n"
			if rapid.Bool().Draw(t, "number") {
				field.Type.Name, values, last = intray.TypeNumber, []string{"-5", "12.5"}, "0"
			}
			schema.Fields = append(schema.Fields, field)
			var cells, more intray.Cells
			for row := range rows {
				switch rapid.IntRange(0, 9).Draw(t, "cell") {
				case 0:
					cells.AppendNull(nil)
					more.AppendNull(nil)
				case 1:
					raw := []byte(rapid.SampledFrom([]string{"-bad", "b;a\"d,", " "}).Draw(t, "raw"))
					cells.AppendNull(raw)
					more.AppendNull(raw)
					plain.Problems = append(plain.Problems, intray.Problem{Row: row, Field: f, Level: intray.LevelError})
				default:
					value := []byte(rapid.SampledFrom(values).Draw(t, "value"))
					cells.AppendValue(value)
					more.AppendValue(value)
				}
			}
			more.AppendValue([]byte(last))
			plain.Fields, escaped.Fields = append(plain.Fields, cells), append(escaped.Fields, more)
		}
		sortProblems(plain)
		escaped.Problems = plain.Problems
		for _, format := range []output.Format{output.NDJSON, output.CSV} {
			var want, got bytes.Buffer
			if _, err := output.Write(context.Background(), &want, format, schema, of(escaped)); err != nil {
				t.Fatal(err)
			}
			if _, err := output.Write(context.Background(), &got, format, schema, of(plain)); err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(want.Bytes(), got.Bytes()) || want.Len() == got.Len() {
				t.Fatalf("%s:\n%s\nwith another row:\n%s", format, got.String(), want.String())
			}
		}
	})
}

// TestPreparedCellIsInvalid checks that a value that does not have the format of its type is reported with
// its row.
func TestPreparedCellIsInvalid(t *testing.T) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{{Key: "n", Type: intray.FieldType{Name: intray.TypeNumber}}}}
	b := &intray.Batch{First: 10, Lines: make([]int64, 3), Fields: make([]intray.Cells, 1)}
	for _, value := range []string{"1", "1", "}"} {
		b.Fields[0].AppendValue([]byte(value))
	}
	b.Fields[0].Values = distincttest.WithCodes(&b.Fields[0].Values)
	_, err := output.Write(context.Background(), &bytes.Buffer{}, output.NDJSON, schema, of(b))
	want := `write ndjson: row 12: the value of field "n" does not have the format of its type`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// drawSchema returns a schema without fields.
func drawSchema(t *rapid.T) *intray.Schema {
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	schema.Settings.InvalidDataBehavior = rapid.SampledFrom([]intray.InvalidDataBehavior{
		intray.RemoveInvalidRows, intray.IncludeInvalidRows, intray.IncludeInvalidValues,
	}).Draw(t, "behavior")
	return schema
}

func sortProblems(b *intray.Batch) {
	for i := 1; i < len(b.Problems); i++ {
		for j := i; j > 0 && b.Problems[j].Row < b.Problems[j-1].Row; j-- {
			b.Problems[j], b.Problems[j-1] = b.Problems[j-1], b.Problems[j]
		}
	}
}

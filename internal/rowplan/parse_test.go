package rowplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// repeatingSchema has a field of each type that reads its cells differently.
func repeatingSchema() *intray.Schema {
	options := []intray.SelectOption{{Label: "Germany", Value: "DE"}, {Label: "France", Value: "FR"}}
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "text", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "number", Type: intray.FieldType{Name: intray.TypeNumber}},
		{Key: "listed", Type: intray.FieldType{Name: intray.TypeNumber}, MissingValues: []string{"none"}},
		{Key: "select", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: options},
		{Key: "date", Type: intray.FieldType{Name: intray.TypeDate}},
		{Key: "checkbox", Type: intray.FieldType{Name: intray.TypeCheckbox}},
		{Key: "email", Type: intray.FieldType{Name: intray.TypeEmail}},
	}}
}

func repeatingPlan(t testing.TB) *Plan {
	t.Helper()
	p := compiled(t, repeatingSchema(), 7, 0, 1, 2, 3, 4, 5, 6)
	for i := range p.Fields {
		if p.HasMissingMarkers(i) {
			p.ReadMissingMarkers(i)
		}
	}
	p.ReadListedMarkers()
	return p
}

// TestRepeatingColumns parses a batch whose columns repeat, and the same rows in batches that are too small
// for that. The cells, problems and counts must be equal.
func TestRepeatingColumns(tt *testing.T) {
	texts := []string{
		"", " ", "NA", "none", "-", "5", " 5", "5.0", "-12", "1,234.50", "DE", "france", "Frnce", "2024-02-29", "2024-02-30", "yes", "No",
		"ada@example.org", " ada@example.org ", "a\u00a0b", "x\ty", "caf\u00e9", "a text of more than sixteen bytes", "a text of more than sixteen Bytes",
	}
	rapid.Check(tt, func(t *rapid.T) {
		const rows, each = 48, 8
		pool := rapid.SliceOfN(rapid.SampledFrom(texts), 1, 6)
		numbers := rapid.Bool().Draw(t, "numbers")
		var columns [7][]string
		for c := range columns {
			columns[c] = rapid.SliceOfN(rapid.SampledFrom(pool.Draw(t, "pool")), rows, rows).Draw(t, "cells")
		}
		write := func(r *intray.Records, row int) {
			for c := range columns {
				r.AppendCell([]byte(columns[c][row]))
			}
			r.EndRecord(int64(row))
			for c := range columns {
				if text := columns[c][row]; numbers && c%2 == 1 && (text == "5" || text == "-12") && row%3 > 0 {
					r.MarkNumber(c)
				}
			}
		}
		together, apart := repeatingPlan(tt), repeatingPlan(tt)
		var recs intray.Records
		var whole, part intray.Batch
		for row := range rows {
			write(&recs, row)
		}
		together.parseAndValidate(&recs, &whole)
		for c := range columns {
			if len(whole.Fields[c].Values.Codes) == 0 {
				t.Fatalf("column %d has no codes", c)
			}
		}
		for first := 0; first < rows; first += each {
			recs.Reset()
			recs.First = int64(first)
			for row := first; row < first+each; row++ {
				write(&recs, row)
			}
			apart.parseAndValidate(&recs, &part)
			for row := range each {
				if diff := cmp.Diff(contentOf(&part, row), contentOf(&whole, first+row)); diff != "" {
					t.Fatalf("row %d (-alone +together):\n%s", first+row, diff)
				}
			}
		}
		for f := range together.Fields {
			if diff := cmp.Diff(apart.MissingCells(f), together.MissingCells(f)); diff != "" {
				t.Fatalf("missing cells of field %d (-alone +together):\n%s", f, diff)
			}
			for remark := range celltype.RemarkCount {
				if a, b := apart.RemarkedCells(f, remark), together.RemarkedCells(f, remark); a != b {
					t.Fatalf("field %d has remark %d in %d cells alone, and in %d together", f, remark, a, b)
				}
			}
		}
	})
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// TestTwins checks columns that fit a field equally well and have the same values in the sample. If
// they differ in the rows that are read to detect formats, a person decides. If they differ later, a warning counts
// the rows.
func TestTwins(t *testing.T) {
	for name, c := range map[string]struct {
		// rows is the number of rows, and other the number of the row with another value.
		rows, other int
		want        string
	}{
		"the same values":            {3000, 0, "column 0"},
		"other values soon":          {3000, 500, "question column:description 0 1 none *"},
		"other values beyond":        {40_000, 39_990, "column 0, In 1 row"},
		"other values in a few rows": {3, 3, "question column:description 0 1 none *"},
	} {
		var text strings.Builder
		text.WriteString("Omschrijving,Vrije mededeling,Bedrag\n")
		for row := 1; row <= c.rows; row++ {
			second := fmt.Sprintf("Boodschappen %d", row)
			if row == c.other {
				second = "Huur"
			}
			fmt.Fprintf(&text, "Boodschappen %d,%s,%d\n", row, second, row)
		}
		schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
			{Key: "description", Label: "Description", AlternateMatches: []string{"Payment details"}, Type: intray.FieldType{Name: intray.TypeString}},
			{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}},
		}}
		out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(),
			engine.Import{Input: inputOf("x.csv", text.String()), Schema: schema}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("column %d", out.Mapping.Fields[0].Column)
		for _, n := range out.Notices {
			if n.Type == intray.ColumnConflict && len(out.Questions) == 0 {
				_, count, _ := strings.Cut(n.Text.String(), ". ")
				got += ", " + strings.Split(count, ",")[0]
			}
		}
		for _, q := range out.Questions {
			got = "question " + formatQuestion(q)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

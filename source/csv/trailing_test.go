package csv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestTrailingRows checks that rows of delimiters at the end of a file are skipped and reported
// once, and that other empty rows are kept.
func TestTrailingRows(t *testing.T) {
	table := "id,name,note\n1,Ann,\n,,\n2,Bob,x\n"
	records := [][]string{{"1", "Ann", ""}, {"", "", ""}, {"2", "Bob", "x"}}
	for name, c := range map[string]struct {
		text string
		want [][]string
		n    string
	}{
		"none":                     {table, records, ""},
		"one":                      {table + ",,\n", records, "1 empty row at the end of the file was skipped."},
		"without a last line end":  {table + ",,\n,,", records, "2 empty rows at the end of the file were skipped."},
		"with CRLF":                {strings.ReplaceAll(table+",,\n,,\n", "\n", "\r\n"), records, "2 empty rows at the end of the file were skipped."},
		"blank rows between":       {table + "\n,,\n\n , , \n\n", records, "2 empty rows at the end of the file were skipped."},
		"more than fit in a chunk": {table + strings.Repeat(",,\n", 60_000), records, "60,000 empty rows at the end of the file were skipped."},
		"UTF-16":                   {string(sourcetest.UTF16LE("\uFEFF" + table + strings.Repeat(",,\n", 30))), records, "30 empty rows at the end of the file were skipped."},
		"a record ends the file":   {table + ",,\n3,,\n", append(append([][]string{}, records...), []string{"", "", ""}, []string{"3", "", ""}), ""},
		"quoted empty cells":       {table + `"","",""` + "\n", append(append([][]string{}, records...), []string{"", "", ""}), ""},
		"only rows of delimiters":  {"id,name,note\n,,\n,,\n", nil, "2 empty rows at the end of the file were skipped."},
	} {
		_, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
		if diff := cmp.Diff(c.want, rows); diff != "" || err != nil {
			t.Errorf("%s: error %v, rows (-want +got):\n%.500s", name, err, diff)
		}
		got := ""
		for _, n := range notices {
			if n.Text.Code == "csv.empty_rows_at_end" {
				got += n.Text.String()
			}
		}
		if got != c.n {
			t.Errorf("%s: notice %q, want %q", name, got, c.n)
		}
	}
	_, rows, notices, err := readTable(t, []byte(table+",,\n"), source.Options{AsIs: true})
	if err != nil || len(rows) != 5 || len(notices) > 0 {
		t.Errorf("read as is: %d rows, notices %v, error %v", len(rows), notices, err)
	}
}

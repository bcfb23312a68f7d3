package workbook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// TestSurroundings checks the handling of rows above, between and below the records of a sheet.
func TestSurroundings(t *testing.T) {
	table := "town\tmen\twomen\tall\nUlm\t1\t2\t3\nBonn\t4\t5\t9\nKiel\t6\t7\t13\n"
	for _, c := range []struct {
		name, text, header string
		tie                bool
		records            int
		notices            string
	}{
		{"rows above", "Births of 2020\nfirst edition\n\n" + table, "4", false, 3, "2 above"},
		{"a footnote with two cells", table + "\nNote on the method\t\t\tOffice of Statistics\n", "1", false, 3, "6 below"},
		{"an office in another column", table + "\n\t\t\tOffice of Statistics\n", "1", false, 3, "6 below"},
		{"footnotes directly below", table + "Statistical office, annual survey of births\nTowns only.\n* preliminary figures for 2020\n", "1", false, 3, "5 below, 6 below, 7 below"},
		{"many remarks", table + "\nFootnotes:\n" + strings.Repeat("Estimates are based on the census.\n\n", 30) + "\n", "1", false, 3, "6 below, " + remarksBelow(7, 30)},
		{"footnotes in the second column", "\ttown\tmen\twomen\n\tUlm\t1\t2\n\tBonn\t4\t5\n\tKiel\t6\t7\n\n\t(1) without the harbor\n", "1", false, 3, "6 below"},
		{"records with few cells after a total", table + "Total\t11\t14\t25\n\nUlm North\t3\nUlm South\t\t4\n", "1", false, 6, ""},
		{"another block", table + "Total\t11\t14\t25\n\nvillage\tboys\tgirls\tboth\nAu\t1\t1\t2\n", "1", true, 6, ""},
		{"another block below its title", table + "\nVillages\nvillage\tboys\tgirls\tboth\nAu\t1\t1\t2\n", "1", true, 6, ""},
		{"every record begins with a total", "group\tmen\twomen\tall\n" + strings.Repeat("Total\t1\t2\t3\n", 30), "1", false, 30, ""},
		{"last records with one word", "name\tmen\twomen\tall\nAnn Smith\t1\t2\t3\nBob Smith\t1\t2\t3\nThis has blanks\nCy\n", "1", false, 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tie, header := headerOf(t, c.text)
			got, err := readBook(t, memory{text: c.text}, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var notices []string
			for _, n := range got.notices {
				n = strings.NewReplacer("Everything above the table, up to row ", "", ", was skipped.", " above", "Row ", "", " is below the table and was skipped.", " below").Replace(n)
				notices = append(notices, n)
			}
			if diff := cmp.Diff([]any{c.header, c.tie, c.records, c.notices}, []any{header, tie, len(got.records) - 1, strings.Join(notices, ", ")}); diff != "" {
				t.Errorf("header, tie, records and notices (-want +got):\n%s\n%q", diff, got.records)
			}
		})
	}
}

// headerOf returns the choice of the header of a sheet, and whether it is a tie.
func headerOf(t *testing.T, text string) (tie bool, header string) {
	t.Helper()
	book, err := NewBook(memory{text: text}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	for _, e := range reader.Evidence() {
		if e.Choice == "header row" {
			return e.Tie, e.Value
		}
	}
	return false, ""
}

// remarksBelow returns the notices about n remarks, the first of which is in the given row, with a blank
// row between them.
func remarksBelow(first, n int) string {
	var notices []string
	for i := range n {
		notices = append(notices, fmt.Sprintf("%d below", first+2*i))
	}
	return strings.Join(notices, ", ")
}

package workbook

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

var tables = []sourcetest.Table{
	{Name: "simple", Text: "a\tb\n1\t2\n3\t4", Headers: []string{"a", "b"}, Records: [][]string{{"1", "2"}, {"3", "4"}}, Lines: []int64{2, 3}},
	{Name: "empty"},
	{Name: "empty, read as is", AsIs: true},
	{Name: "title, blank rows, no text in a cell", Text: "Report\n\na\tb\n1\t2\n \t\t\n\n3\t", Headers: []string{"a", "b"}, Records: [][]string{{"1", "2"}, {"3", ""}}, Lines: []int64{4, 7}},
	{Name: "no header", Text: "1\t2\n3\t4", Headers: []string{"", ""}, Records: [][]string{{"1", "2"}, {"3", "4"}}, Lines: []int64{1, 2}},
	{Name: "read as is", Text: "\na\n\n\n1\t2", AsIs: true, Headers: []string{"", ""}, Records: [][]string{{""}, {"a"}, {""}, {""}, {"1", "2"}}, Lines: []int64{1, 2, 3, 4, 5}},
	{Name: "more cells than columns", Text: "a\tb\n1\t2\n3\t4\t5\n1\t2\n1\t2\n1\t2\n1\t2", Headers: []string{"a", "b"},
		Records: [][]string{{"1", "2"}, {"3", "4", "5"}, {"1", "2"}, {"1", "2"}, {"1", "2"}, {"1", "2"}}},
	{Name: "totals and remarks below", Text: "a\tb\n1\t2\n3\t4\nTotal\t6\n\nSource: me\n\t7", Headers: []string{"a", "b"}, Records: [][]string{{"1", "2"}, {"3", "4"}}},
	{Name: "totals within", Text: "a\tb\nx\t2\nTotal\t2\ny\t4\nTotal\t4\nz\t5", Headers: []string{"a", "b"}, Records: [][]string{{"x", "2"}, {"Total", "2"}, {"y", "4"}, {"Total", "4"}, {"z", "5"}}},
}

func TestConformance(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		if table.Name != "wide" { // a sheet has no rows without cells
			table.Records = table.Records[:len(table.Records)/2]
			samples = append(samples, written(table))
		}
	}
	samples = append(samples, written(longGaps()), written(lateTotals()))
	for _, table := range tables {
		if table.Lines == nil {
			for i := range table.Records {
				table.Lines = append(table.Lines, int64(i+2))
			}
		}
		samples = append(samples, table.Sample())
	}
	sourcetest.Run(t, memoryFormat{}, samples)
}

// longGaps returns a table with runs of empty rows, the last of which ends after the
// end of a batch.
func longGaps() sourcetest.Table {
	table := sourcetest.Table{Name: "long gaps", AsIs: true, Headers: []string{""}}
	for range 3 {
		table.Records = append(append(table.Records, make([][]string, maxGap)...), []string{"x"})
	}
	for i, record := range table.Records {
		if record == nil {
			table.Records[i] = []string{""}
		}
	}
	return table
}

// lateTotals returns a table that has rows near the end of a batch that could be totals
// below the table.
func lateTotals() sourcetest.Table {
	table := sourcetest.Table{Name: "late totals", Headers: []string{"name", "n"}}
	for i := range intray.BatchRows + 10 {
		record := []string{"x", fmt.Sprint(i)}
		if i > intray.BatchRows-10 && i < intray.BatchRows+5 {
			record[0] = "Total"
		}
		table.Records = append(table.Records, record)
	}
	return table
}

func written(table sourcetest.Table) sourcetest.Sample {
	rows := table.Records
	if !table.AsIs {
		rows = append([][]string{table.Headers}, rows...)
	}
	table.Text = sheetOf(rows)
	for i := range table.Records {
		table.Lines = append(table.Lines, int64(i+1+len(rows)-len(table.Records)))
	}
	return table.Sample()
}

func TestRequestedHeaderRow(t *testing.T) {
	long := "top\n" + strings.Repeat("a\tb\n", 400) + "x\ty\n1\t2\n"
	for _, c := range []struct {
		name, text string
		row        int
		want       []string
		header     string
	}{
		{"the first", "a\tb\n1\t2", 1, []string{"a|b", "2:1|2"}, "header row: 1"},
		{"the second", "a\tb\n1\t2\n3\t4", 2, []string{"1|2", "3:3|4"}, "header row: 2"},
		{"a blank one", "a\tb\n\n3\t4", 2, []string{"|", "3:3|4"}, "header row: 2"},
		{"behind the first rows", long, 402, []string{"x|y", "403:1|2"}, "header row: 402"},
		{"none", "Report\n\na\tb\n1\t2", source.NoHeader, []string{"|", "1:Report|", "3:a|b", "4:1|2"}, "header row: none"},
		{"after the end", "a\tb\n1\t2", 9, []string{""}, "header row: none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readBook(t, memory{text: c.text}, source.Options{HeaderRow: c.row})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.records); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{c.header}, got.evidence); diff != "" {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
		})
	}
}

// If two headers are about equally likely, the evidence offers both.
func TestHeaderTies(t *testing.T) {
	long := strings.Repeat("x", 1<<12)
	for _, c := range []struct {
		name, text, value string
		alternatives      []intray.Choice
	}{
		{"sure", "id\tname\n1\tAda\n2\tBob", "1", nil},
		{"no header", "alpha\t" + long + "\ngamma\tdelta", "1", []intray.Choice{{Value: "none", Label: intray.NewMessage("header.none", nil), Reason: intray.NewMessage("header.like_rows_below", nil), Examples: []string{"alpha", long[:77] + "..."}}}},
		{"another row", "Report\t2024\nGenerated\t2024-05-05\n\ndate\tprice\nJan 1 2000\t13.9\nFeb 1 2000\t13.6\nMar 1 2000\t14.9", "1",
			[]intray.Choice{{Value: "4", Label: intray.NewMessage("header.row", intray.Params{"row": 4}), Reason: intray.NewMessage("header.could_name_columns", nil), Examples: []string{"date", "price"}}}},
	} {
		reader, _ := sourcetest.Open(t, memoryFormat{}, c.text, source.Options{})
		e := reader.Evidence()[0]
		if diff := cmp.Diff(intray.Evidence{Choice: "header row", Value: c.value, Reason: e.Reason, Alternatives: c.alternatives, Tie: c.alternatives != nil}, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRowsBelowTableNoticed(t *testing.T) {
	rows := "name\tn\n" + strings.Repeat("x\t1\n", intray.BatchRows)
	for name, text := range map[string]string{"short": "name\tn\nx\t1\n", "just a batch": rows, "a batch and one": rows + "y\t2\n"} {
		got, err := readBook(t, memory{text: text + "Total\t9\n\nNote: it   ends\n"}, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Count(text, "\n") + 1
		below := func(row int) string {
			return intray.NewMessage("sheet.row_below_table", intray.Params{"row": row}).String()
		}
		want := []string{below(at), below(at + 2)}
		if diff := cmp.Diff(want, got.notices); diff != "" || len(got.records) != at-1 {
			t.Errorf("%s: %d records, notices (-want +got):\n%s", name, len(got.records), diff)
		}
	}
}

func TestHiddenPartsReported(t *testing.T) {
	w := memory{text: "~Title\na\tb\tc\td\n1\t2\t3\t4\n~5\t6\t7\t8\n~\n9\t9\t9\t9\n~1\t1\t1\t1", hidden: map[int]bool{0: true, 2: true, 3: true, 4: true, 100: true},
		sheet: Sheet{Name: "S", Hidden: true}}
	got, err := readBook(t, w, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := outcome{
		evidence: []string{"sheet: S", "header row: 2", "hidden columns: A, C:D", "hidden rows: 2 (first: 4, 7)"},
		records:  []string{"a|b|c|d", "3:1|2|3|4", "4:5|6|7|8", "6:9|9|9|9", "7:1|1|1|1"},
		notices:  []string{"Everything above the table, up to row 1, was skipped."},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w = memory{text: "a\n" + strings.Repeat("1\n", 400) + strings.Repeat("~2\n", 7)}
	got, err = readBook(t, w, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	notices := []string{"Hidden rows are read anyway (rows: 7, first: 402, 403, 404, 405, 406)."}
	if diff := cmp.Diff(notices, got.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestManyHiddenColumns(t *testing.T) {
	w := memory{text: strings.Repeat("x\t", 99), hidden: map[int]bool{}}
	for c := 0; c < 99; c += 2 {
		w.hidden[c] = true
	}
	got, err := readBook(t, w, source.Options{AsIs: true})
	if err != nil || len(got.evidence) != 2 || !strings.HasSuffix(got.evidence[1], "AK, AM, and 30 more") {
		t.Errorf("evidence %q, error %v", got.evidence, err)
	}
}

// Records before an error are returned first, including those held back.
func TestRecordsBeforeAnError(t *testing.T) {
	broken := &source.UnreadableError{Line: 9, Reason: intray.Literal("it is torn")}
	text := "a\tb\n" + strings.Repeat("x\t1\n", 400) + "Total\t400"
	got, err := readBook(t, memory{text: text, fails: broken}, source.Options{})
	if !errors.Is(err, broken) || len(got.records) != 402 || len(got.notices) != 0 {
		t.Errorf("%d records, notices %q, error %v", len(got.records), got.notices, err)
	}
}

// An error in the rows that are read ahead is returned when the sheet is opened.
func TestErrorInFirstRows(t *testing.T) {
	broken := &source.UnreadableError{Line: 3, Reason: intray.Literal("it is torn")}
	for name, opt := range map[string]source.Options{"plain": {}, "read as is": {AsIs: true}, "requested header": {HeaderRow: 9}} {
		if got, err := readBook(t, memory{text: "a\tb\n1\t2", fails: broken}, opt); !errors.Is(err, broken) || got.evidence != nil {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

// rowOf returns a row of cells with the given displayed values, starting in column 0.
func rowOf(texts ...string) (row Row) {
	for c, text := range texts {
		row.Cells = append(row.Cells, Cell{Column: c, Value: []byte("value"), Formatted: []byte(text)})
	}
	return row
}

func TestCountFilled(t *testing.T) {
	for _, c := range []struct {
		row   Row
		n     int
		first string
	}{
		{Row{}, 0, ""},
		{rowOf("", " \t"), 0, ""},
		{rowOf("", " a ", "", "b"), 2, "a"},
		{rowOf("a", "b", "c"), 2, "a"},
	} {
		if n, first := c.row.countFilled(2); n != c.n || string(first) != c.first {
			t.Errorf("%q: %d cells, first %q", c.row.displayTexts(), n, first)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits source.Limits
		want   string
	}{
		{"columns", source.Limits{Columns: 2}, "on line 2, a row has more than 2 cells"},
		{"cells", source.Limits{Cells: 5}, "on line 3, the sheet has more than 5 cells"},
		{"a header", source.Limits{HeaderBytes: 4}, "on line 1, the header of column 2 is longer than 4 bytes"},
		{"all headers", source.Limits{HeadersBytes: 7}, "on line 1, the headers up to column 3 are longer than 7 bytes in total"},
	} {
		_, err := readBook(t, memory{text: "a\tnames\tcc\n1\t2\t3\n4\t5\t6"}, source.Options{Limits: c.limits})
		var limit *source.LimitError
		if !errors.As(err, &limit) || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := readBook(t, memory{text: "a\tnames\tcc\n1\t2\t3\n4\t5\t6"}, source.Options{Limits: source.Limits{Columns: 3, Cells: 6, HeaderBytes: 5, HeadersBytes: 8}}); err != nil {
		t.Errorf("at the limits: %v", err)
	}
}

func TestNoWorksheet(t *testing.T) {
	if _, err := NewBook(noSheets{}, source.Options{}); err == nil {
		t.Error("no error for a workbook without a worksheet")
	}
}

type noSheets struct{ memory }

func (noSheets) Sheets() []Sheet { return nil }

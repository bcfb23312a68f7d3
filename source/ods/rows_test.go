package ods

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// spanned returns a table with merged cells in its body and three hidden columns.
func spanned() string {
	const (
		wide    = `table:number-columns-spanned="2" table:number-rows-spanned="1"`
		high    = `table:number-rows-spanned="2"`
		covered = `<table:covered-table-cell/>`
		columns = `<table:table-column/><table:table-columns><table:table-column table:visibility="collapse"/></table:table-columns>` +
			`<table:table-column-group table:display="false"><table:table-column table:number-columns-repeated="2"/></table:table-column-group><table:table-column table:number-columns-repeated="16380"/>`
	)
	return strings.Replace(table("One", row(text("a"), text("b"), text("c"), text("d"), text("e"))+
		row(cell(high, "<text:p>1</text:p>"), cell(wide, "<text:p>2</text:p>"), covered, text("3"), cell(`table:number-columns-spanned="x"`, "<text:p>4</text:p>"))+
		row(covered, text("5"), text("6"), text("7"), text("8"))+
		`<table:table-row table:number-rows-repeated="2">`+cell(wide, "<text:p>9</text:p>")+covered+text("10")+`</table:table-row>`+
		`<table:table-row table:number-rows-repeated="1000">`+cell(wide, "")+`</table:table-row>`),
		`<table:table-column table:number-columns-repeated="16384"/>`, columns, 1)
}

func TestMerged(t *testing.T) {
	rows, err := opened(t, workbookFile(t, spanned())).Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	merged, hiding := rows.(workbook.MergeReporter), rows.(workbook.ColumnHider)
	var got [][]workbook.Range
	for {
		got = append(got, append([]workbook.Range(nil), merged.PendingMerges()...))
		if _, err := rows.Next(t.Context()); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	got = append(got, merged.PendingMerges())
	want := [][]workbook.Range{nil, nil,
		{{FirstRow: 2, LastRow: 3, FirstColumn: 0, LastColumn: 0}, {FirstRow: 2, LastRow: 2, FirstColumn: 1, LastColumn: 2}}, nil,
		{{FirstRow: 4, LastRow: 4, FirstColumn: 0, LastColumn: 1}}, {{FirstRow: 5, LastRow: 5, FirstColumn: 0, LastColumn: 1}},
		{{FirstRow: 6, LastRow: 6, FirstColumn: 0, LastColumn: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	hidden := ""
	for c := range 6 {
		if hiding.ColumnHidden(c) {
			hidden += string(rune('A' + c))
		}
	}
	if hidden != "BCD" {
		t.Errorf("hidden columns: %s, want BCD", hidden)
	}
}

func TestFilled(t *testing.T) {
	file := string(workbookFile(t, spanned()))
	for fill, want := range map[bool][][]string{
		false: {{"1", "2", "", "3", "4"}, {"", "5", "6", "7", "8"}, {"9", "", "10", "", ""}, {"9", "", "10", "", ""}},
		true:  {{"1", "2", "2", "3", "4"}, {"1", "5", "6", "7", "8"}, {"9", "9", "10", "", ""}, {"9", "9", "10", "", ""}},
	} {
		got, err := sourcetest.Read(t, Format{}, file, source.Options{FillMerged: fill, HeaderRow: 1})
		if diff := cmp.Diff(want, got.Records); err != nil || diff != "" {
			t.Errorf("filled %v: error %v (-want +got):\n%s", fill, err, diff)
		}
	}
	_, evidence := sourcetest.Open(t, Format{}, file, source.Options{HeaderRow: 1})
	if evidence["hidden columns"] != "B:D" || !strings.HasPrefix(evidence["merged cells"], "5 ranges (first: A2:A3") {
		t.Errorf("evidence %v", evidence)
	}
}

// TestRepeatedBytes checks the limit of repeated rows to the byte: each of the 100 repetitions
// of the row counts its text and 16 bytes for its cell.
func TestRepeatedBytes(t *testing.T) {
	file := workbookFile(t, table("One", `<table:table-row table:number-rows-repeated="101">`+text("a")+`</table:table-row>`))
	for limit, want := range map[int64]bool{100*17 - 1: false, 100 * 17: true} {
		book, err := Open(t.Context(), sourcetest.NewInput("", file), Limits{RepeatedBytes: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := workbooktest.ReadSheet(t.Context(), book, 0)
		var reached *source.LimitError
		if want && err != nil || !want && !errors.As(err, &reached) {
			t.Errorf("a limit of %d: %v, error %v", limit, rows, err)
		}
	}
}

func TestCallerLimits(t *testing.T) {
	file := string(workbookFile(t, table("One", row(text("aaaa"), text("bbbb"))+row(text("cccc")))))
	for name, limits := range map[string]source.Limits{
		"there are more than 1 columns":                {Columns: 1},
		"contains a piece of text longer than 3 bytes": {CellBytes: 3},
		"the row is longer than 5 bytes":               {RecordBytes: 5},
		"the header of column 1 is longer than 2 byte": {HeaderBytes: 2},
	} {
		_, err := sourcetest.Read(t, Format{}, file, source.Options{Limits: limits})
		var limit *source.LimitError
		if !errors.As(err, &limit) || !strings.Contains(limit.Reason.String(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

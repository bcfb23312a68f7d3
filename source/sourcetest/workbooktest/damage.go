package workbooktest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// DamageTest is a damaged workbook that can be read.
type DamageTest struct {
	File []byte
	// Cells are the cells of the first sheet, as FormatCell writes them.
	Cells []string
	// Evidence holds choices and their values: that of the book first, then that of the first
	// sheet, without the format, the date system and the header row.
	Evidence []string
}

// Check reads the workbook and compares the result. open must open it in the same way as format.
func (d DamageTest) Check(t *testing.T, format source.Format, open func(source.Input) (workbook.Workbook, error)) {
	t.Helper()
	in := sourcetest.NewInput("", d.File)
	w, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, w)
	cells, err := ReadSheet(t.Context(), w, 0)
	if diff := cmp.Diff(d.Cells, cells); diff != "" || err != nil {
		t.Errorf("error %v, cells (-want +got):\n%s", err, diff)
	}
	book, err := format.Open(t.Context(), in, source.Options{AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, book)
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, reader)
	var got []string
	for _, e := range append(book.Evidence(), reader.Evidence()...) {
		switch e.Choice {
		case "format", "format version", "date system", "encoding", "header row", "merged cells":
		default:
			got = append(got, fmt.Sprintf("%s=%s", e.Choice, e.Value))
		}
	}
	if diff := cmp.Diff(d.Evidence, got); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

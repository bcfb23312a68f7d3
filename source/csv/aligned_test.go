package csv

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestEmptyCellsOfAlignedColumns(t *testing.T) {
	text := "id    name       amount  note\n" +
		"1     Ann Lee      10.5  new\n" +
		"22    Zoë           9.0  old stock\n" +
		"333   Cy            7.5  new\n" +
		"4     Dan Müller         new\n" +
		"      Eve           8.5  old\n" +
		"6                   4.0\n" +
		"7     Fay         111.0  new\n" +
		"8     Gus           2.0  old\n" +
		"9     crosses the columns  x\n"
	_, rows, _, err := readTable(t, []byte(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"1", "Ann Lee", "10.5", "new"}, {"22", "Zoë", "9.0", "old stock"}, {"333", "Cy", "7.5", "new"},
		{"4", "Dan Müller", "", "new"}, {"", "Eve", "8.5", "old"}, {"6", "", "4.0", ""},
		{"7", "Fay", "111.0", "new"}, {"8", "Gus", "2.0", "old"}, {"9", "crosses the columns", "x"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestColumnStarts(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"aligned":     {"id    name\n1     Ann Lee\n22    Bob\n333   Cy\n", "1, 7"},
		"overlapping": {"a  b\n1  2\n1111  2\n11111111  2\n", ""},
		"few rows":    {"id    name\n1     Ann Lee\n", ""},
		"commas":      {"id,name\n1,Ann\n2,Bob\n3,Cy\n", ""},
	} {
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput("x.txt", []byte(c.text)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := book.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range r.Evidence() {
			if e.Choice == "column starts" {
				got = e.Value
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

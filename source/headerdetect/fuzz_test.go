package headerdetect

import (
	"slices"
	"strings"
	"testing"
)

// FuzzTable checks that the layout of any rows is within the rows, and that a second call
// returns the same layout.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{"id|name\n1|Ada\n2|Bob", "Report\n\na|b|c\n1|2|3", "1|2\n3|4", "|||\n\n", "a|2019\nb|5 €\n|x@y.z", "n\n1\n2024-01-01\nyes", "id|id\nid|id\n1|2"} {
		f.Add(seed, 0)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		if len(text) > 1<<12 || width < 0 || width > 1<<10 {
			t.Skip()
		}
		rows := rowsOf(text)
		before := make([][]string, len(rows))
		for i, row := range rows {
			before[i] = slices.Clone(row)
			IsTotal(row)
			IsNote(row, i%2 == 0)
			NamesColumns(row, rows[i+1:])
		}
		l := find(t, rows, width)
		checkLayout(t, l, rows, width)
		if again := find(t, before, width); again != l || !slices.EqualFunc(rows, before, slices.Equal) {
			t.Fatalf("%+v, then %+v", l, again)
		}
	})
}

// checkLayout checks that a layout is within the rows and has a name for each column.
func checkLayout(t *testing.T, l Layout, rows [][]string, width int) {
	if l.First < 0 || l.Headers < 0 || l.Headers > MaxHeaders || l.BodyStart() > len(rows) || l.Reason.IsZero() {
		t.Fatalf("%+v of %d rows", l, len(rows))
	}
	if width > 0 && l.Width != width {
		t.Fatalf("%+v, and the width is %d", l, width)
	}
	if !(l.Doubt >= 0 && l.Doubt <= 1) || l.Alternative < NoHeader || l.Alternative >= len(rows) || l.Alternative >= l.First && l.Alternative < l.BodyStart() {
		t.Fatalf("%+v of %d rows", l, len(rows))
	}
	widest := l.Width
	for _, row := range rows {
		widest = max(widest, len(row))
	}
	if names := l.ColumnNames(rows); len(names) < l.Width || len(names) > widest || l.Headers == 0 && strings.Join(names, "") != "" {
		t.Fatalf("%+v has the names %q", l, names)
	}
}

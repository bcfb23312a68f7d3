package workbook

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// groups is a sheet with merged cells: a title across all columns, groups of columns, and groups
// of rows. Its last range declares a huge number of rows and columns.
var groups = memory{
	text: "Sales\n\nRegion\tFirst half\t\tNote\nNorth\t1\t2\n\t3\t4\n\n\t5\t6\tx\nSouth\t7\n\t8\t9\town",
	ranges: []Range{
		{8, 9, 0, 0}, {1, 1, 0, 3}, {3, 3, 1, 2}, {4, 7, 0, 0}, {8, 8, 1, 2},
		{7, 9, 3, 9000}, // it has another cell with a value
		{8, 9, 0, 2},    // it overlaps another range
		{2, 5, 2, 2},    // it starts in a row without cells
		{5, 5, 1, 1},    // it has a single cell
		{9, 8, 0, 0}, {0, 1, 0, 1}, {3, 4, -1, 0}, {20, 1 << 40, 0, 1 << 30},
	},
}

func TestMergedCells(t *testing.T) {
	plain := outcome{
		evidence: []string{"header row: 3", "merged cells: 7 ranges (first: C2:C5)"},
		records:  []string{"Region|First half||Note", "4:North|1|2|", "5:|3|4|", "7:|5|6|x", "8:South|7||", "9:|8|9|own"},
		notices:  []string{"Everything above the table, up to row 1, was skipped."},
	}
	filled := outcome{
		evidence: plain.evidence,
		notices:  plain.notices,
		records:  []string{"Region|First half|First half|Note", "4:North|1|2|", "5:North|3|4|", "7:North|5|6|x", "8:South|7|7|x", "9:South|8|9|own"},
	}
	asIs := outcome{
		evidence: []string{"header row: none", "merged cells: 9 ranges (first: A1:D1)"},
		records: []string{"|||", "1:Sales|Sales|Sales|Sales", "2:", "3:Region|First half|First half|Note", "4:North|1|2", "5:North|3|4", "6:", "7:North|5|6|x",
			"8:South|7|7|x", "9:South|8|9|own"},
	}
	for _, c := range []struct {
		name string
		opt  source.Options
		want outcome
	}{
		{"not filled", source.Options{}, plain},
		{"filled", source.Options{FillMerged: true}, filled},
		{"filled, read as is", source.Options{FillMerged: true, AsIs: true}, asIs},
	} {
		for kind, w := range map[string]Workbook{"early": early{groups}, "late": late{groups}} {
			t.Run(c.name+", known "+kind, func(t *testing.T) {
				got, err := readBook(t, w, c.opt)
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				if kind == "early" { // the last range starts below all rows
					want.evidence = []string{want.evidence[0], strings.NewReplacer("7 ranges", "6 ranges", "9 ranges", "8 ranges").Replace(want.evidence[1])}
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Ranges that are found after the first rows are also filled and reported.
func TestMergedCellsFurtherDown(t *testing.T) {
	w := memory{text: "a\tb\n" + strings.Repeat("x\t1\n", 400) + "y\t1\n\t2", ranges: []Range{{402, 403, 0, 0}}}
	for kind, w := range map[string]Workbook{"early": early{w}, "late": late{w}} {
		got, err := readBook(t, w, source.Options{FillMerged: true})
		if err != nil {
			t.Fatal(err)
		}
		want := "Merged cells: 1 range (A402:A403). The other cells were filled with the value of the first cell, as requested."
		if got.records[402] != "403:y|2" || len(got.notices) != 1 || got.notices[0] != want {
			t.Errorf("%s: last record %q, notices %q", kind, got.records[402], got.notices)
		}
	}
}

// Filling merged ranges must respect the limits, whatever their size and the length of their
// text.
func TestMergedBombs(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		text   string
		ranges []Range
		want   string
	}{
		"a row":       {long + strings.Repeat("\t", 99) + "x", []Range{{1, 1, 0, 90}}, "on line 1, the row is longer than 33,554,432 bytes after its merged cells were filled"},
		"huge ranges": {"x\ty\n\tz", []Range{{1, 1 << 60, 0, 1 << 60}}, ""},
	} {
		_, err := readBook(t, early{memory{text: c.text, ranges: c.ranges}}, source.Options{FillMerged: true, AsIs: true})
		var limit *source.LimitError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &limit) || err.Error() != c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

// The text that merged ranges hold for later rows is limited, and is released after the
// last of these rows.
func TestMergedTextsHeld(t *testing.T) {
	long := []byte(strings.Repeat("x", maxHeldBytes/8))
	fill := func(rows int64) error {
		m := mergeTracker{limits: source.Limits{RecordBytes: 1 << 40}, enabled: true, width: 100}
		m.setBody(0)
		for n := range int64(20) {
			m.addRanges([]Range{{n + 1, n + rows, int(n), int(n)}})
			row, err := m.fillRow(Row{Number: n + 1, Cells: []Cell{{Column: int(n), Value: long}}})
			if err != nil {
				return err
			}
			if want := min(n+1, rows); int64(len(row.Cells)) != want {
				t.Errorf("row %d has %d cells, want %d", n+1, len(row.Cells), want)
			}
		}
		return nil
	}
	if err := fill(8); err != nil {
		t.Error(err)
	}
	want := "on line 9, the merged cells around this row contain more than 67,108,864 bytes of text"
	if err := fill(9); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestMergedTextsAdded checks the exact limits on text that filling adds. Filling adds 4 bytes
// of value and displayed text to each of two cells.
func TestMergedTextsAdded(t *testing.T) {
	for _, c := range []struct {
		name        string
		recordBytes int
		filledBytes int64
		want        string
	}{
		{"at both limits", 12, maxFilledBytes - 8, ""},
		{"a byte more in the row", 11, maxFilledBytes - 8, "on line 1, the row is longer than 11 bytes after its merged cells were filled"},
		{"a byte more in the sheet", 12, maxFilledBytes - 7, "on line 1, the filled merged cells are longer than 4,294,967,296 bytes in total"},
	} {
		m := mergeTracker{limits: source.Limits{RecordBytes: c.recordBytes}, enabled: true, width: 3, filledBytes: c.filledBytes}
		m.setBody(0)
		m.addRanges([]Range{{1, 1, 0, 2}})
		row, err := m.fillRow(Row{Number: 1, Cells: []Cell{{Value: []byte("1"), Formatted: []byte("1.0")}}})
		if len(row.Cells) != 3 || c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %d cells, error %v, want %s", c.name, len(row.Cells), err, c.want)
		}
	}
}

func TestRangeNames(t *testing.T) {
	for want, g := range map[string]Range{"A1:B2": {1, 2, 0, 1}, "Z9:AA10": {9, 10, 25, 26}, "XFD1:XFD1048576": {1, 1048576, 16383, 16383}} {
		if got := g.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

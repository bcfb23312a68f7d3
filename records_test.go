package intray_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestKindsOfCells adds cells in all three ways, cuts the batch short, uses it
// again, and wants for each cell the kind and value it was given.
func TestKindsOfCells(t *testing.T) {
	type cell struct {
		text, typed string
		kind        intray.CellKind
	}
	some := rapid.Custom(func(t *rapid.T) cell {
		switch rapid.IntRange(0, 2).Draw(t, "way") {
		case 0:
			return cell{text: "1.234"}
		case 1:
			return cell{"1.5", "1.5", intray.CellNumber}
		}
		return cell{"3 May", "2024-05-03", intray.CellDate}
	})
	var recs intray.Records
	rapid.Check(t, func(t *rapid.T) {
		recs.Reset()
		rows := rapid.SliceOfN(rapid.SliceOfN(some, 0, 9), 0, 30).Draw(t, "rows")
		typed := 0
		for i, row := range rows {
			for _, c := range row {
				switch c.kind {
				case intray.CellText:
					recs.AppendCell([]byte(c.text))
				case intray.CellNumber:
					recs.AppendCell([]byte(c.text))
					recs.MarkNumber()
				default:
					recs.AppendTyped([]byte(c.text), c.kind, []byte(c.typed))
				}
				if c.kind != intray.CellText {
					typed++
				}
			}
			recs.EndRecord(int64(i))
		}
		if recs.HasTyped() != (typed > 0) {
			t.Fatalf("typed cells: %v, and there are %d", recs.HasTyped(), typed)
		}
		keep := rapid.IntRange(0, len(rows)).Draw(t, "keep")
		recs.Truncate(keep)
		recs.AppendCell([]byte("new"))
		recs.EndRecord(99)
		if kind, _ := recs.Typed(keep, 0); kind != intray.CellText {
			t.Fatalf("a new cell is of kind %d", kind)
		}
		for i, row := range rows[:keep] {
			for j, c := range row {
				kind, value := recs.Typed(i, j)
				if string(recs.Cell(i, j)) != c.text || kind != c.kind || string(value) != c.typed {
					t.Fatalf("cell %d of row %d is %q of kind %d (%q), want %+v", j, i, recs.Cell(i, j), kind, value, c)
				}
			}
		}
	})
}

package formats

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestNoRowOfAWorkbookIsLostSilently reads tables like those of TestNoRowIsLostSilently as binary
// workbooks, in which numbers are stored as numbers.
func TestNoRowOfAWorkbookIsLostSilently(t *testing.T) {
	for i := range 500 {
		g := tableGenerator{Rand: rand.New(rand.NewPCG(20261126, uint64(i)))}
		g.generate()
		got, err := readTable(t, "x.xlsb", g.binaryWorkbook(t))
		if err != nil {
			t.Fatalf("table %d: %v\n%.2000s", i, err, g.text())
		}
		if lost := got.lost(g.ids); len(lost) > 0 && !got.asked {
			t.Errorf("table %d: the records %s are lost; the header row is %s\n%.1500s", i, lost, got.header, g.text())
		}
	}
}

// binaryWorkbook returns the table as an .xlsb file.
func (g *tableGenerator) binaryWorkbook(t *testing.T) []byte {
	t.Helper()
	rows := ""
	for i, cells := range g.rows {
		rows += binaryRowHeader(i + 1)
		for column, text := range cells {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				rows += biff12(5, column, 0, v)
			} else if text != "" {
				rows += binaryTextCell(column, text)
			}
		}
	}
	return binaryBytes(t, rows)
}

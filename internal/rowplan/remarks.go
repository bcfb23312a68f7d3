package rowplan

import (
	"sync/atomic"

	"github.com/intraydata/intray/celltype"
)

// remarkCounts counts the cells of a batch with each remark.
type remarkCounts [celltype.RemarkCount]int64

// add counts cells with the same remarks.
func (c *remarkCounts) add(remarks celltype.Remarks, cells int64) {
	if remarks != 0 {
		c.addEach(remarks, cells)
	}
}

func (c *remarkCounts) addEach(remarks celltype.Remarks, cells int64) {
	for r := range celltype.RemarkCount {
		if remarks.Has(r) {
			c[r] += cells
		}
	}
}

// remarkTotals counts the cells of all batches with each remark. It is safe for concurrent use.
type remarkTotals [celltype.RemarkCount]atomic.Int64

func (t *remarkTotals) add(c *remarkCounts) {
	for r, n := range c {
		if n > 0 {
			t[r].Add(n)
		}
	}
}

// RemarkedCells returns the number of cells of a field with a remark.
func (p *Plan) RemarkedCells(field int, r celltype.Remark) int64 {
	return p.Fields[field].remarks[r].Load()
}

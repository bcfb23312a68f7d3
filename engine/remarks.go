package engine

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// reportRemarks adds a notice for each field and remark.
func (o *Outcome) reportRemarks(plan *rowplan.Plan) {
	for i, key := range plan.Keys {
		for remark := range celltype.RemarkCount {
			if n := plan.RemarkedCells(i, remark); n > 0 {
				level, text := remark.Report(n, mapping.Shorten(key))
				o.addNotice(intray.Notice{Type: intray.ValueMapped, Level: level, Field: key, Header: plan.Fields[i].Headers[0], Text: text})
			}
		}
	}
}

package engine

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// lossMessages are the codes of the messages about losses.
var lossMessages = map[celltype.Loss]string{celltype.SecondsLost: "time.seconds_dropped", celltype.TimeLost: "date.time_dropped"}

// reportLosses adds a notice for each field and kind of loss.
func (o *Outcome) reportLosses(plan *rowplan.Plan) {
	for i, key := range plan.Keys {
		for loss := celltype.NoLoss + 1; loss < celltype.Losses; loss++ {
			if n := plan.Lost(i, loss); n > 0 {
				o.addNotice(intray.Notice{Type: intray.ValueMapped, Level: intray.LevelInfo, Field: key, Header: plan.Fields[i].Headers[0],
					Text: intray.NewMessage(lossMessages[loss], intray.Params{"n": n, "field": mapping.Shorten(key)})})
			}
		}
	}
}

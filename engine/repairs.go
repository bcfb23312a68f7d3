package engine

import (
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/doubleencoding"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// reportRepairs adds a notice for each field with double-encoded cells.
func (o *Outcome) reportRepairs(plan *rowplan.Plan) {
	for i, key := range plan.Keys {
		r := plan.Repaired(i)
		if r.Cells == 0 {
			continue
		}
		raw := mapping.Shorten(r.Raw)
		o.addNotice(intray.Notice{Type: intray.ValueMapped, Level: intray.LevelInfo, Field: key, Header: plan.Fields[i].Headers[0], Value: &raw,
			Text: intray.NewMessage("cell.double_encoded", intray.Params{
				"n": r.Cells, "field": mapping.Shorten(key), "raw": raw, "text": mapping.Shorten(r.Text), "encoding": r.Encoding,
			})})
	}
}

// repairNames returns the columns with the names that double-encoded names stand for, and adds
// evidence for each. Outcome.Headers keeps the raw names.
func (o *Outcome) repairNames(columns []intray.Column) []intray.Column {
	repaired := slices.Clone(columns)
	for i := range repaired {
		raw := repaired[i].Header
		name, encoding, ok := doubleencoding.Repair([]byte(raw))
		if !ok {
			continue
		}
		repaired[i].Header = string(name)
		o.Evidence = append(o.Evidence, intray.Evidence{Choice: nameOf + mapping.Shorten(raw), Value: mapping.Shorten(string(name)),
			Reason: intray.NewMessage("column.double_encoded", intray.Params{"encoding": encoding})})
	}
	return repaired
}

// nameOf, followed by the raw name of a column, is the value of Evidence.Choice for a repaired name.
const nameOf = "name of "

package bench

import "testing"

func ours() contestant { return contestant{name: "Intray", command: childCommand("intray")} }

// contestCSV reads delimited text. DuckDB reads every column and does not detect types.
func contestCSV(t *testing.T, r *report) {
	c := contest{name: "CSV", form: "csv", rows: share(2_000_000), alike: columnsBut(), contestants: []contestant{ours()}}
	if r.python != "" {
		c.contestants = append(c.contestants,
			contestant{name: "DuckDB, all text", command: duckDBCommand(r.python, "csv"), goal: goal{cpu: 1.7, wall: 1.7}},
			contestant{name: "DuckDB, all text to a table", command: duckDBCommand(r.python, "table"), keeps: true})
	} else {
		skipWithoutDuckDB(t)
	}
	c.contestants = append(c.contestants, contestant{name: "Go encoding/csv, ReuseRecord", command: childCommand("encoding/csv"), goal: goal{wall: 2}})
	r.contest(t, c)
}

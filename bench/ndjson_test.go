package bench

import "testing"

// contestNDJSON reads one object per line. Amounts are not compared, because DuckDB formats
// numbers when it converts them to text: 10.50 becomes 10.5.
func contestNDJSON(t *testing.T, r *report) {
	c := contest{name: "NDJSON", form: "ndjson", rows: share(2_000_000), alike: columnsBut("amount"), contestants: []contestant{ours()}}
	if r.python == "" {
		skipWithoutDuckDB(t)
	} else {
		c.contestants = append(c.contestants,
			contestant{name: "DuckDB, all text", command: duckDBCommand(r.python, "ndjson"), goal: goal{cpu: 1}},
			contestant{name: "DuckDB, types found out", command: duckDBCommand(r.python, "typed"), keeps: true, goal: goal{cpu: 1}})
	}
	r.contest(t, c)
}

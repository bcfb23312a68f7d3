package bench

import (
	"testing"

	"github.com/intraydata/intray/bench/benchdata"
)

// contestNDJSON reads one object per line. Amounts are not compared, because DuckDB formats
// numbers when it converts them to text: 10.50 becomes 10.5.
func contestNDJSON(t *testing.T, r *report) {
	c := generated(t, "NDJSON", "ndjson", benchdata.Header, share(2_000_000))
	c.alike, c.contestants = columnsBut(c.header, "amount"), []contestant{ours()}
	if r.python == "" {
		skipWithoutDuckDB(t)
	} else {
		c.contestants = append(c.contestants,
			contestant{name: "DuckDB, all text", command: duckDBCommand(r.python, "ndjson"), goal: goal{cpu: 1.2}},
			contestant{name: "DuckDB, types found out", command: duckDBCommand(r.python, "typed"), keeps: true, goal: goal{cpu: 1}})
	}
	r.contest(t, c)
}

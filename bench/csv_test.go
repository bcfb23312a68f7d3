package bench

import (
	"testing"

	"github.com/intraydata/intray/bench/benchdata"
)

func ours() contestant { return contestant{name: "Intray", command: childCommand("intray")} }

// contestCustomers reads delimited text with cells of about 15 bytes, some of them quoted.
func contestCustomers(t *testing.T, r *report) {
	c := generated(t, "CSV, customers", customers, benchdata.CustomerHeader, share(2_000_000))
	c.contestants = csvReaders(t, r)
	if r.python != "" {
		c.contestants = append(c.contestants, contestant{name: "DuckDB, all text to a table", command: duckDBCommand(r.python, "table"), keeps: true})
	}
	r.contestCSV(t, c)
}

// contestFlights reads delimited text with many short cells and no quotes.
func contestFlights(t *testing.T, r *report) {
	c := contest{name: "CSV, flights", header: flightsHeader, contestants: csvReaders(t, r)}
	c.file, c.rows = flightsFile(t, r.python)
	c.small = firstRows(t, c.file, startRows)
	r.contestCSV(t, c)
}

// contestCSV runs a contest whose contestants read every column as text.
func (r *report) contestCSV(t *testing.T, c contest) {
	t.Helper()
	c.alike = columnsBut(c.header)
	c.contestants = append(c.contestants, contestant{name: "Go encoding/csv, ReuseRecord", command: childCommand("encoding/csv"), goal: goal{wall: 2}})
	r.contest(t, c)
}

// csvReaders returns Intray, DuckDB and polars, which read every column as text and do not detect
// types.
func csvReaders(t *testing.T, r *report) []contestant {
	t.Helper()
	list := []contestant{ours()}
	if r.python != "" {
		list = append(list, contestant{name: "DuckDB, all text", command: duckDBCommand(r.python, "csv"), goal: goal{cpu: 2.2, wall: 1.7}})
	} else {
		skipWithoutDuckDB(t)
	}
	if r.polars != "" {
		list = append(list, contestant{name: "polars, all text", command: []string{r.polars, "read_polars.py"}, goal: goal{cpu: 2}})
	} else {
		t.Run("polars", func(t *testing.T) {
			t.Skip("SKIPPED: python3 has no polars to compare with; pip install " + wantedPolars)
		})
	}
	return list
}

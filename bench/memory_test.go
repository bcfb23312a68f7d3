package bench

import (
	"fmt"
	"os"
	"testing"

	"github.com/intraydata/intray/bench/benchdata"
)

// A ladder is a series of files of one form, each larger than the one before. Reading each of
// them must need about the same amount of memory.
type ladder struct {
	name, form string
	rows       []int
}

// ladders are the files of a full run. A worksheet has at most 1,048,576 rows.
var ladders = []ladder{
	{"CSV", "csv", []int{1_000_000, 3_000_000, 10_000_000}},
	{"NDJSON", "ndjson", []int{1_000_000, 3_000_000, 10_000_000}},
	{"XLSX", "xlsx", []int{200_000, 500_000, 1_000_000}},
}

// flat is the maximum ratio between the highest and the lowest peak memory.
const flat = 1.2

// measureMemory reads the files of a ladder and reports the peak memory of each.
func measureMemory(t *testing.T, r *report, l ladder) {
	var peaks []float64
	for _, whole := range l.rows {
		rows := share(whole)
		h := held{contestant: ours()}
		file, size := made(t, l.form, rows)
		for range repeats(3) {
			got := h.time(t, file)
			if got.Tally.Rows != int64(rows) || len(got.Tally.Bytes) != len(benchdata.Header) {
				t.Fatalf("%d rows of %s are read as %d with %d columns", rows, l.name, got.Tally.Rows, len(got.Tally.Bytes))
			}
			h.costs = append(h.costs, got.Cost)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		peaks = append(peaks, spreadOf(h.costs, peak).median)
		r.add("memory, "+l.name, int64(rows), size, h, "", "", climb(peaks, len(l.rows)))
	}
}

// climb returns the verdict on a ladder.
func climb(peaks []float64, rungs int) string {
	if len(peaks) < rungs {
		return ""
	}
	least, most := peaks[0], peaks[0]
	for _, p := range peaks {
		least, most = min(least, p), max(most, p)
	}
	return fmt.Sprintf("most over least memory %.2f, at most %.1f: %s", most/least, flat, verdict(most/least <= flat))
}

func TestClimb(t *testing.T) {
	for want, peaks := range map[string][]float64{
		"": {50, 60},
		"most over least memory 1.20, at most 1.2: reached": {50, 60, 55},
		"most over least memory 1.22, at most 1.2: missed":  {60, 61, 50},
	} {
		if got := climb(peaks, 3); got != want {
			t.Errorf("%v: %q, want %q", peaks, got, want)
		}
	}
}

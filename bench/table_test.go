package bench

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
)

// goal holds the targets of a contest: the minimum ratios of the contestant's CPU and wall time
// to Intray's, and the maximum peak memory in bytes. 0 means no goal.
type goal struct{ cpu, wall, peak float64 }

// report is the table of one run.
type report struct {
	// python is a Python interpreter with DuckDB, and polars is one with polars. Each is "" if there
	// is none.
	python, polars string
	lines          [][]string
	bars           []bar
}

// TestRatios runs all contests and prints one table.
func TestRatios(t *testing.T) {
	var r report
	var version string
	if r.python, version = duckDB(t); r.python == "" {
		version = "no DuckDB"
	}
	python := cmp.Or(r.python, "python3")
	if polars, err := askPolars(python); err == nil {
		r.polars, version = python, version+", "+polars
	}
	if books := askBookReaders(python); books != "" {
		version += ", " + books
	}
	t.Run("CSV, customers", func(t *testing.T) { contestCustomers(t, &r) })
	t.Run("CSV, flights", func(t *testing.T) { contestFlights(t, &r) })
	t.Run("XLSX", func(t *testing.T) { contestXLSX(t, &r) })
	t.Run("workbooks", func(t *testing.T) { contestBooks(t, &r) })
	t.Run("NDJSON", func(t *testing.T) { contestNDJSON(t, &r) })
	for _, l := range ladders {
		t.Run("memory "+l.name, func(t *testing.T) { measureMemory(t, &r, l) })
	}
	version += "; " + excelizeVersion(t)
	t.Logf("%s; %s\n%s%s", machine(), version, extent(), r.table())
	r.publish(t, section{Name: "2-readers", Title: "Reading files", Versions: version, Explanation: "Each program reads the file and " +
		"touches every cell, as text or, in Python, as an object. Intray also detects the format, the encoding, the delimiter and the header."})
}

// publish stores the table with the texts of s.
func (r *report) publish(t *testing.T, s section) {
	t.Helper()
	s.Titles, s.Lines, s.Bars = titles, r.lines, r.bars
	s.publish(t)
}

// extent describes the size of the measurement.
func extent() string {
	switch {
	case raced():
		return "A hundredth of the rows, under the race detector: the figures are not meaningful.\n"
	case full():
		return ""
	}
	return "A tenth of the rows, each run once. The goals are those of the whole; files this small tell little about them.\n"
}

// machine describes the machine that runs the measurement.
func machine() string {
	text := fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Join(strings.Fields(string(load))[:3], " ")
	}
	return text
}

// contest runs a contest and adds a line for each contestant.
func (r *report) contest(t *testing.T, c contest) {
	t.Helper()
	size, all := c.hold(t)
	r.ranked(c.name, c.rows, size, all)
}

// ranked adds a line for each contestant. The first one is Intray.
func (r *report) ranked(name string, rows int, size int64, all []held) {
	for i, h := range all {
		var byCPU, byWall string
		var ratios goal
		if i > 0 {
			ratios = goal{cpu: ratio(h, all[0], cpu), wall: ratio(h, all[0], wall)}
			byCPU, byWall = factor(ratios.cpu), factor(ratios.wall)
			r.bars = append(r.bars, bar{name + " " + quantity(rows) + ": " + h.name, ratios.cpu, h.goal.cpu})
		}
		ratios.peak = spreadOf(h.costs, peak).median
		r.add(name, int64(rows), size, h, byCPU, byWall, h.goal.against(ratios))
	}
}

// quantity formats a number of rows.
func quantity(rows int) string {
	if rows >= 1_000_000 {
		return fmt.Sprintf("%.1f M", float64(rows)/1e6)
	}
	return fmt.Sprintf("%d k", rows/1000)
}

// ratio returns the cost of reading the file with a contestant as a multiple of Intray's cost,
// excluding the start of the processes.
func ratio(other, ours held, figure func(cost) float64) float64 {
	return net(other, figure) / net(ours, figure)
}

func net(h held, figure func(cost) float64) float64 {
	return spreadOf(h.costs, figure).median - spreadOf(h.starts, figure).median
}

// factor formats a ratio. A ratio of 0 or less means that the file is too small.
func factor(ratio float64) string {
	if !(ratio > 0) {
		return "?"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// against describes whether the measured ratios and peak memory meet the goal.
func (g goal) against(got goal) string {
	var list []string
	if g.cpu > 0 {
		list = append(list, fmt.Sprintf("CPU at least %.1f: %s", g.cpu, verdict(got.cpu >= g.cpu)))
	}
	if g.wall > 0 {
		list = append(list, fmt.Sprintf("wall at least %.1f: %s", g.wall, verdict(got.wall >= g.wall)))
	}
	if g.peak > 0 {
		list = append(list, fmt.Sprintf("peak at most %.0f MB: %s", g.peak/1e6, verdict(got.peak <= g.peak)))
	}
	return strings.Join(list, "; ")
}

func verdict(reached bool) string {
	if reached {
		return "reached"
	}
	return "missed"
}

// add adds a line.
func (r *report) add(name string, rows, size int64, h held, byCPU, byWall, goal string) {
	start := ""
	if len(h.starts) > 0 {
		start = fmt.Sprintf("%.2f", spreadOf(h.starts, cpu).median)
	}
	used := spreadOf(h.costs, cpu)
	r.lines = append(r.lines, []string{
		name, fmt.Sprint(rows), fmt.Sprintf("%.0f", float64(size)/1e6), h.name, used.text(), spreadOf(h.costs, wall).text(), start,
		fmt.Sprintf("%.0f", spreadOf(h.costs, peak).median/1e6), fmt.Sprintf("%.0f", float64(rows)/used.median),
		byCPU, byWall, goal,
	})
}

func (s spread) text() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.least, s.most) }

var titles = []string{"contest", "rows", "MB", "contestant", "CPU s (least to most)", "wall s (least to most)", "start CPU s",
	"peak MB", "rows per CPU s", "CPU ratio", "wall ratio", "goal"}

func (r *report) table() string { return tabulated(titles, r.lines) }

// tabulated formats a table with aligned columns.
func tabulated(titles []string, lines [][]string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, line := range append([][]string{titles}, lines...) {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush()
	return text.String()
}

func TestTable(t *testing.T) {
	slow := held{contestant: contestant{name: "slow"}, costs: []cost{{CPU: 4.5, Wall: 3, Peak: 5e6}}, starts: []cost{{CPU: 0.5, Wall: 1}}}
	quick := held{costs: []cost{{CPU: 2, Wall: 2}}, starts: []cost{{CPU: 0, Wall: 1}}}
	if c, w := ratio(slow, quick, cpu), ratio(slow, quick, wall); c != 2 || w != 2 {
		t.Errorf("the ratios are %v and %v, want 2 and 2", c, w)
	}
	if got := factor(ratio(slow, held{costs: []cost{{}}, starts: []cost{{CPU: 1}}}, cpu)); got != "?" {
		t.Errorf("a negative ratio is %s", got)
	}
	got := goal{cpu: 2, wall: 3, peak: 4e6}.against(goal{cpu: 2, wall: 2.9, peak: 5e6})
	if want := "CPU at least 2.0: reached; wall at least 3.0: missed; peak at most 4 MB: missed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var r report
	r.add("CSV", 9, 1e6, slow, "2.00", "2.00", got)
	for _, part := range []string{"contest", "CSV", "slow", "4.50 (4.50 to 4.50)", "0.50", "2.00", "missed"} {
		if !strings.Contains(r.table(), part) {
			t.Errorf("the table lacks %q:\n%s", part, r.table())
		}
	}
}

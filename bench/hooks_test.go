package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray/hooks/sandbox"
)

// ran contains the costs of all runs of a runner with a load.
type ran struct {
	who   runner
	costs []hookCost
}

// TestHooks calls the same hooks with the same rows in workers and in plain Node, and
// prints one table.
func TestHooks(t *testing.T) {
	skipWithoutSandbox(t)
	runners, version := []runner{quickJS}, "no Node"
	if found, err := exec.Command("node", "--version").Output(); err == nil {
		runners, version = append(runners, node, alone), "Node "+strings.TrimSpace(string(found))
	} else {
		t.Run("Node", func(t *testing.T) {
			t.Skip("SKIPPED: Node is not installed, so its workers are not measured and nothing is compared with it")
		})
	}
	var lines [][]string
	var bars []bar
	for _, l := range append(slices.Clone(loads), repeated()...) {
		all := l.hold(t, runners)
		lines, bars = append(lines, l.lines(all)...), append(bars, l.bars(all)...)
	}
	t.Logf("%s; %s\n%s%s", machine(), version, extent(), tabulated(hookTitles, lines))
	section{Name: "5-hooks", Title: "Hooks", Versions: version, Titles: hookTitles, Lines: lines, Bars: bars,
		Explanation: "Workers in the strict sandbox call row hooks with the rows of an import, and a plain Node process calls the same " +
			"functions with records that are already in its memory. In the lines \"repeated\", each row occurs ten times. A ratio of 0.5 " +
			"means that plain Node takes half as much CPU time as Intray."}.publish(t)
}

// skipWithoutSandbox skips a test if hooks cannot run on this machine.
func skipWithoutSandbox(t *testing.T) {
	t.Helper()
	c, err := sandbox.New(sandbox.Config{})
	var refused *sandbox.RefusedError
	if errors.As(err, &refused) {
		t.Skipf("SKIPPED: hooks cannot run here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// hold runs all runners in alternation and checks that they make the same changes.
func (l load) hold(t *testing.T, runners []runner) (all []ran) {
	t.Helper()
	for _, who := range runners {
		all = append(all, ran{who: who})
	}
	for range repeats(9) {
		for i := range all {
			got := l.run(t, all[i].who)
			all[i].costs = append(all[i].costs, got)
			if first := all[0].costs[0]; got.Sum != first.Sum {
				t.Fatalf("%s: the changes of %s have the sum %s, and those of %s %s", l.Name, all[0].who, first.Sum, all[i].who, got.Sum)
			}
		}
	}
	return all
}

// run runs a load once.
func (l load) run(t *testing.T, who runner) (got hookCost) {
	t.Helper()
	todo := hookRun{Runner: who, Source: l.Source, Records: share(l.Records), Repeats: l.Repeats, Rows: share(l.rows[who])}
	if who != quickJS { // QuickJS has no JIT compiler to warm up
		todo.Warm = todo.Rows / 4
	}
	text, err := json.Marshal(todo)
	if err != nil {
		t.Fatal(err)
	}
	if who != alone {
		ask(t, &got, childCommand("hooks", string(text))...)
		return got
	}
	ask(t, &got, "node", "hooks_node.js", l.written(t, todo))
	return got
}

// written writes the input of plain Node to a file.
func (l load) written(t *testing.T, todo hookRun) (name string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"source": todo.Source, "records": loadRecords(todo.Records, todo.Repeats), "batch": batchRows(todo.Records), "rows": todo.Rows, "warm": todo.Warm})
	name = filepath.Join(t.TempDir(), "records.json")
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

var hookTitles = []string{"hook", "rows", "runs in", "rows per CPU s (least to most)", "of Node alone (most of each)",
	fmt.Sprintf("rows per s, %d workers (least to most)", runtime.NumCPU()), "of Node alone", "goal per CPU s"}

// lines returns the table lines of a load. If plain Node was run, its line is the last one.
func (l load) lines(all []ran) (lines [][]string) {
	last := all[len(all)-1]
	for _, r := range all {
		byCPU, byWall := r.rates(perCPU), r.rates(perSecond)
		line := []string{l.Name, strconv.Itoa(r.costs[0].Rows), string(r.who), byCPU.rate(), "", byWall.rate(), "", ""}
		if last.who == alone && r.who != alone {
			reference := last.rates(perCPU)
			ratio := byCPU.median / reference.median
			line[4] = fmt.Sprintf("%.4f (%.4f)", ratio, byCPU.most/reference.most)
			line[6] = fmt.Sprintf("%.4f", byWall.median/last.rates(perSecond).median)
			line[7] = least(ratio, l.goals[r.who])
		}
		lines = append(lines, line)
	}
	return lines
}

// bars returns the bars of the workers in the chart.
func (l load) bars(all []ran) (bars []bar) {
	last := all[len(all)-1]
	for _, r := range all {
		if last.who == alone && r.who != alone {
			bars = append(bars, bar{Label: l.Name + ": plain Node against " + string(r.who), Ratio: r.rates(perCPU).median / last.rates(perCPU).median, Goal: l.goals[r.who]})
		}
	}
	return bars
}

// least describes a minimum and, in a full run, whether it was reached.
func least(got, goal float64) string {
	text := fmt.Sprintf("at least %g", goal)
	if !full() {
		return text
	}
	return text + ": " + verdict(got >= goal)
}

func perCPU(c hookCost) float64    { return float64(c.Rows) / max(c.CPU, 0.001) }
func perSecond(c hookCost) float64 { return float64(c.Rows) / c.Wall }

func (r ran) rates(figure func(hookCost) float64) spread {
	figures := make([]float64, len(r.costs))
	for i, c := range r.costs {
		figures[i] = figure(c)
	}
	return spreadOfFigures(figures)
}

// rate formats rows per second.
func (s spread) rate() string {
	return fmt.Sprintf("%s (%s to %s)", thousands(s.median), thousands(s.least), thousands(s.most))
}

func thousands(rows float64) string {
	if rows < 10_000 {
		return fmt.Sprintf("%.0f", rows)
	}
	return fmt.Sprintf("%.0f k", rows/1000)
}

// freshWithin is the maximum median time to start a QuickJS worker, in seconds.
const freshWithin = 0.020

// TestHookWorkers prints how long a new worker takes to become ready.
func TestHookWorkers(t *testing.T) {
	skipWithoutSandbox(t)
	for _, who := range []runner{quickJS, node} {
		t.Run(string(who), func(t *testing.T) {
			if _, err := exec.LookPath("node"); who == node && err != nil {
				t.Skip("SKIPPED: Node is not installed, so its workers are not measured")
			}
			var took []float64
			ask(t, &took, childCommand("hook workers", string(who), strconv.Itoa(max(share(30), 3)))...)
			s, goal := spreadOfFigures(took), ""
			if who == quickJS {
				goal = fmt.Sprintf("; goal at most %.0f ms at the median", freshWithin*1e3)
			}
			if who == quickJS && full() {
				goal += ": " + verdict(s.median <= freshWithin)
			}
			t.Logf("%s; %d fresh workers of %s, ready in %.1f ms (%.1f to %.1f)%s", machine(), len(took), who, s.median*1e3, s.least*1e3, s.most*1e3, goal)
		})
	}
}

func TestHookTable(t *testing.T) {
	l := load{Name: "light", goals: map[runner]float64{quickJS: 0.5}}
	all := []ran{
		{quickJS, []hookCost{{Rows: 100, CPU: 2, Wall: 1}, {Rows: 100, CPU: 4, Wall: 1}, {Rows: 100, CPU: 1, Wall: 1}}},
		{alone, []hookCost{{Rows: 20_000_000, CPU: 100_000, Wall: 1000}}},
	}
	text := tabulated(hookTitles, l.lines(all))
	for _, part := range []string{"light", "quickjs", "50 (25 to 100)", "0.2500 (0.5000)", "100 (100 to 100)", "0.0050", "at least 0.5", "200 (200 to 200)", "20 k (20 k to 20 k)"} {
		if !strings.Contains(text, part) {
			t.Errorf("the table lacks %q:\n%s", part, text)
		}
	}
	if got := l.lines(all[:1]); got[0][4] != "" || got[0][7] != "" || l.bars(all[:1]) != nil {
		t.Errorf("there is a ratio without Node: %q", got)
	}
	if got, want := l.bars(all), (bar{"light: plain Node against quickjs", 0.25, 0.5}); len(got) != 1 || got[0] != want {
		t.Errorf("the bars are %v, want %v", got, want)
	}
}

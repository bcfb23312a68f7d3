package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cost is the time and memory that a process needed from its start to its end.
type cost struct {
	// CPU is the time of all cores in user and kernel mode, in seconds. Wall is the elapsed
	// time in seconds.
	CPU, Wall float64
	// Peak is the peak memory in bytes.
	Peak float64
}

// measured is a cost, with the output of the process as JSON, if any.
type measured struct {
	Cost   cost
	Answer json.RawMessage
}

// run is the cost of a run and its tally.
type run struct {
	Cost  cost
	Tally tally
}

// measure runs a command and measures it. It is the task of a child process, because the
// system counts the memory of a parent at the fork as memory of the child, and a test uses a
// lot of memory.
func measure(command []string) (any, error) {
	if len(command) == 0 {
		return nil, errors.New("no command to measure")
	}
	process := exec.Command(command[0], command[1:]...)
	var out, stderr bytes.Buffer
	process.Stdout, process.Stderr = &out, &stderr
	began := time.Now()
	err := process.Run()
	wall := time.Since(began)
	if err != nil {
		return nil, fmt.Errorf("%q: %w, %.2000s", command, err, stderr.Bytes())
	}
	used, ok := process.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, errors.New("this system does not report the resources of a process")
	}
	m := measured{Cost: cost{
		CPU:  float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9,
		Wall: wall.Seconds(),
		Peak: float64(used.Maxrss) * peakUnit(),
	}}
	if answer := bytes.TrimSpace(out.Bytes()); len(answer) > 0 {
		m.Answer = answer
	}
	if m.Answer != nil && !json.Valid(m.Answer) {
		return nil, fmt.Errorf("%q answers %.500q", command, out.Bytes())
	}
	return m, nil
}

// peakUnit is the unit of memory in getrusage, in bytes.
func peakUnit() float64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}

// A contestant reads a file and prints its tally. The arguments of its command are "time"
// or "check", and the file name.
type contestant struct {
	name    string
	command []string
	// keeps reports whether a timed run builds a table instead of counting bytes.
	keeps bool
	goal  goal
}

func (c contestant) check(t *testing.T, file string) (found tally) {
	t.Helper()
	ask(t, &found, append(slices.Clone(c.command), "check", file)...)
	return found
}

func (c contestant) time(t *testing.T, file string) (r run) {
	t.Helper()
	var m measured
	ask(t, &m, childCommand("measure", append(slices.Clone(c.command), "time", file)...)...)
	if err := json.Unmarshal(m.Answer, &r.Tally); err != nil {
		t.Fatalf("%s answers %.500q: %v", c.name, m.Answer, err)
	}
	return run{m.Cost, r.Tally}
}

// spread summarizes the figures of several runs.
type spread struct{ least, median, most float64 }

func spreadOf(costs []cost, figure func(cost) float64) spread {
	figures := make([]float64, len(costs))
	for i, c := range costs {
		figures[i] = figure(c)
	}
	return spreadOfFigures(figures)
}

func spreadOfFigures(figures []float64) spread {
	figures = slices.Sorted(slices.Values(figures))
	n := len(figures)
	return spread{figures[0], (figures[(n-1)/2] + figures[n/2]) / 2, figures[n-1]}
}

func cpu(c cost) float64  { return c.CPU }
func wall(c cost) float64 { return c.Wall }
func peak(c cost) float64 { return c.Peak }

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		want    spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{4, 2}, spread{2, 3, 4}},
		{[]float64{9, 1, 2, 8, 3}, spread{1, 3, 9}},
	} {
		var costs []cost
		for _, f := range c.figures {
			costs = append(costs, cost{Wall: f})
		}
		if got := spreadOf(costs, wall); got != c.want {
			t.Errorf("the spread of %v is %v, want %v", c.figures, got, c.want)
		}
	}
}

// TestMeasure checks the measured cost of a process that waits for a known time, and that
// measure returns an error for a process that fails or prints invalid JSON.
func TestMeasure(t *testing.T) {
	got, err := measure([]string{"sh", "-c", `sleep 0.1; echo '{"rows": 7}'`})
	if err != nil {
		t.Fatal(err)
	}
	if m := got.(measured); string(m.Answer) != `{"rows": 7}` || m.Cost.Wall < 0.1 || m.Cost.CPU <= 0 || m.Cost.CPU > m.Cost.Wall || m.Cost.Peak < 1e5 {
		t.Errorf("measured %+v", m)
	}
	if got, err := measure([]string{"true"}); err != nil || len(got.(measured).Answer) > 0 {
		t.Errorf("a process that prints nothing: %+v, %v", got, err)
	}
	for _, script := range []string{"exit 3", "echo no JSON"} {
		if _, err := measure([]string{"sh", "-c", script}); err == nil {
			t.Errorf("%q was measured", script)
		}
	}
}

package server

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/model"
)

// gather returns the values of counters and gauges by name, followed by the values of their labels.
// For histograms, it returns the number of observations.
func gather(t *testing.T, m *metrics) map[string]float64 {
	t.Helper()
	gathered, err := m.registry.Gather()
	must(t, err)
	values := map[string]float64{}
	for _, family := range gathered {
		for _, metric := range family.GetMetric() {
			key := family.GetName()
			for _, label := range metric.GetLabel() {
				key += " " + label.GetValue()
			}
			values[key] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return values
}

// TestProblemCodesAreBounded checks that any number of problem codes cannot cause any number of
// metrics.
func TestProblemCodesAreBounded(t *testing.T) {
	m := newMetrics("v1")
	problems := map[string]int64{}
	for n := range maxValues + 50 {
		problems[fmt.Sprint("code_", n)] = 2
	}
	m.work.RunEnded(model.EndedRun{Outcome: model.RunSuccessful, Problems: problems})
	m.work.RunEnded(model.EndedRun{Outcome: model.RunError, Problems: problems})
	sum, codes := 0.0, 0
	values := gather(t, m)
	for n := range maxValues + 50 {
		if value, ok := values[fmt.Sprint("intray_problems_total code_", n)]; ok {
			sum += value
			codes++
		}
	}
	if codes != maxValues || sum+values["intray_problems_total other"] != 4*(maxValues+50) {
		t.Errorf("%d codes with %g problems, and %g others", codes, sum, values["intray_problems_total other"])
	}
	if values["intray_runs_total successful"] != 1 || values["intray_runs_total error"] != 1 || values["intray_runs_total failed"] != 0 || values["intray_run_seconds"] != 2 {
		t.Errorf("the counts of runs are wrong: %v", values)
	}
}

// failingHooks are hooks whose calls return an error.
type failingHooks struct {
	engine.HookRunner
	err error
}

func (f failingHooks) RunRows(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, f.err
}

func TestHookMetrics(t *testing.T) {
	m := newMetrics("v1")
	for _, err := range []error{nil, &intray.HookError{Hook: "rowHooks[0]"}, context.Canceled} {
		if _, got := (observedHooks{failingHooks{err: err}, m.work}).RunRows(t.Context(), 0, intray.HookRows{}); !errors.Is(got, err) {
			t.Errorf("error %v, want %v", got, err)
		}
	}
	values := gather(t, m)
	if values["intray_hook_seconds row"] != 3 || values["intray_hook_failures_total row"] != 1 || values["intray_hook_seconds step"] != 0 {
		t.Errorf("the metrics of hooks are wrong: %v", values)
	}
}

package server

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/model"
)

// workMetrics counts what this process does. It implements [model.Observer].
type workMetrics struct {
	runs          *prometheus.CounterVec
	runSeconds    prometheus.Histogram
	rows          prometheus.Counter
	problems      *boundedCounter
	failed        *prometheus.CounterVec
	attempts      *prometheus.CounterVec
	retries       prometheus.Counter
	connectorRuns *prometheus.CounterVec
	uploads       *prometheus.CounterVec
	hookSeconds   *prometheus.HistogramVec
	hookFailures  *prometheus.CounterVec
}

var _ model.Observer = (*workMetrics)(nil)

// succeeded and failed are the values of the label outcome of attempts.
const succeeded, failed = "succeeded", "failed"

func newWorkMetrics(registry *prometheus.Registry) *workMetrics {
	counter := func(name, help string) prometheus.CounterOpts { return prometheus.CounterOpts{Name: name, Help: help} }
	outcomes := []string{succeeded, failed}
	w := &workMetrics{
		runs: presetCounter(counter("intray_runs_total", "Ended runs of imports, by outcome."), "outcome", model.RunOutcomes()),
		runSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "intray_run_seconds", Help: "How long runs of imports took.", Buckets: []float64{.025, .1, .5, 2.5, 10, 60, 300, 1800, 7200},
		}),
		rows:          prometheus.NewCounter(counter("intray_rows_total", "Data rows that runs of imports have read and validated.")),
		problems:      newBoundedCounter(counter("intray_problems_total", "Problems found in cells and rows, by problem code."), "code"),
		failed:        presetCounter(counter("intray_imports_failed_total", "Imports that became FAILED, except at the end of a review, by reason."), "reason", model.FailureReasons()),
		attempts:      presetCounter(counter("intray_delivery_attempts_total", "Attempts to deliver webhook messages, by outcome."), "outcome", outcomes),
		retries:       prometheus.NewCounter(counter("intray_delivery_retries_total", "Attempts to deliver webhook messages that followed a failed one.")),
		connectorRuns: presetCounter(counter("intray_connector_runs_total", "Runs of SFTP connectors, by outcome."), "outcome", outcomes),
		uploads:       presetCounter(counter("intray_result_uploads_total", "Attempts to upload results to SFTP servers, by outcome."), "outcome", outcomes),
		hookSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "intray_hook_seconds", Help: "How long calls of hooks on the server took, by kind of hook.", Buckets: []float64{.005, .025, .1, .5, 2.5, 10, 60},
		}, []string{"hook"}),
		hookFailures: presetCounter(counter("intray_hook_failures_total", "Failed calls of hooks on the server, by kind of hook."), "hook", hookKinds),
	}
	for _, kind := range hookKinds {
		w.hookSeconds.WithLabelValues(kind)
	}
	registry.MustRegister(w.runs, w.runSeconds, w.rows, w.problems.counter, w.failed, w.attempts, w.retries, w.connectorRuns, w.uploads, w.hookSeconds, w.hookFailures)
	return w
}

// presetCounter returns a counter with one label, whose values are known. All of them begin at 0, so
// that Prometheus also sees the first increase.
func presetCounter[T ~string](opts prometheus.CounterOpts, label string, values []T) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(opts, []string{label})
	for _, value := range values {
		c.WithLabelValues(string(value))
	}
	return c
}

// RunEnded implements [model.Observer].
func (w *workMetrics) RunEnded(run model.EndedRun) {
	w.runs.WithLabelValues(string(run.Outcome)).Inc()
	w.runSeconds.Observe(run.Took.Seconds())
	w.rows.Add(float64(run.Rows))
	for code, n := range run.Problems {
		w.problems.add(code, n)
	}
}

// ImportFailed implements [model.Observer].
func (w *workMetrics) ImportFailed(reason model.FailureReason) {
	w.failed.WithLabelValues(string(reason)).Inc()
}

// DeliveryAttempted implements [model.Observer].
func (w *workMetrics) DeliveryAttempted(delivered, isRetry bool) {
	countOutcome(w.attempts, delivered)
	if isRetry {
		w.retries.Inc()
	}
}

// ConnectorRan implements [model.Observer].
func (w *workMetrics) ConnectorRan(ok bool) { countOutcome(w.connectorRuns, ok) }

// ResultUploaded implements [model.Observer].
func (w *workMetrics) ResultUploaded(ok bool) { countOutcome(w.uploads, ok) }

func countOutcome(c *prometheus.CounterVec, ok bool) {
	outcome := failed
	if ok {
		outcome = succeeded
	}
	c.WithLabelValues(outcome).Inc()
}

// boundedCounter is a counter with one label. It counts values beyond maxValues together as "other",
// so that a defect elsewhere cannot cause any number of metrics.
type boundedCounter struct {
	counter *prometheus.CounterVec

	mu     sync.Mutex
	values map[string]bool
}

// maxValues is the maximum number of values of a label. There are far fewer problem codes.
const maxValues = 200

func newBoundedCounter(opts prometheus.CounterOpts, label string) *boundedCounter {
	return &boundedCounter{counter: prometheus.NewCounterVec(opts, []string{label}), values: map[string]bool{}}
}

func (b *boundedCounter) add(value string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.values[value] {
		if len(b.values) == maxValues {
			value = "other"
		} else {
			b.values[value] = true
		}
	}
	b.counter.WithLabelValues(value).Add(float64(n))
}

// The values of the label hook.
const (
	stepHook, columnHook, bulkHook, rowHook, rowDeleteHook, finishHook = "step", "column", "bulk_row", "row", "row_delete", "before_finish"
)

var hookKinds = []string{stepHook, columnHook, bulkHook, rowHook, rowDeleteHook, finishHook}

// hookCalled records a call of hooks. A call that was canceled did not fail.
func (w *workMetrics) hookCalled(kind string, began time.Time, err error) {
	w.hookSeconds.WithLabelValues(kind).Observe(time.Since(began).Seconds())
	if err != nil && !errors.Is(err, context.Canceled) {
		w.hookFailures.WithLabelValues(kind).Inc()
	}
}

// observedHooks records the calls of hooks.
type observedHooks struct {
	engine.HookRunner
	metrics *workMetrics
}

func (h observedHooks) RunStep(ctx context.Context, call intray.StepCall) (changes intray.StepChanges, err error) {
	defer func(began time.Time) { h.metrics.hookCalled(stepHook, began, err) }(time.Now())
	return h.HookRunner.RunStep(ctx, call)
}

func (h observedHooks) RunColumn(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	defer func(began time.Time) { h.metrics.hookCalled(columnHook, began, err) }(time.Now())
	return h.HookRunner.RunColumn(ctx, hook, rows)
}

func (h observedHooks) RunBulk(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	defer func(began time.Time) { h.metrics.hookCalled(bulkHook, began, err) }(time.Now())
	return h.HookRunner.RunBulk(ctx, hook, rows)
}

func (h observedHooks) RunRows(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	defer func(began time.Time) { h.metrics.hookCalled(rowHook, began, err) }(time.Now())
	return h.HookRunner.RunRows(ctx, hook, rows)
}

func (h observedHooks) NotifyDeleted(ctx context.Context, rows intray.HookRows) (err error) {
	defer func(began time.Time) { h.metrics.hookCalled(rowDeleteHook, began, err) }(time.Now())
	return h.HookRunner.NotifyDeleted(ctx, rows)
}

func (h observedHooks) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (cancel *string, err error) {
	defer func(began time.Time) { h.metrics.hookCalled(finishHook, began, err) }(time.Now())
	return h.HookRunner.Finish(ctx, schema, rows, about)
}

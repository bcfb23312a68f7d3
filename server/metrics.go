package server

import (
	"log/slog"
	"net/http"
	"net/http/pprof"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/service"
)

// metrics contains the Prometheus metrics.
type metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	authFailures *prometheus.CounterVec
	closed       *prometheus.CounterVec
	work         *workMetrics
}

func newMetrics(version string) *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		registry: registry, work: newWorkMetrics(registry),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "intray_http_requests_total", Help: "Requests, by route, method and status; status 499 where the client was gone before the answer.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "intray_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2.5, 10, 60, 300},
		}, []string{"route"}),
		authFailures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "intray_auth_failures_total", Help: "Requests with an invalid key, token, cookie or signed URL, by operation.",
		}, []string{"operation"}),
		closed: presetCounter(prometheus.CounterOpts{
			Name: "intray_connections_closed_total", Help: "Connections closed to make room for new ones, by the limit that was reached.",
		}, "limit", connectionLimitNames),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "intray_build_info", Help: "Always 1, with the version of Intray and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(build, m.requests, m.seconds, m.authFailures, m.closed, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// connectionLimitNames are the names of the limits of connections.
var connectionLimitNames = []string{"address", "unknown", "total", "reserve"}

// methods are the HTTP methods that are counted by name. All other methods are
// counted together, because a client can invent any number of them.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "DELETE": true, "OPTIONS": true}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	if !methods[method] {
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) countAuthFailure(operation string) { m.authFailures.WithLabelValues(operation).Inc() }

// observeConnections adds the number of connections in a table to the metrics.
func (m *metrics) observeConnections(table *connectionTable) {
	for i, state := range []string{"authenticated", "unauthenticated", "reserved"} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "intray_connections", Help: "Open connections. The reserved ones serve only health checks.", ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 {
			known, unknown, reserved := table.counts()
			return float64([]int{known, unknown, reserved}[i])
		}))
	}
}

// observeImports adds the counts of imports to the metrics.
func (m *metrics) observeImports(s *service.Service) {
	for _, one := range []struct {
		name, help string
		value      func(c imports.Counts) int64
	}{
		{"intray_runs_stalled_total", "Runs of imports that were canceled because they made no progress.", func(c imports.Counts) int64 { return c.Stalled }},
		{"intray_runs_repeated_total", "Runs of imports that were interrupted or failed, so that the import was queued again.", func(c imports.Counts) int64 { return c.Repeated }},
		{"intray_runs_lost_total", "Runs of imports that crashed or failed for a reason other than the file. An import fails after ten of them.", func(c imports.Counts) int64 { return c.Lost }},
		{"intray_heartbeats_failed_total", "Heartbeats that were not recorded in the database.", func(c imports.Counts) int64 { return c.FailedHeartbeats }},
		{"intray_damage_found_total", "Times that a stored file was missing or had changed when it was used.", func(c imports.Counts) int64 { return c.DamageFound }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: one.name, Help: one.help},
			func() float64 { return float64(one.value(s.Counts())) }))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "intray_runs_stuck", Help: "Canceled runs of imports that do not stop. Each of them occupies a worker.",
	}, func() float64 { return float64(s.Counts().Stuck) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "intray_heartbeat_age_seconds", Help: "Time since this process last recorded a heartbeat in the database. It does so every 2 s.",
	}, func() float64 {
		return secondsSince(s.LastHeartbeat())
	}))
}

// countClosed returns a function that counts the connections that are closed to make room. It
// logs the first one in each minute.
func (m *metrics) countClosed(log *slog.Logger) func(surplusConnection) {
	var logged time.Time
	return func(c surplusConnection) {
		m.closed.WithLabelValues(c.limit).Inc()
		if now := time.Now(); now.Sub(logged) >= time.Minute {
			logged = now
			log.Warn("connections are closed to make room for new ones", "limit", c.limit, "address", c.from.address.String())
		}
	}
}

// handler serves the metrics and the profiles of the process, as net/http/pprof does. Neither
// requires a key.
func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return mux
}

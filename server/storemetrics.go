package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/intraydata/intray/server/httpapi"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore"
)

// countOverQuota returns a function that counts the requests that a quota refuses. It logs the
// first one of each quota in each minute. The metric does not name the organization, because there
// can be any number of them.
func (m *metrics) countOverQuota(log *slog.Logger) func(org string, quota model.Quota) {
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "intray_quota_refusals_total", Help: "Requests refused because an organization had reached a quota.",
	}, []string{"quota"})
	m.registry.MustRegister(refusals)
	for _, quota := range model.AllQuotas() {
		refusals.WithLabelValues(string(quota))
	}
	var mu sync.Mutex
	logged := map[model.Quota]time.Time{}
	return func(org string, quota model.Quota) {
		refusals.WithLabelValues(string(quota)).Inc()
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(logged[quota]) >= time.Minute {
			logged[quota] = now
			log.Warn("quota reached; requests are refused", "quota", string(quota), "org", org)
		}
	}
}

// observeProcess adds the disk, the waiting time of writes and the event streams to the metrics.
func (m *metrics) observeProcess(folder string, store *sqlstore.Store, api *httpapi.API) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "intray_disk_free_bytes", Help: "Bytes that can still be written to the disk with the data folder; -1 if unknown.",
		}, func() float64 {
			free, known := freeSpace(folder)
			if !known {
				return -1
			}
			return float64(free)
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "intray_store_write_wait_seconds_total", Help: "Time that write transactions waited for others, on SQLite.",
		}, func() float64 { return store.WriteWait().Seconds() }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "intray_event_streams", Help: "Open event streams of review pages.",
		}, func() float64 { return float64(api.EventStreams()) }),
	)
}

// storeCollector reads metrics from the store when they are collected. Processes that share a store
// return the same values.
type storeCollector struct {
	store  model.Store
	quotas model.Quotas
	log    *slog.Logger

	imports, oldest, deliveries, used, limit, highest *prometheus.Desc
}

// observeStore adds the contents of the store to the metrics.
func (m *metrics) observeStore(store model.Store, quotas model.Quotas, log *slog.Logger) {
	desc := prometheus.NewDesc
	m.registry.MustRegister(&storeCollector{store: store, quotas: quotas, log: log,
		imports:    desc("intray_imports", "Imports in the database, by status.", []string{"status"}, nil),
		oldest:     desc("intray_oldest_pending_import_seconds", "Time for which the oldest import that is due has been waiting.", nil, nil),
		deliveries: desc("intray_deliveries_waiting", "Webhook messages that wait for their first or next attempt.", nil, nil),
		used:       desc("intray_quota_used", "What all organizations together use.", []string{"quota"}, nil),
		limit:      desc("intray_quota_limit", "Limit of organizations without their own. 0 means no limit.", []string{"quota"}, nil),
		highest:    desc("intray_quota_highest_use_ratio", "Use divided by the limit, of the organization where this is highest.", []string{"quota"}, nil),
	})
}

// Describe implements [prometheus.Collector].
func (c *storeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{c.imports, c.oldest, c.deliveries, c.used, c.limit, c.highest} {
		to <- desc
	}
}

// collectTimeout is the time limit for reading the metrics from the store. Without a response, the
// other metrics are returned without them.
const collectTimeout = 5 * time.Second

// Collect implements [prometheus.Collector].
func (c *storeCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(model.AcrossOrgs(context.Background()), collectTimeout)
	defer cancel()
	var usages []model.Usage
	var backlog model.Backlog
	err := c.store.View(ctx, func(tx model.Tx) (err error) {
		if usages, err = tx.Usage.List(ctx); err != nil {
			return err
		}
		backlog, err = tx.Usage.Backlog(ctx)
		return err
	})
	if err != nil {
		c.log.Warn("metrics of the database not collected", "error", err)
		return
	}
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	all := model.Sum(usages)
	for status, n := range map[model.Status]int64{
		model.AwaitingUpload: all.AwaitingUpload, model.Pending: backlog.Pending, model.Running: backlog.Running,
		model.NeedsReview: all.NeedsReview, model.Successful: all.Successful, model.Failed: all.Failed,
	} {
		gauge(c.imports, float64(n), string(status))
	}
	oldest := 0.0
	if !backlog.Oldest.IsZero() {
		oldest = max(0, time.Since(backlog.Oldest).Seconds()) // after a failed attempt, it is due later
	}
	gauge(c.oldest, oldest)
	gauge(c.deliveries, float64(backlog.Deliveries))
	for _, quota := range model.AllQuotas() {
		if quota == model.StreamQuota || quota == model.ReviewStreamQuota {
			gauge(c.limit, float64(c.quotas.Limit("", quota)), string(quota))
			continue // the store does not contain streams
		}
		highest := 0.0
		for _, u := range usages {
			if limit := c.quotas.Limit(u.Org, quota); limit > 0 {
				highest = max(highest, float64(u.Of(quota))/float64(limit))
			}
		}
		gauge(c.used, float64(all.Of(quota)), string(quota))
		gauge(c.highest, highest, string(quota))
		gauge(c.limit, float64(c.quotas.Limit("", quota)), string(quota))
	}
}

package server

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/httpapi"
	"github.com/intraydata/intray/server/imports"
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

// observeProcess adds the disk, the last backup, the waiting time of writes and the event streams to the metrics.
func (m *metrics) observeProcess(folder string, store *sqlstore.Store, api *httpapi.API) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "intray_disk_free_bytes", Help: "Bytes that can still be written to the disk with the data folder; -1 if unknown.",
		}, func() float64 {
			free, known := filesys.FreeSpace(folder)
			if !known {
				return -1
			}
			return float64(free)
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "intray_backup_age_seconds", Help: "Time since the last complete backup of the data folder with intray backup; -1 if there is none.",
		}, func() float64 {
			at, known := lastBackup(folder)
			if !known {
				return -1
			}
			return secondsSince(at)
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
	// limitOf returns the limit of an organization.
	limitOf func(org string, quota model.Quota) int64
	log     *slog.Logger

	up, imports, oldest, since, deliveries, deliveriesSince, failingWebhooks, failingConnectors, failingUploads, processes, used, limit, highest *prometheus.Desc
}

// observeStore adds the contents of the store to the metrics.
func (m *metrics) observeStore(store model.Store, quotas model.Quotas, limitOf func(org string, quota model.Quota) int64, log *slog.Logger) {
	desc := prometheus.NewDesc
	m.registry.MustRegister(&storeCollector{store: store, quotas: quotas, limitOf: limitOf, log: log,
		up:                desc("intray_store_up", "1 if the metrics of the database could be read, and 0 otherwise.", nil, nil),
		imports:           desc("intray_imports", "Imports in the database, by status.", []string{"status"}, nil),
		oldest:            desc("intray_oldest_pending_import_seconds", "Time for which the oldest import that is due has been waiting.", nil, nil),
		since:             desc("intray_oldest_import_seconds", "Time since the oldest import in a status was created or, if it is RUNNING, started. 0 if there is none.", []string{"status"}, nil),
		deliveries:        desc("intray_deliveries_waiting", "Webhook messages that wait for their first or next attempt.", nil, nil),
		deliveriesSince:   desc("intray_oldest_delivery_seconds", "Age of the oldest webhook message that has been neither delivered nor given up. 0 if there is none.", nil, nil),
		failingWebhooks:   desc("intray_webhooks_failing", "Enabled webhooks whose last attempt failed.", nil, nil),
		failingConnectors: desc("intray_connectors_failing", "SFTP connectors whose last run failed.", nil, nil),
		failingUploads:    desc("intray_result_uploads_failing", "Results whose last upload to an SFTP server failed.", nil, nil),
		processes:         desc("intray_processes", "Processes with a recent heartbeat that use the database.", nil, nil),
		used:              desc("intray_quota_used", "What all organizations together use.", []string{"quota"}, nil),
		limit:             desc("intray_quota_limit", "Limit of organizations without their own. 0 means no limit.", []string{"quota"}, nil),
		highest:           desc("intray_quota_highest_use_ratio", "Use divided by the limit, of the organization where this is highest.", []string{"quota"}, nil),
	})
}

// Describe implements [prometheus.Collector].
func (c *storeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		c.up, c.imports, c.oldest, c.since, c.deliveries, c.deliveriesSince, c.failingWebhooks, c.failingConnectors, c.failingUploads, c.processes, c.used, c.limit, c.highest,
	} {
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
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	usages, backlog, processes, err := c.read(ctx)
	if err != nil {
		gauge(c.up, 0)
		c.log.Warn("metrics of the database not collected", "error", err)
		return
	}
	gauge(c.up, 1)
	gauge(c.processes, float64(processes))
	all := model.Sum(usages)
	for status, n := range map[model.Status]int64{
		model.AwaitingUpload: all.AwaitingUpload, model.Pending: backlog.Pending, model.Running: backlog.Running,
		model.NeedsReview: all.NeedsReview, model.Successful: all.Successful, model.Failed: all.Failed,
	} {
		gauge(c.imports, float64(n), string(status))
	}
	gauge(c.oldest, secondsSince(backlog.Oldest))
	for status, since := range map[model.Status]time.Time{
		model.AwaitingUpload: backlog.AwaitingSince, model.Running: backlog.RunningSince, model.NeedsReview: backlog.ReviewSince,
	} {
		gauge(c.since, secondsSince(since), string(status))
	}
	gauge(c.deliveries, float64(backlog.Deliveries))
	gauge(c.deliveriesSince, secondsSince(backlog.DeliveriesSince))
	gauge(c.failingWebhooks, float64(backlog.FailingWebhooks))
	gauge(c.failingConnectors, float64(backlog.FailingConnectors))
	gauge(c.failingUploads, float64(backlog.FailingUploads))
	c.collectQuotas(gauge, usages, all)
}

// secondsSince returns the time since t, or 0 if t is zero or in the future. After a failed attempt,
// an import is due in the future.
func secondsSince(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(0, time.Since(t).Seconds())
}

// read reads from one snapshot of the store. processes is the number of live processes.
func (c *storeCollector) read(ctx context.Context) (usages []model.Usage, backlog model.Backlog, processes int, err error) {
	err = c.store.View(ctx, func(tx model.Tx) (err error) {
		if usages, err = tx.Usage.List(ctx); err != nil {
			return err
		}
		if backlog, err = tx.Usage.Backlog(ctx); err != nil {
			return err
		}
		nodes, err := tx.Nodes.List(ctx)
		if err != nil {
			return err
		}
		silent, err := tx.Nodes.Silent(ctx, imports.NodeTimeout)
		processes = len(slices.DeleteFunc(nodes, func(node string) bool { return slices.Contains(silent, node) }))
		return err
	})
	return usages, backlog, processes, err
}

// collectQuotas collects the use and the limits of the quotas. all is the sum of usages.
func (c *storeCollector) collectQuotas(gauge func(of *prometheus.Desc, value float64, labels ...string), usages []model.Usage, all model.Usage) {
	for _, quota := range model.AllQuotas() {
		if quota == model.StreamQuota || quota == model.ReviewStreamQuota {
			gauge(c.limit, float64(c.quotas.Limit("", quota)), string(quota))
			continue // the store does not contain streams
		}
		highest := 0.0
		for _, u := range usages {
			if limit := c.limitOf(u.Org, quota); limit > 0 {
				highest = max(highest, float64(u.Of(quota))/float64(limit))
			}
		}
		gauge(c.used, float64(all.Of(quota)), string(quota))
		gauge(c.highest, highest, string(quota))
		gauge(c.limit, float64(c.quotas.Limit("", quota)), string(quota))
	}
}

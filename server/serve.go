package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/httpapi"
	"github.com/intraydata/intray/server/jobs"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/webui"
)

// How the 10 s of a shutdown are shared out, whatever the database does.
const (
	// drainFor is how long requests under way may go on.
	drainFor = 4 * time.Second
	// settleFor is how long running imports may go on, beside the requests,
	// and graceFor how long they then have to be handed back.
	settleFor = 4 * time.Second
	graceFor  = 3 * time.Second
	// leaveFor is at least there for telling the database that this process
	// ends: all that the others left of leaveBy, which counts from the beginning.
	// closeFor is for closing it.
	leaveFor = time.Second
	leaveBy  = drainFor + graceFor + leaveFor
	closeFor = time.Second
)

// Serve runs the service until ctx ends: then it takes no new work, finishes or
// hands back what runs, and returns within 10 s.
func Serve(ctx context.Context, cfg Config) (err error) {
	if err := cfg.validate(); err != nil {
		return err
	}
	p, unlock, err := openToServe(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callWithin(closeFor, "close the stores", p.close), unlock()) }()
	pages, err := webui.Pages()
	if err != nil {
		return err
	}
	measured := newMetrics()
	handler := httpapi.New(httpapi.Config{
		Service: p.service, BaseURL: cfg.BaseURL, KeyHeaders: cfg.KeyHeaders, TrustedProxies: cfg.TrustedProxies,
		RateCreate: cfg.RateCreate, RatePoll: cfg.RatePoll, TempDir: cfg.tempDir(), Version: cfg.Version,
		Pages: pages, Observe: measured.observe, Log: cfg.Log,
	})
	servers, err := listen(cfg, handler, measured.handler())
	if err != nil {
		return err
	}
	servers.onShutdown(handler.EndStreams)
	p.webhookSender.retrieved = handler.Retrieved
	if err := prepareStore(ctx, cfg, p); err != nil {
		return errors.Join(err, servers.close(ctx))
	}
	work := jobs.New(p.service, cfg.Log)
	leave := startKeepAlive(ctx, work, p)
	if err := p.store.Queue().Start(ctx, work.Handlers()); err != nil {
		return errors.Join(err, servers.close(ctx), leave(time.Now()))
	}
	failed := servers.serve()
	fmt.Fprintf(cfg.Out, "Intray listens on %s\n", servers.address())
	if cfg.Serving != nil {
		cfg.Serving(servers.address())
	}
	select {
	case <-ctx.Done():
		cfg.Log.Info("shutting down")
	case err = <-failed:
	}
	ended := time.Now()
	return errors.Join(err, shutDown(ctx, p, servers), leave(ended))
}

// openToServe opens everything and makes this the one process that serves from
// the folder.
func openToServe(ctx context.Context, cfg Config) (*components, func() error, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the data folder: %w", err)
	}
	unlock, err := lockFolder(cfg.Data)
	if err != nil {
		return nil, nil, err
	}
	if err := emptySpool(cfg); err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	hooks := newHookRunner(cfg.Hooks, cfg.Log)
	leave := func() error {
		hooks.close()
		return unlock()
	}
	p, err := open(ctx, cfg, hooks)
	if err != nil {
		return nil, nil, errors.Join(err, leave())
	}
	return p, leave, nil
}

// prepareStore makes the first keys, and takes back what an earlier process left.
func prepareStore(ctx context.Context, cfg Config, p *components) error {
	if err := p.service.VerifyStoreFingerprint(ctx); err != nil {
		return err
	}
	made, err := p.service.Bootstrap(ctx, auth.FirstKeys{Backend: cfg.BackendKey, Frontend: cfg.FrontendKey})
	if model.IsKind(err, model.Invalid) {
		return UsageError{err}
	}
	if err != nil {
		return fmt.Errorf("make the first keys: %w", err)
	}
	if len(made) > 0 {
		if err := showKeys(cfg.Out, made); err != nil {
			return fmt.Errorf("show the first keys, which are lost with that (make others with intray keys create): %w", err)
		}
	}
	if len(made) == 0 {
		warnOfKeys(ctx, cfg, p)
	}
	if cfg.exposed() {
		cfg.Log.Warn("keys and files travel unencrypted: the service listens beyond this machine without TLS; give --tls-cert and --tls-key, or an https --base-url behind a proxy")
	}
	if err := p.service.Join(ctx); err != nil {
		return fmt.Errorf("take back the work of an earlier process: %w", err)
	}
	return nil
}

// showKeys prints the first keys, which nobody can read later.
func showKeys(to io.Writer, made []auth.NewKey) error {
	text := fmt.Sprintf("Made the organization %q with two keys. They are shown this once; keep them safe.\n", auth.DefaultOrg)
	for _, key := range made {
		text += fmt.Sprintf("  %-9s %s\n", key.Licence.Kind, key.Key)
	}
	_, err := io.WriteString(to, text)
	return err
}

// warnOfKeys tells of first keys that come too late to be taken.
func warnOfKeys(ctx context.Context, cfg Config, p *components) {
	for name, key := range map[string]string{"INTRAY_BACKEND_KEY": cfg.BackendKey, "INTRAY_FRONTEND_KEY": cfg.FrontendKey} {
		if key == "" {
			continue
		}
		if _, err := p.service.Authenticate(ctx, key); err != nil {
			cfg.Log.Warn(name + " opens nothing: it is taken on an empty data folder only; make further keys with intray keys create")
		}
	}
}

// startKeepAlive keeps this process known as living until leave is called, with the time
// when the shutdown began. It tells the others that this process has ended: no
// beat may come after that.
func startKeepAlive(ctx context.Context, work *jobs.Worker, p *components) (leave func(began time.Time) error) {
	ctx = context.WithoutCancel(ctx)
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { defer close(kept); work.RunBackground(keeping) }()
	return func(began time.Time) error {
		limit := max(leaveFor, leaveBy-time.Since(began)).Round(time.Millisecond)
		return callWithin(limit, "tell the database that this process ends", func() error {
			leaving, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			stop()
			<-kept
			return p.service.Leave(leaving)
		})
	}
}

// callWithin calls work and gives up waiting for it after the limit: a database
// that does not answer may not listen to a context either.
func callWithin(limit time.Duration, what string, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	case <-late.C:
		return fmt.Errorf("%s: no answer within %s", what, limit)
	}
}

// shutDown ends requests and runs side by side.
func shutDown(ctx context.Context, p *components, servers *servers) error {
	ctx = context.WithoutCancel(ctx)
	settled := make(chan error, 1)
	go func() {
		settling, cancel := context.WithTimeout(ctx, settleFor)
		defer cancel()
		settled <- p.store.Queue().Stop(settling)
	}()
	err := servers.close(ctx)
	return errors.Join(err, <-settled)
}

// metrics are what Prometheus may read.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "intray_http_requests_total", Help: "Requests, by route, method and status; status 499 where the client was gone before the answer.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "intray_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2.5, 10, 60, 300},
		}, []string{"route"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// methods that are counted by name; others, which a stranger may invent, count
// as one.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "DELETE": true, "OPTIONS": true}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	if !methods[method] {
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

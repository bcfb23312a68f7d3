package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/httpapi"
	"github.com/intraydata/intray/server/jobs"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/webui"
)

// shutdownLimits are the time limits of the phases of a shutdown. They add up to less than
// 10 s, even if the database does not respond.
type shutdownLimits struct {
	// drain is for requests in progress.
	drain time.Duration
	// settle is for running imports to finish, in parallel with drain. grace is for
	// returning them to the queue.
	settle, grace time.Duration
	// leave is the minimum time limit for recording in the database that this process has ended.
	// Time left from drain and grace is added.
	leave time.Duration
	// close is for closing the database.
	close time.Duration
}

var defaultShutdown = shutdownLimits{drain: 4 * time.Second, settle: 4 * time.Second, grace: 3 * time.Second, leave: time.Second, close: time.Second}

func (c *Config) shutdownLimits() shutdownLimits { return cmp.Or(c.shutdown, defaultShutdown) }

// Serve runs the service until ctx ends. It then accepts no new work, finishes running
// imports or returns them to the queue, and returns within 10 s.
func Serve(ctx context.Context, cfg Config) (err error) {
	ctx = model.AcrossOrgs(ctx) // for background work; requests enter the organization of their caller
	if err := cfg.validate(); err != nil {
		return err
	}
	if err := cfg.Hooks.checkRuntime(); err != nil {
		return err
	}
	if err := checkOpenFiles(openFiles(), cfg.Log); err != nil {
		return err
	}
	cfg.Memory.log(cfg.Log)
	measured := newMetrics(cfg.Version)
	cfg.metrics, cfg.overQuota = measured, measured.countOverQuota(cfg.Log)
	p, unlock, err := openToServe(ctx, cfg)
	if err != nil {
		return err
	}
	cfg.logStores()
	measured.observeStore(p.store, cfg.Quotas, p.service.Limit, cfg.Log)
	defer func() {
		err = errors.Join(err, callWithin(cfg.shutdownLimits().close, "close the stores", p.close), unlock())
	}()
	pages, err := webui.Pages(p.service.EmbeddingOrigins, p.uploadOrigin)
	if err != nil {
		return err
	}
	measured.observeImports(p.service)
	var countEvents httpapi.CountEvents // without it, limits apply to this process, which is the only one
	if cfg.DatabaseURL != "" {
		countEvents = p.service.CountEvents
	}
	handler := httpapi.New(httpapi.Config{
		Service: p.service, BaseURL: cfg.BaseURL, CheckHost: !cfg.listensOnLoopback(), KeyHeaders: cfg.KeyHeaders, TrustedProxies: cfg.TrustedProxies,
		RateCreate: cfg.RateCreate, RatePoll: cfg.RatePoll, RateAuthFailures: cfg.RateAuthFailures, CountEvents: countEvents, MaxRequests: cfg.maxRequests(), MaxLargeUploads: cfg.MaxLargeUploads, TempDir: cfg.tempDir(), Version: cfg.Version,
		Pages: pages, Observe: measured.observe, AuthFailed: measured.countAuthFailure,
		Authenticated: markKnown, HealthOnly: isHealthOnly, Log: cfg.Log,
	})
	measured.observeProcess(cfg.Data, p.store, handler)
	servers, err := listen(cfg, handler, measured)
	if err != nil {
		return err
	}
	servers.onShutdown(handler.EndStreams)
	p.webhookSender.retrieved = handler.Retrieved
	if err := prepareStore(ctx, cfg, p); err != nil {
		return errors.Join(err, servers.close(ctx))
	}
	work := jobs.New(p.service, cfg.Log)
	leave := startKeepAlive(ctx, cfg.shutdownLimits(), work, p)
	if err := p.store.Queue().Start(ctx, work.Handlers()); err != nil {
		return errors.Join(err, servers.close(ctx), leave(time.Now()))
	}
	failed := servers.serve()
	address, all := servers.address()
	note := ""
	if all {
		note = " (all addresses)"
	}
	fmt.Fprintf(cfg.Out, "Intray listens on %s%s\n", address, note)
	if cfg.Serving != nil {
		cfg.Serving(address)
	}
	notifySystemd(cfg.NotifySocket, notifyReady, cfg.Log)
	select {
	case <-ctx.Done():
		cfg.Log.Info("shutting down")
		notifySystemd(cfg.NotifySocket, notifyStopping, cfg.Log)
	case err = <-failed:
	}
	ended := time.Now()
	return errors.Join(err, shutDown(ctx, cfg.shutdownLimits().settle, p, servers), leave(ended))
}

// openToServe locks the data folder, so that only this process serves from it, and
// opens all components.
func openToServe(ctx context.Context, cfg Config) (*components, func() error, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("create the data folder: %w", err)
	}
	lock, err := lockFolder(cfg.Data)
	if err != nil {
		return nil, nil, err
	}
	room := openReserve(cfg.Data, reserveSize, cfg.Log)
	if err := emptySpool(cfg); err != nil {
		return nil, nil, errors.Join(err, lock.unlock())
	}
	hooks := newHookRunner(cfg.Hooks, cfg.Log)
	leave := func() error {
		hooks.close()
		return lock.unlock()
	}
	cfg.endedNode = lock.endedNode()
	p, err := open(ctx, cfg, hooks, room)
	if err != nil {
		return nil, nil, errors.Join(err, leave())
	}
	p.lock = lock
	return p, leave, nil
}

// prepareStore verifies the store, creates the initial keys, and reclaims the work
// of an earlier process.
func prepareStore(ctx context.Context, cfg Config, p *components) error {
	if err := p.service.VerifyStoreFingerprint(ctx); err != nil {
		return cfg.explainFingerprint(err)
	}
	made, err := p.service.Bootstrap(ctx, auth.FirstKeys{Backend: cfg.BackendKey, Frontend: cfg.FrontendKey})
	if model.IsKind(err, model.Invalid) {
		return cfg.explainInitialKeys(UsageError{err})
	}
	if err != nil {
		return fmt.Errorf("create the initial keys: %w", err)
	}
	if len(made) > 0 {
		if err := showKeys(cfg, made); err != nil {
			return fmt.Errorf("print the initial keys, which are now lost (create others with intray keys create): %w", err)
		}
	}
	if len(made) == 0 {
		warnOfKeys(ctx, cfg, p)
	}
	if cfg.exposed() {
		cfg.Log.Warn("keys and files are sent unencrypted: other machines can reach the service without TLS; set --tls-cert and --tls-key, or an https --base-url with a proxy")
	}
	if cfg.BaseURL == "" && !cfg.listensOnLoopback() && len(cfg.TrustedProxies) == 0 {
		cfg.Log.Warn("requests by host name are refused: other machines can reach the service, and a client could choose the host of upload and review links; set --base-url")
	}
	if err := warnOfSharedDisk(ctx, cfg, p); err != nil {
		return err
	}
	if err := warnOfExemptRole(ctx, cfg, p); err != nil {
		return err
	}
	if err := p.service.Join(ctx); err != nil {
		return fmt.Errorf("reclaim the work of an earlier process: %w", err)
	}
	// From now on, this process can claim imports.
	p.lock.setNode(p.node)
	return nil
}

// warnOfSharedDisk logs a warning if one organization can fill the disk of the others.
func warnOfSharedDisk(ctx context.Context, cfg Config, p *components) error {
	if cfg.Quotas.Limit("", model.StoredBytesQuota) > 0 {
		return nil
	}
	orgs, err := model.View(ctx, p.store, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(ctx) })
	if len(orgs) > 1 {
		cfg.Log.Warn("one organization can fill the disk for all others; set --quota stored-bytes=N")
	}
	return err
}

// warnOfExemptRole logs a warning if PostgreSQL does not isolate organizations.
func warnOfExemptRole(ctx context.Context, cfg Config, p *components) error {
	if cfg.DatabaseURL == "" {
		return nil
	}
	isolated, err := p.store.IsIsolated(ctx)
	if err == nil && !isolated {
		cfg.Log.Warn("PostgreSQL does not isolate organizations, because the database role is a superuser or has BYPASSRLS; connect as another role")
	}
	return err
}

// showKeys prints the initial keys that were generated, which cannot be retrieved later. The log of a
// service may be stored where others can read it, so keys from the configuration are not printed.
func showKeys(cfg Config, made []auth.NewKey) error {
	lines, generated := "", 0
	for _, key := range made {
		if key.Key != cfg.BackendKey && key.Key != cfg.FrontendKey {
			lines += fmt.Sprintf("  %-9s %s\n", key.Licence.Kind, key.Key)
			generated++
		}
	}
	text := fmt.Sprintf("Created the organization %q with two keys.", auth.DefaultOrg)
	switch generated {
	case 1:
		text += " Store this one safely: it is shown only once."
	case 2:
		text += " Store them safely: they are shown only once."
	}
	_, err := io.WriteString(cfg.Out, text+"\n"+lines)
	return err
}

// warnOfKeys logs a warning if initial keys are configured but ignored because the
// store already has keys.
func warnOfKeys(ctx context.Context, cfg Config, p *components) {
	for _, key := range cfg.initialKeys() {
		if _, err := p.service.FindKey(ctx, key.text); err != nil {
			cfg.Log.Warn(key.variable + " is ignored: initial keys apply to an empty data folder only; create further keys with intray keys create")
		}
	}
}

// startKeepAlive runs the background work, including heartbeats, until leave is called with the
// time at which the shutdown began. leave records that this process has ended, so no heartbeat
// may follow.
func startKeepAlive(ctx context.Context, limits shutdownLimits, work *jobs.Worker, p *components) (leave func(began time.Time) error) {
	ctx = context.WithoutCancel(ctx)
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { defer close(kept); work.RunBackground(keeping) }()
	return func(began time.Time) error {
		limit := (limits.leave + max(0, limits.drain+limits.grace-time.Since(began))).Round(time.Millisecond)
		return callWithin(limit, "record the end of this process", func() error {
			leaving, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			stop()
			<-kept
			return p.service.Leave(leaving)
		})
	}
}

// callWithin calls the function work and stops waiting for it after the limit, because calls
// to a database that does not respond may ignore their context.
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
		return fmt.Errorf("%s: no response within %s", what, limit)
	}
}

// shutDown waits in parallel for requests and for running imports, and ends both when their time
// is up.
func shutDown(ctx context.Context, settle time.Duration, p *components, servers *servers) error {
	ctx = context.WithoutCancel(ctx)
	settled := make(chan error, 1)
	go func() {
		settling, cancel := context.WithTimeout(ctx, settle)
		defer cancel()
		settled <- p.store.Queue().Stop(settling)
	}()
	err := servers.close(ctx)
	return errors.Join(err, <-settled)
}

package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/intraydata/intray/internal/api"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/web"
	"github.com/intraydata/intray/internal/worker"
)

// How the 10 s of a shutdown are shared out.
const (
	// drainFor is how long requests under way may go on.
	drainFor = 4 * time.Second
	// settleFor is how long running imports may go on before they are handed
	// back.
	settleFor = 5 * time.Second
)

// Serve runs the service until ctx ends: then it takes no new work, finishes or
// hands back what runs, and returns within 10 s.
func Serve(ctx context.Context, cfg Config) (err error) {
	if err := cfg.check(); err != nil {
		return err
	}
	p, unlock, err := openToServe(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(), unlock()) }()
	pages, err := web.Pages()
	if err != nil {
		return err
	}
	measured := newMetrics()
	handler := api.New(api.Config{
		Service: p.service, BaseURL: cfg.BaseURL, KeyHeaders: cfg.KeyHeaders, TrustedProxies: cfg.TrustedProxies,
		RateCreate: cfg.RateCreate, RatePoll: cfg.RatePoll, TempDir: cfg.tempDir(), Version: cfg.Version,
		Pages: pages, Observe: measured.observe, Log: cfg.Log,
	})
	servers, err := listen(cfg, handler, measured.handler())
	if err != nil {
		return err
	}
	if err := begin(ctx, cfg, p); err != nil {
		return errors.Join(err, servers.close(ctx))
	}
	work := worker.New(p.service, cfg.Log)
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{})
	go func() { defer close(kept); work.Keep(keeping) }()
	defer func() { stopKeeping(); <-kept }()
	if err := p.store.Queue().Start(ctx, work.Handlers()); err != nil {
		return errors.Join(err, servers.close(ctx))
	}
	failed := servers.serve()
	fmt.Fprintf(cfg.Out, "Intray listens on %s\n", servers.address())
	select {
	case <-ctx.Done():
		cfg.Log.Info("shutting down")
	case err = <-failed:
	}
	return errors.Join(err, shutDown(ctx, p, servers))
}

// openToServe opens everything and makes this the one process that serves from
// the folder.
func openToServe(ctx context.Context, cfg Config) (*parts, func() error, error) {
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
	p, err := open(ctx, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	return p, unlock, nil
}

// begin makes the first keys, and takes back what an earlier process left.
func begin(ctx context.Context, cfg Config, p *parts) error {
	if err := p.service.Anchor(ctx); err != nil {
		return err
	}
	made, err := p.service.Begin(ctx, service.FirstKeys{Backend: cfg.BackendKey, Frontend: cfg.FrontendKey})
	if service.IsKind(err, service.Invalid) {
		return UsageError{err}
	}
	if err != nil {
		return fmt.Errorf("make the first keys: %w", err)
	}
	if len(made) > 0 {
		fmt.Fprintf(cfg.Out, "Made the organization %q with two keys. They are shown this once; keep them safe.\n", service.DefaultOrg)
		for _, key := range made {
			fmt.Fprintf(cfg.Out, "  %-9s %s\n", key.Licence.Kind, key.Key)
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

// warnOfKeys tells of first keys that come too late to be taken.
func warnOfKeys(ctx context.Context, cfg Config, p *parts) {
	for name, key := range map[string]string{"INTRAY_BACKEND_KEY": cfg.BackendKey, "INTRAY_FRONTEND_KEY": cfg.FrontendKey} {
		if key == "" {
			continue
		}
		if _, err := p.service.Authenticate(ctx, key); err != nil {
			cfg.Log.Warn(name + " opens nothing: it is taken on an empty data folder only; make further keys with intray keys create")
		}
	}
}

// shutDown ends requests and runs side by side.
func shutDown(ctx context.Context, p *parts, servers *servers) error {
	ctx = context.WithoutCancel(ctx)
	settled := make(chan error, 1)
	go func() {
		settling, cancel := context.WithTimeout(ctx, settleFor)
		defer cancel()
		settled <- p.store.Queue().Stop(settling)
	}()
	err := servers.close(ctx)
	return errors.Join(err, <-settled, p.service.Leave(ctx))
}

// servers are the API and, where it is wanted, the metrics.
type servers struct {
	list      []*http.Server
	listeners []net.Listener
	scheme    string
}

func listen(cfg Config, handler, metrics http.Handler) (*servers, error) {
	s := &servers{scheme: "http"}
	var certificate *tls.Config
	if cfg.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("load the TLS certificate: %w", err)
		}
		s.scheme = "https"
		certificate = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	}
	if err := s.add(cfg.Listen, handler, certificate); err != nil {
		return nil, err
	}
	if cfg.MetricsListen == "" {
		return s, nil
	}
	if err := s.add(cfg.MetricsListen, metrics, nil); err != nil {
		return nil, errors.Join(err, s.listeners[0].Close())
	}
	return s, nil
}

func (s *servers) add(address string, handler http.Handler, certificate *tls.Config) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	if certificate != nil {
		listener = tls.NewListener(listener, certificate)
	}
	s.listeners = append(s.listeners, listener)
	// Bodies may take as long as they keep coming: the API watches their pace.
	s.list = append(s.list, &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	})
	return nil
}

func (s *servers) address() string { return s.scheme + "://" + s.listeners[0].Addr().String() }

// serve begins to serve; the channel tells of a server that failed.
func (s *servers) serve() <-chan error {
	failed := make(chan error, len(s.list))
	for i, server := range s.list {
		go func() {
			if err := server.Serve(s.listeners[i]); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve: %w", err)
			}
		}()
	}
	return failed
}

// close lets requests under way end, and cuts those off that do not.
func (s *servers) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	for _, server := range s.list {
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
	for _, listener := range s.listeners {
		_ = listener.Close() // those that no server had taken over yet
	}
	return nil
}

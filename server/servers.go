package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/intraydata/intray/server/httpapi"
)

// servers are the HTTP servers of the API and, if configured, of the metrics.
type servers struct {
	list      []*http.Server
	listeners []net.Listener
	scheme    string
	// log receives connection errors of the HTTP servers, and requests receives requests that no
	// handler sees.
	log      *log.Logger
	requests *slog.Logger
	// drain is the time limit for requests in progress when the servers close.
	drain time.Duration
}

// metricsConnections is the maximum number of concurrent metrics connections.
const metricsConnections = 16

func listen(cfg Config, handler http.Handler, measured *metrics) (*servers, error) {
	s := &servers{scheme: "http", drain: cfg.shutdownLimits().drain, log: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn), requests: cfg.Log}
	var certificate *tls.Config
	if cfg.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("load the TLS certificate: %w", err)
		}
		s.scheme = "https"
		certificate = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, CipherSuites: cipherSuites(), NextProtos: []string{"h2", "http/1.1"}}
	}
	clients := newConnectionTable(cfg.connectionLimits())
	measured.observeConnections(clients)
	if err := s.listenOn(cfg.Listen, handler, certificate, clients, measured.countClosed(cfg.Log)); err != nil {
		return nil, err
	}
	if cfg.MetricsListen == "" {
		return s, nil
	}
	scrapers := newConnectionTable(connectionLimits{total: metricsConnections, perAddress: metricsConnections, unknown: metricsConnections})
	if err := s.listenOn(cfg.MetricsListen, measured.handler(), nil, scrapers, func(surplusConnection) {}); err != nil {
		return nil, errors.Join(err, s.listeners[0].Close())
	}
	return s, nil
}

// cipherSuites returns the cipher suites for TLS 1.2: those with authenticated encryption and
// forward secrecy. All suites of TLS 1.3 have both.
func cipherSuites() []uint16 {
	return []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}
}

func (s *servers) listenOn(address string, handler http.Handler, certificate *tls.Config, table *connectionTable, closed func(surplusConnection)) error {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	tcp, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	tracking := &trackingListener{tcp, table, closed}
	var listener net.Listener = http1Listener{tracking, s.requests}
	if certificate != nil {
		listener = newTLSListener(tracking, certificate, s.requests, s.log)
	}
	s.listeners = append(s.listeners, listener)
	// There is no time limit for bodies, because the API enforces a minimum transfer rate.
	s.list = append(s.list, &http.Server{
		Handler: handleHTTP1(handler), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: httpapi.MaxHeaderSize, ErrorLog: s.log,
		ConnContext: withConnection, ConnState: trackState,
	})
	return nil
}

// address returns the URL of the API for this machine. all means that it is available at all addresses of
// the machine.
func (s *servers) address() (url string, all bool) {
	to := s.listeners[0].Addr().String()
	if tcp, ok := s.listeners[0].Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		// Clients cannot open http://[::]:8080.
		to, all = net.JoinHostPort("localhost", strconv.Itoa(tcp.Port)), true
	}
	return s.scheme + "://" + to, all
}

// onShutdown registers a function to be called when the servers begin to close.
func (s *servers) onShutdown(end func()) {
	for _, server := range s.list {
		server.RegisterOnShutdown(end)
	}
}

// serve starts the servers. The returned channel receives the error of a server that fails.
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

// close waits for requests in progress, and then closes their connections.
func (s *servers) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.drain)
	defer cancel()
	for _, server := range s.list {
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
	for _, listener := range s.listeners {
		_ = listener.Close() // listeners that no server uses yet
	}
	return nil
}

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
	"sync"
	"time"
)

// servers are the HTTP servers of the API and, if configured, of the metrics.
type servers struct {
	list      []*http.Server
	listeners []net.Listener
	scheme    string
	// log receives connection errors of the HTTP servers.
	log *log.Logger
	// drain is the time limit for requests in progress when the servers close.
	drain time.Duration
}

// metricsConnections is the maximum number of concurrent metrics connections.
const metricsConnections = 16

func listen(cfg Config, handler, metrics http.Handler) (*servers, error) {
	s := &servers{scheme: "http", drain: cfg.shutdownLimits().drain, log: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn)}
	var certificate *tls.Config
	if cfg.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("load the TLS certificate: %w", err)
		}
		s.scheme = "https"
		certificate = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	}
	if err := s.listenOn(cfg.Listen, handler, certificate, maxConnections(openFiles())); err != nil {
		return nil, err
	}
	if cfg.MetricsListen == "" {
		return s, nil
	}
	if err := s.listenOn(cfg.MetricsListen, metrics, nil, metricsConnections); err != nil {
		return nil, errors.Join(err, s.listeners[0].Close())
	}
	return s, nil
}

func (s *servers) listenOn(address string, handler http.Handler, certificate *tls.Config, most int) error {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	tcp, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	listener := limitConnections(tcp, most)
	if certificate != nil {
		listener = tls.NewListener(listener, certificate)
	}
	s.listeners = append(s.listeners, listener)
	// There is no time limit for bodies, because the API enforces a minimum transfer rate.
	s.list = append(s.list, &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: s.log,
	})
	return nil
}

func (s *servers) address() string { return s.scheme + "://" + s.listeners[0].Addr().String() }

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

const (
	// mostConnections is the maximum number of connections. It limits the memory of
	// idle connections.
	mostConnections = 4096
	// filesPerConnection is the number of file descriptors reserved per connection:
	// one for the connection, one for a file that it sends, and one for the stores.
	filesPerConnection = 3
)

// maxConnections returns the maximum number of connections for a process that may
// have the given number of open files. 0 means that this limit is unknown.
func maxConnections(files uint64) int {
	if files == 0 {
		return mostConnections
	}
	return int(max(1, min(mostConnections, files/filesPerConnection)))
}

// limitConnections limits the number of open connections of a listener. Further
// connections wait in the backlog of the operating system.
func limitConnections(listener *net.TCPListener, most int) net.Listener {
	return &limitedListener{TCPListener: listener, places: make(chan struct{}, most), closed: make(chan struct{})}
}

type limitedListener struct {
	*net.TCPListener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.AcceptTCP()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{TCPConn: conn, free: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.TCPListener.Close()
}

// limitedConn is still a TCP connection for net/http. If a body was not read, net/http closes
// only the write half of the connection, so that the client receives the response.
type limitedConn struct {
	*net.TCPConn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.TCPConn.Close()
}

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

// servers are the API and, where it is wanted, the metrics.
type servers struct {
	list      []*http.Server
	listeners []net.Listener
	scheme    string
	// log takes what the servers have to say of connections that go wrong.
	log *log.Logger
}

// metricsConnections is the most connections that may read metrics at once.
const metricsConnections = 16

func listen(cfg Config, handler, metrics http.Handler) (*servers, error) {
	s := &servers{scheme: "http", log: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn)}
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
	// Bodies may take as long as they keep coming: the API watches their pace.
	s.list = append(s.list, &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: s.log,
	})
	return nil
}

func (s *servers) address() string { return s.scheme + "://" + s.listeners[0].Addr().String() }

// onShutdown has end called when the servers begin to close.
func (s *servers) onShutdown(end func()) {
	for _, server := range s.list {
		server.RegisterOnShutdown(end)
	}
}

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

const (
	// mostConnections bounds the memory of idle connections.
	mostConnections = 4096
	// filesPerConnection leaves to each connection a file that it sends, and
	// as much again to the stores.
	filesPerConnection = 3
)

// maxConnections is how many connections may be open at once in a process that
// may have so many files open. 0 files means that the limit is not known.
func maxConnections(files uint64) int {
	if files == 0 {
		return mostConnections
	}
	return int(max(1, min(mostConnections, files/filesPerConnection)))
}

// limitConnections makes a listener accept no more than so many connections
// at once. Those beyond wait in the system's queue until others end.
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

// limitedConn stays a TCP connection to net/http, which closes one half of it
// so that an answer to a body that it did not read still arrives.
type limitedConn struct {
	*net.TCPConn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.TCPConn.Close()
}

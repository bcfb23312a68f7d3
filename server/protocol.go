package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray/server/httpapi"
)

// http1Connection is a connection for HTTP/1. It replaces the plain-text errors that net/http
// sends before it calls a handler.
type http1Connection struct {
	net.Conn
	log *slog.Logger
	// handled means that the response is that of a handler.
	handled atomic.Bool
}

// NetConn returns the connection below c.
func (c *http1Connection) NetConn() net.Conn { return c.Conn }

func (c *http1Connection) Write(p []byte) (int, error) {
	if c.handled.Load() {
		return c.Conn.Write(p)
	}
	replacement, id := httpapi.ReplaceProtocolError(p)
	if replacement == nil {
		return c.Conn.Write(p)
	}
	c.log.Debug("request is not valid HTTP", "request_id", id)
	_, err := c.Conn.Write(replacement)
	return len(p), err
}

// CloseWrite closes the write half of the connection.
func (c *http1Connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type http1Key struct{}

// handleHTTP1 records on the connection of a request that a handler responds. It also sets the
// TLS state of the request, which net/http sets only for a *tls.Conn.
//
// The connection closes after a chunked request. A proxy may have ended such a request at a
// Content-Length, which net/http ignores and deletes, and what follows would then be a request that
// the proxy has not seen (RFC 9112, section 6.1).
func handleHTTP1(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(http1Key{}).(*http1Connection); ok {
			c.handled.Store(true)
			if len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close")
			}
			if encrypted, ok := c.Conn.(*tls.Conn); ok {
				state := encrypted.ConnectionState()
				r.TLS = &state
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// http1Listener wraps its connections in an http1Connection.
type http1Listener struct {
	net.Listener
	log *slog.Logger
}

func (l http1Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &http1Connection{Conn: conn, log: l.log}, nil
}

// handshakeTimeout is the maximum duration of a TLS handshake.
const handshakeTimeout = 10 * time.Second

// tlsListener accepts connections and completes their TLS handshakes. A connection for HTTP/2 is
// a *tls.Conn, because net/http requires this type. Any other connection is an http1Connection.
type tlsListener struct {
	net.Listener
	config *tls.Config
	log    *slog.Logger
	// errors receives failed handshakes in the format of net/http.
	errors *log.Logger

	start    sync.Once
	accepted chan accepted
	closed   chan struct{}
	end      func()
}

type accepted struct {
	conn net.Conn
	err  error
}

func newTLSListener(listener net.Listener, config *tls.Config, logger *slog.Logger, errors *log.Logger) *tlsListener {
	closed := make(chan struct{})
	return &tlsListener{
		Listener: listener, config: config, log: logger, errors: errors, accepted: make(chan accepted),
		closed: closed, end: sync.OnceFunc(func() { close(closed) }),
	}
}

// Accept returns the next connection whose handshake is complete.
func (l *tlsListener) Accept() (net.Conn, error) {
	l.start.Do(func() { go l.acceptAll() })
	select {
	case a := <-l.accepted:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener and the connections whose handshakes are not complete.
func (l *tlsListener) Close() error {
	l.end()
	return l.Listener.Close()
}

func (l *tlsListener) acceptAll() {
	for !l.isClosed() {
		conn, err := l.Listener.Accept()
		if err == nil {
			go l.handshake(conn)
			continue
		}
		l.deliver(accepted{nil, err})
	}
}

func (l *tlsListener) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

func (l *tlsListener) deliver(a accepted) {
	select {
	case l.accepted <- a:
	case <-l.closed:
		if a.conn != nil {
			_ = a.conn.Close()
		}
	}
}

func (l *tlsListener) handshake(conn net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTimeout)
	defer cancel()
	go func() {
		select {
		case <-l.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	encrypted := tls.Server(conn, l.config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		l.refuse(conn, err)
		return
	}
	if encrypted.ConnectionState().NegotiatedProtocol == "h2" {
		l.deliver(accepted{encrypted, nil})
		return
	}
	l.deliver(accepted{&http1Connection{Conn: encrypted, log: l.log}, nil})
}

// refuse closes a connection whose handshake failed. If the client sent a request without TLS,
// it receives a response.
func (l *tlsListener) refuse(conn net.Conn, err error) {
	defer func() { _ = conn.Close() }()
	if l.isClosed() {
		return
	}
	l.errors.Printf("http: TLS handshake error from %s: %v", conn.RemoteAddr(), err)
	var header tls.RecordHeaderError
	if errors.As(err, &header) && header.Conn != nil && looksLikeHTTP(header.RecordHeader) {
		response, _ := httpapi.HTTPSRequired()
		_ = conn.SetWriteDeadline(time.Now().Add(handshakeTimeout))
		_, _ = conn.Write(response)
	}
}

// looksLikeHTTP reports whether a connection begins like a request without TLS.
func looksLikeHTTP(header [5]byte) bool {
	switch string(header[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET", "PATCH":
		return true
	}
	return false
}

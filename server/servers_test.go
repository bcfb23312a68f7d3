package server

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMaxConnections(t *testing.T) {
	for files, want := range map[uint64]int{0: 4096, 1: 1, 120: 40, 1024: 341, 1 << 20: 4096, 1<<64 - 1: 4096} {
		if got := maxConnections(files); got != want {
			t.Errorf("with %d files %d connections, want %d", files, got, want)
		}
	}
	if openFiles() < 64 {
		t.Errorf("this process may open %d files", openFiles())
	}
}

func TestLimitConnections(t *testing.T) {
	inner, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	l := limitConnections(inner, 2)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	var clients []net.Conn
	for range 3 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", inner.Addr().String())
		must(t, err)
		clients = append(clients, conn)
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Error("a third connection was accepted")
	case <-time.After(50 * time.Millisecond):
	}
	if _, ok := first.(interface{ CloseWrite() error }); !ok {
		t.Error("half of a connection cannot be closed")
	}
	must(t, first.Close())
	_ = first.Close() // the second call has no effect
	third := <-accepted
	select {
	case <-accepted:
		t.Error("closing a connection twice freed two slots")
	case <-time.After(10 * time.Millisecond):
	}
	must(t, l.Close())
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept ended with %v", err)
	}
	for _, conn := range append(clients, second, third) {
		_ = conn.Close()
	}
}

// TestServersLogConnectionErrors checks that messages from net/http are written to the log.
func TestServersLogConnectionErrors(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	cfg.TLSCert, cfg.TLSKey = certificate(t)
	s := serve(t, cfg)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "https://"))
	must(t, err)
	_, err = conn.Write([]byte("this is no TLS, as anybody can see\n"))
	must(t, err)
	s.awaitLog("level=WARN msg=\"http: TLS handshake error")
	must(t, conn.Close())
	must(t, s.end())
}

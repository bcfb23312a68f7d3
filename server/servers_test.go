package server

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

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

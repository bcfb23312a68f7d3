package server

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestNotifySystemd checks that systemd is notified when the service accepts connections and when it
// stops.
func TestNotifySystemd(t *testing.T) {
	for name, socket := range map[string]string{"path": filepath.Join(t.TempDir(), "notify"), "abstract": "@intray-test-" + filepath.Base(os.TempDir()) + t.Name()} {
		t.Run(name, func(t *testing.T) {
			systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
			must(t, err)
			defer func() { _ = systemd.Close() }()
			must(t, systemd.SetReadDeadline(time.Now().Add(30*time.Second)))
			read := func(want string) {
				t.Helper()
				message := make([]byte, 100)
				n, err := systemd.Read(message)
				must(t, err)
				if got := string(message[:n]); got != want {
					t.Errorf("systemd received %q, want %q", got, want)
				}
			}
			cfg := good()
			cfg.Data, cfg.Listen, cfg.NotifySocket = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", socket
			s := serve(t, cfg)
			read("READY=1")
			if err := s.end(); err != nil {
				t.Error(err)
			}
			read("STOPPING=1")
		})
	}
}

func TestNotifySystemdLogsErrors(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen, cfg.NotifySocket = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", filepath.Join(t.TempDir(), "missing")
	s := serve(t, cfg)
	s.awaitLog("systemd not notified")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

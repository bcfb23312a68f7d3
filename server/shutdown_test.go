package server

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// serveVariable is the environment variable that makes this test binary run the
// server. Its value is the data folder.
const serveVariable = "INTRAY_TEST_SERVE"

// serveAlone is the main function of the process that startAlone starts.
func serveAlone() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := good()
	cfg.Data, cfg.Listen, cfg.DatabaseURL = os.Getenv(serveVariable), "127.0.0.1:0", os.Getenv(serveVariable+"_DATABASE")
	cfg.shutdown = shutdownLimits{drain: 400 * time.Millisecond, settle: 400 * time.Millisecond, grace: 300 * time.Millisecond, leave: 100 * time.Millisecond, close: 100 * time.Millisecond}
	cfg.Out, cfg.Log = os.Stdout, slog.New(slog.DiscardHandler)
	if err := Serve(ctx, cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startAlone starts a service in another process and waits until it serves. A separate process
// is needed because a service that gives up on its database leaves goroutines that end only
// with the process.
func startAlone(t *testing.T, folder, database string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	command := exec.Command(self)
	command.Env = append(os.Environ(), serveVariable+"="+folder, serveVariable+"_DATABASE="+database, "GORACE=atexit_sleep_ms=0")
	var output bytes.Buffer
	command.Stderr = &output
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Intray listens on ") {
			return command, &output
		}
	}
	t.Fatal("the service did not start")
	return nil, nil
}

// TestShutdownWithoutDatabase checks that a service ends in time if its database
// does not respond.
func TestShutdownWithoutDatabase(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		address, err := url.Parse(livetest.Postgres(t))
		must(t, err)
		line := newLine(t, address.Host)
		address.Host = line.Addr().String()
		command, output := startAlone(t, filepath.Join(t.TempDir(), "data"), address.String())
		line.silence()
		endsInTime(t, command, output)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		folder := filepath.Join(t.TempDir(), "data")
		command, output := startAlone(t, folder, "")
		db, err := sql.Open("sqlite", filepath.Join(folder, "intray.db")+"?_txlock=immediate&_pragma=busy_timeout(30000)")
		must(t, err)
		defer db.Close()
		tx, err := db.BeginTx(t.Context(), nil)
		must(t, err)
		defer func() { _ = tx.Rollback() }()
		endsInTime(t, command, output)
	})
}

// endsInTime checks that a terminated process gives up on its database and ends.
func endsInTime(t *testing.T, command *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	must(t, command.Process.Signal(syscall.SIGTERM))
	_ = command.Wait()
	if status := command.ProcessState.ExitCode(); status != 1 || !strings.Contains(output.String(), "record the end of this process") {
		t.Errorf("exit status %d and output %q, want 1 and that the end was not recorded", status, output)
	}
}

// TestShutdownLimits checks that the phases of a shutdown end at least half a second before the
// service must end.
func TestShutdownLimits(t *testing.T) {
	limits := defaultShutdown
	if most := max(limits.drain, limits.settle) + limits.grace + limits.leave + limits.close; most > 9500*time.Millisecond {
		t.Errorf("a shutdown takes up to %s", most)
	}
	if cfg := (Config{shutdown: shutdownLimits{drain: 1}}); cfg.shutdownLimits() != cfg.shutdown {
		t.Errorf("the limits are %+v", cfg.shutdownLimits())
	}
}

func TestWithin(t *testing.T) {
	if err := callWithin(time.Minute, "do it", func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := callWithin(time.Minute, "do it", func() error { return errTest }); !errors.Is(err, errTest) || !strings.Contains(err.Error(), "do it") {
		t.Errorf("error %v", err)
	}
	held := make(chan struct{})
	defer close(held)
	if err := callWithin(time.Millisecond, "do it", func() error { <-held; return nil }); err == nil || !strings.Contains(err.Error(), "do it: no response") {
		t.Errorf("error %v", err)
	}
}

// line forwards bytes between its clients and an address until it is silenced.
// Silencing it does not close the connections.
type line struct {
	net.Listener
	mu     sync.Mutex
	silent bool
	conns  []net.Conn
	work   sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &line{Listener: inner}
	l.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				t.Error(err)
				return
			}
			l.work.Go(func() { l.pass(conn, far) })
			l.work.Go(func() { l.pass(far, conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		l.mu.Lock()
		for _, conn := range l.conns {
			_ = conn.Close()
		}
		l.mu.Unlock()
		l.work.Wait()
	})
	return l
}

func (l *line) silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
}

// pass forwards bytes until one side closes its connection.
func (l *line) pass(from, to net.Conn) {
	l.mu.Lock()
	l.conns = append(l.conns, from)
	l.mu.Unlock()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		l.mu.Lock()
		silent := l.silent
		l.mu.Unlock()
		if silent {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

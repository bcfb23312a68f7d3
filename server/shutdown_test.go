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

// serveVariable makes this test binary a service, which keeps everything in the
// folder that the variable names.
const serveVariable = "INTRAY_TEST_SERVE"

// serveAlone is the process that startAlone starts.
func serveAlone() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := good()
	cfg.Data, cfg.Listen, cfg.DatabaseURL = os.Getenv(serveVariable), "127.0.0.1:0", os.Getenv(serveVariable+"_DATABASE")
	cfg.Out, cfg.Log = os.Stdout, slog.New(slog.DiscardHandler)
	if err := Serve(ctx, cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startAlone starts a service in a process of its own and waits until it
// serves: one that gives its database up leaves work behind, which ends with
// the process only.
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
	t.Fatal("the service does not come up")
	return nil, nil
}

// TestShutdownWithoutDatabase ends a service whose database has stopped to
// answer, and does not refuse either.
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

func endsInTime(t *testing.T, command *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	began := time.Now()
	must(t, command.Process.Signal(syscall.SIGTERM))
	_ = command.Wait()
	if took := time.Since(began); took > 9500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if status := command.ProcessState.ExitCode(); status != 1 || !strings.Contains(output.String(), "tell the database that this process ends") {
		t.Errorf("exit status %d, told %q, want that the database did not hear of the end", status, output)
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
	if err := callWithin(time.Millisecond, "do it", func() error { <-held; return nil }); err == nil || !strings.Contains(err.Error(), "do it: no answer") {
		t.Errorf("error %v", err)
	}
}

// line passes bytes on between its callers and an address, until it falls
// silent without hanging up.
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

// pass ends when a side hangs up, or when the test does.
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

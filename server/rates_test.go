package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// TestRatesOfProcesses checks that limits per minute apply to all processes of a database together.
func TestRatesOfProcesses(t *testing.T) {
	t.Parallel()
	const creates, failures, processes = 40, 20, 2
	database, blobs, addresses := livetest.Postgres(t), t.TempDir(), [processes]string{}
	for n := range processes {
		cfg := good()
		cfg.Data, cfg.DatabaseURL, cfg.MasterKey, cfg.Log = filepath.Join(t.TempDir(), "data"), database, base64.StdEncoding.EncodeToString(make([]byte, 32)), slog.New(slog.DiscardHandler)
		cfg.RateCreate, cfg.RateAuthFailures, cfg.BackendKey = creates, failures, livetest.BackendKey
		if err := errors.Join(os.Mkdir(cfg.Data, 0o700), os.Symlink(blobs, cfg.blobDir())); err != nil {
			t.Fatal(err)
		}
		addresses[n] = serveUntilEnd(t, cfg)
	}
	send := func(process int, key string) int {
		body := `{"fields":[{"key":"a","label":"A"}]}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, addresses[process]+"/api/v1/headless/imports/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Service-License-Key", key)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode
	}
	// check sends requests to the processes in turn, and checks how many have the given status. If a
	// minute ends meanwhile, the limit applies twice.
	check := func(key string, status, limit int) {
		t.Helper()
		minute, statuses := time.Now().Truncate(time.Minute), map[int]int{}
		for i := range 3 * limit {
			statuses[send(i%processes, key)]++
		}
		most := limit
		if !time.Now().Truncate(time.Minute).Equal(minute) {
			most = 2 * limit
		}
		if n := statuses[status]; n < limit || n > most || n+statuses[http.StatusTooManyRequests] != 3*limit {
			t.Errorf("%d requests have the statuses %v, want %d to %d × %d, otherwise 429", 3*limit, statuses, limit, most, status)
		}
	}
	check(livetest.BackendKey, http.StatusCreated, creates)
	check("bk_wrong", http.StatusUnauthorized, failures)
}

// serveUntilEnd starts a service that runs until the end of the test, and returns its URL.
func serveUntilEnd(t *testing.T, cfg Config) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	serving, ended := make(chan string, 1), make(chan error, 1)
	cfg.Listen, cfg.Out, cfg.Serving = "127.0.0.1:0", io.Discard, func(address string) { serving <- address }
	go func() { ended <- Serve(ctx, cfg) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-serving:
		return address
	case err := <-ended:
		ended <- nil
		t.Fatal(fmt.Errorf("the service ended: %w", err))
		return ""
	}
}

package torture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// The limits of TestLoad for the slowest 1 % of the calls, on a quiet machine with 2 cores.
const (
	loadCreateLimit = 2 * time.Second
	loadHealthLimit = 100 * time.Millisecond
)

// TestLoad sends 200 files of 20 MB at the same time, and 2,000 creations of imports. No status
// may be 500. Each refusal must be a 503 with Retry-After, and each accepted file must become an
// import with all its rows. It logs how long the calls took. The limits are checked only if
// INTRAY_TORTURE=full, which needs a quiet machine.
func TestLoad(t *testing.T) {
	databases(t, func(t *testing.T, args []string) {
		uploads, creates := share(200), share(2000)
		server := livetest.Start(t, livetest.Config{Args: args})
		l := &load{t: t, server: server, random: seeded(t), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: uploads}}}
		rows := largeRows()
		ids, addresses := make([]string, uploads), make([]string, uploads)
		for i := range uploads {
			ids[i], addresses[i] = server.CreateImport(t, map[string]any{"fields": loadFields, "original_filename": "large.csv"})
		}
		probing, stop := context.WithCancel(t.Context())
		var probe, group sync.WaitGroup
		probe.Go(func() { l.probeHealth(probing) })
		began := time.Now()
		for i := range uploads {
			group.Go(func() {
				l.untilAccepted("upload", http.StatusOK, func() *http.Request { return largeUpload(t, server, addresses[i], i, rows) })
			})
		}
		for client := range 20 {
			group.Go(func() {
				for range creates / 20 {
					l.untilAccepted("create", http.StatusCreated, func() *http.Request {
						return server.Request(t, "POST", "/api/v1/headless/imports/", map[string]any{"fields": loadFields, "original_filename": fmt.Sprintf("%d.csv", client)})
					})
				}
			})
		}
		group.Wait()
		took := time.Since(began)
		stop()
		probe.Wait()
		t.Logf("%d uploads and %d creations took %.1f s, peak memory %d MiB; load of the machine: %s", uploads, creates, took.Seconds(), server.PeakMemory()>>20, machineLoad())
		l.report("upload")
		create, health := l.report("create"), l.report("health")
		if os.Getenv("INTRAY_TORTURE") == "full" && (create > loadCreateLimit || health > loadHealthLimit) {
			t.Errorf("p99 of a creation is %s, want at most %s; of /healthz %s, want at most %s", create, loadCreateLimit, health, loadHealthLimit)
		}
		if t.Failed() {
			return
		}
		for i, id := range ids {
			if got := server.AwaitImport(t, id); got.String("status") != "SUCCESSFUL" {
				t.Fatalf("import %d: %s", i, got.Body)
			}
			checkLargeResult(t, server, id, i, rows)
		}
		for line := range strings.Lines(server.Stderr()) {
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"level":"WARN"`) {
				t.Errorf("the server logged a problem: %.2000s", line)
			}
		}
	})
}

var loadFields = []any{
	map[string]any{"key": "name", "label": "Name"},
	map[string]any{"key": "note", "label": "Note"},
}

// largeRows returns 20 MB of rows.
func largeRows() []byte {
	var b bytes.Buffer
	note := strings.Repeat("a note of some length ", 8)
	for row := 0; b.Len() < 20_000_000; row++ {
		fmt.Fprintf(&b, "row %d,%s%d\n", row, note, row)
	}
	return b.Bytes()
}

// firstRows returns the header and the first row of a large file. Only they differ between files.
func firstRows(number int) string { return fmt.Sprintf("name,note\nfile %d,first\n", number) }

func largeUpload(t *testing.T, server *livetest.Server, address string, number int, rows []byte) *http.Request {
	head := firstRows(number)
	request := server.Request(t, "PUT", address, io.MultiReader(strings.NewReader(head), bytes.NewReader(rows)), "X-Service-License-Key", "", "Content-Type", "text/csv")
	request.ContentLength = int64(len(head) + len(rows))
	return request
}

// checkLargeResult checks that the result has exactly the rows of the file.
func checkLargeResult(t *testing.T, server *livetest.Server, id string, number int, rows []byte) {
	t.Helper()
	address := server.Call(t, "GET", "/api/v1/headless/imports/"+id+"/url/?format=csv", nil).WantStatus(http.StatusOK).String("presigned_url")
	got := server.Call(t, "GET", address, nil, "X-Service-License-Key", "").WantStatus(http.StatusOK).Body
	got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
	if rest, ok := bytes.CutPrefix(got, []byte(firstRows(number))); !ok || !bytes.Equal(rest, rows) {
		t.Fatalf("the result of import %d has %d bytes and begins with %.100q", number, len(got), got)
	}
}

// load sends calls and measures them.
type load struct {
	t      *testing.T
	server *livetest.Server
	client *http.Client

	mu     sync.Mutex
	random *rand.Rand
	took   map[string][]time.Duration
	busy   map[string]int
}

// untilAccepted repeats a call until its status is the wanted one. It measures each accepted call.
// Any other status must be 503 with Retry-After.
func (l *load) untilAccepted(kind string, want int, request func() *http.Request) {
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); {
		began := time.Now()
		reply, err := l.client.Do(request())
		if err != nil {
			l.t.Errorf("%s: %v", kind, err)
			return
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil {
			l.t.Errorf("%s: %v", kind, err)
			return
		}
		took := time.Since(began)
		if reply.StatusCode == want {
			l.record(kind, took)
			return
		}
		after, err := strconv.Atoi(reply.Header.Get("Retry-After"))
		if reply.StatusCode != http.StatusServiceUnavailable || err != nil {
			l.t.Errorf("%s: status %d, Retry-After %q after %s: %s", kind, reply.StatusCode, reply.Header.Get("Retry-After"), took, text)
			return
		}
		time.Sleep(l.countBusy(kind, after))
	}
	l.t.Errorf("%s: not accepted within 10 minutes", kind)
}

func (l *load) record(kind string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.took == nil {
		l.took = map[string][]time.Duration{}
	}
	l.took[kind] = append(l.took[kind], took)
}

// countBusy counts a refusal. It returns how long to wait: the time in Retry-After, in seconds,
// and up to half of it in addition, so that the clients do not come back all at once.
func (l *load) countBusy(kind string, after int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy = map[string]int{}
	}
	l.busy[kind]++
	wait := time.Duration(after) * time.Second
	return wait + time.Duration(l.random.Float64()*float64(wait)/2)
}

// probeHealth calls /healthz every 20 ms on a new connection, as load balancers do. It does not
// wait for the response before the next call, so that slow responses are not underrepresented.
func (l *load) probeHealth(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		calls.Go(func() {
			began := time.Now()
			reply, err := client.Get(l.server.URL + "/healthz")
			if err != nil {
				l.t.Errorf("/healthz: %v", err)
				return
			}
			_ = reply.Body.Close()
			if reply.StatusCode != http.StatusOK {
				l.t.Errorf("/healthz: status %d", reply.StatusCode)
			}
			l.record("health", time.Since(began))
		})
	}
}

// report logs how long the calls of a kind took. It returns the 99th percentile.
func (l *load) report(kind string) time.Duration {
	list := l.took[kind]
	if len(list) == 0 {
		l.t.Errorf("no call of the kind %s was accepted", kind)
		return 0
	}
	slices.Sort(list)
	at := func(share float64) time.Duration { return list[int(share*float64(len(list)-1))] }
	l.t.Logf("%s: %d accepted, %d refused; p50 %s, p95 %s, p99 %s, longest %s", kind, len(list), l.busy[kind],
		at(0.5).Round(time.Millisecond), at(0.95).Round(time.Millisecond), at(0.99).Round(time.Millisecond), at(1).Round(time.Millisecond))
	return at(0.99)
}

// machineLoad returns the load averages of the machine, if it is known.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

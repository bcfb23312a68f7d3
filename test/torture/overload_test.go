package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

const (
	// overloadRows is the number of rows of each import of TestOverload.
	overloadRows = 100
	// overloadClients is the number of clients that measure the capacity. The throughput with more of
	// them is not higher.
	overloadClients = 16
	// overloadFactor is the offered load, divided by the capacity.
	overloadFactor = 4
	// overloadPoll is how often a client retrieves an import while the capacity is measured.
	overloadPoll = 25 * time.Millisecond
)

// The limits of TestOverload.
const (
	// overloadSlowdown is the maximum 99th percentile of accepted calls, divided by that at capacity.
	overloadSlowdown = 3
	// overloadMemoryRatio and overloadMemoryMargin limit the peak memory in the second half of the
	// overload, compared with the first half. Longer overload must not need more memory.
	overloadMemoryRatio  = 1.25
	overloadMemoryMargin = 32 << 20
)

// overloadKinds are the kinds of calls whose durations are compared.
var overloadKinds = []string{"create", "upload", "retrieve"}

// TestOverload offers four times as many imports as the server can complete, from four organizations.
// Each response must be a success, 429 or 503. The memory must not grow with the length of the
// overload. Afterwards, the server must accept an import at once, and complete all accepted imports
// with the right result.
//
// The capacity is the number of imports that 16 clients complete per second, each of which waits for
// its import before it creates the next one. During the overload, clients arrive at a constant rate,
// however slow the responses are. A client gives up when it is refused. The durations of accepted calls
// are compared with those at capacity. The test always prints the ratios, but checks them and /healthz
// only if INTRAY_TORTURE=full, which needs a quiet machine: 99 % of the calls must take at most three
// times as long, and 99 % of those of /healthz at most 100 ms.
func TestOverload(t *testing.T) {
	databases(t, func(t *testing.T, args []string) {
		server := livetest.Start(t, livetest.Config{Args: args})
		o := newOverload(t, server, args)
		length := time.Duration(share(30)) * time.Second
		o.measureCapacity(time.Second) // caches fill
		capacity := o.measureCapacity(length)
		atCapacity, baseline := server.PeakMemory(), o.percentiles()
		t.Logf("capacity: %.1f imports per second; load of the machine: %s", capacity, machineLoad())
		o.reset()

		stopProbe := o.startProbe()
		memory := o.sampleMemory(length)
		o.offer(overloadFactor*capacity, length)
		first, second := memory()
		stopProbe()
		t.Logf("overload: %.1f clients per second for %s; refused: %v; failed calls: %d; peak memory %d MiB at capacity, then %d MiB and %d MiB in the two halves",
			overloadFactor*capacity, length, o.refused, o.failures.Load(), atCapacity>>20, first>>20, second>>20)
		o.checkDurations(baseline)
		if limit := int64(overloadMemoryRatio*float64(first)) + overloadMemoryMargin; second > limit {
			t.Errorf("the peak memory grows during the overload, from %d MiB to %d MiB; want at most %d MiB", first>>20, second>>20, limit>>20)
		}
		o.checkRecovery()
		o.checkResults()
	})
}

// overload is the load of TestOverload. The embedded load holds the durations of accepted calls.
type overload struct {
	*load
	keys   []string
	schema []byte
	// next is the number of the next file.
	next atomic.Int64
	// failures is the number of calls that were neither accepted nor refused properly.
	failures atomic.Int64

	// The mutex of load protects these fields.
	// refused counts refused calls by status.
	refused map[int]int
	// sent are the imports whose file was accepted, with the number of the file.
	sent map[int]sent
}

func newOverload(t *testing.T, server *livetest.Server, args []string) *overload {
	t.Helper()
	body, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	o := &overload{
		load:   &load{t: t, server: server, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4096}, Timeout: 2 * time.Minute}},
		keys:   []string{livetest.BackendKey},
		schema: body, sent: map[int]sent{},
	}
	for n := range 3 {
		o.keys = append(o.keys, newOrg(t, server, fmt.Sprint("organization ", n), args...))
	}
	o.reset()
	return o
}

// reset discards all durations and numbers of refused calls.
func (o *overload) reset() { o.took, o.busy, o.refused = nil, map[string]int{}, map[int]int{} }

// call sends a request. It returns the body of the response, or nil if the request was refused. A
// refusal must be 429 or 503 with Retry-After.
func (o *overload) call(kind string, want int, request *http.Request) []byte {
	began := time.Now()
	reply, err := o.client.Do(request)
	if err != nil {
		o.countFailure("%s: %v", kind, err)
		return nil
	}
	body, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if err != nil {
		o.countFailure("%s: %v", kind, err)
		return nil
	}
	if reply.StatusCode == want {
		o.record(kind, time.Since(began))
		return body
	}
	after, err := strconv.Atoi(reply.Header.Get("Retry-After"))
	if err != nil || after < 1 || reply.StatusCode != http.StatusServiceUnavailable && reply.StatusCode != http.StatusTooManyRequests {
		o.countFailure("%s: status %d, Retry-After %q: %s", kind, reply.StatusCode, reply.Header.Get("Retry-After"), body)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy[kind]++
	o.refused[reply.StatusCode]++
	return nil
}

// countFailure fails the test because of a call. It logs the first few failures only.
func (o *overload) countFailure(format string, args ...any) {
	if o.failures.Add(1) <= 5 {
		o.t.Errorf(format, args...)
	}
	o.t.Fail()
}

// startImport creates an import and uploads its file. It reports whether both calls were accepted.
func (o *overload) startImport() (started sent, ok bool) {
	number := int(o.next.Add(1))
	key := o.keys[number%len(o.keys)]
	made := o.call("create", http.StatusCreated, o.server.Request(o.t, "POST", "/api/v1/headless/imports/", o.schema, "X-Service-License-Key", key))
	if made == nil {
		return sent{}, false
	}
	var imp struct{ ID, Upload string }
	if err := json.Unmarshal(made, &imp); err != nil {
		o.t.Error(err)
		return sent{}, false
	}
	file := o.server.Request(o.t, "PUT", imp.Upload, table(number, overloadRows), "X-Service-License-Key", "", "Content-Type", "text/csv")
	if o.call("upload", http.StatusOK, file) == nil {
		return sent{}, false
	}
	started = sent{name: fmt.Sprint("import ", number), id: imp.ID, key: key}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent[number] = started
	return started, true
}

// status retrieves an import. It returns "" if the call was refused.
func (o *overload) status(one sent) string {
	body := o.call("retrieve", http.StatusOK, o.server.Request(o.t, "GET", "/api/v1/headless/imports/"+one.id+"/", nil, "X-Service-License-Key", one.key))
	var imp struct{ Status string }
	if body != nil {
		if err := json.Unmarshal(body, &imp); err != nil {
			o.t.Error(err)
		}
	}
	return imp.Status
}

// measureCapacity returns the number of imports that end per second. On a busy machine, the server may
// refuse some of the calls. The client then tries again.
func (o *overload) measureCapacity(length time.Duration) float64 {
	o.reset()
	var clients sync.WaitGroup
	var ended atomic.Int64
	began := time.Now()
	for range overloadClients {
		clients.Go(func() {
			for time.Since(began) < length && !o.t.Failed() {
				one, ok := o.startImport()
				if !ok {
					time.Sleep(overloadPoll)
					continue
				}
				for o.status(one) != "SUCCESSFUL" && !o.t.Failed() {
					time.Sleep(overloadPoll)
				}
				ended.Add(1)
			}
		})
	}
	clients.Wait()
	if os.Getenv("INTRAY_TORTURE") == "full" && len(o.refused) > 0 {
		o.t.Errorf("calls were refused although the server was not overloaded: %v", o.refused)
	}
	return float64(ended.Load()) / time.Since(began).Seconds()
}

// offer sends a number of imports per second. Each client creates an import, uploads its file and
// retrieves the import once, unless a call is refused.
func (o *overload) offer(perSecond float64, length time.Duration) {
	var clients sync.WaitGroup
	defer clients.Wait()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	began, arrived := time.Now(), 0
	for ; time.Since(began) < length; <-ticker.C {
		for ; float64(arrived) < perSecond*time.Since(began).Seconds(); arrived++ {
			clients.Go(func() {
				if one, ok := o.startImport(); ok {
					o.status(one)
				}
			})
		}
	}
}

// startProbe calls /healthz until the returned function is called.
func (o *overload) startProbe() (stop func()) {
	probing, cancel := context.WithCancel(o.t.Context())
	var probe sync.WaitGroup
	probe.Go(func() { o.probeHealth(probing) })
	return func() {
		cancel()
		probe.Wait()
	}
}

// sampleMemory samples the memory of the server. The returned function returns the peaks of the
// samples before and after half of the given time, in bytes.
func (o *overload) sampleMemory(length time.Duration) (stop func() (first, second int64)) {
	var first, second int64
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for began := time.Now(); ; {
			peak := &first
			if time.Since(began) > length/2 {
				peak = &second
			}
			*peak = max(*peak, o.server.Memory())
			select {
			case <-end:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() (int64, int64) {
		close(end)
		<-ended
		return first, second
	}
}

// percentiles returns the 99th percentile of each kind of call.
func (o *overload) percentiles() map[string]time.Duration {
	list := map[string]time.Duration{}
	for _, kind := range overloadKinds {
		list[kind] = o.report(kind)
	}
	return list
}

// checkDurations compares the 99th percentiles of accepted calls with those at capacity.
func (o *overload) checkDurations(baseline map[string]time.Duration) {
	full := os.Getenv("INTRAY_TORTURE") == "full"
	now := o.percentiles()
	for _, kind := range overloadKinds {
		ratio := now[kind].Seconds() / baseline[kind].Seconds()
		o.t.Logf("%s: p99 is %.2f times that at capacity", kind, ratio)
		if full && ratio > overloadSlowdown {
			o.t.Errorf("p99 of %s is %.2f times that at capacity, want at most %d", kind, ratio, overloadSlowdown)
		}
	}
	health := o.report("health")
	o.t.Logf("health: p99 is %.2f times its limit of %s", health.Seconds()/loadHealthLimit.Seconds(), loadHealthLimit)
	if full && health > loadHealthLimit {
		o.t.Errorf("p99 of /healthz is %s, want at most %s", health, loadHealthLimit)
	}
}

// checkRecovery checks that the server accepts an import at once after the overload.
func (o *overload) checkRecovery() {
	began := time.Now()
	o.reset()
	if _, ok := o.startImport(); !ok {
		o.t.Errorf("after the overload, an import was refused: %v", o.refused)
	}
	o.t.Logf("after the overload, an import was created and its file received in %s", time.Since(began).Round(time.Millisecond))
}

// checkResults waits for all imports whose file was accepted, and checks their results.
func (o *overload) checkResults() {
	o.t.Helper()
	began := time.Now()
	for number, one := range o.sent {
		if got := one.end(o.t, o.server); got.String("status") != "SUCCESSFUL" {
			o.t.Fatalf("%s: %s", one.name, got.Body)
		}
		address := o.server.Call(o.t, "GET", "/api/v1/headless/imports/"+one.id+"/url/", nil, "X-Service-License-Key", one.key).WantStatus(http.StatusOK).String("presigned_url")
		checkRows(o.t, o.server.Call(o.t, "GET", address, nil).WantStatus(http.StatusOK).Body, number, overloadRows)
	}
	o.t.Logf("%d imports were accepted; checking all results took %s", len(o.sent), time.Since(began).Round(time.Millisecond))
}

package httpapi

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/imports"
)

// minutes is a clock that is set by the test.
type minutes struct{ now time.Time }

func (m *minutes) Now() time.Time { return m.now }

func newMinutes() *minutes { return &minutes{time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)} }

// take attempts n events and returns how many are allowed.
func take(l *rateLimiter, key string, n int) (passed int) {
	for range n {
		if _, err := l.allow(context.Background(), key); err == nil {
			passed++
		}
	}
	return passed
}

func TestLimiter(t *testing.T) {
	clock := newMinutes()
	l := newRateLimiter("test", 3, clock.Now, nil)
	for _, step := range []struct {
		name string
		wait time.Duration
		key  string
		want int
	}{
		{"the first minute", 0, "a", 3},
		{"another key", 0, "b", 3},
		{"the end of the minute", time.Minute - time.Nanosecond, "a", 0},
		{"the next minute", time.Nanosecond, "a", 3},
		{"much later", time.Hour, "a", 3},
		{"a clock that was set back", -30 * time.Minute, "a", 3},
		{"and goes on from there", time.Minute, "a", 3},
	} {
		clock.now = clock.now.Add(step.wait)
		if got := take(l, step.key, 5); got != step.want {
			t.Errorf("%s: %d of 5 passed, want %d", step.name, got, step.want)
		}
	}
}

func TestLimiterSaysWhenToComeAgain(t *testing.T) {
	clock := newMinutes()
	l := newRateLimiter("test", 1, clock.Now, nil)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{{0, "60"}, {100 * time.Millisecond, "60"}, {time.Second, "59"}, {time.Minute - time.Nanosecond, "1"}} {
		clock.now = newMinutes().now.Add(c.at)
		take(l, "a", 1)
		var e *apiError
		if _, err := l.allow(t.Context(), "a"); !errors.As(err, &e) || e.status != http.StatusTooManyRequests {
			t.Fatalf("error %v, want 429", err)
		}
		header := http.Header{}
		e.setHeaders(header)
		if got := header.Get("Retry-After"); got != c.want {
			t.Errorf("%v into the minute: Retry-After %q, want %q", c.at, got, c.want)
		}
		wait, err := strconv.Atoi(c.want)
		if err != nil {
			t.Fatal(err)
		}
		clock.now = clock.now.Add(time.Duration(wait) * time.Second)
		if take(l, "a", 1) == 0 {
			t.Errorf("refused after the time in Retry-After")
		}
		l.window = time.Time{}
	}
}

func TestLimiterGivesBack(t *testing.T) {
	clock := newMinutes()
	l := newRateLimiter("test", 2, clock.Now, nil)
	l.refund("a", l.window) // nothing to refund
	window, err := l.allow(t.Context(), "a")
	take(l, "a", 1)
	l.refund("a", window)
	if got := take(l, "a", 2); got != 1 || err != nil {
		t.Errorf("%d passed after a refund, want 1; error %v", got, err)
	}
	clock.now = clock.now.Add(time.Minute)
	take(l, "a", 2)
	l.refund("a", window)
	if got := take(l, "a", 1); got != 0 {
		t.Error("an event of the previous minute was refunded")
	}
}

func TestNoLimit(t *testing.T) {
	for _, n := range []int{0, -1} {
		if got := take(newRateLimiter("test", n, newMinutes().Now, nil), "a", 1000); got != 1000 {
			t.Errorf("a limit of %d lets %d of 1000 pass", n, got)
		}
	}
}

// TestLimiterOfProcesses checks that a limit applies to several processes together, and that they
// rarely ask for more.
func TestLimiterOfProcesses(t *testing.T) {
	for _, limit := range []int{1, 3, 100, 1000} {
		counts, queries := map[string]int64{}, 0
		count := func(_ context.Context, name string, minute time.Time, n int64) (int64, error) {
			queries++
			counts[name+minute.String()] += n
			return counts[name+minute.String()], nil
		}
		clock := newMinutes()
		processes := []*rateLimiter{}
		for range 3 {
			processes = append(processes, newRateLimiter("test", limit, clock.Now, count))
		}
		passed := 0
		for range limit {
			for _, p := range processes {
				passed += take(p, "a", 1)
			}
		}
		if passed != limit {
			t.Errorf("limit %d: %d of %d events passed", limit, passed, 3*limit)
		}
		if most := 3 * (2 + reservedShare*bits.Len(uint(limit))); queries > most {
			t.Errorf("limit %d: %d queries, want at most %d", limit, queries, most)
		}
		if take(processes[0], "b", 1) != 1 {
			t.Errorf("limit %d: an event of another key was refused", limit)
		}
		clock.now = clock.now.Add(time.Minute)
		// What others have reserved is lost, but they reserve no more than a share.
		take(processes[1], "a", 1)
		take(processes[2], "a", 1)
		if got, least := take(processes[0], "a", limit+1), limit-2-2*limit/reservedShare; got < least || got > limit {
			t.Errorf("limit %d: %d events passed in one process, want at least %d", limit, got, least)
		}
	}
}

func TestLimiterWithoutDatabase(t *testing.T) {
	failure := errors.New("no database")
	l := newRateLimiter("test", 5, newMinutes().Now, func(context.Context, string, time.Time, int64) (int64, error) { return 0, failure })
	if _, err := l.allow(t.Context(), "a"); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
}

func TestLimiterAtOnce(t *testing.T) {
	l := newRateLimiter("test", 50, newMinutes().Now, nil)
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { passed.Add(int64(take(l, "a", 20))) })
	}
	group.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d of 160 passed, want 50", passed.Load())
	}
}

func TestMemoryIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemoryLimiter()
		var have, most atomic.Int64
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				giveBack, err := m.acquire(t.Context(), maxMemory/4)
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), have.Add(1)))
				time.Sleep(time.Second) // on the clock of synctest
				have.Add(-1)
				giveBack()
			})
		}
		group.Wait()
		if most.Load() != 4 {
			t.Errorf("%d calls had a quarter each at once, want 4", most.Load())
		}
		giveBack, err := m.acquire(t.Context(), 2*maxMemory) // more than the maximum
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var e *apiError
		if _, err := m.acquire(t.Context(), 1); !errors.As(err, &e) || e.status != 503 || e.code != "busy" || time.Since(began) != memoryWait {
			t.Errorf("without room: %v after %v", err, time.Since(began))
		}
		if giveNothing, err := m.acquire(t.Context(), 0); err != nil {
			t.Errorf("no share: %v", err)
		} else {
			giveNothing()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.acquire(gone, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who is gone: %v", err)
		}
		giveBack()
	})
}

// TestMemoryEstimatorIsABound checks that decoding bodies that need a lot of memory does not
// need more than the estimate.
func TestMemoryEstimatorIsABound(t *testing.T) {
	for name, one := range map[string]string{
		"empty arrays": "[]", "empty objects": "{}", "small objects": `{"":0}`, "nested": `[[[[]]]]`, "numbers": "0", "texts": `""`,
		"objects": `{"key":"k","label":"L"}`, "words": `"some words of ordinary length"`,
	} {
		t.Run(name, func(t *testing.T) {
			text := "[" + one + strings.Repeat(","+one, 60_000) + "]"
			w := &memoryEstimator{to: io.Discard}
			_, err := io.Copy(w, strings.NewReader(text))
			check(t, err)
			estimated := w.weight + 2*int64(len(text))
			before := heap()
			doc, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{})
			check(t, err)
			if took := heap() - before; took > estimated {
				t.Errorf("it takes %d bytes, the estimate is %d", took, estimated)
			}
			runtime.KeepAlive(doc)
		})
	}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestNoMemoryIsHeldForSlowClients checks that all memory is available to other calls while a
// body is being read and while a response is being written.
func TestNoMemoryIsHeldForSlowClients(t *testing.T) {
	s := newServer(t, nil)
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	const state = "/api/widget/session/v2/state/"
	large := `"` + strings.Repeat("x", imports.MaxState-2) + `"`
	free := func(when string) {
		if !s.api.memory.semaphore.TryAcquire(maxMemory) {
			t.Errorf("%s: memory is held", when)
			return
		}
		s.api.memory.semaphore.Release(maxMemory)
	}
	w := s.sent("PUT", state, io.MultiReader(strings.NewReader(large[:100]), &looking{func() { free("while a body comes") }}, strings.NewReader(large[100:])), "X-Hydration-Id", token)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, %s", w.Code, w.Body)
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", state, nil)
	r.Header.Set("X-Hydration-Id", token)
	got := &watched{ResponseRecorder: httptest.NewRecorder(), look: func() { free("while an answer goes") }}
	s.api.ServeHTTP(got, r)
	if got.Body.String() != large {
		t.Errorf("%d bytes of the state came, want %d", got.Body.Len(), len(large))
	}
	left, err := os.ReadDir(s.api.cfg.TempDir)
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, error %v", left, err)
	}
}

// looking is a reader that calls look when it is read.
type looking struct{ look func() }

func (l *looking) Read([]byte) (int, error) { l.look(); return 0, io.EOF }

// watched is a ResponseWriter that calls look when a piece of the response is written.
type watched struct {
	*httptest.ResponseRecorder
	look func()
}

func (w *watched) Write(p []byte) (int, error) { w.look(); return w.ResponseRecorder.Write(p) }

// drip is a body that sends some bytes after each pause.
type drip struct {
	pause time.Duration
	bytes int
	times int
}

func (d *drip) Read(p []byte) (int, error) {
	if d.times == 0 {
		return 0, io.EOF
	}
	d.times--
	time.Sleep(d.pause) // on the clock of synctest
	return min(d.bytes, len(p)), nil
}

func (d *drip) Close() error { return nil }

func TestPace(t *testing.T) {
	for _, c := range []struct {
		name string
		body *drip
		err  error
		took time.Duration
	}{
		{"fast", &drip{time.Millisecond, 4096, 1000}, nil, time.Second},
		{"just fast enough, for an hour", &drip{time.Second, minBytesPerSecond, 3600}, nil, time.Hour},
		{"too slow, but done in time", &drip{time.Second, 1, 30}, nil, idleLimit},
		{"too slow", &drip{time.Second, minBytesPerSecond - 1, 3600}, os.ErrDeadlineExceeded, idleLimit + time.Second},
		{"slow with a pause", &drip{20 * time.Second, 1, 3600}, os.ErrDeadlineExceeded, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := httptest.NewRequest("PUT", "/", nil)
				r.Body = c.body
				_, err := io.Copy(io.Discard, (&API{}).pacedReader(httptest.NewRecorder(), r))
				if !errors.Is(err, c.err) {
					t.Errorf("error %v, want %v", err, c.err)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("ended after %v, want %v", took, c.took)
				}
			})
		})
	}
}

// TestPaceOfABusyServer checks that only the time of the client counts, not that of the server.
func TestPaceOfABusyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequest("PUT", "/", nil)
		r.Body = &drip{time.Millisecond, 10, 10}
		body := (&API{}).pacedReader(httptest.NewRecorder(), r)
		for i := range 10 {
			if n, err := body.Read(make([]byte, 100)); n != 10 || err != nil {
				t.Fatalf("read %d: %d bytes, %v", i+1, n, err)
			}
			time.Sleep(idleLimit + time.Second) // the server stores the bytes, on the clock of synctest
		}
	})
}

// TestFindingS4SlowAfterAFastStart checks that bytes sent early do not permit a slow rest.
func TestFindingS4SlowAfterAFastStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := httptest.NewRequest("PUT", "/", io.MultiReader(strings.NewReader(strings.Repeat("x", 32<<20)), &drip{time.Second, 1, 3600}))
		_, err := io.Copy(io.Discard, (&API{}).pacedReader(httptest.NewRecorder(), r))
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took > 2*(idleLimit+time.Second) {
			t.Errorf("error %v after %v", err, took)
		}
	})
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// gateTest is a gate whose calls run on the clock of synctest.
type gateTest struct {
	*testing.T
	*callGate
	// admitted are the names of the calls that have begun, in order, and refused are those of the
	// calls that were refused.
	mu                sync.Mutex
	admitted, refused []string
	slots             map[string]*callSlot
}

func newGateTest(t *testing.T, most int) *gateTest {
	return &gateTest{T: t, callGate: newCallGate(most, slog.New(slog.DiscardHandler)), slots: map[string]*callSlot{}}
}

// call begins a call in the background. Its client is the first letter of the name. A call whose name
// ends with + starts an import.
func (g *gateTest) call(name string) {
	g.Helper()
	go func() {
		slot, err := g.enter(g.Context(), name[:1], strings.HasSuffix(name, "+"))
		g.mu.Lock()
		defer g.mu.Unlock()
		if err == nil {
			g.admitted, g.slots[name] = append(g.admitted, name), slot
			return
		}
		g.refused = append(g.refused, name)
		var e *apiError
		if !errors.As(err, &e) || e.status != http.StatusServiceUnavailable || e.code != "busy" {
			g.Errorf("%s: %v", name, err)
		}
	}()
	synctest.Wait()
}

// end ends a call.
func (g *gateTest) end(name string) {
	g.slots[name].leave()
	synctest.Wait()
}

// endAll ends all calls in the order in which they begin.
func (g *gateTest) endAll() {
	for n := 0; n < len(g.admitted); n++ {
		g.end(g.admitted[n])
	}
}

func (g *gateTest) want(admitted, refused string) {
	g.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if got := strings.Join(g.admitted, " "); got != admitted {
		g.Errorf("admitted: %s; want %s", got, admitted)
	}
	if got := strings.Join(g.refused, " "); got != refused {
		g.Errorf("refused: %s; want %s", got, refused)
	}
}

// TestCallGateAcceptsBursts checks that calls that arrive together are all admitted in time, however
// many there are, and that no more than the limit are in progress.
func TestCallGateAcceptsBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateTest(t, 2)
		for n := range 100 {
			g.call(fmt.Sprintf("a%d+", n))
		}
		for n := range 100 {
			if want := min(100, n+2); len(g.admitted) != want || g.inProgress != want-n {
				t.Fatalf("after %d calls, %d were admitted, and %d are in progress", n, len(g.admitted), g.inProgress)
			}
			time.Sleep(time.Millisecond)
			g.end(g.admitted[n])
		}
		if len(g.refused) > 0 || g.inProgress > 0 || len(g.byClient) > 0 {
			t.Errorf("refused %v; in progress %d, %v", g.refused, g.inProgress, g.byClient)
		}
	})
}

// TestCallGateRefusesUnderOverload checks that calls are refused after they have waited too long, if
// calls have been waiting for some time: first those that start imports.
func TestCallGateRefusesUnderOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateTest(t, 1)
		g.call("a1")
		g.call("a2+")
		g.call("a3")
		time.Sleep(burstTime - countedCallTime/2)
		g.end("a1")
		g.want("a1 a3", "") // the server is not overloaded yet
		time.Sleep(countedCallTime / 2)
		g.call("a4+")
		time.Sleep(startWait)
		g.call("a5")
		time.Sleep(time.Millisecond)
		g.end("a3")
		g.want("a1 a3 a5", "a2+ a4+")
		g.call("a6+") // the server is still overloaded, although no call was waiting
		g.call("a7")
		time.Sleep(countedCallTime / 2)
		g.end("a5")
		g.want("a1 a3 a5 a7", "a2+ a4+ a6+") // other calls may wait longer
		g.call("a8")
		g.slots["a7"].timer.Stop()
		time.Sleep(callWait + time.Millisecond)
		g.call("a9")
		g.end("a7")
		g.want("a1 a3 a5 a7 a9", "a2+ a4+ a6+ a8")
		g.endAll()
		time.Sleep(burstTime + time.Millisecond)
		g.call("b1")
		g.call("b2+")
		time.Sleep(startWait + time.Millisecond)
		g.endAll()
		g.want("a1 a3 a5 a7 a9 b1 b2+", "a2+ a4+ a6+ a8")
	})
}

// TestCallGateDoesNotCountSlowCalls checks that slow calls, and those whose client is gone, make room
// for others, and that no call is refused because of slow ones.
func TestCallGateDoesNotCountSlowCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateTest(t, 2)
		g.call("a1")
		g.call("a2")
		g.call("a3+")
		gone, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := g.enter(gone, "b", false); !errors.Is(err, context.Canceled) {
				t.Errorf("a client that is gone: %v", err)
			}
		}()
		synctest.Wait()
		cancel()
		time.Sleep(countedCallTime - time.Millisecond)
		g.want("a1 a2", "")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		g.want("a1 a2 a3+", "")
		g.endAll()
		if g.inProgress != 0 || g.waiting.Len() > 0 || g.others.waiting != 0 {
			t.Errorf("%d calls are in progress, %d wait", g.inProgress, g.others.waiting)
		}
	})
}

// TestCallGateOrder checks that calls about imports overtake those that start one, but not always, and
// that a client with many calls does not delay those of others.
func TestCallGateOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateTest(t, 2)
		for _, name := range []string{"a1", "a2", "a3+", "a4", "a5", "a6", "a7", "b1", "b2+"} {
			g.call(name)
		}
		g.endAll()
		g.want("a1 a2 b1 a4 a5 b2+ a6 a7 a3+", "")
	})
}

// TestCallGateResumes checks that a call whose body has arrived continues before others begin.
func TestCallGateResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGateTest(t, 1)
		g.call("a1")
		g.end("a1")
		g.call("a2")
		g.call("a3")
		resumed := make(chan *callSlot, 1)
		go func() {
			slot, err := g.resume(t.Context(), "a")
			check(t, err)
			resumed <- slot
		}()
		synctest.Wait()
		g.slots["a2"].timer.Stop()
		time.Sleep(burstTime + callWait)
		g.end("a2")
		slot := <-resumed
		g.want("a1 a2", "")
		slot.leave()
		synctest.Wait()
		g.want("a1 a2", "a3")
	})
}

// overload makes the server refuse every call of both kinds, or accept calls again.
func (s *server) overload(overloaded bool) {
	g := s.api.calls
	g.mu.Lock()
	defer g.mu.Unlock()
	for kind, wait := range map[*waitingKind]time.Duration{&g.starts: startWait, &g.others: callWait} {
		kind.wait, kind.refused = wait, time.Time{}
		if overloaded {
			kind.wait, kind.refused = -1, time.Now()
		}
	}
}

// TestOverloadedServer checks the response to refused calls, and that the server reads the large body of
// a caller with a valid credential. Health checks succeed.
func TestOverloadedServer(t *testing.T) {
	s := newServer(t, nil)
	address := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	file := "email\n" + strings.Repeat("ada@example.org\n", int(unknownDrain.bytes)/16)
	s.overload(true)
	for _, c := range []struct{ what, method, path, body, connection string }{
		{"a creation", "POST", "/api/v1/headless/imports/", `{` + mailFields + `}`, ""},
		{"a list", "GET", "/api/v1/headless/imports/", "", ""},
		{"a large body", "POST", "/api/v1/headless/imports/", `{"initial_data":"` + file + `"}`, ""},
		{"a large file", "PUT", address, file, ""},
		{"a large file with an altered signature", "PUT", address + "x", file, "close"},
	} {
		w := s.send(c.method, c.path, c.body)
		s.refusedWith(c.what, w, http.StatusServiceUnavailable, "busy")
		if w.Header().Get("Retry-After") != "2" || w.Header().Get("Connection") != c.connection {
			t.Errorf("%s: headers %v, want Connection: %q", c.what, w.Header(), c.connection)
		}
	}
	s.do("GET", "/healthz", "")
	s.overload(false)
	s.do("PUT", address, file)
	if n := s.api.calls.inProgress; n != 0 {
		t.Errorf("%d calls are in progress after the last response", n)
	}
}

// TestSlowBodiesDoNotCount checks that a call does not count until its body has arrived.
func TestSlowBodiesDoNotCount(t *testing.T) {
	s := newServer(t, func(cfg *Config) { cfg.MaxRequests = 1 })
	address := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	for _, r := range []*http.Request{s.request("PUT", address, "email\nada@example.org\n"), s.request("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)} {
		read := 0
		whole := r.Body
		r.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
			read++
			if n := s.api.calls.inProgress; n != 0 {
				t.Errorf("%s: %d calls are in progress while the body arrives", r.Method, n)
			}
			return whole.Read(p)
		}))
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, r)
		if w.Code >= 300 || read == 0 || s.api.calls.inProgress != 0 {
			t.Errorf("%s: status %d after %d reads, %d calls are in progress", r.Method, w.Code, read, s.api.calls.inProgress)
		}
	}
}

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
)

func TestMemoryIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var have, most atomic.Int64
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				giveBack, err := m.take(t.Context(), maxMemory/4)
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), have.Add(1)))
				time.Sleep(time.Second) // by the bubble's clock
				have.Add(-1)
				giveBack()
			})
		}
		group.Wait()
		if most.Load() != 4 {
			t.Errorf("%d calls had a quarter each at once, want 4", most.Load())
		}
		giveBack, err := m.take(t.Context(), 2*maxMemory) // more than there is: all of it
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var e *refusal
		if _, err := m.take(t.Context(), 1); !errors.As(err, &e) || e.status != 503 || e.code != "busy" || time.Since(began) != memoryWait {
			t.Errorf("without room: %v after %v", err, time.Since(began))
		}
		if giveNothing, err := m.take(t.Context(), 0); err != nil {
			t.Errorf("no share: %v", err)
		} else {
			giveNothing()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.take(gone, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who is gone: %v", err)
		}
		giveBack()
	})
}

// TestWeigherIsABound decodes bodies that become much, and holds what they
// take against what was told before.
func TestWeigherIsABound(t *testing.T) {
	for name, one := range map[string]string{
		"empty arrays": "[]", "empty objects": "{}", "small objects": `{"":0}`, "nested": `[[[[]]]]`, "numbers": "0", "texts": `""`,
		"objects": `{"key":"k","label":"L"}`, "words": `"some words of ordinary length"`,
	} {
		t.Run(name, func(t *testing.T) {
			text := "[" + one + strings.Repeat(","+one, 60_000) + "]"
			w := &weigher{to: io.Discard}
			_, err := io.Copy(w, strings.NewReader(text))
			check(t, err)
			told := w.weight + 2*int64(len(text))
			before := heap()
			doc, err := shape.Decode(strings.NewReader(text), shape.Limits{})
			check(t, err)
			if took := heap() - before; took > told {
				t.Errorf("it takes %d bytes, told were %d", took, told)
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

// TestNothingIsHeldForSlowOnes looks whether all memory is there again while an
// answer is on its way and while a body is.
func TestNothingIsHeldForSlowOnes(t *testing.T) {
	s := newServer(t, nil)
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	const state = "/api/widget/session/v2/state/"
	large := `"` + strings.Repeat("x", service.MaxState-2) + `"`
	free := func(when string) {
		if !s.api.memory.room.TryAcquire(maxMemory) {
			t.Errorf("%s: memory is held", when)
			return
		}
		s.api.memory.room.Release(maxMemory)
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

// looking looks when it is its turn to be read.
type looking struct{ look func() }

func (l *looking) Read([]byte) (int, error) { l.look(); return 0, io.EOF }

// watched looks whenever a piece of the answer is written.
type watched struct {
	*httptest.ResponseRecorder
	look func()
}

func (w *watched) Write(p []byte) (int, error) { w.look(); return w.ResponseRecorder.Write(p) }

func TestListOfLargeSchemas(t *testing.T) {
	s := newServer(t, nil)
	const all = "/api/v1/schemas/"
	if got := s.do("GET", all, "").Body.String(); got != "[]" {
		t.Errorf("without schemas the list is %s", got)
	}
	for _, name := range []string{"A", "B", "C"} {
		s.do("POST", all, `{"name":"`+name+`","settings":{},"hooks":{"beforeFinishCallback":"() => {/*`+strings.Repeat("x", keepInMemory)+`*/}"},`+mailFields+`}`)
	}
	var list []schema
	check(t, json.Unmarshal(s.do("GET", all, "").Body.Bytes(), &list))
	if len(list) != 3 || list[2].Name != "C" {
		t.Errorf("%d schemas", len(list))
	}
}

// TestClientsThatAreGone are no faults of ours.
func TestClientsThatAreGone(t *testing.T) {
	var log bytes.Buffer
	var told []int
	s := newServer(t, func(cfg *Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Observe = func(_, _ string, status int, _ time.Duration) { told = append(told, status) }
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(gone, "GET", "/api/v1/schemas/", nil)
	r.Header.Set("X-Service-License-Key", s.key)
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	s.refusedWith("a client that is gone", w, 503, "connection_closed")
	if log.Len() > 0 || len(told) != 1 || told[0] != clientGone {
		t.Errorf("the log has %q, the metrics %v", log.String(), told)
	}
}

// TestBrokenAnswersAreCounted makes sure that the metrics see an answer that
// breaks off.
func TestBrokenAnswersAreCounted(t *testing.T) {
	var told []int
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /broken": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			panic(http.ErrAbortHandler)
		})}
		cfg.Observe = func(_, _ string, status int, _ time.Duration) { told = append(told, status) }
	})
	func() {
		defer func() { _ = recover() }()
		s.send("GET", "/broken", "")
	}()
	if len(told) != 1 || told[0] != http.StatusOK {
		t.Errorf("the metrics were told %v", told)
	}
}

func TestEmptyPathIsTheRoot(t *testing.T) {
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /{$}": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	})
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://intray.test", nil)
	r.URL.Path = ""
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
}

func TestDocumentNamesTheOtherHeaders(t *testing.T) {
	for header, headers := range map[string][]string{
		"browser.": {"X-Key"}, "Also accepted in: X-Two, X-Three.": {"X-One", "X-Two", "X-Three"},
	} {
		a := New(Config{KeyHeaders: headers})
		scheme := a.securitySchemes()["backendKey"].(map[string]any)
		if text := scheme["description"].(string); !strings.HasSuffix(text, header) {
			t.Errorf("%v: %q", headers, text)
		}
	}
}

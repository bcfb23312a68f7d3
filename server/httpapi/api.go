// Package httpapi speaks HTTP for the service: routes, keys, JSON in and out.
//
// An operation is one row of the table in operations.go: a method and a path, who
// may call it, the shape of its body and of its answer, and the function that serves it.
// The document at /openapi.json is made from the same table, with the shapes of answers
// from the structs of package wire. Every error is a JSON object with detail, code and
// request_id; errors.go has the one table from kinds of errors to statuses.
//
// The names of requests are spelled here, those of answers in package wire, and nowhere
// else. The package holds no rules.
package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/service"
)

// Config is what the API works with. Service must be set.
type Config struct {
	Service *service.Service
	// BaseURL is how clients reach the service, without a slash at the end; ""
	// means by the host that they called.
	BaseURL string
	// KeyHeaders are the headers that may carry the licence key. Default
	// X-Service-License-Key and X-Dromo-License-Key.
	KeyHeaders []string
	// TrustedProxies may say how clients called.
	TrustedProxies []netip.Prefix
	// RateCreate and RatePoll are the limits of a minute; 0 means none.
	RateCreate, RatePoll int
	// TempDir takes what is too large for memory. Default the system's. All
	// calls together have about 64 MiB of bodies and answers in memory.
	TempDir string
	// Version is told in the document.
	Version string
	// Pages serves what is for people, by route. Default none.
	Pages map[string]http.Handler
	// Observe is told of every request: its route, method and status, 499 where
	// the client was gone before the answer. Default nobody.
	Observe func(route, method string, status int, took time.Duration)
	// Clock gives the time. Default time.Now.
	Clock func() time.Time
	// Log takes faults of ours. Default nothing.
	Log *slog.Logger
}

// API answers requests.
type API struct {
	cfg      Config
	table    []operation
	creates  *rateLimiter
	polls    *rateLimiter
	memory   *memoryLimiter
	openapi  func() ([]byte, error)
	frontend http.Handler
	// streams counts the pages that are told of what happens, until closing is
	// closed.
	streams atomic.Int64
	closing chan struct{}
	endOnce sync.Once
}

// New makes the API.
func New(cfg Config) *API {
	if cfg.KeyHeaders == nil {
		cfg.KeyHeaders = []string{"X-Service-License-Key", "X-Dromo-License-Key"}
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, int, time.Duration) {}
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{cfg: cfg, table: operations(), creates: newRateLimiter(cfg.RateCreate, cfg.Clock), polls: newRateLimiter(cfg.RatePoll, cfg.Clock), memory: newMemoryLimiter(), closing: make(chan struct{})}
	a.openapi = sync.OnceValues(a.describe)
	a.frontend = &frontHandler{mux: a.routes(), api: a}
	return a
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.frontend.ServeHTTP(w, r) }

// routes makes the mux. Paths have no slash at the end here: the front takes it
// from requests.
func (a *API) routes() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for i := range a.table {
		op := &a.table[i]
		path := strings.TrimSuffix(op.path, "/")
		mux.HandleFunc(op.method+" "+path, a.handler(op))
		if op.crossOrigin() {
			methods[path] = append(methods[path], op.method)
		}
	}
	for path, list := range methods {
		slices.Sort(list)
		mux.HandleFunc("OPTIONS "+path, preflight(strings.Join(list, ", ")))
	}
	for route, handler := range a.cfg.Pages {
		mux.Handle(route, handler)
	}
	return mux
}

// baseURL is the beginning of all addresses in an answer.
func (a *API) baseURL(r *http.Request) string {
	if a.cfg.BaseURL != "" {
		return a.cfg.BaseURL
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if a.isTrustedProxy(r.RemoteAddr) {
		if proto := r.Header.Get("X-Forwarded-Proto"); proto == "http" || proto == "https" {
			scheme = proto
		}
		if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" && !strings.ContainsAny(forwarded, "/\\?#@ \t") {
			host = forwarded
		}
	}
	return scheme + "://" + host
}

// isTrustedProxy says whether the request came from a proxy that is trusted.
func (a *API) isTrustedProxy(remote string) bool {
	at, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(a.cfg.TrustedProxies, func(p netip.Prefix) bool {
		return p.Contains(at.Addr().Unmap())
	})
}

func (a *API) checkReady(c *call) (*response, error) {
	return jsonResponse(http.StatusOK, wire.Health{Status: "ok"}, a.cfg.Service.Ready(c.context()))
}

func (a *API) document(*call) (*response, error) {
	text, err := a.openapi()
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, header: http.Header{"Access-Control-Allow-Origin": {"*"}}, stream: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, nil
}

// Package httpapi serves the HTTP API: routes, authentication, and JSON requests and responses.
//
// An operation is a row in the table in operations.go: a method and a path, an authentication
// method, the schemas of its request and response, and the function that serves it. The document
// at /openapi.json is generated from this table. The schemas of responses are derived from the
// structs of package wire. An error is a JSON object with detail, code and request_id. The file
// errors.go maps the kinds of errors to statuses.
//
// Apart from the names of fields in errors, only this package and package wire contain the names
// that the API uses. The business rules are in the use cases.
package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net"
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

// Config configures the API. Service must be set.
type Config struct {
	Service *service.Service
	// BaseURL is the URL at which clients reach the server, without a trailing
	// slash. Default: the host in each request.
	BaseURL string
	// CheckHost refuses requests with a host other than localhost and the address at which they
	// arrive, unless they come from a trusted proxy. It prevents clients from choosing the host of
	// the URLs in responses if BaseURL is "". It does not apply to health checks.
	CheckHost bool
	// KeyHeaders are the names of the headers that can contain the API key.
	// Default: X-Service-License-Key and X-Dromo-License-Key.
	KeyHeaders []string
	// TrustedProxies are the networks of proxies whose X-Forwarded headers are trusted.
	TrustedProxies []netip.Prefix
	// RateCreate is the maximum number of imports that an API key may create per minute, and
	// RatePoll is the maximum number of times that an import may be retrieved per minute. 0
	// means no limit.
	RateCreate, RatePoll int
	// MaxRequests is the maximum number of requests in progress. Default: 16.
	MaxRequests int
	// MaxLargeUploads is the maximum number of files of more than 8 MiB that are received at the
	// same time. 0 means no limit.
	MaxLargeUploads int
	// RateAuthFailures is the maximum number of failed authentications per client address and
	// minute. Further ones are answered with 429. 0 means no limit.
	RateAuthFailures int
	// CountEvents counts the events of all limits per minute for all processes. Default: each limit
	// applies to this process.
	CountEvents CountEvents
	// TempDir is the folder for bodies and responses that are too large for memory. All calls
	// together use about 64 MiB of memory, and up to 64 MiB more while the disk is full. Default:
	// the temporary folder of the operating system.
	TempDir string
	// Version is the API version in the OpenAPI document.
	Version string
	// Pages maps routes to the handlers of pages for people. Default: no pages.
	Pages map[string]http.Handler
	// Observe is called after each request. The status is 499 if the client
	// disconnected before the response. Default: nothing is called.
	Observe func(route, method string, status int, took time.Duration)
	// Authenticated is called with the context of a request once its caller has proved to have a
	// valid credential. Default: nothing is called.
	Authenticated func(context.Context)
	// HealthOnly reports whether the connection of a request is reserved for health checks.
	// Default: no connection is.
	HealthOnly func(context.Context) bool
	// AuthFailed is called after each failed authentication with the id of the operation.
	// Default: nothing is called.
	AuthFailed func(operation string)
	// Clock returns the time. Default time.Now.
	Clock func() time.Time
	// Log receives internal errors. Default: no logging.
	Log *slog.Logger
}

// API handles HTTP requests. Create it with New.
type API struct {
	cfg      Config
	table    []operation
	creates  *rateLimiter
	polls    *rateLimiter
	failures *failureLimiter
	// linkAttempts and linkAttemptsHere count attempts to open an import link with a password, by
	// link and by link and address. linkStarts counts the imports that an address starts.
	linkAttempts, linkAttemptsHere, linkStarts *rateLimiter
	// widgetOpens and widgetStarts count the importers that an address opens, and the imports that it
	// starts in them.
	widgetOpens, widgetStarts *rateLimiter
	calls                     *callGate
	uploads                   *uploadGate
	memory                    *memoryLimiter
	openapi, openapi30        func() ([]byte, error)
	frontend                  http.Handler
	// streams are the open event streams. They end when closing is closed.
	streams streamCounter
	// fullSpools is the number of spools that are in memory because the disk is full.
	fullSpools atomic.Int64
	closing    chan struct{}
	endOnce    sync.Once
	// proxyWarning logs the warning of warnAboutProxy at most once.
	proxyWarning sync.Once
}

// New returns an API.
func New(cfg Config) *API {
	if cfg.KeyHeaders == nil {
		cfg.KeyHeaders = []string{"X-Service-License-Key", "X-Dromo-License-Key"}
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, int, time.Duration) {}
	}
	if cfg.Authenticated == nil {
		cfg.Authenticated = func(context.Context) {}
	}
	if cfg.HealthOnly == nil {
		cfg.HealthOnly = func(context.Context) bool { return false }
	}
	if cfg.AuthFailed == nil {
		cfg.AuthFailed = func(string) {}
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{cfg: cfg, table: operations(), memory: newMemoryLimiter(), calls: newCallGate(cfg.MaxRequests, cfg.Log), uploads: newUploadGate(cfg.MaxLargeUploads), closing: make(chan struct{})}
	limiter := func(name string, perMinute int) *rateLimiter {
		return newRateLimiter(name, perMinute, cfg.Clock, cfg.CountEvents)
	}
	a.creates, a.polls = limiter("creates", cfg.RateCreate), limiter("polls", cfg.RatePoll)
	a.failures = newFailureLimiter(cfg.RateAuthFailures, cfg.Clock, cfg.CountEvents)
	a.linkAttempts, a.linkAttemptsHere = limiter("link attempts", linkAttempts), limiter("link attempts from an address", linkAttemptsPerAddress)
	a.linkStarts, a.widgetOpens, a.widgetStarts = limiter("link starts", linkStarts), limiter("widget opens", widgetOpens), limiter("widget starts", widgetStarts)
	a.openapi, a.openapi30 = sync.OnceValues(a.describe), sync.OnceValues(a.describe30)
	a.frontend = a.routes()
	return a
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.frontend.ServeHTTP(w, r) }

// routes returns the handler of all routes. Their paths have no trailing slash, because
// frontHandler removes it from requests.
func (a *API) routes() *frontHandler {
	f := &frontHandler{mux: http.NewServeMux(), api: a, paths: http.NewServeMux(), methods: map[string][]string{}}
	crossOrigin := map[string][]string{}
	for i := range a.table {
		op := &a.table[i]
		path := strings.TrimSuffix(op.path, "/")
		f.handle(op.method, path, a.handler(op))
		if op.crossOrigin() {
			crossOrigin[path] = append(crossOrigin[path], op.method)
		}
	}
	for path, list := range crossOrigin {
		slices.Sort(list)
		f.handle(http.MethodOptions, path, drained(preflight(strings.Join(list, ", "), slices.Contains(list, http.MethodPatch))))
	}
	for route, handler := range a.cfg.Pages {
		method, path, _ := strings.Cut(route, " ")
		f.handle(method, path, drained(handler))
	}
	return f
}

// handle adds a route. A route for GET also serves HEAD.
func (f *frontHandler) handle(method, path string, handler http.Handler) {
	f.mux.Handle(method+" "+path, handler)
	if f.methods[path] == nil {
		f.paths.Handle(path, http.NotFoundHandler())
	}
	f.methods[path] = append(f.methods[path], method)
	if method == http.MethodGet {
		f.methods[path] = append(f.methods[path], http.MethodHead)
	}
	slices.Sort(f.methods[path])
}

// baseURL returns the URL with which the URLs in a response begin.
func (a *API) baseURL(r *http.Request) string {
	if a.cfg.BaseURL != "" {
		return a.cfg.BaseURL
	}
	trusted, host := a.isTrustedProxy(r.RemoteAddr), r.Host
	a.warnAboutProxy(r, trusted)
	if forwarded := r.Header.Get("X-Forwarded-Host"); trusted && forwarded != "" && !strings.ContainsAny(forwarded, "/\\?#@ \t") {
		host = forwarded
	}
	return a.scheme(r) + "://" + host
}

// scheme returns the scheme of the URL that the client called, http or https.
func (a *API) scheme(r *http.Request) string {
	if a.cfg.BaseURL != "" {
		scheme, _, _ := strings.Cut(a.cfg.BaseURL, ":")
		return scheme
	}
	if proto := r.Header.Get("X-Forwarded-Proto"); (proto == "http" || proto == "https") && a.isTrustedProxy(r.RemoteAddr) {
		return proto
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// warnAboutProxy logs a warning if the request probably came through a proxy that uses TLS and the
// URLs in the response will start with http:// anyway. Uploads to these URLs fail.
func (a *API) warnAboutProxy(r *http.Request, trusted bool) {
	proto := r.Header.Get("X-Forwarded-Proto")
	if r.TLS != nil || trusted == (proto != "") || !trusted && proto != "https" {
		return
	}
	a.proxyWarning.Do(func() {
		text := "X-Forwarded-Proto: https was ignored, because the peer is not a trusted proxy; URLs in responses start with http://; set --base-url or --trusted-proxy"
		if trusted {
			text = "the trusted proxy sends no X-Forwarded-Proto; URLs in responses start with http://; set the header in the proxy, or set --base-url"
		}
		a.cfg.Log.Warn(text, "request_id", RequestID(r.Context()), "peer", r.RemoteAddr)
	})
}

// isKnownHost reports whether the URLs in the response to a request may contain its host.
func (a *API) isKnownHost(r *http.Request) bool {
	if !a.cfg.CheckHost || a.cfg.BaseURL != "" || a.isTrustedProxy(r.RemoteAddr) {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return strings.EqualFold(host, "localhost")
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return address.IsLoopback()
	}
	at, err := netip.ParseAddrPort(local.String())
	return address.IsLoopback() || err == nil && at.Addr().Unmap() == address.Unmap()
}

// isTrustedProxy reports whether the request came from a trusted proxy.
func (a *API) isTrustedProxy(remote string) bool {
	at, err := netip.ParseAddrPort(remote)
	return err == nil && a.isTrustedAddress(at.Addr().Unmap())
}

func (a *API) isTrustedAddress(address netip.Addr) bool {
	return slices.ContainsFunc(a.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

func (a *API) checkReady(c *call) (*response, error) {
	ready := wire.Readiness{Status: "ok", ClockSkewSeconds: a.cfg.Service.ClockSkew().Seconds()}
	return jsonResponse(http.StatusOK, ready, a.cfg.Service.Ready(c.context()))
}

func (a *API) document(*call) (*response, error) { return documentResponse(a.openapi()) }

func (a *API) document30(*call) (*response, error) { return documentResponse(a.openapi30()) }

func documentResponse(text []byte, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, header: http.Header{"Access-Control-Allow-Origin": {"*"}}, stream: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, nil
}

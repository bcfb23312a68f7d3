package s3test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
)

// Proxy is a proxy in front of a server that makes requests fail.
type Proxy struct {
	*httptest.Server
	// Requests is the number of requests, and Failed the number of those that the proxy made fail.
	Requests, Failed atomic.Int64
}

// NewProxy starts a proxy that makes a share of the requests fail: before or after the server has executed them, or by
// cutting the response short. It ends with the test.
func NewProxy(t testing.TB, server *Server, share float64) *Proxy {
	t.Helper()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the signature includes it
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: func(r *http.Response) error {
			if rand.Float64() >= share/2 {
				return nil
			}
			p.Failed.Add(1)
			if r.Request.Method == http.MethodGet && r.StatusCode < 300 && r.ContentLength > 10 {
				r.Body = io.NopCloser(io.LimitReader(r.Body, r.ContentLength/2))
				return nil
			}
			return errors.New("lost response")
		},
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Requests.Add(1)
		if rand.Float64() < share/2 {
			p.Failed.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

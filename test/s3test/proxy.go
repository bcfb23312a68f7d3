package s3test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// Faults are the shares of the requests that have each kind of fault. The sum must be at most 1.
type Faults struct {
	// Refused requests are not executed, and return 503.
	Refused float64
	// Lost requests are executed, but return 502.
	Lost float64
	// Truncated responses to GET requests end in the middle. Half of them have a Content-Length
	// that agrees, as from a broken cache. Other requests are lost instead.
	Truncated float64
	// Slow responses begin after up to MaxDelay, and pause for as long in the middle.
	Slow float64
}

// MaxDelay is the longest delay and the longest pause of a slow response.
const MaxDelay = 500 * time.Millisecond

// Failing returns faults that make a share of the requests fail, each kind as often as the others.
func Failing(share float64) Faults {
	return Faults{Refused: share / 3, Lost: share / 3, Truncated: share / 3}
}

// Proxy is a proxy in front of a server that causes faults.
type Proxy struct {
	*httptest.Server
	// Requests is the number of requests. Failed is the number of those that the proxy refused, or
	// whose response it dropped or truncated. Slow is the number of slow responses.
	Requests, Failed, Slow atomic.Int64
	faults                 atomic.Pointer[Faults]
}

// NewProxy starts a proxy that causes faults. It ends with the test.
func NewProxy(t testing.TB, server *Server, faults Faults) *Proxy {
	t.Helper()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	p.SetFaults(faults)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the signature includes it
		},
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: p.changeResponse,
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Requests.Add(1)
		if rand.Float64() < p.faults.Load().Refused {
			p.Failed.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// SetFaults changes the faults of the next requests.
func (p *Proxy) SetFaults(faults Faults) { p.faults.Store(&faults) }

// changeResponse causes the faults of a response. It returns an error if the response must be dropped.
func (p *Proxy) changeResponse(r *http.Response) error {
	faults := p.faults.Load()
	x := rand.Float64() * (1 - faults.Refused)
	switch {
	case x < faults.Lost:
		p.Failed.Add(1)
		return errors.New("lost response")
	case x < faults.Lost+faults.Truncated:
		p.Failed.Add(1)
		if r.Request.Method != http.MethodGet || r.StatusCode >= 300 || r.ContentLength < 2 {
			return errors.New("lost response")
		}
		half := r.ContentLength / 2
		r.Body = limitedBody{io.LimitReader(r.Body, half), r.Body}
		if rand.IntN(2) == 0 {
			r.ContentLength = half
			r.Header.Set("Content-Length", strconv.FormatInt(half, 10))
		}
	case x < faults.Lost+faults.Truncated+faults.Slow:
		p.Slow.Add(1)
		delay := time.Duration(rand.Int64N(int64(MaxDelay)))
		time.Sleep(delay)
		r.Body = limitedBody{io.MultiReader(io.LimitReader(r.Body, r.ContentLength/2), pause(delay), r.Body), r.Body}
	}
	return nil
}

// limitedBody is a part of a body.
type limitedBody struct {
	io.Reader
	io.Closer
}

// pause is an empty reader whose end comes after a delay.
type pause time.Duration

func (p pause) Read([]byte) (int, error) {
	time.Sleep(time.Duration(p))
	return 0, io.EOF
}

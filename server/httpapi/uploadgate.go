package httpapi

import (
	"container/list"
	"context"
	"io"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
)

const (
	// largeUpload is the size in bytes above which a file counts as large.
	largeUpload = 8 << 20
	// uploadWait is the maximum time that a large upload waits to be admitted.
	uploadWait = 10 * time.Second
	// slowUploadPeriod is the time after which the rate of a large upload is checked, again and
	// again. If it is below slowUploadRate, in bytes per second, another upload is admitted,
	// because the load of the slow one is small.
	slowUploadPeriod = 10 * time.Second
	slowUploadRate   = 256 << 10
)

// uploadGate limits the number of large files that are received at the same time, because they
// compete with the database for the disk. An organization can have at most half of them.
type uploadGate struct {
	most, perOrg int
	wait         time.Duration

	mu      sync.Mutex
	open    int
	byOrg   map[string]int
	waiting list.List
}

// waitingUpload is an upload that waits to be admitted. admitted is closed when it is.
type waitingUpload struct {
	org      string
	admitted chan struct{}
}

// newUploadGate returns a gate for most uploads. 0 means no limit.
func newUploadGate(most int) *uploadGate {
	return &uploadGate{most: most, perOrg: max(1, most/2), wait: uploadWait, byOrg: map[string]int{}}
}

// enter waits until a large upload is admitted. The caller must call leave.
func (g *uploadGate) enter(ctx context.Context, org string) (leave func(), err error) {
	if g.most <= 0 {
		return func() {}, nil
	}
	g.mu.Lock()
	w := &waitingUpload{org, make(chan struct{})}
	element := g.waiting.PushBack(w)
	g.admit()
	g.mu.Unlock()
	late := time.NewTimer(g.wait)
	defer late.Stop()
	select {
	case <-w.admitted:
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		select {
		case <-w.admitted:
		default:
			e := newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.too_many_uploads", nil))
			e.retryAfter = 5 * time.Second
			err = e
		}
	}
	leave = sync.OnceFunc(func() { g.remove(w) })
	if err != nil {
		g.mu.Lock()
		g.waiting.Remove(element) // has no effect if it was admitted in the meantime
		g.mu.Unlock()
		leave()
		return nil, err
	}
	return leave, nil
}

// admit admits the uploads for which there is room, in the order in which they arrived.
func (g *uploadGate) admit() {
	for e := g.waiting.Front(); e != nil && g.open < g.most; {
		w, this := e.Value.(*waitingUpload), e
		e = e.Next()
		if g.byOrg[w.org] >= g.perOrg {
			continue
		}
		g.waiting.Remove(this)
		g.open++
		g.byOrg[w.org]++
		close(w.admitted)
	}
}

// remove ends an upload if it was admitted, and admits others.
func (g *uploadGate) remove(w *waitingUpload) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.admitted:
	default:
		return
	}
	g.open--
	if g.byOrg[w.org]--; g.byOrg[w.org] == 0 {
		delete(g.byOrg, w.org)
	}
	g.admit()
}

// gatedBody is the body of a large upload.
type gatedBody struct {
	from io.Reader
	read atomic.Int64
	// ended means that the body was read to its end, or that reading failed. What follows, such as
	// flushing the file, is not the client's time.
	ended atomic.Bool
}

func (b *gatedBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.read.Add(int64(n))
	b.ended.Store(err != nil)
	runtime.Gosched() // calls that need little CPU time need not wait for all large uploads
	return n, err
}

// admitUpload waits until the upload of a call is admitted if the file is large. size is the size of
// the whole file in bytes, or -1 if it is unknown. admitUpload returns the body to read. The caller
// must call end after it has stored the body.
func (a *API) admitUpload(c *call, org string, size int64, from io.Reader) (body io.Reader, end func(), err error) {
	if size >= 0 && size <= largeUpload {
		return from, func() {}, nil
	}
	leave, err := a.uploads.enter(c.context(), org)
	if err != nil {
		return nil, nil, err
	}
	b, ended := &gatedBody{from: from}, make(chan struct{})
	go func() {
		b.awaitSlowness(ended)
		leave()
	}()
	return b, func() { close(ended); leave() }, nil
}

// awaitSlowness returns when the rate of the body is too low in a period, or when ended is
// closed.
func (b *gatedBody) awaitSlowness(ended <-chan struct{}) {
	ticker := time.NewTicker(slowUploadPeriod)
	defer ticker.Stop()
	for before := int64(0); ; {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		read := b.read.Load()
		if !b.ended.Load() && read-before < slowUploadRate*int64(slowUploadPeriod/time.Second) {
			return
		}
		before = read
	}
}

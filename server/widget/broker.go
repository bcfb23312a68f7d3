package widget

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

const (
	// attendTimeout is how long a call waits for the page to ask for it, and pageTimeout how long the
	// page may then take. The widget itself gives up earlier and returns no result.
	attendTimeout, pageTimeout = 30 * time.Second, 90 * time.Second
	// nextWait is how long a page that has passed a result waits for the next call, because an import
	// often calls hooks with many parts of its rows.
	nextWait = 250 * time.Millisecond
)

// Broker passes hook calls from imports to the pages that embed them. Pages request the calls. A page
// must reach the process that runs its import. Broker is safe for concurrent use.
type Broker struct {
	mu    sync.Mutex
	pages map[string]*page
	last  int64
}

// page holds the calls to the page of one import.
type page struct {
	// waiting are the calls without a result, oldest first. Only the first one is sent to the page.
	waiting []*pageCall
	// changed is closed when waiting changes.
	changed chan struct{}
	users   int
}

type pageCall struct {
	id      int64
	content []byte
	taken   chan struct{}
	isTaken bool
	done    chan []byte
}

// NewBroker returns a Broker.
func NewBroker() *Broker { return &Broker{pages: map[string]*page{}} }

// use returns the page of an import and a function that must be called when it is no longer used.
func (b *Broker) use(imp string) (p *page, release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p = b.pages[imp]
	if p == nil {
		p = &page{changed: make(chan struct{})}
		b.pages[imp] = p
	}
	p.users++
	return p, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(b.pages, imp)
		}
	}
}

func (p *page) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// CallPage implements hooks.PageCalls.
func (b *Broker) CallPage(ctx context.Context, imp string, content []byte) ([]byte, error) {
	p, release := b.use(imp)
	defer release()
	b.mu.Lock()
	b.last++
	call := &pageCall{id: b.last, content: content, taken: make(chan struct{}), done: make(chan []byte, 1)}
	p.waiting = append(p.waiting, call)
	p.notify()
	b.mu.Unlock()
	defer b.remove(p, call)
	attend := time.NewTimer(attendTimeout)
	defer attend.Stop()
	select {
	case <-call.taken:
	case result := <-call.done:
		return result, nil
	case <-attend.C:
		return nil, &intray.MessageError{Message: intray.NewMessage("widget.page_gone", nil)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer := time.NewTimer(pageTimeout)
	defer answer.Stop()
	select {
	case result := <-call.done:
		return result, nil
	case <-answer.C:
		return nil, &intray.MessageError{Message: intray.NewMessage("widget.page_gone", nil)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *Broker) remove(p *page, call *pageCall) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, one := range p.waiting {
		if one == call {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.notify()
			return
		}
	}
}

// PageWatch reports calls to the page of an import.
type PageWatch struct {
	broker  *Broker
	page    *page
	release func()
}

// WatchPage watches for calls to the page of an import. The watch must be closed.
func (b *Broker) WatchPage(imp string) *PageWatch {
	p, release := b.use(imp)
	return &PageWatch{b, p, release}
}

// Waiting returns the id of the call that the page should ask for, or 0, and a channel that is closed
// when that changes.
func (w *PageWatch) Waiting() (call int64, changed <-chan struct{}) {
	w.broker.mu.Lock()
	defer w.broker.mu.Unlock()
	if len(w.page.waiting) > 0 {
		call = w.page.waiting[0].id
	}
	return call, w.page.changed
}

// Close ends the watch.
func (w *PageWatch) Close() { w.release() }

// NextPageCall passes the result of a call to its import, unless call is 0, and returns the next call to
// the page of the import, or the id 0 if there is none. A call is returned again until it has a result,
// so a page that was loaded again continues.
func (b *Broker) NextPageCall(ctx context.Context, imp model.Import, call int64, result json.RawMessage) (next int64, content []byte, err error) {
	p, release := b.use(imp.ID)
	defer release()
	wait := time.Duration(0)
	if call != 0 {
		wait = nextWait
	}
	idle := time.NewTimer(wait)
	defer idle.Stop()
	for {
		b.mu.Lock()
		if len(p.waiting) > 0 && p.waiting[0].id == call {
			p.waiting[0].done <- result
			p.waiting = p.waiting[1:]
			p.notify()
		}
		if len(p.waiting) > 0 {
			first := p.waiting[0]
			if !first.isTaken {
				first.isTaken = true
				close(first.taken)
			}
			b.mu.Unlock()
			return first.id, first.content, nil
		}
		changed := p.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-idle.C:
			return 0, nil, nil
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		}
	}
}

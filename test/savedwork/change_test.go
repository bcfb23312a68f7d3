package savedwork_test

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// change is a call that may change what the session keeps.
type change struct {
	name, method, path string
	body               any
	headers            []string
	// want contains the expected statuses.
	want []int
	// next is the state after the call.
	next state
	// repeat is set if the page repeats the call if there is no reply.
	repeat bool
}

// accept sets that the call must succeed, and the state after it.
func (c *change) accept(next state) { c.want, c.next = []int{http.StatusOK}, next }

// inTab returns a change that has no effect: its status must be the given one if the import that the page
// shows is kept or was submitted, and one of gone otherwise.
func (h *history) inTab(page *tab, c change, status int) change {
	c.want, c.next = gone, h.state
	if h.keeps(page) || slices.ContainsFunc(h.state.submitted, func(w *work) bool { return w.id == page.id }) {
		c.want = []int{status}
	}
	return c
}

// inReview is like inTab for a call with the token of the review session. Its path is relative.
func (h *history) inReview(page *tab, c change, status int) change {
	c.path, c.headers = reviewPath(page)+c.path, bearer(page.review)
	return h.inTab(page, c, status)
}

// change makes a change in a tab. If the operation kills the server, change kills it during the call,
// reloads the tab, and returns nil.
func (h *history) change(page *tab, c change) *livetest.Reply {
	h.t.Helper()
	h.logf("%s; want %v", c.name, c.want)
	if h.kill {
		h.kill = false
		h.changeAndKill(page, c)
		return nil
	}
	reply := h.send(c.method, c.path, c.body, c.headers...)
	h.checkStatus(c, reply)
	if c.next.isNew() {
		c.next = c.next.withID(reply.String("id"))
	}
	h.state = c.next
	return reply
}

func (h *history) checkStatus(c change, reply *livetest.Reply) {
	h.t.Helper()
	if !slices.Contains(c.want, reply.Status) {
		h.t.Fatalf("%s: status %d; want %v: %s", c.name, reply.Status, c.want, reply.Body)
	}
}

// changeAndKill kills the server during a call. A call without a reply may or may not have taken effect;
// the page that is opened next shows which.
func (h *history) changeAndKill(page *tab, c change) {
	h.t.Helper()
	reply := h.sendAndKill(c)
	if reply != nil {
		h.checkStatus(c, reply)
	}
	earlier := maps.Clone(h.known)
	*page = h.open()
	switch {
	case !c.next.isNew():
	case reply != nil:
		c.next = c.next.withID(reply.String("id"))
	case page.id != "" && !earlier[page.id]:
		c.next = c.next.withID(page.id)
	}
	if reply == nil && c.next.isNew() {
		// The page shows nothing of an import without a file, so all tabs are closed, and the next import is
		// created in either case.
		c.next = state{submitted: h.state.submitted}
		if h.state.kept == nil || h.state.kept.rows == nil {
			h.state = c.next
			h.tabs = nil
		}
	}
	took := page.String() == c.next.String()
	h.logf("kill the server during the call; reply: %t; effect: %t", reply != nil, took)
	if !took && (reply != nil || page.String() != h.state.String()) {
		h.t.Fatalf("%s, and kill the server (reply: %t): the importer opens with %v; want %v or, without a reply, %v", c.name, reply != nil, page, c.next, h.state)
	}
	if took {
		h.state = c.next
	}
	if reply == nil {
		h.site.lost++
	}
	if reply == nil && took {
		h.site.made++
	}
	if reply == nil && c.repeat {
		h.logf("repeat the call")
		h.checkStatus(c, h.send(c.method, c.path, c.body, c.headers...))
		h.state = c.next
		h.reload(page)
	}
	h.checkResults()
}

// sendAndKill makes a call, kills the server at a random time, and starts it again. It returns nil if
// there was no reply.
func (h *history) sendAndKill(c change) (reply *livetest.Reply) {
	h.t.Helper()
	request := h.request(c.method, c.path, c.body, c.headers...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if got, err := h.site.TryDo(h.t, request); err == nil {
			reply = got
		}
	}()
	time.Sleep(time.Duration(h.random.Float64() * float64(maxDelay)))
	h.site.Kill()
	<-done
	h.site.Restart()
	return reply
}

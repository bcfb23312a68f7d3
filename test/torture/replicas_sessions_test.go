package torture

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// deleteSessions creates and deletes sessions until the channel is closed. When a deletion is
// acknowledged, every replica must refuse the session at its first response.
func (r *replicas) deleteSessions(end <-chan struct{}) {
	const path = "/api/widget/session/v2/"
	deleted, refused := 0, atomic.Int64{}
	for done := false; !done; {
		select {
		case <-end:
			done = true // there is at least one session
		default:
		}
		made := r.call(func(s *livetest.Server) *http.Request { return s.Request(r.t, "POST", path+"auth/", nil) }, http.StatusCreated)
		if made == nil {
			return
		}
		session, token := made.String("sessionId"), made.String("hydrationId")
		state := func(s *livetest.Server) *http.Request {
			return s.Request(r.t, "GET", path+"state/", nil, "X-Service-License-Key", "", "X-Hydration-Id", token)
		}
		saved := r.call(func(s *livetest.Server) *http.Request {
			return s.Request(r.t, "PUT", path+"state/", `{"step":1}`, "X-Service-License-Key", "", "X-Hydration-Id", token)
		}, http.StatusOK)
		if saved == nil {
			return
		}
		used := r.each(func(s *livetest.Server) bool {
			got, ok := r.tryCall(s, state, http.StatusOK)
			if got != nil && got.Text() != `{"step":1}` {
				r.t.Errorf("the state of a session is %s", got.Text())
			}
			return ok
		})
		if !used {
			return
		}
		gone := r.call(func(s *livetest.Server) *http.Request {
			return s.Request(r.t, "DELETE", path+session+"/", nil)
		}, http.StatusOK, http.StatusNotFound) // 404 means that the session was deleted but the response was lost
		if gone == nil {
			return
		}
		deleted++
		r.each(func(s *livetest.Server) bool {
			got, ok := r.tryCall(s, state, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound)
			if got != nil {
				refused.Add(1)
			}
			return ok
		})
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
	}
	r.t.Logf("%d sessions were deleted, and refused %d times", deleted, refused.Load())
	if want := int64(deleted * len(r.list)); refused.Load() != want {
		r.t.Errorf("deleted sessions were refused %d times, want %d", refused.Load(), want)
	}
}

// each calls a function for every replica at the same time, until it returns true. It reports
// whether it did so for all replicas.
func (r *replicas) each(try func(*livetest.Server) bool) bool {
	var failed atomic.Bool
	var all sync.WaitGroup
	for i, server := range r.list {
		all.Go(func() {
			for end := time.Now().Add(2 * time.Minute); !try(server); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					failed.Store(true)
					r.t.Error(fmt.Errorf("replica %d never responded", i))
					return
				}
			}
		})
	}
	all.Wait()
	return !failed.Load()
}

package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

func TestDeletedSession(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		marker := strings.ToLower(unique("marker"))
		first, kept := c.newSession(nil), c.newSession(nil)
		second := c.Call("POST", sessionsPath+first.id+"/auth/", nil).WantStatus(http.StatusOK).String("hydrationId")
		for _, token := range []string{first.token, kept.token} {
			c.widget(token, "PUT", statePath, m{"n": 1}).WantStatus(http.StatusOK)
		}
		c.widget(first.token, "PUT", filePath, marker, "Content-Type", "text/csv").WantStatus(http.StatusOK)
		if len(filesWith(t, s, marker)) == 0 {
			t.Fatal("the search does not find the file of the session")
		}
		for range 3 {
			reply := c.Call("DELETE", sessionsPath+first.id+"/", nil).WantStatus(http.StatusOK)
			if reply.Text() != `{"success":true}` {
				t.Errorf("the answer is %s", reply.Body)
			}
			for _, token := range []string{first.token, second} {
				c.expectShut(token)
			}
		}
		c.Call("POST", sessionsPath+first.id+"/auth/", nil).WantStatus(http.StatusNotFound)
		c.widget(kept.token, "GET", statePath, nil).WantStatus(http.StatusOK)
		apitest.Eventually(t, "the file is gone", func() bool { return len(filesWith(t, s, marker)) == 0 })
	})
}

// expectShut checks that every widget call with a token is rejected.
func (c client) expectShut(token string) {
	c.T.Helper()
	for _, path := range []string{statePath, filePath} {
		for _, method := range []string{"GET", "PUT"} {
			c.widget(token, method, path, m{}).WantStatus(http.StatusForbidden)
			c.widget("", method, path+"?hydrationId="+token, m{}).WantStatus(http.StatusForbidden)
		}
	}
}

// TestDeletingWhatIsNotThere checks that deleting an unknown session returns the same
// response as deleting an existing one.
func TestDeletingWhatIsNotThere(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		mine := c.newSession(nil)
		c.widget(mine.token, "PUT", statePath, m{"n": 1}).WantStatus(http.StatusOK)
		for _, id := range []string{absent, mine.id, mine.id} {
			if got := neighbor(t, s).Call("DELETE", sessionsPath+id+"/", nil).WantStatus(http.StatusOK).Text(); got != `{"success":true}` {
				t.Errorf("the answer is %s", got)
			}
		}
		if got := c.widget(mine.token, "GET", statePath, nil).WantStatus(http.StatusOK).Text(); got != `{"n":1}` {
			t.Errorf("another organization changed the state to %s", got)
		}
		c.Call("POST", sessionsPath+mine.id+"/auth/", nil).WantStatus(http.StatusOK)
	})
}

// TestCallsAroundTheDeletion makes 200 widget calls while a session is being deleted. Calls
// that start after the response must fail.
func TestCallsAroundTheDeletion(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		mine := c.newSession(nil)
		c.widget(mine.token, "PUT", statePath, m{"n": 0}).WantStatus(http.StatusOK)
		c.widget(mine.token, "PUT", filePath, "x", "Content-Type", "text/csv").WantStatus(http.StatusOK)
		var deleted atomic.Bool
		var before, after atomic.Int64
		begun := make(chan struct{})
		var once sync.Once
		var all sync.WaitGroup
		for worker := range 40 {
			all.Go(func() {
				for n := range 5 {
					if n == 2 && worker%2 == 0 {
						once.Do(func() { close(begun) })
					}
					c.callAround(mine.token, worker+n, &deleted, &before, &after)
				}
			})
		}
		<-begun
		c.Call("DELETE", sessionsPath+mine.id+"/", nil).WantStatus(http.StatusOK)
		deleted.Store(true)
		all.Wait()
		if before.Load() == 0 {
			t.Error("no call started before the deletion")
		}
		t.Logf("%d calls began before the answer, %d after it", before.Load(), after.Load())
		c.expectShut(mine.token)
	})
}

// callAround makes one of the four widget calls. It checks the result depending on whether
// the call started before or after the response to the deletion.
func (c client) callAround(token string, kind int, deleted *atomic.Bool, before, after *atomic.Int64) {
	method, path := []string{"GET", "PUT"}[kind%2], []string{statePath, filePath}[kind/2%2]
	var body any
	if method == "PUT" {
		body = `{"n":1}`
	}
	request := nobody(c.T, c.Site).Request(method, path, body, "X-Hydration-Id", token)
	late := deleted.Load()
	reply, err := c.Site.TryDo(c.T, request)
	if err != nil {
		c.T.Errorf("%s %s: %v", method, path, err)
		return
	}
	c.Site.CheckReply(c.T, request, reply)
	if !late {
		before.Add(1)
		if reply.Status != http.StatusOK && reply.Status != http.StatusForbidden {
			c.T.Errorf("%s %s during the deletion: %d %s", method, path, reply.Status, reply.Body)
		}
		return
	}
	after.Add(1)
	if reply.Status != http.StatusForbidden {
		c.T.Errorf("%s %s after the deletion: %d %s", method, path, reply.Status, reply.Body)
	}
}

// TestSavingAndDeletingAtOnce saves a large file while the session is being deleted. The file
// must not be kept.
func TestSavingAndDeletingAtOnce(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		marker := strings.ToLower(unique("marker"))
		file := strings.Repeat(marker, 100000)
		for range 5 {
			mine := c.newSession(nil)
			replies := make(chan *livetest.Reply, 1)
			request := nobody(t, s).Request("PUT", filePath, file, "X-Hydration-Id", mine.token, "Content-Type", "text/csv")
			go func() {
				reply, err := s.TryDo(t, request)
				if err != nil {
					t.Error(err)
				}
				replies <- reply
			}()
			c.Call("DELETE", sessionsPath+mine.id+"/", nil).WantStatus(http.StatusOK)
			if reply := <-replies; reply != nil && reply.Status != http.StatusOK && reply.Status != http.StatusForbidden {
				t.Errorf("%d %s", reply.Status, reply.Body)
			}
		}
		apitest.Eventually(t, "no file of a deleted session is left", func() bool { return len(filesWith(t, s, marker)) == 0 })
	})
}

// large returns a state that takes long enough to save that other requests can interleave.
func large(n int) string {
	return fmt.Sprintf(`{"n":%d,"rows":"%s"}`, n, strings.Repeat("x", mebibyte))
}

// TestWritersUponOneState saves states with the same ETag concurrently. Exactly one save
// must succeed.
func TestWritersUponOneState(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		for range 2 {
			tag := c.widget(token, "PUT", statePath, large(-1)).WantStatus(http.StatusOK).Header.Get("ETag")
			var writers []*http.Request
			for n := range 8 {
				writers = append(writers, nobody(t, s).Request("PUT", statePath, large(n), "X-Hydration-Id", token, "If-Match", tag))
			}
			if got := c.together(writers); got[http.StatusOK] != 1 || got[http.StatusPreconditionFailed] != 7 {
				t.Errorf("8 writers upon one state are answered %v", got)
			}
		}
	})
}

// TestStateAndFileSavedAtOnce saves a state and a file concurrently. Neither may overwrite
// the other.
func TestStateAndFileSavedAtOnce(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		c.widget(token, "PUT", statePath, large(-1)).WantStatus(http.StatusOK)
		c.widget(token, "PUT", filePath, "file -1", "Content-Type", "text/csv").WantStatus(http.StatusOK)
		for n := range 6 {
			file := fmt.Sprint("file ", n)
			got := c.together([]*http.Request{
				nobody(t, s).Request("PUT", statePath, large(n), "X-Hydration-Id", token),
				nobody(t, s).Request("PUT", filePath, file, "X-Hydration-Id", token, "Content-Type", "text/csv"),
			})
			if got[http.StatusOK] != 2 {
				t.Errorf("round %d: saving both is answered %v", n, got)
			}
			if state := c.widget(token, "GET", statePath, nil); state.Text() != large(n) {
				t.Errorf("round %d: the state is %d %.40s", n, state.Status, state.Body)
			}
			if kept := c.widget(token, "GET", filePath, nil); kept.Text() != file {
				t.Errorf("round %d: the file is %d %.200s", n, kept.Status, kept.Body)
			}
		}
	})
}

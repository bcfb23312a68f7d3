package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// large returns a state that takes long enough to save for other requests to interleave.
func large(n int) string {
	return fmt.Sprintf(`{"n":%d,"rows":"%s"}`, n, strings.Repeat("x", mebibyte))
}

// TestWritersUponOneState saves states with the same ETag concurrently: one succeeds.
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

// TestStateAndFileSavedAtOnce saves both concurrently: neither overwrites the other.
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

package monitoring

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// lines returns the lines of the log with the given message. It waits for the first one, because the server
// may write it after it has responded.
func (s *monitored) lines(message string) []m {
	s.t.Helper()
	s.awaitLog(message)
	return s.linesSoFar(message)
}

// linesSoFar is like lines, but does not wait.
func (s *monitored) linesSoFar(message string) (found []m) {
	s.t.Helper()
	for line := range strings.Lines(s.Stderr()) {
		var record m
		if !strings.HasSuffix(line, "\n") {
			break // it is not complete
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.t.Errorf("the line %q of the log is no JSON object: %v", line, err)
		}
		if record["msg"] == message {
			found = append(found, record)
		}
	}
	return found
}

// checkLog checks that each line of the log that mentions an import has its ID as a field.
func (s *monitored) checkLog() {
	s.t.Helper()
	for line := range strings.Lines(s.Stderr()) {
		mentioned := slices.DeleteFunc(slices.Clone(s.imports), func(id string) bool { return !strings.Contains(line, id) })
		if len(mentioned) > 0 && !strings.Contains(line, `"import":"`+mentioned[0]+`"`) {
			s.t.Errorf("a line of the log mentions an import, but not as a field: %s", line)
		}
	}
}

// TestLogOfRequest checks that what a use case logs while it handles a request contains the ID of
// the request, which the response also has.
func TestLogOfRequest(t *testing.T) {
	s := start(t, livetest.Config{})
	id := s.finish(document(""), cleanFile, "SUCCESSFUL")
	results, err := filepath.Glob(filepath.Join(s.folder(id), "run-1"+folderMark, "result*"))
	if err != nil || len(results) != 1 {
		t.Fatalf("the results are %q, error %v", results, err)
	}
	if err := os.WriteFile(results[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	request := s.Result(t, id).Header.Get("X-Request-Id")
	lines := s.lines("damaged result rebuilt")
	if len(lines) != 1 || lines[0]["request_id"] != request || lines[0]["import"] != id {
		t.Errorf("the lines of the log are %v, want one about the request %s and the import %s", lines, request, id)
	}

	failed := s.Call(t, "GET", "/api/v1/headless/imports/", nil, "X-Service-License-Key", "wrong").WantStatus(http.StatusUnauthorized)
	lines = s.lines("authentication failed")
	if request := failed.Header.Get("X-Request-Id"); len(lines) != 1 || lines[0]["request_id"] != request || failed.String("request_id") != request {
		t.Errorf("the lines of the log are %v, want one about the request %s", lines, request)
	}
}

// TestLogOfRun checks that the log of a failed run contains its import.
func TestLogOfRun(t *testing.T) {
	s := start(t, livetest.Config{})
	id := s.sendBlocked()
	s.await("intray_runs_total", `outcome="error"`, 1)
	s.awaitLog("job failed; it will be retried")
	lines := s.lines("job failed; it will be retried")
	if line := lines[0]; line["import"] != id || line["run"] != 1.0 || line["org"] == nil || line["error"] == nil {
		t.Errorf("the line of the log is %v", line)
	}
}

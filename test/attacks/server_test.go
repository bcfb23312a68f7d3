package attacks

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// client sends requests to a server under attack. Its methods return errors, because they run in
// goroutines that cannot end the test.
type client struct {
	*livetest.Server
	// key is the API key of the organization.
	key  string
	http *http.Client
}

func newClient(server *livetest.Server, key string) *client {
	return &client{Server: server, key: key, http: &http.Client{Timeout: 5 * time.Minute}}
}

// refusal is a response with a status of 400 to 499.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.message) }

// call sends a request and decodes the JSON object in the response into out, unless out is nil.
// If out is an io.Writer, call copies the body to it. headers alternates names and values.
func (c *client) call(method, address string, body []byte, kind string, out any, headers ...string) error {
	if !strings.HasPrefix(address, "http") {
		address = c.URL + address
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if kind != "application/octet-stream" {
		request.Header.Set("X-Service-License-Key", c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		if response.StatusCode >= 500 || err != nil {
			return fmt.Errorf("%s: status %d: %s: %w", method, response.StatusCode, text, errors.Join(err, errServer))
		}
		var problem struct{ Code, Detail string }
		if err := json.Unmarshal(text, &problem); err != nil {
			return fmt.Errorf("%s: status %d: %s: %w", method, response.StatusCode, text, err)
		}
		return &refusal{response.StatusCode, problem.Code, problem.Detail}
	}
	if to, ok := out.(io.Writer); ok {
		_, err := io.Copy(to, response.Body)
		return err
	}
	if out == nil {
		_, err := io.Copy(io.Discard, response.Body)
		return err
	}
	return json.NewDecoder(response.Body).Decode(out)
}

// errServer is the error of a response with a status of 500 or more.
var errServer = errors.New("the server failed")

// importState is the part of an import that the tests use.
type importState struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Upload string `json:"upload"`
	Errors []struct {
		Type    string `json:"type"`
		Level   string `json:"level"`
		Message string `json:"message"`
	} `json:"import_errors"`
}

// question is a question of an import in NEEDS_REVIEW.
type question struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Choices []struct {
		Value string `json:"value"`
	} `json:"choices"`
}

// send creates an import and uploads its file.
func (c *client) send(schema []byte, name string, file []byte) (id string, err error) {
	var made importState
	if err := c.call("POST", "/api/v1/headless/imports/", schema, "application/json", &made); err != nil {
		return "", err
	}
	return made.ID, c.call("PUT", made.Upload, file, "application/octet-stream", nil, "X-File-Name", url.PathEscape(name))
}

// await polls until an import has ended or needs a review. waited is the time in which it was
// PENDING.
func (c *client) await(id string) (got importState, waited time.Duration, err error) {
	began := time.Now()
	for time.Since(began) < patience {
		got = importState{}
		if err := c.call("GET", "/api/v1/headless/imports/"+id+"/", nil, "", &got); err != nil {
			return got, waited, err
		}
		switch got.Status {
		case "SUCCESSFUL", "FAILED", "NEEDS_REVIEW":
			return got, waited, nil
		case "PENDING":
			waited = time.Since(began)
		}
		select {
		case <-c.Exited():
			return got, waited, errors.New("the server ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return got, waited, fmt.Errorf("the import is still %s after %s", got.Status, patience)
}

// questions returns the questions of an import.
func (c *client) questions(id string) ([]question, error) {
	var list struct {
		Questions []question `json:"questions"`
	}
	err := c.call("GET", "/api/v1/headless/imports/"+id+"/questions/", nil, "", &list)
	return list.Questions, err
}

// answer answers each question with its first choice, which runs the import again. It reports
// false if a question has no choices.
func (c *client) answer(id string, list []question) (bool, error) {
	answers := map[string]string{}
	for _, q := range list {
		if len(q.Choices) == 0 {
			return false, nil
		}
		answers[q.ID] = q.Choices[0].Value
	}
	body, err := json.Marshal(map[string]any{"answers": answers})
	if err != nil || len(answers) == 0 {
		return false, err
	}
	return true, c.call("POST", "/api/v1/headless/imports/"+id+"/questions/", body, "application/json", nil)
}

// result downloads the result of an import and returns its size and hash.
func (c *client) result(id string) (size int64, sum string, err error) {
	var link struct {
		URL string `json:"presigned_url"`
	}
	if err := c.call("GET", "/api/v1/headless/imports/"+id+"/url/", nil, "", &link); err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	counted := &countingWriter{to: hash}
	err = c.call("GET", link.URL, nil, "application/octet-stream", counted)
	return counted.size, fmt.Sprintf("%x", hash.Sum(nil)), err
}

type countingWriter struct {
	to   io.Writer
	size int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.size += int64(len(p))
	return w.to.Write(p)
}

func (c *client) delete(id string) error {
	return c.call("DELETE", "/api/v1/headless/imports/"+id+"/", nil, "", nil)
}

// newKey creates an organization and returns its API key.
func newKey(t *testing.T, server *livetest.Server, name string) string {
	t.Helper()
	for _, args := range [][]string{{"orgs", "create", name}, {"keys", "create", "--org", name, "--kind", "backend"}} {
		out, stderr, status := livetest.Run(t, t.TempDir(), nil, append(args, "--data", server.DataDir())...)
		if status != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		name = strings.TrimSpace(out)
	}
	return name
}

// cpuTime returns the CPU time that the server has used.
func cpuTime(server *livetest.Server) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", server.PID()))
	if err != nil {
		return 0
	}
	// The name of the program, in parentheses, may contain spaces. Fields 14 and 15 of the file
	// are the user and system time in ticks of 10 ms.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resetPeak sets the peak memory of the server to its current memory.
func resetPeak(server *livetest.Server) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", server.PID()), []byte("5"), 0)
}

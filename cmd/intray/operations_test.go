package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

// liveServer is a server in this process, for tests of commands that change what it does.
type liveServer struct {
	*testing.T
	// flags select its stores.
	flags []string
	// address is the URL of its API. key is the API key for calls, or "" for testKey.
	address, key string
	stop         func()
}

// testKey is the backend key of a liveServer.
const testKey = "bk_0123456789012345678901234567890123456789"

// startServers starts n servers that share a PostgreSQL database and a folder of files.
func startServers(t *testing.T, n int) []*liveServer {
	t.Helper()
	t.Setenv("INTRAY_MASTER_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	database, files := storetest.PostgresURL(t), t.TempDir()
	servers := make([]*liveServer, n)
	for i := range servers {
		data := t.TempDir()
		if err := os.Symlink(files, filepath.Join(data, "blobs")); err != nil {
			t.Fatal(err)
		}
		servers[i] = startServer(t, data, database)
	}
	return servers
}

// startServer starts a server. It stops when its test ends. If database is "", it uses SQLite.
func startServer(t *testing.T, data, database string) *liveServer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &liveServer{T: t, flags: []string{"--data", data}}
	if database != "" {
		s.flags = append(s.flags, "--database-url", database)
	}
	serving, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- server.Serve(ctx, server.Config{
			Data: data, DatabaseURL: database, MasterKey: os.Getenv("INTRAY_MASTER_KEY"), BackendKey: testKey, Listen: "127.0.0.1:0", MaxFileSize: 1 << 20,
			Version: "0.1.0-test", Out: io.Discard, Log: slog.New(slog.DiscardHandler), Serving: func(address string) { serving <- address },
		})
	}()
	select {
	case s.address = <-serving:
	case err := <-ended:
		t.Fatal(err)
	}
	stopped := false
	s.stop = func() {
		if cancel(); !stopped {
			stopped = true
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(s.stop)
	return s
}

// command runs a command on the stores of the server, and returns its exit status and its output.
func (s *liveServer) command(args ...string) (status int, out, messages string) {
	s.Helper()
	return execute(s.T, append(args, s.flags...)...)
}

func execute(t *testing.T, args ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), args, streams{strings.NewReader(""), &stdout, &stderr})
	return status, stdout.String(), stderr.String()
}

// report runs a command that must succeed, and decodes its JSON output.
func report[T any](s *liveServer, args ...string) (result T) {
	s.Helper()
	status, out, messages := s.command(args...)
	if status != exitDone {
		s.Fatalf("%v: exit status %d: %s", args, status, messages)
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		s.Fatalf("%v: %v\n%s", args, err, out)
	}
	return result
}

// TestNodes checks that running servers are listed until they stop.
func TestNodes(t *testing.T) {
	servers := startServers(t, 2)
	one, two := servers[0], servers[1]
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	nodes := report[[]listedNode](one, "nodes")
	if len(nodes) != 2 || nodes[0].ID == nodes[1].ID {
		t.Fatalf("%d processes, want 2: %+v", len(nodes), nodes)
	}
	for _, n := range nodes {
		if n.State != "alive" || n.Host != host || n.Version != "0.1.0-test" || n.Started == nil || n.Heartbeat.Before(n.Started.Add(-time.Second)) {
			t.Errorf("unexpected process %+v", n)
		}
	}
	two.stop()
	if nodes := report[[]listedNode](one, "nodes"); len(nodes) != 1 {
		t.Errorf("%d processes are left, want 1: %+v", len(nodes), nodes)
	}
	one.stop()
	if status, out, messages := one.command("nodes", "--text"); status != exitDone || out != "No server is running.\n" {
		t.Errorf("exit status %d, output %q, %s", status, out, messages)
	}
}

// get requests a path of the API with the backend key, and returns the status and the body.
func (s *liveServer) get(path string) (status int, body string) {
	s.Helper()
	return s.call(http.MethodGet, path, "")
}

// call calls the API with the backend key, and returns the status and the body of the response. headers are
// names and values.
func (s *liveServer) call(method, path, document string, headers ...string) (status int, body string) {
	s.Helper()
	response, body := s.send(method, path, document, headers...)
	return response.StatusCode, body
}

func (s *liveServer) send(method, path, document string, headers ...string) (response *http.Response, body string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.address+path, strings.NewReader(document))
	if err != nil {
		s.Fatal(err)
	}
	if document != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("X-Service-License-Key", cmp.Or(s.key, testKey))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err = http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response, string(text)
}

// await calls a function until it returns true. The test fails after 20 s.
func (s *liveServer) await(what string, reached func() bool) {
	s.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !reached() {
		select {
		case <-deadline:
			s.Fatalf("%s: not within 20 s", what)
		case <-tick.C:
		}
	}
}

// TestDisableOrg checks that all running servers refuse the keys of a disabled organization, and accept
// them again.
func TestDisableOrg(t *testing.T) {
	servers := startServers(t, 2)
	for _, step := range []struct {
		command string
		status  int
	}{{"disable", http.StatusUnauthorized}, {"enable", http.StatusOK}} {
		if status, _, messages := servers[0].command("orgs", step.command, "default"); status != exitDone {
			t.Fatalf("%s: exit status %d: %s", step.command, status, messages)
		}
		for _, s := range servers {
			s.await(step.command, func() bool {
				status, body := s.get("/api/v1/schemas/")
				if status == http.StatusUnauthorized && !strings.Contains(body, "This organization is disabled.") {
					t.Errorf("unexpected response %s", body)
				}
				return status == step.status
			})
		}
	}
}

// TestDeleteOrg deletes an organization while a server runs.
func TestDeleteOrg(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		s := startServer(t, t.TempDir(), "")
		deleteOrg(s, "sqlite", filepath.Join(s.flags[1], "intray.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		s := startServers(t, 2)[0]
		deleteOrg(s, "pgx", s.flags[3])
	})
}

// deleteOrg deletes an organization with data of all kinds, in the database with the given driver and name.
func deleteOrg(s *liveServer, driver, database string) {
	s.Helper()
	db, err := sql.Open(driver, database)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	before := s.countRows(db, driver)
	for _, args := range [][]string{{"orgs", "create", "Beta"}, {"keys", "create", "--org", "Beta", "--kind", "backend"}} {
		status, out, messages := s.command(args...)
		if status != exitDone {
			s.Fatalf("%v: exit status %d: %s", args, status, messages)
		}
		s.key = strings.TrimSpace(out)
	}
	s.fillOrg()
	s.await("a failed message", func() bool { return s.countRows(db, driver)["attempts"] > before["attempts"] })
	full := s.countRows(db, driver)
	for _, table := range []string{"orgs", "licences", "schemas", "imports", "uploads", "webhooks", "deliveries", "attempts", "edits", "import_links", "replays"} {
		if full[table] <= before[table] {
			s.Errorf("the test adds nothing to the table %s", table)
		}
	}
	s.key = ""
	for _, step := range []struct {
		args     []string
		status   int
		messages string
	}{
		{[]string{"orgs", "delete", "Beta", "--confirm", "Beta"}, exitFault, `The organization "Beta" is in use. Disable it first.`},
		{[]string{"orgs", "disable", "Beta"}, exitDone, ""},
		{[]string{"orgs", "delete", "Beta"}, exitUsage, "nothing was deleted"},
	} {
		if status, _, messages := s.command(step.args...); status != step.status || !strings.Contains(messages, step.messages) {
			s.Fatalf("%v: exit status %d, want %d: %s", step.args, status, step.status, messages)
		}
	}
	if deleted := report[deletedOrg](s, "orgs", "delete", "Beta", "--confirm", "Beta"); deleted.Organization != "Beta" || deleted.Imports != 2 || deleted.OtherRows < 5 {
		s.Errorf("deleted %+v", deleted)
	}
	if status, _, messages := s.command("orgs", "delete", "Beta", "--confirm", "Beta"); status != exitFault || !strings.Contains(messages, `no organization named "Beta"`) {
		s.Errorf("a second time: exit status %d: %s", status, messages)
	}
	if status, body := s.get("/api/v1/schemas/"); status != http.StatusOK {
		s.Errorf("another organization: %d %s", status, body)
	}
	if diff := gocmp.Diff(before, s.countRows(db, driver)); diff != "" {
		s.Errorf("rows before and after (-want +got):\n%s", diff)
	}
}

// fillOrg creates data of an organization: an import whose review has begun, one that has ended, a webhook with
// a failed message, a saved schema and an import link.
func (s *liveServer) fillOrg() {
	s.Helper()
	const schema = `"fields":[{"key":"email","label":"Email","type":"email"}]`
	create := func(path, body string, headers ...string) (made map[string]any) {
		status, text := s.call(http.MethodPost, path, body, headers...)
		if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusCreated {
			s.Fatalf("POST %s: %d %s", path, status, text)
		}
		return made
	}
	create("/api/v1/webhooks/", `{"url":"https://receiver.invalid/"}`)
	saved := create("/api/v1/schemas/", `{"name":"people","settings":{},`+schema+`}`)
	create("/api/v1/import-links/", fmt.Sprintf(`{"schema_id":%q}`, saved["id"]))
	create("/api/v1/headless/imports/", `{`+schema+`,"initial_data":[{"email":"ada@example.org"}]}`, "Idempotency-Key", "once")
	reviewed := create("/api/v1/headless/imports/", `{`+schema+`,"settings":{"invalidDataBehavior":"BLOCK_SUBMIT"},"initial_data":[{"email":"nobody"}]}`)
	token := ""
	s.await("review", func() bool {
		_, body := s.get(fmt.Sprintf("/api/v1/headless/imports/%s/", reviewed["id"]))
		_, link, found := strings.Cut(body, "/review/")
		if found {
			_, rest, _ := strings.Cut(link, "#")
			token, _, _ = strings.Cut(rest, `"`)
		}
		return found && strings.Contains(body, string(model.NeedsReview))
	})
	path := fmt.Sprintf("/api/review/v1/%s/", reviewed["id"])
	opened, body := s.send(http.MethodPost, path+"session/", "", "X-Service-License-Key", "", "Authorization", "Bearer "+token)
	if opened.StatusCode != http.StatusOK {
		s.Fatalf("open the review: %d %s", opened.StatusCode, body)
	}
	cookie, _, _ := strings.Cut(opened.Header.Get("Set-Cookie"), ";")
	status, body := s.call(http.MethodPost, path+"edits/", `{"op":"1","kind":"fill","where":{"rows":["0"]},"keys":["email"],"text":"grace@example.org"}`, "X-Service-License-Key", "", "Cookie", cookie)
	if status != http.StatusOK {
		s.Fatalf("change a cell: %d %s", status, body)
	}
}

// countRows returns the numbers of rows in all tables that belong to organizations.
func (s *liveServer) countRows(db *sql.DB, driver string) map[string]int {
	s.Helper()
	counts := map[string]int{}
	for _, table := range []string{
		"orgs", "licences", "schemas", "imports", "uploads", "sessions", "credentials", "replays", "memories", "memory_versions", "edits", "webhooks", "deliveries",
		"attempts", "connectors", "pulled", "pulls", "retention", "receipts", "org_usage", "upload_days", "import_links", "import_link_logos",
	} {
		var n int
		if err := db.QueryRowContext(s.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			s.Fatalf("%s: count %s: %v", driver, table, err)
		}
		counts[table] = n
	}
	return counts
}

// TestImportsCommands lists and shows an import that ran in a server, without its cell values.
func TestImportsCommands(t *testing.T) {
	servers := startServers(t, 2)
	status, body := servers[0].call(http.MethodPost, "/api/v1/headless/imports/",
		`{"fields":[{"key":"email","label":"Email","type":"email"}],"settings":{"invalidDataBehavior":"BLOCK_SUBMIT"},"initial_data":[{"email":"secret-value"}]}`)
	if status != http.StatusCreated {
		t.Fatalf("create an import: %d %s", status, body)
	}
	var list []listedImport
	servers[0].await("review", func() bool {
		list = report[[]listedImport](servers[1], "imports", "list", "--org", "default")
		return len(list) == 1 && list[0].Status == string(model.NeedsReview)
	})
	if i := list[0]; i.Organization != "default" || i.Attempt != 1 || i.Rows == nil || *i.Rows != 1 || i.NextAttempt != nil {
		t.Errorf("unexpected import %+v", i)
	}
	shown := report[shownImport](servers[1], "imports", "show", list[0].ID)
	if shown.ID != list[0].ID || shown.Problems != 1 || shown.Received == nil || !shown.Staged || shown.Result != nil {
		t.Errorf("unexpected details %+v", shown)
	}
	for _, form := range []string{"--json", "--text"} {
		if _, out, _ := servers[1].command("imports", "show", list[0].ID, form); strings.Contains(out, "secret-value") || !strings.Contains(out, list[0].ID) {
			t.Errorf("%s: %s", form, out)
		}
	}
	status, out, messages := servers[1].command("imports", "cancel", "--text", list[0].ID)
	if status != exitFault || !strings.Contains(out, "Only a PENDING or RUNNING import can be canceled.") {
		t.Errorf("cancel: exit status %d: %s%s", status, out, messages)
	}
}

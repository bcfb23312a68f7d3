package monitoring

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/intraydata/intray/test/livetest"
)

// situation causes what alerts warn about, and returns scrapes from before and after.
type situation struct {
	cause func(t *testing.T) []scrape
	fires []string
}

var situations = map[string]situation{
	"all is well":                 {allIsWell, nil},
	"a server is down":            {serverDown, []string{"IntrayDown"}},
	"the database is cut off":     {databaseDown, []string{"IntrayDatabaseUnreachable", "IntrayHeartbeatsFail", "IntrayRequestsFail"}},
	"somebody guesses keys":       {guessedKeys, []string{"IntrayAuthenticationFails"}},
	"an import waits for workers": {busyWorkers, []string{"IntrayImportsWait"}},
	"a received file is damaged":  {damagedFile, []string{"IntrayDamage", "IntrayImportsFail"}},
	"runs cannot store rows":      {blockedFolders, []string{"IntrayFileStorageFails", "IntrayRunsFail"}},
	"a file cannot be read":       {endlessRead, []string{"IntrayImportsFail", "IntrayRunsStuck"}},
	"a hook fails":                {failingHooks, []string{"IntrayHooksFail"}},
	"nobody reviews an import":    {forgottenReview, []string{"IntrayReviewsWait"}},
	"the disk is small":           {smallDisk, []string{"IntrayDiskNearlyFull"}},
	"backups have stopped":        {oldBackup, []string{"IntrayBackupOld"}},
	"a quota is used up":          {usedQuota, []string{"IntrayQuotaNearlyUsed", "IntrayQuotaReached"}},
	"a receiver refuses messages": {refusedMessages, []string{"IntrayDeliveriesStuck", "IntrayWebhooksFail"}},
	"an SFTP server is gone":      {missingSFTP, []string{"IntraySFTPFails"}},
}

// TestAlerts checks that each alert fires in the situation that it warns about, and that no other
// alert does.
func TestAlerts(t *testing.T) {
	if testing.Short() {
		t.Skip("causing all situations takes a minute")
	}
	needPromtool(t)
	var fired []string
	for name, s := range situations {
		fired = append(fired, s.fires...)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantAlerts(t, s.cause(t), s.fires...)
		})
	}
	for _, name := range alerts(t) {
		if !slices.Contains(fired, name) {
			t.Errorf("no situation causes %s", name)
		}
	}
}

func allIsWell(t *testing.T) []scrape {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	s := start(t, livetest.Config{})
	s.Call(t, "POST", "/api/v1/webhooks/", m{"url": receiver.URL}).WantStatus(http.StatusCreated)
	before := s.scrape()
	s.finish(document("record => record"), badFile, "SUCCESSFUL")
	s.finish(document(""), "", "FAILED")
	s.send(document(""), cleanFile)
	s.Call(t, "GET", "/api/v1/headless/imports/", nil, "X-Service-License-Key", "wrong").WantStatus(http.StatusUnauthorized)
	s.Call(t, "GET", "/readyz", nil).WantStatus(http.StatusOK)
	return []scrape{before, s.await("intray_delivery_attempts_total", `outcome="succeeded"`, 2)}
}

func serverDown(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	before := s.scrape()
	s.Kill()
	return []scrape{before, nil}
}

func databaseDown(t *testing.T) []scrape {
	database := livetest.StartPostgres(t)
	s := start(t, livetest.Config{Args: []string{"--database-url", database.URL}})
	call := func() *livetest.Reply { return s.Call(t, "GET", "/api/v1/headless/imports/", nil) }
	for range 20 {
		call().WantStatus(http.StatusOK)
	}
	before := s.scrape()
	database.Stop()
	call().WantStatus(http.StatusServiceUnavailable)
	failing := s.await("intray_http_requests_total", `status="503"`, 1)
	for range 40 {
		call().WantStatus(http.StatusServiceUnavailable)
	}
	return []scrape{before, failing, s.await("intray_heartbeats_failed_total", "", failing.sum("intray_heartbeats_failed_total", "")+8)}
}

func guessedKeys(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	guess := func() {
		s.Call(t, "GET", "/api/v1/headless/imports/", nil, "X-Service-License-Key", "bk_guess").WantStatus(http.StatusUnauthorized)
	}
	guess()
	before := s.await("intray_auth_failures_total", "", 1)
	for range 400 {
		guess()
	}
	return []scrape{before, s.await("intray_auth_failures_total", "", 401)}
}

// slowHooks are flags that allow hooks to run for a minute.
var slowHooks = []string{"--hook-timeout-per-1000", "60s"}

// update changes the SQLite database of a running server, as if more time had passed.
func (s *monitored) update(statement string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.DataDir(), "intray.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	done, err := db.Exec(statement)
	if err != nil {
		s.t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		s.t.Fatalf("%s: %d rows changed, error %v", statement, n, err)
	}
}

func busyWorkers(t *testing.T) []scrape {
	s := start(t, livetest.Config{Args: slowHooks})
	before := s.scrape()
	for range 2 { // at most two imports of an organization run at the same time
		s.send(document(endlessHook), cleanFile)
	}
	s.await("intray_imports", `status="RUNNING"`, 2)
	id := s.send(document(""), cleanFile)
	s.update(fmt.Sprintf("UPDATE imports SET queued = queued - 3600 * 1000000 WHERE id = '%s'", id))
	return []scrape{before, s.scrape()}
}

// folderMark ends the name of each folder in the file storage.
const folderMark = "+"

// folder returns the folder with the files of an import.
func (s *monitored) folder(id string) string {
	return filepath.Join(s.DataDir(), "blobs", "blobs", "imports"+folderMark, id+folderMark)
}

// received returns the path of the received file of an import.
func (s *monitored) received(id string) string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.folder(id), "raw-*"))
	if err != nil || len(found) != 1 {
		s.t.Fatalf("import %s has the files %q, error %v", id, found, err)
	}
	return found[0]
}

func damagedFile(t *testing.T) []scrape {
	s := start(t, livetest.Config{Args: slowHooks})
	id := s.send(document(endlessHook), cleanFile)
	before := s.await("intray_imports", `status="RUNNING"`, 1)
	s.Kill()
	if err := os.WriteFile(s.received(id), []byte(strings.ToUpper(cleanFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	return []scrape{before, s.await("intray_imports_failed_total", `reason="damage"`, 1)}
}

// sendBlocked sends an import whose runs cannot store rows, because there are files instead of their
// folders.
func (s *monitored) sendBlocked() (id string) {
	s.t.Helper()
	id, address := s.CreateImport(s.t, document(""))
	s.imports = append(s.imports, id)
	if err := os.MkdirAll(s.folder(id), 0o700); err != nil {
		s.t.Fatal(err)
	}
	for run := range 9 {
		if err := os.WriteFile(filepath.Join(s.folder(id), fmt.Sprint("run-", run)+folderMark), nil, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	s.Upload(s.t, address, cleanFile).WantStatus(http.StatusOK)
	return id
}

func blockedFolders(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	before := s.scrape()
	for range 4 {
		s.sendBlocked()
	}
	return []scrape{before, s.await("intray_runs_total", `outcome="error"`, 10)}
}

// endlessRead replaces a received file by a pipe. Opening it never returns.
func endlessRead(t *testing.T) []scrape {
	s := start(t, livetest.Config{Args: append([]string{"--stall-timeout", "3s"}, slowHooks...)})
	id := s.send(document(endlessHook), cleanFile)
	before := s.await("intray_imports", `status="RUNNING"`, 1)
	s.Kill()
	file := s.received(id)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	s.await("intray_imports_failed_total", `reason="stalled"`, 1)
	return []scrape{before, s.await("intray_runs_stuck", "", 1)}
}

func failingHooks(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	before := s.scrape()
	for range 8 {
		s.finish(document(failingHook), cleanFile, "FAILED")
	}
	return []scrape{before, s.await("intray_hook_failures_total", `hook="row"`, 8)}
}

func forgottenReview(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	before := s.scrape()
	doc := document("")
	doc["settings"] = m{"invalidDataBehavior": "BLOCK_SUBMIT"}
	id := s.finish(doc, badFile, "NEEDS_REVIEW")
	s.update(fmt.Sprintf("UPDATE imports SET created = created - 8 * 86400 * 1000000 WHERE id = '%s'", id))
	return []scrape{before, s.scrape()}
}

// smallDisk runs the server with a data folder on a file system of 256 MiB.
func smallDisk(t *testing.T) []scrape {
	const mount = `mount -t tmpfs -o size=256m tmpfs "$0"`
	folder := t.TempDir()
	if out, err := exec.Command("unshare", "-rm", "sh", "-c", mount, folder).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: unshare cannot create a mount and network namespace: %v: %s", err, out)
	}
	program := filepath.Join(t.TempDir(), "intray-on-small-disk")
	script := fmt.Sprintf("#!/bin/sh\nexec unshare -rm sh -c '%s && exec %s \"$@\"' '%s' \"$@\"\n", mount, livetest.BuildBinary(t), folder)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, livetest.Config{Binary: program, Data: filepath.Join(folder, "data")})
	s.finish(document(""), cleanFile, "SUCCESSFUL")
	return []scrape{s.scrape()}
}

// oldBackup makes a backup, and changes its recorded time.
func oldBackup(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	recipient, messages, status := livetest.Run(t, t.TempDir(), nil, "keys", "backup", "backup.key")
	if status != 0 {
		t.Fatal(messages)
	}
	if _, messages, status := livetest.Run(t, t.TempDir(), nil, "backup", "backups", "--data", s.DataDir(), "--recipient", strings.TrimSpace(recipient)); status != 0 {
		t.Fatal(messages)
	}
	record := filepath.Join(s.DataDir(), "backup.lock")
	if text, err := os.ReadFile(record); err != nil || !strings.HasPrefix(string(text), time.Now().UTC().Format("2006-01-")) {
		t.Fatalf("the recorded time is %q, %v", text, err)
	}
	if err := os.WriteFile(record, []byte(time.Now().Add(-49*time.Hour).UTC().Format(time.RFC3339)), 0o600); err != nil {
		t.Fatal(err)
	}
	return []scrape{s.scrape()}
}

func usedQuota(t *testing.T) []scrape {
	s := start(t, livetest.Config{Args: []string{"--quota", "imports=5"}})
	before := s.scrape()
	for range 5 {
		s.finish(document(""), cleanFile, "SUCCESSFUL")
	}
	if got := s.Call(t, "POST", "/api/v1/headless/imports/", document("")); got.Status == http.StatusCreated {
		t.Errorf("the quota was exceeded: %s", got.Body)
	}
	return []scrape{before, s.await("intray_quota_refusals_total", `quota="imports"`, 1)}
}

func refusedMessages(t *testing.T) []scrape {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(receiver.Close)
	s := start(t, livetest.Config{})
	s.Call(t, "POST", "/api/v1/webhooks/", m{"url": receiver.URL}).WantStatus(http.StatusCreated)
	before := s.scrape()
	id := s.finish(document(""), cleanFile, "SUCCESSFUL")
	s.await("intray_delivery_attempts_total", `outcome="failed"`, 1)
	s.update(fmt.Sprintf("UPDATE deliveries SET created = created - 2 * 3600 * 1000000 WHERE import_id = '%s'", id))
	return []scrape{before, s.await("intray_webhooks_failing", "", 1)}
}

func missingSFTP(t *testing.T) []scrape {
	s := start(t, livetest.Config{})
	before := s.scrape()
	create := func(path string, body m) string {
		return s.Call(t, "POST", path, body).WantStatus(http.StatusCreated).String("id")
	}
	credential := create("/api/v1/headless/sftp/credentials/", m{"hostname": "127.0.0.1", "port": 9, "user": "anna", "auth_type": "PASSWORD", "password": "secret"})
	doc := document("")
	doc["name"], doc["settings"], doc["hooks"] = "Contacts", m{}, m{}
	connector := create("/api/v1/headless/sftp/connectors/", m{
		"credentials": credential, "schema": create("/api/v1/schemas/", doc), "directory": "/in",
		"schedule": m{"type": "every_n_minutes", "minutes": 5}, "file_regex": `\.csv$`,
	})
	s.Call(t, "POST", "/api/v1/headless/sftp/connectors/"+connector+"/run/", nil).WantStatus(http.StatusOK)
	s.await("intray_connector_runs_total", `outcome="failed"`, 1)
	return []scrape{before, s.await("intray_connectors_failing", "", 1)}
}

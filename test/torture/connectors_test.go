package torture

import (
	"fmt"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// sshServer runs OpenSSH for the current user. It returns the port and the user's private key.
func sshServer(t *testing.T) (port int, key string) {
	t.Helper()
	user, host := livetest.NewSSHKey(t), livetest.NewSSHKey(t)
	cfg := livetest.SSHDConfig{AuthorizedKey: user.PublicKey(), HostKeys: []livetest.SSHKey{host}}
	return livetest.Listen(t, livetest.OpenSSH{Config: func() livetest.SSHDConfig { return cfg }}.Handler(t)), user.Private
}

// arrive writes a file and sets its modification time to an hour ago.
func arrive(t *testing.T, folder string, number int) {
	t.Helper()
	name := filepath.Join(folder, fmt.Sprintf("in-%04d.csv", number))
	if err := os.WriteFile(name+".tmp", table(number, 20), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name+".tmp", old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		t.Fatal(err)
	}
}

// TestConnectorKills adds files on an SFTP server while a connector fetches them and Intray is
// killed repeatedly. Each file must become one import, and each result must be uploaded once.
func TestConnectorKills(t *testing.T) {
	databases(t, func(t *testing.T, args []string) {
		port, key := sshServer(t)
		me, err := user.Current()
		if err != nil {
			t.Fatal(err)
		}
		in, out := t.TempDir(), t.TempDir()
		random := seeded(t)
		server := livetest.Start(t, livetest.Config{Args: append([]string{"--egress-allow", "127.0.0.0/8"}, args...)})
		credential := server.Call(t, "POST", "/api/v1/headless/sftp/credentials/", map[string]any{
			"hostname": "127.0.0.1", "port": port, "user": me.Username, "auth_type": "KEY", "private_key": key,
		}).WantStatus(http.StatusCreated).String("id")
		saved := server.Call(t, "POST", "/api/v1/schemas/", map[string]any{"name": "Arriving", "fields": schema["fields"], "settings": map[string]any{}, "hooks": map[string]any{}}).WantStatus(http.StatusCreated).String("id")
		connector := server.Call(t, "POST", "/api/v1/headless/sftp/connectors/", map[string]any{
			"credentials": credential, "schema": saved, "directory": in, "file_regex": `^in-\d+\.csv$`,
			"schedule": map[string]any{"type": "every_n_minutes", "minutes": 5}, "deliver_to": map[string]any{"directory": out, "format": "csv"},
		}).WantStatus(http.StatusCreated).String("id")
		files, kills := share(500), share(20)
		arrived := 0
		for arrived < files {
			for range max(1, files/(4*kills)) {
				if arrived < files {
					arrive(t, in, arrived)
					arrived++
				}
			}
			server.Call(t, "POST", "/api/v1/headless/sftp/connectors/"+connector+"/run/", nil).WantStatus(http.StatusOK)
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			if kills > 0 && random.IntN(4) == 0 {
				server.Kill()
				server.Restart()
				kills--
			}
		}
		for ; kills > 0; kills-- {
			server.Call(t, "POST", "/api/v1/headless/sftp/connectors/"+connector+"/run/", nil).WantStatus(http.StatusOK)
			time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
			server.Kill()
			server.Restart()
		}
		server.Call(t, "POST", "/api/v1/headless/sftp/connectors/"+connector+"/run/", nil).WantStatus(http.StatusOK)
		checkEachOnce(t, server, files)
		checkUploadedOnce(t, server, out, files)
	})
}

// checkEachOnce waits until all imports have ended. It checks that no two imports come from
// the same file.
func checkEachOnce(t *testing.T, server *livetest.Server, files int) {
	t.Helper()
	names := map[string]int{}
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(200 * time.Millisecond) {
		clear(names)
		done := 0
		list := server.Call(t, "GET", "/api/v1/headless/imports/?limit=1000", nil).WantStatus(http.StatusOK).Object()["results"].([]any)
		for _, item := range list {
			one := item.(map[string]any)
			names[one["original_filename"].(string)]++
			if one["status"] == "SUCCESSFUL" {
				done++
			}
		}
		if done >= files {
			break
		}
	}
	if len(names) != files {
		t.Errorf("%d of %d files were imported: %s", len(names), files, server.Stderr())
	}
	for name, n := range names {
		if n != 1 {
			t.Errorf("%s was imported %d times", name, n)
		}
	}
}

// checkUploadedOnce waits until all results are uploaded. Each result must be complete. Partial
// files are ignored.
func checkUploadedOnce(t *testing.T, server *livetest.Server, folder string, files int) {
	t.Helper()
	var results []os.DirEntry
	for began := time.Now(); time.Since(began) < 2*time.Minute && len(results) < files; time.Sleep(200 * time.Millisecond) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		// A partial file is still being written, or remains after a kill.
		results = slices.DeleteFunc(entries, func(one os.DirEntry) bool { return !strings.HasPrefix(one.Name(), "in-") })
	}
	whole := 0
	for _, one := range results {
		text, err := os.ReadFile(filepath.Join(folder, one.Name()))
		switch {
		case err != nil:
			t.Fatal(err)
		case strings.Count(string(text), "\n") != 21:
			t.Errorf("%s has %d lines", one.Name(), strings.Count(string(text), "\n"))
		default:
			whole++
		}
	}
	if whole != files {
		t.Errorf("%d of %d results were uploaded: %s", whole, files, server.Stderr())
	}
}

package torture

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

const sshd = "/usr/sbin/sshd"

// sshServer runs OpenSSH's server on loopback, as the current user, with keys of its
// own, and gives its port and the private key that opens it.
func sshServer(t *testing.T) (port int, key string) {
	t.Helper()
	if _, err := os.Stat(sshd); err != nil {
		t.Skip("SKIPPED: " + sshd + " is not installed; apt-get install openssh-server")
	}
	if os.Getuid() == 0 { // it insists on the folder that its package's service makes
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("SKIPPED: sshd needs /run/sshd: %v", err)
		}
	}
	folder := t.TempDir()
	for _, name := range []string{"host", "mine"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(folder, name)).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: ssh-keygen: %v %s", err, out)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	config := filepath.Join(folder, "config")
	text := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"+
		"PermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPidFile none\nMaxStartups 100\nSubsystem sftp internal-sftp\n",
		port, filepath.Join(folder, "host"), filepath.Join(folder, "mine.pub"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(sshd, "-D", "-f", config, "-E", filepath.Join(folder, "log"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	private, err := os.ReadFile(filepath.Join(folder, "mine"))
	if err != nil {
		t.Fatal(err)
	}
	return port, string(private)
}

// arrive puts a file that has been at rest for a while.
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

// TestConnectorKills lets files arrive on an SFTP server while a connector fetches
// them and the service is killed again and again: each becomes one import, and its
// result is put back once.
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
		eachOnce(t, server, files)
		putBackOnce(t, server, out, files)
	})
}

// eachOnce waits until as many imports have ended, and makes sure that each is of
// another file.
func eachOnce(t *testing.T, server *livetest.Server, files int) {
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

// putBackOnce waits until the results are back, whole and without parts beside them.
func putBackOnce(t *testing.T, server *livetest.Server, folder string, files int) {
	t.Helper()
	var results []os.DirEntry
	for began := time.Now(); time.Since(began) < 2*time.Minute && len(results) < files; time.Sleep(200 * time.Millisecond) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		// A part may be one that is being written, or was left by a kill.
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
		t.Errorf("%d of %d results were put back: %s", whole, files, server.Stderr())
	}
}

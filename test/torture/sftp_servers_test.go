package torture

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/test/livetest"
)

// entry is an entry of a directory listing.
type entry struct {
	name string
	mode fs.FileMode
	size int64
}

func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return e.size }
func (e entry) Mode() fs.FileMode  { return e.mode }
func (e entry) ModTime() time.Time { return time.Unix(1_750_000_000, 0) }
func (e entry) IsDir() bool        { return e.mode.IsDir() }
func (e entry) Sys() any           { return nil }

// remoteFolder is a directory on a server. entryAt returns an entry of the directory, or
// false after the last one. content is the content of every file.
type remoteFolder struct {
	entryAt func(n int64) (entry, bool)
	content func() io.ReaderAt
}

func (d remoteFolder) Filelist(r *pkgsftp.Request) (pkgsftp.ListerAt, error) {
	if r.Method != "Stat" && r.Method != "Lstat" {
		return d, nil
	}
	for n := int64(0); ; n++ {
		one, more := d.entryAt(n)
		if !more {
			return nil, os.ErrNotExist
		}
		if strings.HasSuffix(r.Filepath, "/"+one.name) {
			return remoteFolder{entryAt: func(n int64) (entry, bool) { return one, n == 0 }}, nil
		}
	}
}

func (d remoteFolder) Lstat(r *pkgsftp.Request) (pkgsftp.ListerAt, error) { return d.Filelist(r) }

func (d remoteFolder) ListAt(to []os.FileInfo, from int64) (n int, err error) {
	for ; n < len(to); n++ {
		one, more := d.entryAt(from + int64(n))
		if !more {
			return n, io.EOF
		}
		to[n] = one
	}
	return n, nil
}

func (d remoteFolder) Fileread(*pkgsftp.Request) (io.ReaderAt, error) { return d.content(), nil }

// endless is a file with an infinite length.
type endless struct{}

func (endless) ReadAt(to []byte, _ int64) (int, error) {
	return copy(to, bytes.Repeat([]byte("x"), len(to))), nil
}

// listed returns a directory with the given entries. All files have the same content.
func listed(text string, entries ...entry) remoteFolder {
	at := func(n int64) (entry, bool) {
		if n >= int64(len(entries)) {
			return entry{}, false
		}
		one := entries[n]
		if one.size == 0 {
			one.size = int64(len(text))
		}
		return one, true
	}
	return remoteFolder{entryAt: at, content: func() io.ReaderAt { return strings.NewReader(text) }}
}

// serveFolder serves a directory to every user and returns the server's address.
func serveFolder(t *testing.T, d remoteFolder) string {
	t.Helper()
	cfg := &ssh.ServerConfig{PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, nil }}
	cfg.AddHostKey(livetest.NewSSHKey(t))
	address, _ := serveAndCount(t, func(conn net.Conn) {
		livetest.ServeSFTP(conn, cfg, func(channel io.ReadWriteCloser) (livetest.SFTP, error) {
			return pkgsftp.NewRequestServer(channel, pkgsftp.Handlers{FileGet: d, FileList: d}), nil
		})
	})
	return address
}

// hostileServer is a server, with the expected result of its connector's first run.
type hostileServer struct {
	name, address string
	success       bool
	wantError     string
	skipped       []string
	id            string
}

func hostileServers(t *testing.T) []*hostileServer {
	t.Helper()
	const text = "name,email\nAda,ada@example.org\n"
	silent, _ := serveAndCount(t, readForever)
	forever := func(n int64) (entry, bool) { return entry{fmt.Sprint(n, ".csv"), 0o644, 1}, true }
	stuck := func(int64) (entry, bool) {
		<-t.Context().Done()
		return entry{}, false
	}
	odd := listed(text, entry{name: "../../etc/passwd"}, entry{name: "two\nlines.csv"}, entry{name: `c:\up.csv`}, entry{name: ".."},
		entry{name: "link.csv", mode: fs.ModeSymlink | 0o777}, entry{name: "pipe.csv", mode: fs.ModeNamedPipe | 0o644}, entry{name: "ok.csv", mode: 0o644})
	lies := listed(text, entry{"longer.csv", 0o644, 7})
	lies.content = func() io.ReaderAt { return endless{} }
	list := []*hostileServer{
		{name: "hangs", address: silent, wantError: "was too slow: the time limit was reached while"},
		{name: "endless listing", address: serveFolder(t, remoteFolder{entryAt: forever}), wantError: "has more than 100,000 matching files"},
		{name: "odd names", address: serveFolder(t, odd), success: true, skipped: []string{
			`"../../etc/passwd" was skipped because its name contains a slash.`, `"two\nlines.csv" was skipped because its name contains a line break or another control character.`,
			`"c:\\up.csv" was skipped because its name contains a slash.`, `"link.csv" was skipped because it is a symbolic link.`, `"pipe.csv" was skipped because it is not a regular file.`,
		}},
		{name: "endless file", address: serveFolder(t, lies), success: true, skipped: []string{`the file "/in/longer.csv" on `, ` has changed since it was listed: it continues after 7 bytes. It will be fetched when it no longer changes.`}},
	}
	if share(10) == 10 { // this takes half a minute
		list = append(list, &hostileServer{name: "hangs in the listing", address: serveFolder(t, remoteFolder{entryAt: stuck}), wantError: "was too slow: it did not respond for 30s while reading the directory"})
	}
	return list
}

// connect creates a connector to a server, in the organization of an API key.
func connect(t *testing.T, server *livetest.Server, key, address string) (id string) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	var number int
	fmt.Sscan(port, &number)
	call := func(path string, body map[string]any) string {
		return server.Call(t, "POST", path, body, "X-Service-License-Key", key).WantStatus(http.StatusCreated).String("id")
	}
	credential := call("/api/v1/headless/sftp/credentials/", map[string]any{"hostname": host, "port": number, "user": "anna", "auth_type": "PASSWORD", "password": "right"})
	saved := call("/api/v1/schemas/", map[string]any{"name": "From " + address, "fields": schema["fields"], "settings": map[string]any{}, "hooks": map[string]any{}})
	return call("/api/v1/headless/sftp/connectors/", map[string]any{
		"credentials": credential, "schema": saved, "directory": "/in", "schedule": map[string]any{"type": "every_n_minutes", "minutes": 5}, "file_regex": `\.csv$`,
	})
}

// runsOf waits for n runs of a connector and returns them, newest first.
func runsOf(t *testing.T, server *livetest.Server, key, id string, most time.Duration, n int) []any {
	t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got := server.Call(t, "GET", "/api/v1/headless/sftp/connectors/"+id+"/runs/", nil, "X-Service-License-Key", key).WantStatus(http.StatusOK).Object()
		if list := got["results"].([]any); len(list) >= n {
			return list
		}
	}
	t.Fatalf("the connector %s did not run %d times within %s", id, n, most)
	return nil
}

// TestHostileSFTPServers runs connectors to hostile and honest servers. Each run with a hostile
// server must end with a message. The honest server of a different organization must be served
// promptly, and the one of the same organization as soon as the hostile ones have failed.
func TestHostileSFTPServers(t *testing.T) {
	server := livetest.Start(t, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8"}})
	idle := server.PeakMemory()
	evil := hostileServers(t)
	for _, one := range evil {
		one.id = connect(t, server, livetest.BackendKey, one.address)
	}
	const text = "name,email\nBob,bob@example.org\n"
	honest := serveFolder(t, listed(text, entry{"fine.csv", 0o644, 0}))
	other := newOrg(t, server, "others")
	began := time.Now()
	fine := connect(t, server, other, honest)
	first := runsOf(t, server, other, fine, 10*time.Second, 1)[0].(map[string]any)
	t.Logf("an honest server of another organization was done after %s", time.Since(began).Round(time.Millisecond))
	if first["success"] != true || first["num_fetched"] != 1.0 {
		t.Errorf("the honest server: %v", first)
	}
	for _, one := range evil {
		one.check(t, runsOf(t, server, livetest.BackendKey, one.id, 2*time.Minute, 1)[0].(map[string]any))
	}
	began = time.Now()
	for _, one := range evil {
		server.Call(t, "POST", "/api/v1/headless/sftp/connectors/"+one.id+"/run/", nil).WantStatus(http.StatusOK)
	}
	own := connect(t, server, livetest.BackendKey, serveFolder(t, listed(text, entry{"fine.csv", 0o644, 0})))
	runsOf(t, server, livetest.BackendKey, own, 15*time.Second, 1)
	t.Logf("an honest server of the same organization was done after %s", time.Since(began).Round(time.Millisecond))
	used := server.PeakMemory() - idle
	t.Logf("the service holds %d MB idle and at most %d MB more", idle>>20, used>>20)
	if used > 150<<20 {
		t.Errorf("hostile servers cost %d MB", used>>20)
	}
}

func (s *hostileServer) check(t *testing.T, run map[string]any) {
	t.Helper()
	message, skipped := fmt.Sprint(run["error"]), fmt.Sprint(run["skipped"])
	t.Logf("%s: %s %s", s.name, message, skipped)
	if run["success"] != s.success || !strings.Contains(message, s.wantError) || !s.success && run["error_type"] == "" {
		t.Errorf("%s: %v", s.name, run)
	}
	for _, text := range s.skipped {
		if !strings.Contains(skipped, text) {
			t.Errorf("%s: %q is missing in %s", s.name, text, skipped)
		}
	}
	if strings.ContainsAny(message+skipped, "\n\r") {
		t.Errorf("%s: a name breaks a line: %q", s.name, message+skipped)
	}
}

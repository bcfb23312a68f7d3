package doctor_test

import (
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // changes the version of a database

	"github.com/intraydata/intray/test/livetest"
)

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func wantSameFiles(t *testing.T, before, after map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the data folder changed: %s", diff)
	}
}

// TestBrokenFolders checks installations with SQLite in which a part is missing or damaged.
func TestBrokenFolders(t *testing.T) {
	original, other := install(t, nil), install(t, nil)
	key, database := "master.key", "intray.db"
	exec := func(statement string) func(t *testing.T, data string) {
		return func(t *testing.T, data string) {
			db, err := sql.Open("sqlite", filepath.Join(data, database))
			must(t, err)
			_, err = db.Exec(statement)
			must(t, err)
			must(t, db.Close())
		}
	}
	copyOther := func(name string) func(t *testing.T, data string) {
		return func(t *testing.T, data string) {
			must(t, os.RemoveAll(filepath.Join(data, name)))
			source := filepath.Join(other.data, name)
			if stat, err := os.Stat(source); err == nil && stat.IsDir() {
				must(t, os.CopyFS(filepath.Join(data, name), os.DirFS(source)))
				return
			}
			text, err := os.ReadFile(source)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(data, name), text, 0o600))
		}
	}
	remove := func(name string) func(t *testing.T, data string) {
		return func(t *testing.T, data string) { must(t, os.RemoveAll(filepath.Join(data, name))) }
	}
	for name, c := range map[string]struct {
		spoil                      func(t *testing.T, data string)
		check, problem, where, fix string
		status                     string
	}{
		"key missing":    {remove(key), "master key", "is missing, but the database was created with", key, "Restore the file", "failure"},
		"key of another": {copyOther(key), "master key", "belongs to another master key", key, "Restore master.key", "failure"},
		"key readable":   {func(t *testing.T, data string) { must(t, os.Chmod(filepath.Join(data, key), 0o644)) }, "master key", "can be read or changed by others", key, "chmod 600", "failure"},
		"key damaged":    {func(t *testing.T, data string) { must(t, os.WriteFile(filepath.Join(data, key), []byte("x"), 0o600)) }, "master key", "not a master key", key, "Restore the key", "failure"},
		"newer database": {exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)`), "database", "A newer version of Intray has migrated the database to version 99999", database, "Install the newer version", "failure"},
		"older database": {exec(`DELETE FROM goose_db_version WHERE version_id > 20; ALTER TABLE nodes DROP COLUMN host; ALTER TABLE nodes DROP COLUMN version; ALTER TABLE nodes DROP COLUMN clock_skew`), "database", "has version 20", database, "intray migrate", "warning"},
		"not a database": {func(t *testing.T, data string) {
			must(t, os.WriteFile(filepath.Join(data, database), make([]byte, 8192), 0o600))
		}, "database", "file is not a database", database, "from the same backup", "failure"},
		"damaged database":     {damage, "database", "The database is damaged: ", database, "restore the database", "failure"},
		"files without rows":   {func(t *testing.T, data string) { addFile(t, data); remove(database)(t, data) }, "database", "missing or empty", database, "Restore the database", "failure"},
		"blobs of another":     {copyOther("blobs"), "files", "does not contain the files of this database", "blobs", "same backup", "failure"},
		"blobs missing":        {remove("blobs"), "files", "is missing", "blobs", "Restore", "failure"},
		"readable database":    {func(t *testing.T, data string) { must(t, os.Chmod(filepath.Join(data, database), 0o644)) }, "database", "Other users", database, "chmod 600", "warning"},
		"folder for everybody": {func(t *testing.T, data string) { must(t, os.Chmod(data, 0o777)) }, "data folder", "All users of this machine can replace", "--data (INTRAY_DATA)", "chmod o-w", "warning"},
		"folder missing":       {func(t *testing.T, data string) { must(t, os.RemoveAll(data)) }, "data folder", "does not exist", "--data (INTRAY_DATA)", "set --data to its folder", "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			i := &installation{t: t, data: filepath.Join(t.TempDir(), "data")}
			must(t, os.CopyFS(i.data, os.DirFS(original.data)))
			must(t, os.Chmod(i.data, 0o700))
			must(t, os.Chmod(filepath.Join(i.data, key), 0o600))
			must(t, os.Chmod(filepath.Join(i.data, database), 0o600))
			c.spoil(t, i.data)
			i.want(c.check, c.status, c.problem, c.where, c.fix)
		})
	}
}

// addFile adds a file that belongs to an import.
func addFile(t *testing.T, data string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(data, "blobs", "blobs", "rows"), []byte("x"), 0o600))
}

// damage overwrites the last page of an SQLite database.
func damage(t *testing.T, data string) {
	t.Helper()
	path := filepath.Join(data, "intray.db")
	text, err := os.ReadFile(path)
	must(t, err)
	for i := len(text) - 4096; i < len(text); i++ {
		text[i] ^= 0x5a
	}
	must(t, os.WriteFile(path, text, 0o600))
}

// TestSettings checks problems of the settings of an otherwise healthy installation.
func TestSettings(t *testing.T) {
	i, unknown := install(t, nil), strings.Repeat("unknown-key-", 4)
	cert, key := certificate(t, time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour))
	soon, soonKey := certificate(t, time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour))
	used, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = used.Close() }()
	for name, c := range map[string]struct {
		args, env                          []string
		check, status, problem, where, fix string
	}{
		"not a number":        {nil, []string{"INTRAY_MAX_RUNS=many"}, "configuration", "failure", `INTRAY_MAX_RUNS cannot have the value "many"`, "INTRAY_MAX_RUNS", "serve --help"},
		"not a duration":      {nil, []string{"INTRAY_STALL_TIMEOUT=soon"}, "configuration", "failure", `INTRAY_STALL_TIMEOUT cannot have the value "soon"`, "INTRAY_STALL_TIMEOUT", "serve --help"},
		"not a choice":        {nil, []string{"INTRAY_HOOK_RUNTIME=perl", "INTRAY_MAX_RUNS=many"}, "configuration", "failure", `INTRAY_HOOK_RUNTIME cannot have the value "perl"`, "INTRAY_HOOK_RUNTIME", "serve --help"},
		"unknown variable":    {nil, []string{"INTRAY_LISTN=" + password}, "configuration", "warning", "INTRAY_LISTN is ignored", "INTRAY_LISTN", "Rename it to INTRAY_LISTEN."},
		"former variable":     {nil, []string{"INTRAY_HOOK_JAIL=strict"}, "configuration", "warning", "former name of INTRAY_HOOK_SANDBOX", "INTRAY_HOOK_JAIL", "Rename"},
		"contradiction":       {[]string{"--blob-url", "s3://bucket"}, nil, "configuration", "failure", "requires --database-url", "--blob-url (INTRAY_BLOB_URL)", "stores files in the data folder"},
		"half of TLS":         {[]string{"--tls-cert", "x"}, nil, "configuration", "failure", "must be set together", "--tls-cert (INTRAY_TLS_CERT)", "intray serve --help"},
		"secret in a URL":     {nil, []string{"INTRAY_BASE_URL=https://example.org/?token=" + password}, "configuration", "failure", "is not a URL", "--base-url (INTRAY_BASE_URL)", "serve --help"},
		"password in a URL":   {nil, []string{"INTRAY_BASE_URL=https://x:" + password + "@example.org"}, "configuration", "failure", "must not contain a user or password", "--base-url (INTRAY_BASE_URL)", "Enter a URL"},
		"unescaped password":  {nil, []string{"INTRAY_DATABASE_URL=postgres://x:p@" + password + "/w#rd@127.0.0.1/db?sslmode=disable"}, "configuration", "failure", "special character", "--database-url (INTRAY_DATABASE_URL)", "Write @ as %40, / as %2F and % as %25."},
		"invalid URL":         {nil, []string{"INTRAY_DATABASE_URL=postgres://x:" + password + "%@127.0.0.1/db"}, "configuration", "failure", "invalid database URL", "--database-url (INTRAY_DATABASE_URL)", "write @ as %40"},
		"wrong network":       {[]string{"--trusted-proxy", "x"}, nil, "configuration", "failure", "not a network", "--trusted-proxy (INTRAY_TRUSTED_PROXY)", "Correct"},
		"expired certificate": {[]string{"--tls-cert", cert, "--tls-key", key}, nil, "TLS", "failure", "expired on", cert, "Renew"},
		"expiring soon":       {[]string{"--tls-cert", soon, "--tls-key", soonKey}, nil, "TLS", "warning", "expires on", soon, "Renew"},
		"other host":          {[]string{"--tls-cert", soon, "--tls-key", soonKey, "--base-url", "https://other.example.org"}, nil, "TLS", "failure", "not valid for other.example.org", soon, "host name"},
		"key of another":      {[]string{"--tls-cert", cert, "--tls-key", soonKey}, nil, "TLS", "failure", "private key does not match", soonKey, "one certificate"},
		"missing certificate": {[]string{"--tls-cert", "/missing.pem", "--tls-key", key}, nil, "TLS", "failure", "no such file", "/missing.pem", "Correct the path"},
		"port in use":         {[]string{"--listen", used.Addr().String()}, nil, "address", "failure", "Another program uses", used.Addr().String(), "choose another port"},
		"other machine":       {[]string{"--listen", "192.0.2.1:8080"}, nil, "address", "failure", "cannot assign requested address", "--listen (INTRAY_LISTEN)", "address of this machine"},
		"unencrypted":         {[]string{"--listen", "0.0.0.0:0"}, nil, "base URL", "warning", "unencrypted", "--base-url", "--tls-cert"},
		"proxy not trusted":   {[]string{"--base-url", "https://x.example.org"}, nil, "proxies", "warning", "not trusted", "--trusted-proxy", "127.0.0.1"},
		"all trusted":         {[]string{"--trusted-proxy", "0.0.0.0/0"}, nil, "proxies", "warning", "Every client", "0.0.0.0/0", "addresses of your proxies"},
		"proxy variable":      {nil, []string{"HTTPS_PROXY=http://u:" + password + "@proxy"}, "egress", "warning", "ignore proxies", "HTTPS_PROXY", "direct connections"},
		"Node missing":        {[]string{"--hook-runtime", "node"}, []string{"PATH=/nowhere"}, "hooks", "failure", "executable file not found", "--hook-runtime (INTRAY_HOOK_RUNTIME): node", "Install Node"},
		"time zone":           {nil, []string{"TZ=Europe/Atlantis"}, "time", "warning", "not a time zone", "TZ", "Europe/Berlin"},
		"temporary folder":    {nil, []string{"TMPDIR=/nowhere"}, "temporary files", "failure", "cannot be written", "TMPDIR", "Set TMPDIR"},
		"memory":              {nil, []string{"GOMEMLIMIT=100TiB"}, "limits", "warning", "GOMEMLIMIT exceeds", "GOMEMLIMIT", "lower limit"},
		"too many imports":    {[]string{"--max-runs", "100000"}, nil, "limits", "warning", "imports at a time, not for 100000", "--max-runs (INTRAY_MAX_RUNS)", "more memory"},
		"unused backend key":  {nil, []string{"INTRAY_BACKEND_KEY=bk_" + unknown}, "configuration", "warning", "is ignored, because the database already has API keys", "INTRAY_BACKEND_KEY", "intray keys create"},
		"unused frontend key": {nil, []string{"INTRAY_FRONTEND_KEY=fk_" + unknown}, "configuration", "warning", "is ignored, because the database already has API keys", "INTRAY_FRONTEND_KEY", "intray keys create"},
		"no key at all":       {nil, []string{"INTRAY_BACKEND_KEY=fk_abc"}, "configuration", "warning", "is ignored, because the database already has API keys", "INTRAY_BACKEND_KEY", "Unset it"},
		"negative number":     {[]string{"--max-runs=-1"}, nil, "configuration", "failure", "cannot be negative", "--max-runs (INTRAY_MAX_RUNS)", "available memory"},
		"one organization":    {[]string{"--max-runs", "3", "--max-runs-per-org", "4"}, nil, "configuration", "warning", "is 4, but the server runs at most 3 imports", "--max-runs-per-org (INTRAY_MAX_RUNS_PER_ORG)", "raise --max-runs"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"--listen", "127.0.0.1:0"}, c.args...)
			spoiled := &installation{t: t, data: i.data, args: args, env: c.env}
			spoiled.want(c.check, c.status, c.problem, c.where, c.fix)
		})
	}
}

// TestFirstKeys checks that doctor refuses the invalid keys of a new installation that serve refuses, and
// that serve names the variable.
func TestFirstKeys(t *testing.T) {
	for name, variable := range map[string]string{"backend": "INTRAY_BACKEND_KEY", "frontend": "INTRAY_FRONTEND_KEY"} {
		t.Run(name, func(t *testing.T) {
			invalid := variable + "=key-" + password
			i := &installation{t: t, data: filepath.Join(t.TempDir(), "data"), args: []string{"--listen", "127.0.0.1:0"}, env: []string{invalid}}
			i.want("configuration", "failure", variable+` must be "`+name[:1]+`k_" followed by`, variable, "Correct the key")
			_, stderr, status := livetest.Run(t, t.TempDir(), []string{invalid}, "serve", "--listen", "127.0.0.1:0", "--data", i.data)
			if status != 2 || !strings.Contains(stderr, "intray: "+variable+" must be") || strings.Contains(stderr, password) {
				t.Errorf("serve: exit status %d:\n%s", status, stderr)
			}
		})
	}
	// In an existing database, the variables have no effect.
	server := livetest.Start(t, livetest.Config{})
	stop(server)
	again := livetest.Start(t, livetest.Config{Data: server.DataDir(), Env: []string{"INTRAY_BACKEND_KEY=fk_abc"}})
	if log := again.Stderr(); !strings.Contains(log, "INTRAY_BACKEND_KEY is ignored") {
		t.Errorf("the log lacks the ignored key:\n%s", log)
	}
}

// TestOneCause checks that a single mistake leads to a single finding.
func TestOneCause(t *testing.T) {
	i := install(t, nil)
	for name, c := range map[string]struct{ setting, fix string }{
		"master key":   {"INTRAY_MASTER_KEY=" + password, "Set it to the key of this database."},
		"database URL": {"INTRAY_DATABASE_URL=mysql://localhost/x", "serve --help"},
		"blob URL":     {"INTRAY_BLOB_URL=s3://bucket", "data folder"},
		"listen":       {"INTRAY_LISTEN=8080", "serve --help"},
		"TLS":          {"INTRAY_TLS_CERT=/missing.pem", "serve --help"},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := &installation{t: t, data: i.data, env: append([]string{"INTRAY_LISTEN=127.0.0.1:0"}, c.setting)}
			r := wrong.diagnose()
			if found := r.of("configuration"); r.Failures != 1 || r.Warnings != 0 || len(found) != 1 || !strings.Contains(found[0].Fix, c.fix) {
				t.Errorf("%d failures, %d warnings: %+v", r.Failures, r.Warnings, r)
			}
		})
	}
}

// TestFolderCauses checks that a data folder that cannot be used leads to a single finding.
func TestFolderCauses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	i := &installation{t: t, data: file, args: []string{"--listen", "127.0.0.1:0"}}
	if r := i.diagnose(); r.Failures != 1 || r.Warnings != 0 || len(r.of("data folder")) != 1 || !strings.Contains(r.of("data folder")[0].Problem, "is a file") {
		t.Errorf("a file: %+v", r)
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can run the command as another user")
	}
	folder, err := os.MkdirTemp("", "intray-doctor-*")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(t, os.Chmod(folder, 0o755))
	i.data, i.user = filepath.Join(folder, "data"), 64900
	must(t, os.CopyFS(i.data, os.DirFS(install(t, nil).data)))
	must(t, os.Chmod(i.data, 0o700))
	if r := i.diagnose(); r.Failures != 1 || r.Warnings != 0 || len(r.of("data folder")) != 1 || !strings.Contains(r.of("data folder")[0].Problem, "belongs to user 0") {
		t.Errorf("the folder of another user: %+v", r)
	}
}

// TestWrongServer checks the settings of one installation and the address of another one.
func TestWrongServer(t *testing.T) {
	server, other := livetest.Start(t, livetest.Config{}), install(t, nil)
	address := server.URL[len("http://"):]
	other.want("address", "failure", "Another Intray server", address, "Choose another port", "--listen", address)
	running := &installation{t: t, data: server.DataDir()}
	running.want("address", "warning", "does not listen on", "--listen", "settings of the server", "--listen", freeAddress(t))
	plain := livetest.Listen(t, func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")) })
	base := "http://127.0.0.1:" + itoa(plain)
	running.want("base URL", "failure", "not Intray", base, "proxy", "--listen", address, "--base-url", base)
	running.want("base URL", "warning", "cannot be reached", "http://intray.invalid", "DNS record", "--listen", address, "--base-url", "http://intray.invalid")
}

// TestUsage checks the exit status of wrong usage.
func TestUsage(t *testing.T) {
	_, stderr, status := livetest.Run(t, t.TempDir(), nil, "doctor", "--hook-runtime", "perl")
	if status != 2 || stderr == "" {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// TestServe checks that the server warns about variables without effect, and refers to intray doctor if it
// cannot start.
func TestServe(t *testing.T) {
	server := livetest.Start(t, livetest.Config{Env: []string{"INTRAY_LISTN=x"}})
	if log := server.Stderr(); !strings.Contains(log, `"level":"WARN","msg":"INTRAY_LISTN is ignored, because there is no such variable. Rename it to INTRAY_LISTEN."`) {
		t.Errorf("the log lacks the variable:\n%s", log)
	}
	_, stderr, status := livetest.Run(t, t.TempDir(), nil, "serve", "--listen", "127.0.0.1:0", "--data", server.DataDir())
	if status != 1 || !strings.Contains(stderr, "run intray doctor with the same settings") {
		t.Errorf("exit status %d:\n%s", status, stderr)
	}
}

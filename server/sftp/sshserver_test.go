package sftp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"flag"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	pkgsftp "github.com/pkg/sftp"
	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
	"github.com/intraydata/intray/test/livetest"
)

// TestMain runs up to 8 parallel tests at once, because most of them wait for a timeout
// instead of using a processor. The flag -parallel overrides this.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// newClient returns a client that may connect to the loopback network.
func newClient(cfg sftp.Config) *sftp.Client {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return sftp.New(egress.New(egress.Config{Allow: loopback}), cfg)
}

// connect dials a session and closes it at the end of the test.
func connect(t testing.TB, cred sftp.Credential, cfg sftp.Config) *sftp.Session {
	t.Helper()
	s, err := newClient(cfg).Dial(context.Background(), cred)
	if err != nil {
		t.Fatalf("Dial: %v (%v)", err, errors.Unwrap(err))
	}
	t.Cleanup(s.Close)
	return s
}

// short has a short timeout, for tests that wait for it. long does not time out
// even on a busy machine.
var (
	short = sftp.Config{Patience: 100 * time.Millisecond}
	long  = sftp.Config{}
)

// listen serves each connection with serve and returns a credential for the server.
// At the end of the test, it waits for all connections to end.
func listen(t testing.TB, serve func(net.Conn)) sftp.Credential {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		wait.Wait()
	})
	wait.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			})
		}
	})
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return sftp.Credential{Hostname: host, Port: number, User: "anna", Password: secrets.NewSecret("right")}
}

// serveSSH returns a handler that uses SSH and passes the channel of the SFTP subsystem to the
// function files. If files is nil, it refuses the subsystem.
func serveSSH(cfg *ssh.ServerConfig, files func(ssh.Channel)) func(net.Conn) {
	return func(raw net.Conn) {
		conn, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		go ssh.DiscardRequests(requests)
		for offered := range channels {
			channel, requests, err := offered.Accept()
			if err != nil {
				return
			}
			serveChannel(channel, requests, files)
		}
	}
}

func serveChannel(channel ssh.Channel, requests <-chan *ssh.Request, files func(ssh.Channel)) {
	for request := range requests {
		ok := files != nil && request.Type == "subsystem"
		_ = request.Reply(ok, nil)
		if ok {
			go ssh.DiscardRequests(requests)
			files(channel)
			return
		}
	}
}

// honest is a well-behaved server that serves the files of this machine, read-only.
func honest(channel ssh.Channel) {
	server, err := pkgsftp.NewServer(channel, pkgsftp.ReadOnly())
	if err != nil {
		return
	}
	_ = server.Serve()
	_ = server.Close()
}

// withPassword returns a configuration that accepts the user "anna" with the password "right".
func withPassword(keys ...ssh.Signer) *ssh.ServerConfig {
	cfg := &ssh.ServerConfig{
		PasswordCallback: func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if c.User() == "anna" && string(password) == "right" {
				return nil, nil
			}
			return nil, errors.New("wrong")
		},
	}
	for _, key := range keys {
		cfg.AddHostKey(key)
	}
	return cfg
}

// newKey generates a key of the given kind, as named by ssh-keygen -t. "short rsa" is an RSA key of
// 1024 bits.
func newKey(t testing.TB, kind string) (ssh.Signer, secrets.Secret) {
	t.Helper()
	var key any
	var err error
	switch kind {
	case "ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case "ecdsa":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "rsa":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case "short rsa":
		key, err = rsa.GenerateKey(rand.Reader, 1024)
	}
	if err != nil {
		t.Fatal(err)
	}
	made := livetest.MarshalSSHKey(t, key)
	return made.Signer, secrets.NewSecret(made.Private)
}

// openSSH runs OpenSSH's server for each connection as the current user, with the given host
// keys and one user key. It does not read the configuration of the machine.
func openSSH(t testing.TB, userKey ssh.PublicKey, hostKeys ...secrets.Secret) sftp.Credential {
	t.Helper()
	return killableOpenSSH(t, nil, userKey, hostKeys...)
}

// killableOpenSSH is like openSSH, but sends the process group id of each connection to the
// channel started.
func killableOpenSSH(t testing.TB, started chan<- int, userKey ssh.PublicKey, hostKeys ...secrets.Secret) sftp.Credential {
	t.Helper()
	cfg := livetest.SSHDConfig{AuthorizedKey: userKey}
	for _, key := range hostKeys {
		cfg.HostKeys = append(cfg.HostKeys, livetest.SSHKey{Private: key.Reveal()})
	}
	server := livetest.OpenSSH{Config: func() livetest.SSHDConfig { return cfg }, Attr: &syscall.SysProcAttr{Setpgid: true}, Started: started}
	cred := listen(t, server.Handler(t))
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	cred.User, cred.Password = me.Username, secrets.Secret{}
	return cred
}

// openSSHSession dials OpenSSH's server as the current user.
func openSSHSession(t testing.TB) *sftp.Session {
	t.Helper()
	signer, mine := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), host)
	cred.PrivateKey = mine
	return connect(t, cred, long)
}

// keygen runs ssh-keygen.
func keygen(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("SKIPPED: ssh-keygen is not installed; fingerprints are not compared with those of OpenSSH")
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("ssh-keygen %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func fileSecret(t *testing.T, file string) secrets.Secret {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return secrets.NewSecret(string(text))
}

func writeFile(t testing.TB, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// makeFiles creates a folder with the given files and returns its path. files maps
// names to contents. All files are modified at noon.
func makeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		file := writeFile(t, folder, name, text)
		if err := os.Chtimes(file, noon, noon); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustTest(t *testing.T, cred sftp.Credential) sftp.Report {
	t.Helper()
	report, err := newClient(long).Test(context.Background(), cred)
	if err != nil {
		var failed *sftp.Error
		_ = errors.As(err, &failed)
		t.Fatalf("Test: %v (%#v)", err, failed)
	}
	return report
}

// wantError checks the kind of an error, that its message contains all the given codes and
// parameters, and that it contains neither a secret nor text from the server.
func wantError(t *testing.T, err error, kind sftp.Kind, parts ...string) {
	t.Helper()
	var failed *sftp.Error
	if !errors.As(err, &failed) {
		t.Errorf("the error is %v, want *Error", err)
		return
	}
	if failed.Kind != kind {
		t.Errorf("the error is of kind %s, want %s: %v (%v)", failed.Kind, kind, err, failed.Err)
	}
	message := failed.Text.Encode()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message is %s, want %q in it", message, part)
		}
	}
	for _, secret := range []string{"right", "evil"} {
		if strings.Contains(message, secret) {
			t.Errorf("the message contains %q: %s", secret, message)
		}
	}
}

// drain reads until the client closes the connection.
func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

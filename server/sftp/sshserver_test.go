package sftp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client may reach the loopback network.
func client(timeout time.Duration) *sftp.Client {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return sftp.New(egress.New(egress.Config{Allow: loopback}), sftp.Config{Timeout: timeout})
}

// with makes a client that may reach the loopback network.
func with(cfg sftp.Config) *sftp.Client {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return sftp.New(egress.New(egress.Config{Allow: loopback}), cfg)
}

// connect opens a session, which is closed when the test ends.
func connect(t testing.TB, cred sftp.Credential, cfg sftp.Config) *sftp.Session {
	t.Helper()
	s, err := with(cfg).Dial(context.Background(), cred)
	if err != nil {
		t.Fatalf("Dial: %v (%v)", err, errors.Unwrap(err))
	}
	t.Cleanup(s.Close)
	return s
}

// short gives up soon, where a test waits for that; long does not, so that a busy
// machine does no harm.
var (
	short = sftp.Config{Patience: 100 * time.Millisecond}
	long  = sftp.Config{}
)

// listen serves each connection with serve, and gives where. All of it has ended
// when the test has.
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

// serveSSH speaks SSH and gives the SFTP channel, once it is asked for, to files.
func serveSSH(cfg *ssh.ServerConfig, files func(ssh.Channel)) func(net.Conn) {
	return func(raw net.Conn) {
		conn, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		go ssh.DiscardRequests(requests)
		for asked := range channels {
			channel, requests, err := asked.Accept()
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

// honest serves the real files of this machine, read only.
func honest(channel ssh.Channel) {
	server, err := pkgsftp.NewServer(channel, pkgsftp.ReadOnly())
	if err != nil {
		return
	}
	_ = server.Serve()
	_ = server.Close()
}

// withPassword lets the password "right" in.
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

// newKey makes a key of the type, which ssh-keygen would call -t.
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
	}
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "made by the test")
	if err != nil {
		t.Fatal(err)
	}
	return signer, secrets.NewSecret(string(pem.EncodeToMemory(block)))
}

const sshdPath = "/usr/sbin/sshd"

// openSSH runs Debian's server for each connection, as the current user, with
// the host keys and the one user key. It reads no file of the machine's own
// configuration.
func openSSH(t testing.TB, userKey ssh.PublicKey, hostKeys ...secrets.Secret) sftp.Credential {
	t.Helper()
	return mortalSSH(t, nil, userKey, hostKeys...)
}

// mortalSSH is openSSH whose processes can be killed: started is told the number
// of the group of those of each connection.
func mortalSSH(t testing.TB, started chan<- int, userKey ssh.PublicKey, hostKeys ...secrets.Secret) sftp.Credential {
	t.Helper()
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("SKIPPED: " + sshdPath + " is not installed, the client is not tried against OpenSSH")
	}
	if os.Getuid() == 0 {
		// As root the server insists on the folder that its package's service
		// makes.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("SKIPPED: sshd needs /run/sshd: %v", err)
		}
	}
	folder := t.TempDir()
	config := []string{
		"AuthorizedKeysFile " + put(t, folder, "authorized", string(ssh.MarshalAuthorizedKey(userKey))),
		"PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password",
		"StrictModes no", "UsePAM no", "PidFile none", "Subsystem sftp internal-sftp", "Banner " + put(t, folder, "banner", "Welcome!\n"),
	}
	for i, key := range hostKeys {
		config = append(config, "HostKey "+put(t, folder, fmt.Sprintf("host%d", i), key.Reveal()))
	}
	file := put(t, folder, "config", strings.Join(config, "\n")+"\n")
	log := put(t, folder, "log", "")
	t.Cleanup(func() {
		if text, err := os.ReadFile(log); err == nil && t.Failed() {
			t.Logf("sshd says:\n%s", text)
		}
	})
	cred := listen(t, func(conn net.Conn) { runSSHD(t, conn, started, "-i", "-f", file, "-E", log) })
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	cred.User, cred.Password = me.Username, secrets.Secret{}
	return cred
}

// runSSHD serves one connection. Where started is not nil it is told the number
// of the server's group of processes.
func runSSHD(t testing.TB, conn net.Conn, started chan<- int, args ...string) {
	socket, err := conn.(*net.TCPConn).File()
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = socket.Close() }()
	// The server's own copy must be the last: it tells the client of its end.
	_ = conn.Close()
	cmd := exec.Command(sshdPath, args...)
	cmd.Stdin, cmd.Stdout = socket, socket
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	if started != nil {
		started <- cmd.Process.Pid
	}
	// A refused client makes it end with an error, which the tests expect.
	_ = cmd.Wait()
}

// debian opens a session on OpenSSH's server, as the current user.
func debian(t testing.TB) *sftp.Session {
	t.Helper()
	signer, mine := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), host)
	cred.PrivateKey = mine
	return connect(t, cred, long)
}

// keygen runs OpenSSH's own tool.
func keygen(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("SKIPPED: ssh-keygen is not installed, fingerprints are not compared with OpenSSH's")
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

func put(t testing.TB, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tree makes files of these names and contents, all modified at the same time.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		file := put(t, folder, name, text)
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
	report, err := client(0).Test(context.Background(), cred)
	if err != nil {
		var failed *sftp.Error
		_ = errors.As(err, &failed)
		t.Fatalf("Test: %v (%#v)", err, failed)
	}
	return report
}

// wantError expects the kind and the words, no secret, and no word of the server.
func wantError(t *testing.T, err error, kind sftp.Kind, words ...string) {
	t.Helper()
	var failed *sftp.Error
	if !errors.As(err, &failed) {
		t.Errorf("the error is %v, want *Error", err)
		return
	}
	if failed.Kind != kind {
		t.Errorf("the error is of kind %s, want %s: %v (%v)", failed.Kind, kind, err, failed.Err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error is %q, want %q in it", err, word)
		}
	}
	for _, secret := range []string{"right", "evil"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error says %q: %v", secret, err)
		}
	}
}

// drain reads until the other side hangs up.
func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

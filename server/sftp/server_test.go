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
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
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

// drain reads until the other side hangs up.
func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

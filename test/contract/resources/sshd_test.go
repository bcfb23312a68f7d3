package resources_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/test/livetest"
)

// keyPair is a key with its text in OpenSSH format.
type keyPair struct {
	signer ssh.Signer
	text   string
}

func newKeyPair(t testing.TB) keyPair {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
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
	return keyPair{signer, string(pem.EncodeToMemory(block))}
}

// fingerprint is what ssh-keygen -l shows of the public half.
func (k keyPair) fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// protectedKey is in OpenSSH format and needs a passphrase.
func protectedKey(t testing.TB) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte("passphrase"))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

// pkcs1Key is an RSA key in the format of earlier times.
func pkcs1Key(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// sshd is the server of this machine.
type sshd struct {
	port int
	user string
	// config is the file that the next connection is served by.
	config atomic.Pointer[string]
	folder string
	lets   keyPair
}

const sshdPath = "/usr/sbin/sshd"

// startSSHD serves SFTP to the current user with the key lets.
func startSSHD(t *testing.T, lets, host keyPair) *sshd {
	t.Helper()
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("SKIPPED: " + sshdPath + " is not installed, the connection is not tried against OpenSSH")
	}
	if os.Getuid() == 0 {
		// As root the server insists on the folder that its package's service
		// makes.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("SKIPPED: sshd needs /run/sshd: %v", err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	d := &sshd{user: me.Username, folder: t.TempDir(), lets: lets}
	d.show(t, host)
	d.port = livetest.Listen(t, d.serve)
	return d
}

// show has the server show another host key from now on.
func (d *sshd) show(t *testing.T, host keyPair) {
	t.Helper()
	name := unique("config")
	put := func(suffix, text string) string {
		file := filepath.Join(d.folder, name+suffix)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	config := put("", strings.Join([]string{
		"AuthorizedKeysFile " + put(".authorized", string(ssh.MarshalAuthorizedKey(d.lets.signer.PublicKey()))), "HostKey " + put(".host", host.text),
		"PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password", "StrictModes no", "UsePAM no",
		"PidFile none", "Subsystem sftp internal-sftp", "",
	}, "\n"))
	d.config.Store(&config)
}

func (d *sshd) serve(conn net.Conn) {
	socket, err := conn.(*net.TCPConn).File()
	// The server's own copy must be the last: it tells the client of its end.
	_ = conn.Close()
	if err != nil {
		return
	}
	defer socket.Close()
	command := exec.Command(sshdPath, "-i", "-f", *d.config.Load(), "-E", filepath.Join(d.folder, "log"))
	command.Stdin, command.Stdout = socket, socket
	// A client that is refused makes it end with an error.
	_ = command.Run()
}

// servePassword speaks SFTP to the user anna with a password.
func servePassword(t *testing.T, right string) (port int, host keyPair) {
	t.Helper()
	host = newKeyPair(t)
	config := &ssh.ServerConfig{PasswordCallback: func(c ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
		if c.User() == "anna" && string(given) == right {
			return nil, nil
		}
		return nil, errors.New("wrong")
	}}
	config.AddHostKey(host.signer)
	readOnly := func(channel io.ReadWriteCloser) (livetest.SFTP, error) {
		return pkgsftp.NewServer(channel, pkgsftp.ReadOnly())
	}
	return livetest.Listen(t, func(raw net.Conn) { livetest.ServeSFTP(raw, config, readOnly) }), host
}

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
	"os/user"
	"sync/atomic"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/test/livetest"
)

// protectedKey returns a key in OpenSSH format that requires a passphrase.
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

// pkcs1Key returns an RSA key in the format that OpenSSH wrote before version 7.8.
func pkcs1Key(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// sshd is an OpenSSH server that accepts one key for the current user.
type sshd struct {
	port int
	user string
	host atomic.Pointer[livetest.SSHKey]
}

func startSSHD(t *testing.T, authorized, host livetest.SSHKey) *sshd {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	d := &sshd{user: me.Username}
	d.setHostKey(host)
	d.port = livetest.Listen(t, livetest.OpenSSH{Config: func() livetest.SSHDConfig {
		return livetest.SSHDConfig{HostKeys: []livetest.SSHKey{*d.host.Load()}, AuthorizedKey: authorized.PublicKey()}
	}}.Handler(t))
	return d
}

// setHostKey replaces the host key for new connections.
func (d *sshd) setHostKey(host livetest.SSHKey) { d.host.Store(&host) }

// servePassword serves SFTP to the user anna with a password.
func servePassword(t *testing.T, password string) (port int, host livetest.SSHKey) {
	t.Helper()
	host = livetest.NewSSHKey(t)
	config := &ssh.ServerConfig{PasswordCallback: func(c ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
		if c.User() == "anna" && string(given) == password {
			return nil, nil
		}
		return nil, errors.New("wrong password")
	}}
	config.AddHostKey(host)
	readOnly := func(channel io.ReadWriteCloser) (livetest.SFTP, error) {
		return pkgsftp.NewServer(channel, pkgsftp.ReadOnly())
	}
	return livetest.Listen(t, func(raw net.Conn) { livetest.ServeSFTP(raw, config, readOnly) }), host
}

package server

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/test/livetest"
)

// sshServer is an SFTP server on the loopback network that accepts one user.
type sshServer struct {
	port int
	// draft is a credential with which the user can log in.
	draft connectors.CredentialDraft
	// hostKey is the host key for new connections. closed makes new logins fail.
	hostKey atomic.Pointer[livetest.SSHKey]
	closed  atomic.Bool
}

func (d *sshServer) setHostKey(k livetest.SSHKey) { d.hostKey.Store(&k) }

// listenOpenSSH serves with OpenSSH. prefix is a command that runs the server, or
// is empty to run the server directly.
func (d *sshServer) listenOpenSSH(t *testing.T, authorized ssh.PublicKey, prefix []string, lines ...string) {
	t.Helper()
	config := func() livetest.SSHDConfig {
		cfg := livetest.SSHDConfig{HostKeys: []livetest.SSHKey{*d.hostKey.Load()}, AuthorizedKey: authorized, Lines: lines}
		if d.closed.Load() {
			cfg.Lines = append([]string{"DenyUsers *"}, lines...)
		}
		return cfg
	}
	d.port = livetest.Listen(t, livetest.OpenSSH{Config: config, Prefix: prefix}.Handler(t))
}

// keyServer starts a server that accepts the current user with a key.
func keyServer(t *testing.T) *sshServer {
	d, key := &sshServer{}, livetest.NewSSHKey(t)
	me, err := user.Current()
	must(t, err)
	d.draft = connectors.CredentialDraft{User: me.Username, AuthType: model.AuthKey, PrivateKey: secrets.NewSecret(key.Private)}
	d.listenOpenSSH(t, key.PublicKey(), nil)
	return d
}

const rightPassword = "right horse"

func newPasswordServer() *sshServer {
	return &sshServer{draft: connectors.CredentialDraft{User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret(rightPassword)}}
}

// withUserFiles runs a command in a mount namespace in which other files replace
// the passwd and shadow files of the machine.
const withUserFiles = `mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/shadow && shift 2 && exec "$@"`

// openSSHPasswordServer starts an OpenSSH server. It accepts a user with a
// password, both of which exist only in the server's mount namespace.
func openSSHPasswordServer(t *testing.T) *sshServer {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: OpenSSH accepts only passwords of system users, and only root can add one in a mount namespace. The test with a Go server remains")
	}
	hash, err := exec.Command("openssl", "passwd", "-6", rightPassword).Output()
	if err != nil {
		t.Skipf("SKIPPED: openssl, which hashes the password, failed: %v. The test with a Go server remains", err)
	}
	folder := t.TempDir()
	passwd, shadow := filepath.Join(folder, "passwd"), filepath.Join(folder, "shadow")
	must(t, os.WriteFile(passwd, []byte(content(t, "/etc/passwd")+"anna:x:65533:65534::/:/bin/sh\n"), 0o644))
	must(t, os.WriteFile(shadow, []byte(content(t, "/etc/shadow")+"anna:"+strings.TrimSpace(string(hash))+":20000:0:99999:7:::\n"), 0o600))
	prefix := []string{"unshare", "-m", "sh", "-c", withUserFiles, "sh", passwd, shadow}
	if out, err := exec.Command(prefix[0], append(prefix[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no mount namespace: %v %s. The test with a Go server remains", err, out)
	}
	d := newPasswordServer()
	d.listenOpenSSH(t, nil, prefix, "PasswordAuthentication yes", "PubkeyAuthentication no")
	return d
}

// goPasswordServer starts a server written in Go that accepts a user with a password.
func goPasswordServer(t *testing.T) *sshServer {
	d := newPasswordServer()
	d.port = livetest.Listen(t, func(conn net.Conn) {
		cfg := &ssh.ServerConfig{PasswordCallback: func(_ ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
			if string(given) != rightPassword || d.closed.Load() {
				return nil, errors.New("refused")
			}
			return nil, nil
		}}
		cfg.AddHostKey(*d.hostKey.Load())
		livetest.ServeSFTP(conn, cfg, livetest.MachineFiles)
	})
	return d
}

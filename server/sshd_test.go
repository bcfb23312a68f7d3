package server

import (
	"errors"
	"fmt"
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

const sshdPath = "/usr/sbin/sshd"

// keyFile is a key that ssh-keygen made.
type keyFile string

func newKeyFile(t *testing.T) keyFile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: ssh-keygen, with which keys are made here: %v %s", err, out)
	}
	return keyFile(file)
}

func (k keyFile) private(t *testing.T) string { return content(t, string(k)) }

// fingerprint is what ssh-keygen -l shows of it.
func (k keyFile) fingerprint(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("ssh-keygen", "-l", "-f", string(k)+".pub").Output()
	must(t, err)
	return strings.Fields(string(out))[1]
}

// sshServer is a server on loopback into which a user is let, or not.
type sshServer struct {
	port int
	// draft is the credential that opens it.
	draft connectors.CredentialDraft
	// shows is the host key, shut says that nobody is let in: of each connection
	// from now on.
	shows atomic.Pointer[keyFile]
	shut  atomic.Bool
}

func (d *sshServer) show(k keyFile) { d.shows.Store(&k) }

// openSSH is a door of OpenSSH's server, one process for each connection. The lines
// of its configuration are asked for then.
func openSSH(t *testing.T, d *sshServer, command []string, lines func() []string) {
	t.Helper()
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("SKIPPED: " + sshdPath + " is not installed; apt-get install openssh-server")
	}
	if os.Getuid() == 0 { // it insists on the folder that its package's service makes
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("SKIPPED: sshd needs /run/sshd: %v", err)
		}
	}
	folder := t.TempDir()
	var count atomic.Int64
	d.port = livetest.Listen(t, func(conn net.Conn) {
		all := append(lines(), "HostKey "+string(*d.shows.Load()), "KbdInteractiveAuthentication no", "StrictModes no", "UsePAM no", "PidFile none", "Subsystem sftp internal-sftp")
		if d.shut.Load() {
			all = append(all, "DenyUsers *")
		}
		config := filepath.Join(folder, fmt.Sprint("config-", count.Add(1)))
		socket, err := conn.(*net.TCPConn).File()
		if err == nil {
			err = os.WriteFile(config, []byte(strings.Join(all, "\n")+"\n"), 0o600)
		}
		_ = conn.Close() // the server's own copy must be the last: it tells the client of its end
		if err != nil {
			t.Error(err)
			return
		}
		defer socket.Close()
		args := append(command[1:len(command):len(command)], sshdPath, "-i", "-f", config, "-E", filepath.Join(folder, "log"))
		server := exec.Command(command[0], args...)
		server.Stdin, server.Stdout = socket, socket
		_ = server.Run() // a client that is refused makes it end with an error
	})
	t.Cleanup(func() {
		if text, err := os.ReadFile(filepath.Join(folder, "log")); err == nil && t.Failed() {
			t.Logf("sshd says:\n%s", text)
		}
	})
}

// withKey lets the current user in by a key.
func withKey(t *testing.T) *sshServer {
	d, mine := &sshServer{}, newKeyFile(t)
	me, err := user.Current()
	must(t, err)
	d.draft = connectors.CredentialDraft{User: me.Username, AuthType: model.AuthKey, PrivateKey: secrets.NewSecret(mine.private(t))}
	openSSH(t, d, []string{"env"}, func() []string {
		return []string{"AuthorizedKeysFile " + string(mine) + ".pub", "PasswordAuthentication no", "PermitRootLogin prohibit-password"}
	})
	return d
}

// beside runs a command for which other files stand in the place of the machine's list
// of users: in a namespace that nobody else sees.
const beside = `mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/shadow && shift 2 && exec "$@"`

// withOpenSSHPassword lets a user in by a password, who is there for these connections
// alone.
func withOpenSSHPassword(t *testing.T) *sshServer {
	const word = "right horse"
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: OpenSSH checks passwords of the machine's users only; only root can give it others, in a namespace. A server of the Go library takes its place")
	}
	hash, err := exec.Command("openssl", "passwd", "-6", word).Output()
	if err != nil {
		t.Skipf("SKIPPED: no openssl to make the hash of a password: %v. A server of the Go library takes the place of OpenSSH", err)
	}
	folder := t.TempDir()
	passwd, shadow := filepath.Join(folder, "passwd"), filepath.Join(folder, "shadow")
	must(t, os.WriteFile(passwd, []byte(content(t, "/etc/passwd")+"anna:x:65533:65534::/:/bin/sh\n"), 0o644))
	must(t, os.WriteFile(shadow, []byte(content(t, "/etc/shadow")+"anna:"+strings.TrimSpace(string(hash))+":20000:0:99999:7:::\n"), 0o600))
	command := []string{"unshare", "-m", "sh", "-c", beside, "beside", passwd, shadow}
	if out, err := exec.Command(command[0], append(command[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no namespace for a user with a password: %v %s. A server of the Go library takes the place of OpenSSH", err, out)
	}
	d := &sshServer{draft: connectors.CredentialDraft{User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret(word)}}
	openSSH(t, d, command, func() []string { return []string{"PasswordAuthentication yes", "PubkeyAuthentication no"} })
	return d
}

// withPassword lets a user in by a password, with the server of the Go library.
func withPassword(t *testing.T) *sshServer {
	const word = "right horse"
	d := &sshServer{draft: connectors.CredentialDraft{User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret(word)}}
	d.port = livetest.Listen(t, func(conn net.Conn) {
		cfg := &ssh.ServerConfig{PasswordCallback: func(_ ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
			if string(given) != word || d.shut.Load() {
				return nil, errors.New("refused")
			}
			return nil, nil
		}}
		signer, err := ssh.ParsePrivateKey([]byte(d.shows.Load().private(t)))
		must(t, err)
		cfg.AddHostKey(signer)
		livetest.ServeSFTP(conn, cfg, livetest.MachineFiles)
	})
	return d
}

package livetest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// SSHKey is a key pair. The private key is in OpenSSH format.
type SSHKey struct {
	ssh.Signer
	Private string
}

// NewSSHKey generates an Ed25519 key.
func NewSSHKey(t testing.TB) SSHKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return MarshalSSHKey(t, key)
}

// MarshalSSHKey returns the key pair of a private key. key may have any type that package
// ssh supports.
func MarshalSSHKey(t testing.TB, key any) SSHKey {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "created by the test")
	if err != nil {
		t.Fatal(err)
	}
	return SSHKey{signer, string(pem.EncodeToMemory(block))}
}

// Fingerprint returns the fingerprint of the public key in the format of ssh-keygen -l.
func (k SSHKey) Fingerprint() string { return ssh.FingerprintSHA256(k.PublicKey()) }

// SFTP is a server that serves files over a channel until the channel is closed.
type SFTP interface {
	Serve() error
	Close() error
}

// MachineFiles returns an SFTP server for the files of this machine.
func MachineFiles(channel io.ReadWriteCloser) (SFTP, error) { return pkgsftp.NewServer(channel) }

// ServeSFTP authenticates a client as configured in cfg. It serves files on every channel
// that the client opens.
func ServeSFTP(raw net.Conn, cfg *ssh.ServerConfig, files func(io.ReadWriteCloser) (SFTP, error)) {
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
		go func() {
			for request := range requests {
				_ = request.Reply(request.Type == "subsystem", nil)
			}
		}()
		if server, err := files(channel); err == nil {
			_ = server.Serve()
			_ = server.Close()
		}
	}
}

const sshdPath = "/usr/sbin/sshd"

// OpenSSH runs the OpenSSH server that is installed on this machine. It starts one process
// per connection and ignores the machine's configuration of the server.
type OpenSSH struct {
	// Config returns the configuration for the next connection.
	Config func() SSHDConfig
	// Prefix is prepended to the command that runs the server. Default: none.
	Prefix []string
	// Attr contains the attributes of the processes. Default: none.
	Attr *syscall.SysProcAttr
	// Started receives the process ID of the server for each connection. Default: none.
	Started chan<- int
}

// SSHDConfig configures one server process.
type SSHDConfig struct {
	HostKeys []SSHKey
	// AuthorizedKey is the only key that can log in. Default: none.
	AuthorizedKey ssh.PublicKey
	// Lines contains additional lines of sshd_config.
	Lines []string
}

// Handler returns a function that serves one connection. It skips the test if OpenSSH is
// not installed. If the test fails, it logs the output of the servers.
func (s OpenSSH) Handler(t testing.TB) func(net.Conn) {
	t.Helper()
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("SKIPPED: " + sshdPath + " is not installed; apt-get install openssh-server")
	}
	if os.Getuid() == 0 {
		// If it runs as root, the server requires the folder that its systemd unit creates.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("SKIPPED: sshd needs /run/sshd: %v", err)
		}
	}
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	t.Cleanup(func() {
		if text, err := os.ReadFile(log); err == nil && t.Failed() {
			t.Logf("log of sshd:\n%s", text)
		}
	})
	var connections atomic.Int64
	return func(conn net.Conn) {
		config, err := s.Config().write(filepath.Join(folder, fmt.Sprint("connection-", connections.Add(1))))
		if err == nil {
			err = s.serve(conn, sshdPath, "-i", "-f", config, "-E", log)
		}
		if err != nil {
			t.Errorf("serve OpenSSH: %v", err)
		}
	}
}

// serve runs a process for a connection until the process ends.
func (s OpenSSH) serve(conn net.Conn, args ...string) error {
	socket, err := conn.(*net.TCPConn).File()
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	// Only the process may have the connection open, so that the connection ends with the
	// process.
	_ = conn.Close()
	args = append(s.Prefix[:len(s.Prefix):len(s.Prefix)], args...)
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.SysProcAttr = socket, socket, s.Attr
	if err := command.Start(); err != nil {
		return err
	}
	if s.Started != nil {
		s.Started <- command.Process.Pid
	}
	// Wait returns an error for rejected clients, which tests expect.
	_ = command.Wait()
	return nil
}

// write writes the configuration and its keys to files whose names begin with prefix. It
// returns the name of the configuration file.
func (c SSHDConfig) write(prefix string) (name string, err error) {
	writeFile := func(suffix, text string) string {
		err = errors.Join(err, os.WriteFile(prefix+suffix, []byte(text), 0o600))
		return prefix + suffix
	}
	lines := append([]string{
		"KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password", "StrictModes no", "UsePAM no", "PidFile none",
		"Subsystem sftp internal-sftp", "Banner " + writeFile("-banner", "Welcome!\n"),
	}, c.Lines...)
	if c.AuthorizedKey != nil {
		lines = append(lines, "PasswordAuthentication no", "AuthorizedKeysFile "+writeFile("-authorized", string(ssh.MarshalAuthorizedKey(c.AuthorizedKey))))
	}
	for i, key := range c.HostKeys {
		lines = append(lines, "HostKey "+writeFile(fmt.Sprint("-host-", i), key.Private))
	}
	return writeFile("-config", strings.Join(lines, "\n")+"\n"), err
}

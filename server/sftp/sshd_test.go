package sftp_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

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

func put(t testing.TB, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
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

func TestOpenSSH(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run("user key "+kind, func(t *testing.T) {
			signer, mine := newKey(t, kind)
			host, hostSecret := newKey(t, "ed25519")
			cred := openSSH(t, signer.PublicKey(), hostSecret)
			cred.PrivateKey = mine
			report := mustTest(t, cred)
			if want := ssh.FingerprintSHA256(host.PublicKey()); report.HostKeyFingerprint != want {
				t.Errorf("the fingerprint is %s, want %s", report.HostKeyFingerprint, want)
			}
			cred.HostKey = report.HostKey
			if again := mustTest(t, cred); again != report {
				t.Errorf("the report with a pin is %+v, want %+v", again, report)
			}
		})
	}
}

func TestOpenSSHShowsThePinnedKey(t *testing.T) {
	signer, mine := newKey(t, "ed25519")
	rsaHost, rsaSecret := newKey(t, "rsa")
	ecdsaHost, ecdsaSecret := newKey(t, "ecdsa")
	edHost, edSecret := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), rsaSecret, ecdsaSecret, edSecret)
	cred.PrivateKey = mine
	for _, host := range []ssh.Signer{rsaHost, ecdsaHost, edHost} {
		cred.HostKey = string(ssh.MarshalAuthorizedKey(host.PublicKey()))
		report := mustTest(t, cred)
		if report.HostKeyFingerprint != ssh.FingerprintSHA256(host.PublicKey()) {
			t.Errorf("with a pin of type %s the server showed %s", host.PublicKey().Type(), report.HostKey)
		}
	}
}

func TestOpenSSHWithChangedHostKey(t *testing.T) {
	signer, mine := newKey(t, "ed25519")
	for _, kind := range []string{"ed25519", "rsa"} {
		before, _ := newKey(t, "ed25519")
		now, nowSecret := newKey(t, kind)
		cred := openSSH(t, signer.PublicKey(), nowSecret)
		cred.PrivateKey = mine
		cred.HostKey = string(ssh.MarshalAuthorizedKey(before.PublicKey()))
		_, err := client(0).Test(context.Background(), cred)
		wantError(t, err, sftp.HostKeyChanged,
			"expected "+ssh.FingerprintSHA256(before.PublicKey()), "found "+ssh.FingerprintSHA256(now.PublicKey()))
	}
}

func TestOpenSSHRefusesTheKey(t *testing.T) {
	signer, _ := newKey(t, "ed25519")
	_, other := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), host)
	cred.PrivateKey = other
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this private key")
	cred.PrivateKey, cred.Password = secrets.Secret{}, secrets.NewSecret("right")
	_, err = client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this password")
}

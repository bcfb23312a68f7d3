package sftp_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/internal/egress"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/sftp"
)

// A fingerprint does not tell of which of the server's keys it is.
func TestPinByFingerprint(t *testing.T) {
	signer, mine := newKey(t, "ed25519")
	var hosts []ssh.Signer
	var secrets []seal.Secret
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		host, secret := newKey(t, kind)
		hosts, secrets = append(hosts, host), append(secrets, secret)
	}
	cred := openSSH(t, signer.PublicKey(), secrets...)
	cred.PrivateKey = mine
	for _, host := range hosts {
		cred.HostKey = ssh.FingerprintSHA256(host.PublicKey())
		listed := keygen(t, "-l", "-f", put(t, t.TempDir(), "host.pub", string(ssh.MarshalAuthorizedKey(host.PublicKey()))))
		report := mustTest(t, cred)
		if report.HostKeyFingerprint != cred.HostKey || !strings.Contains(listed, " "+report.HostKeyFingerprint+" ") {
			t.Errorf("the fingerprint is %s, want %s; ssh-keygen says %s", report.HostKeyFingerprint, cred.HostKey, listed)
		}
	}
	other, _ := newKey(t, "ed25519")
	cred.HostKey = ssh.FingerprintSHA256(other.PublicKey())
	_, err := client(0).Test(context.Background(), cred)
	found := ssh.FingerprintSHA256(hosts[0].PublicKey())
	wantError(t, err, sftp.HostKeyChanged, "has changed", "expected "+cred.HostKey, "found "+found)
	var changed *sftp.HostKeyError
	if !errors.As(err, &changed) || *changed != (sftp.HostKeyError{Want: cred.HostKey, Found: found}) {
		t.Errorf("the fingerprints are %+v", changed)
	}
	for _, bad := range []string{"SHA256:", "SHA256:abc", cred.HostKey + "A", cred.HostKey[:49] + "_", "SHA256:" + strings.Repeat("/", 43)} {
		cred.HostKey = bad
		_, err := client(0).Test(context.Background(), cred)
		wantError(t, err, sftp.Invalid, "43 letters")
	}
}

// A server with one key only that shows the wrong one is asked as often as there
// are other types, and not for ever.
func TestPinByFingerprintEnds(t *testing.T) {
	host, _ := newKey(t, "rsa")
	other, _ := newKey(t, "ed25519")
	var connections atomic.Int32
	serve := serveSSH(withPassword(host), honest)
	cred := listen(t, func(c net.Conn) {
		connections.Add(1)
		serve(c)
	})
	cred.HostKey = ssh.FingerprintSHA256(other.PublicKey())
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.HostKeyChanged, "found "+ssh.FingerprintSHA256(host.PublicKey()))
	if n := connections.Load(); n > 2 {
		t.Errorf("%d connections", n)
	}
}

func TestPassphrase(t *testing.T) {
	host, _ := newKey(t, "ed25519")
	file := filepath.Join(t.TempDir(), "key")
	keygen(t, "-q", "-t", "ed25519", "-a", "1", "-N", "open sesame", "-f", file)
	listed := keygen(t, "-l", "-f", file)
	cfg := withPassword(host)
	cfg.PublicKeyCallback = func(_ ssh.ConnMetadata, shown ssh.PublicKey) (*ssh.Permissions, error) {
		if !strings.Contains(listed, ssh.FingerprintSHA256(shown)) {
			return nil, errors.New("unknown")
		}
		return nil, nil
	}
	cred := listen(t, serveSSH(cfg, honest))
	cred.Password, cred.PrivateKey = seal.Secret{}, fileSecret(t, file)
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Invalid, "protected by a passphrase")
	cred.Passphrase = seal.NewSecret("open barley")
	_, err = client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Invalid, "the passphrase does not open the private key")
	cred.Passphrase = seal.NewSecret("open sesame")
	mustTest(t, cred)
}

// nameless is a name server that knows no name.
func nameless(t *testing.T) *net.Resolver {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			// The question comes back as an answer: there is no such name.
			buf[2], buf[3] = 0x81, 0x83
			_, _ = server.WriteTo(buf[:n], from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestNoSuchHost(t *testing.T) {
	c := sftp.New(egress.New(egress.Config{Resolver: nameless(t)}), sftp.Config{})
	cred := sftp.Credential{Hostname: "sftp.example.com", Port: 22, User: "anna", Password: seal.NewSecret("right")}
	_, err := c.Dial(context.Background(), cred)
	wantError(t, err, sftp.NoSuchHost, "sftp.example.com:22 cannot be reached: there is no such host name")
}

// A session outlives the context of its Dial and may be closed twice.
func TestSessionOutlivesDial(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s, err := client(0).Dial(ctx, listen(t, serveSSH(withPassword(key), f.serve)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := list(s); err != nil {
		t.Errorf("List: %v", err)
	}
	if got := s.Report().HostKeyFingerprint; got != ssh.FingerprintSHA256(key.PublicKey()) {
		t.Errorf("the fingerprint is %s", got)
	}
	s.Close()
	s.Close()
	wantError(t, list(s), sftp.Lost)
}

// The answers to the greeting.
func TestEvilGreetings(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	for name, say := range map[string]string{
		"another version":     packet(5, "\x02"+u32(2)),
		"another kind":        packet(5, "\x65"+u32(3)),
		"cut short":           packet(9, "\x02"+u32(3)+u32(100)),
		"cut very short":      packet(2, "\x02\x00"),
		"answers another":     packet(5, "\x02"+u32(3)) + packet(5, "\x68"+u32(2)),
		"refuses to be asked": packet(5, "\x02"+u32(3)) + packet(9, "\x65"+u32(1)+u32(3)),
	} {
		t.Run(name, func(t *testing.T) {
			cred := listen(t, serveSSH(withPassword(key), func(c ssh.Channel) {
				_, _ = c.Write([]byte(say))
				drain(c)
			}))
			_, err := client(0).Dial(context.Background(), cred)
			wantError(t, err, sftp.NotSFTP, "does not offer SFTP")
		})
	}
}

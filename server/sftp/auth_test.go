package sftp_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

func TestFingerprint(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		signer, secret := newKey(t, kind)
		want := ssh.FingerprintSHA256(signer.PublicKey())
		spellings := map[string]string{
			"as made": secret.Reveal(), "no line end": strings.TrimSpace(secret.Reveal()),
			"space around": "\n  " + secret.Reveal() + "\n\n", "Windows": strings.ReplaceAll(secret.Reveal(), "\n", "\r\n"),
		}
		for name, text := range spellings {
			got, err := sftp.Fingerprint(secrets.NewSecret(text))
			if err != nil || got != want {
				t.Errorf("%s, %s: %q, %v, want %q", kind, name, got, err, want)
			}
		}
	}
}

func TestFingerprintLikeOpenSSH(t *testing.T) {
	kinds := map[string][]string{
		"ed25519": {"-t", "ed25519"}, "rsa": {"-t", "rsa", "-b", "2048"}, "ecdsa": {"-t", "ecdsa", "-b", "384"},
	}
	for kind, args := range kinds {
		file := filepath.Join(t.TempDir(), kind)
		keygen(t, append(args, "-q", "-N", "", "-f", file)...)
		got, err := sftp.Fingerprint(fileSecret(t, file))
		if listed := keygen(t, "-l", "-f", file); err != nil || !strings.Contains(listed, " "+got+" ") {
			t.Errorf("%s: %q, %v, ssh-keygen says %s", kind, got, err, listed)
		}
		keygen(t, "-q", "-p", "-N", "passphrase", "-f", file)
		_, err = sftp.Fingerprint(fileSecret(t, file))
		if err == nil || !strings.Contains(err.Error(), "passphrase") {
			t.Errorf("%s with a passphrase gave %v", kind, err)
		}
	}
}

func TestFingerprintRefuses(t *testing.T) {
	_, made := newKey(t, "ed25519")
	good := made.Reveal()
	lines := strings.Split(good, "\n")
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(newEd25519(t), "", []byte("passphrase"))
	if err != nil {
		t.Fatal(err)
	}
	signer, _ := newKey(t, "ed25519")
	cases := map[string]struct{ text, want string }{
		"empty":             {"", "not in OpenSSH format"},
		"nonsense":          {"nonsense", "not in OpenSSH format"},
		"PKCS #1":           {older(t, "RSA PRIVATE KEY"), "ssh-keygen -p -f FILE converts"},
		"PKCS #8":           {older(t, "PRIVATE KEY"), "not in OpenSSH format"},
		"PuTTY":             {"PuTTY-User-Key-File-3: ssh-ed25519\n", "not in OpenSSH format"},
		"public half":       {string(ssh.MarshalAuthorizedKey(signer.PublicKey())), "not in OpenSSH format"},
		"text before":       {"key:\n" + good, "not in OpenSSH format"},
		"text after":        {good + "more", "followed by other text"},
		"two keys":          {good + good, "followed by other text"},
		"no end":            {strings.Join(lines[:3], "\n"), "cut off"},
		"a line is missing": {lines[0] + "\n" + strings.Join(lines[2:], "\n"), "damaged"},
		"empty block":       {"-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n", "damaged"},
		"passphrase":        {string(pem.EncodeToMemory(locked)), "protected by a passphrase"},
		"very long":         {good + strings.Repeat("x", 40_000), "longer than any"},
	}
	for name, c := range cases {
		got, err := sftp.Fingerprint(secrets.NewSecret(c.text))
		if err == nil || got != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gave %q, %v, want an error with %q", name, got, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), lines[1][:20]) {
			t.Errorf("%s: the error quotes the key: %v", name, err)
		}
	}
}

func newEd25519(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// older gives a key in a format from before OpenSSH's own.
func older(t *testing.T, kind string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der := x509.MarshalPKCS1PrivateKey(key)
	if kind == "PRIVATE KEY" {
		if der, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
			t.Fatal(err)
		}
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestPassword(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cred := listen(t, serveSSH(withPassword(key), honest))
	report := mustTest(t, cred)
	want := sftp.Report{
		HostKey:            strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))),
		HostKeyFingerprint: ssh.FingerprintSHA256(key.PublicKey()),
	}
	if report != want {
		t.Errorf("the report is %+v, want %+v", report, want)
	}
	cred.HostKey = report.HostKey
	if again := mustTest(t, cred); again != want {
		t.Errorf("the report with a pin is %+v, want %+v", again, want)
	}
	cred.Password = secrets.NewSecret("wrong")
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `does not let user "anna" in with this password`)
	cred.Password, cred.User = secrets.NewSecret("right"), "berta"
	_, err = client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `does not let user "berta" in`)
}

// A server that hangs up at the login has not refused the secret.
func TestLoginCutOff(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cfg := withPassword(key)
	hangUp := make(chan net.Conn, 1)
	cfg.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		_ = (<-hangUp).Close()
		return nil, errors.New("gone")
	}
	serve := serveSSH(cfg, honest)
	cred := listen(t, func(c net.Conn) {
		hangUp <- c
		serve(c)
	})
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `ended the connection while user "anna" logged in`)
}

func TestKeyRefused(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	_, mine := newKey(t, "ed25519")
	cfg := withPassword(key)
	cfg.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, errors.New("unknown")
	}
	cred := listen(t, serveSSH(cfg, honest))
	cred.Password, cred.PrivateKey = secrets.Secret{}, mine
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this private key")
}

// ask makes a server that asks questions in place of taking a password.
func ask(t *testing.T, rounds ...[]string) sftp.Credential {
	key, _ := newKey(t, "ed25519")
	cfg := &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, question ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			right := false
			for _, questions := range rounds {
				echo := make([]bool, len(questions))
				for i, q := range questions {
					echo[i] = strings.HasPrefix(q, "shown")
				}
				answers, err := question("", "", questions, echo)
				if err != nil {
					return nil, err
				}
				for _, answer := range answers {
					right = right || answer == "right"
				}
			}
			if right {
				return nil, nil
			}
			return nil, errors.New("wrong")
		},
	}
	cfg.AddHostKey(key)
	return listen(t, serveSSH(cfg, honest))
}

func TestQuestions(t *testing.T) {
	mustTest(t, ask(t, []string{"Password: "}))
	mustTest(t, ask(t, nil, []string{"Password: "}, nil))
	more := map[string][][]string{
		"two at once":     {{"Password: ", "Code: "}},
		"a code as well":  {{"Password: "}, {"Code: "}},
		"a shown answer":  {{"shown name: "}},
		"the same thrice": {{"Password: "}, {"Password: "}, {"Password: "}},
	}
	for name, rounds := range more {
		t.Run(name, func(t *testing.T) {
			_, err := client(0).Test(context.Background(), ask(t, rounds...))
			wantError(t, err, sftp.Denied, "for more than a password")
		})
	}
	cred := ask(t, []string{"Password: "})
	cred.Password = secrets.NewSecret("wrong")
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this password")
}

// A server with several keys must show the pinned one, not the one that is
// first in its own or the library's list.
func TestPinOfEveryType(t *testing.T) {
	kinds := []string{"rsa", "ecdsa", "ed25519"}
	var keys []ssh.Signer
	for _, kind := range kinds {
		key, _ := newKey(t, kind)
		keys = append(keys, key)
	}
	cred := listen(t, serveSSH(withPassword(keys...), honest))
	for i, key := range keys {
		cred.HostKey = string(ssh.MarshalAuthorizedKey(key.PublicKey()))
		report := mustTest(t, cred)
		if report.HostKeyFingerprint != ssh.FingerprintSHA256(key.PublicKey()) {
			t.Errorf("with a pin of type %s the server showed %s", kinds[i], report.HostKey)
		}
	}
}

func TestHostKeyChanged(t *testing.T) {
	for _, kinds := range [][2]string{{"ed25519", "ed25519"}, {"rsa", "rsa"}, {"ed25519", "rsa"}, {"rsa", "ecdsa"}} {
		old, _ := newKey(t, kinds[0])
		now, _ := newKey(t, kinds[1])
		var asked atomic.Bool
		// The server has ended when this runs: what is registered last is first.
		t.Cleanup(func() {
			if asked.Load() {
				t.Errorf("%v: the client tried to log in", kinds)
			}
		})
		cfg := withPassword(now)
		cfg.AuthLogCallback = func(ssh.ConnMetadata, string, error) { asked.Store(true) }
		cred := listen(t, serveSSH(cfg, honest))
		cred.HostKey = string(ssh.MarshalAuthorizedKey(old.PublicKey()))
		_, err := client(0).Test(context.Background(), cred)
		wantError(t, err, sftp.HostKeyChanged, "has changed", "make a new credential",
			"expected "+ssh.FingerprintSHA256(old.PublicKey()), "found "+ssh.FingerprintSHA256(now.PublicKey()))
		var changed *sftp.HostKeyError
		want := sftp.HostKeyError{Want: ssh.FingerprintSHA256(old.PublicKey()), Found: ssh.FingerprintSHA256(now.PublicKey())}
		if !errors.As(err, &changed) || *changed != want {
			t.Errorf("%v: the fingerprints are %+v, want %+v", kinds, changed, want)
		}
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

func line(t *testing.T) string {
	key, _ := newKey(t, "ed25519")
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

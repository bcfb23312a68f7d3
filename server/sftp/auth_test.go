package sftp_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func fileSecret(t *testing.T, file string) secrets.Secret {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return secrets.NewSecret(string(text))
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

func TestValidHostname(t *testing.T) {
	good := []string{
		"example.com", "sftp.example.com", "EXAMPLE.com", "localhost", "a", "xn--bcher-kva.example", "example.com.",
		"3com.com", "1.example", "a-b.c-d", "a--b", "10.0.0.5", "93.184.215.14", "::1", "2001:db8::1", "::ffff:10.0.0.5",
		strings.Repeat("a", 63) + ".com", strings.Repeat("a.", 126) + "b", strings.Repeat("a.", 126) + "b.",
	}
	for _, name := range good {
		if err := sftp.ValidHostname(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	bad := []string{
		"", " ", ".", "..", "a..b", ".a", "a..", "-a", "a-", "a.-b", "a b", "a_b", "ä.example", "a\n", "a\x00b", "a\tb",
		"sftp://example.com", "anna@example.com", "example.com:22", "example.com/path", "[::1]", "fe80::1%eth0", "::g",
		"256.1.1.1", "1.2.3", "127.1", "2130706433", "0x7f000001", "0x7f.1", "example.0x10", "example.12", "10.0.0.05", "*.a",
		strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "b", strings.Repeat("a", 1_000_000),
	}
	for _, name := range bad {
		if err := sftp.ValidHostname(name); err == nil || !strings.HasPrefix(err.Error(), "the host name ") {
			t.Errorf("%.40q gave %v, want a sentence", name, err)
		}
	}
}

package sftp_test

import (
	"bytes"
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

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

func TestFingerprint(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	kinds := map[string][]string{
		"ed25519": {"-t", "ed25519"}, "rsa": {"-t", "rsa", "-b", "2048"}, "ecdsa": {"-t", "ecdsa", "-b", "384"},
	}
	for kind, args := range kinds {
		file := filepath.Join(t.TempDir(), kind)
		keygen(t, append(args, "-q", "-N", "", "-f", file)...)
		got, err := sftp.Fingerprint(fileSecret(t, file))
		if listed := keygen(t, "-l", "-f", file); err != nil || !strings.Contains(listed, " "+got+" ") {
			t.Errorf("%s: got %q, %v, ssh-keygen prints %s", kind, got, err, listed)
		}
		keygen(t, "-q", "-p", "-a", "1", "-N", "passphrase", "-f", file)
		_, err = sftp.Fingerprint(fileSecret(t, file))
		if got := intray.MessageOf(err).Code; got != "private_key.has_passphrase" {
			t.Errorf("%s with a passphrase: got %q, %v", kind, got, err)
		}
	}
}

func TestFingerprintRefuses(t *testing.T) {
	t.Parallel()
	_, made := newKey(t, "ed25519")
	good := made.Reveal()
	lines := strings.Split(good, "\n")
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(newEd25519(t), "", []byte("passphrase"))
	if err != nil {
		t.Fatal(err)
	}
	signer, _ := newKey(t, "ed25519")
	cases := map[string]struct{ text, want string }{
		"empty":             {"", "private_key.not_openssh"},
		"nonsense":          {"nonsense", "private_key.not_openssh"},
		"PKCS #1":           {legacyKey(t, "RSA PRIVATE KEY"), "private_key.not_openssh"},
		"PKCS #8":           {legacyKey(t, "PRIVATE KEY"), "private_key.not_openssh"},
		"PuTTY":             {"PuTTY-User-Key-File-3: ssh-ed25519\n", "private_key.is_putty"},
		"public half":       {string(ssh.MarshalAuthorizedKey(signer.PublicKey())), "private_key.is_public"},
		"public half, PEM":  {"-----BEGIN RSA PUBLIC KEY-----\nMAo=\n-----END RSA PUBLIC KEY-----\n", "private_key.is_public"},
		"public half, SSH2": {"---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n", "private_key.is_public"},
		"text before":       {"key:\n" + good, "private_key.not_openssh"},
		"text after":        {good + "more", "private_key.damaged"},
		"two keys":          {good + good, "private_key.damaged"},
		"no end":            {strings.Join(lines[:3], "\n"), "private_key.damaged"},
		"a line is missing": {lines[0] + "\n" + strings.Join(lines[2:], "\n"), "private_key.unsupported"},
		"empty block":       {"-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n", "private_key.unsupported"},
		"passphrase":        {string(pem.EncodeToMemory(locked)), "private_key.has_passphrase"},
		"very long":         {good + strings.Repeat("x", 40_000), "private_key.too_long"},
	}
	for name, c := range cases {
		got, err := sftp.Fingerprint(secrets.NewSecret(c.text))
		if code := intray.MessageOf(err).Code; err == nil || got != "" || code != c.want {
			t.Errorf("%s: got %q, %v (%s), want %s", name, got, err, code, c.want)
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

// legacyKey generates a private key in a format that is older than OpenSSH's.
func legacyKey(t *testing.T, kind string) string {
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
		t.Errorf("Test returned %+v, want %+v", report, want)
	}
	cred.HostKey = report.HostKey
	if again := mustTest(t, cred); again != want {
		t.Errorf("with a pin, Test returned %+v, want %+v", again, want)
	}
	cred.Password = secrets.NewSecret("wrong")
	_, err := newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_denied", "sftp.password", "anna")
	cred.Password, cred.User = secrets.NewSecret("right"), "berta"
	_, err = newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_denied", "berta")
}

// If a server closes the connection during the login, the error must not say that the server
// refused the secret.
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
	_, err := newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_broken_off", "anna")
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
	_, err := newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_denied", "sftp.private_key")
}

// interactiveServer starts a server that asks rounds of questions instead of
// accepting a password.
func interactiveServer(t *testing.T, rounds ...[]string) sftp.Credential {
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
	mustTest(t, interactiveServer(t, []string{"Password: "}))
	mustTest(t, interactiveServer(t, nil, []string{"Password: "}, nil))
	more := map[string][][]string{
		"two in one round":  {{"Password: ", "Code: "}},
		"a code afterwards": {{"Password: "}, {"Code: "}},
		"a visible answer":  {{"shown name: "}},
		"three times":       {{"Password: "}, {"Password: "}, {"Password: "}},
	}
	for name, rounds := range more {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(long).Test(context.Background(), interactiveServer(t, rounds...))
			wantError(t, err, sftp.Denied, "sftp.more_than_password")
		})
	}
	cred := interactiveServer(t, []string{"Password: "})
	cred.Password = secrets.NewSecret("wrong")
	_, err := newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_denied", "sftp.password")
}

// A server with several keys must present the pinned one, even if a different key
// is first in the server's list or in that of the library.
func TestPinOfEveryType(t *testing.T) {
	t.Parallel()
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

// TestShortRSAKeys checks that RSA keys of less than 2048 bits are refused, both as keys of users and
// as host keys, even if they are pinned.
func TestShortRSAKeys(t *testing.T) {
	t.Parallel()
	host, own := newKey(t, "short rsa")
	_, err := sftp.Fingerprint(own)
	if message := intray.MessageOf(err); message.Code != "private_key.rsa_too_short" || message.Params()["n"] != int64(1024) {
		t.Errorf("the key of a user: %v", err)
	}
	for _, pin := range []string{"", string(ssh.MarshalAuthorizedKey(host.PublicKey()))} {
		var attempted atomic.Bool
		t.Cleanup(func() {
			if attempted.Load() {
				t.Error("the client tried to log in")
			}
		})
		cfg := withPassword(host)
		cfg.AuthLogCallback = func(ssh.ConnMetadata, string, error) { attempted.Store(true) }
		cred := listen(t, serveSSH(cfg, honest))
		cred.HostKey = pin
		_, err := newClient(long).Test(context.Background(), cred)
		wantError(t, err, sftp.NotSFTP, "sftp.host_key_too_short", `"n":1024`, `"min":2048`)
	}
}

func TestHostKeyChanged(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][2]string{{"ed25519", "ed25519"}, {"rsa", "rsa"}, {"ed25519", "rsa"}, {"rsa", "ecdsa"}} {
		old, _ := newKey(t, kinds[0])
		now, _ := newKey(t, kinds[1])
		var attempted atomic.Bool
		// This runs after the server has ended, because cleanup functions run last in, first out.
		t.Cleanup(func() {
			if attempted.Load() {
				t.Errorf("%v: the client tried to log in", kinds)
			}
		})
		cfg := withPassword(now)
		cfg.AuthLogCallback = func(ssh.ConnMetadata, string, error) { attempted.Store(true) }
		cred := listen(t, serveSSH(cfg, honest))
		cred.HostKey = string(ssh.MarshalAuthorizedKey(old.PublicKey()))
		_, err := newClient(long).Test(context.Background(), cred)
		wantError(t, err, sftp.HostKeyChanged, "sftp.host_key_changed",
			`"expected":"`+ssh.FingerprintSHA256(old.PublicKey()), `"found":"`+ssh.FingerprintSHA256(now.PublicKey()))
		var changed *sftp.HostKeyError
		want := sftp.HostKeyError{Want: ssh.FingerprintSHA256(old.PublicKey()), Found: ssh.FingerprintSHA256(now.PublicKey())}
		if !errors.As(err, &changed) || *changed != want {
			t.Errorf("%v: the fingerprints are %+v, want %+v", kinds, changed, want)
		}
	}
}

func TestOpenSSHShowsThePinnedKey(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	signer, mine := newKey(t, "ed25519")
	for _, kind := range []string{"ed25519", "rsa"} {
		before, _ := newKey(t, "ed25519")
		now, nowSecret := newKey(t, kind)
		cred := openSSH(t, signer.PublicKey(), nowSecret)
		cred.PrivateKey = mine
		cred.HostKey = string(ssh.MarshalAuthorizedKey(before.PublicKey()))
		_, err := newClient(long).Test(context.Background(), cred)
		wantError(t, err, sftp.HostKeyChanged,
			`"expected":"`+ssh.FingerprintSHA256(before.PublicKey()), `"found":"`+ssh.FingerprintSHA256(now.PublicKey()))
	}
}

func TestOpenSSHRefusesTheKey(t *testing.T) {
	t.Parallel()
	signer, _ := newKey(t, "ed25519")
	_, other := newKey(t, "ed25519")
	_, host := newKey(t, "ed25519")
	cred := openSSH(t, signer.PublicKey(), host)
	cred.PrivateKey = other
	_, err := newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.login_denied", "sftp.private_key")
	cred.PrivateKey, cred.Password = secrets.Secret{}, secrets.NewSecret("right")
	_, err = newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "sftp.password_not_allowed")
}

// serverWithSteps starts a server that requires the given login methods in this order. It
// accepts the key mine and the password "right", and asks for the password interactively if a
// step is "interactive".
func serverWithSteps(t *testing.T, mine ssh.PublicKey, steps ...string) sftp.Credential {
	t.Helper()
	refused := errors.New("wrong")
	accept := func([]string) (*ssh.Permissions, error) { return nil, nil }
	var callbacks func(steps []string) ssh.ServerAuthCallbacks
	next := func(rest []string) (*ssh.Permissions, error) {
		if len(rest) == 0 {
			return accept(rest)
		}
		return nil, &ssh.PartialSuccessError{Next: callbacks(rest)}
	}
	callbacks = func(steps []string) (c ssh.ServerAuthCallbacks) {
		switch steps[0] {
		case "key":
			c.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
				if !bytes.Equal(key.Marshal(), mine.Marshal()) {
					return nil, refused
				}
				return next(steps[1:])
			}
		case "password":
			c.PasswordCallback = func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
				if string(password) != "right" {
					return nil, refused
				}
				return next(steps[1:])
			}
		case "interactive":
			c.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, question ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				answers, err := question("", "", []string{"Password: "}, []bool{false})
				if err != nil || answers[0] != "right" {
					return nil, refused
				}
				return next(steps[1:])
			}
		}
		return c
	}
	first := callbacks(steps)
	cfg := &ssh.ServerConfig{PasswordCallback: first.PasswordCallback, PublicKeyCallback: first.PublicKeyCallback, KeyboardInteractiveCallback: first.KeyboardInteractiveCallback}
	host, _ := newKey(t, "ed25519")
	cfg.AddHostKey(host)
	return listen(t, serveSSH(cfg, honest))
}

// TestFindingEcosystemKeyAndPassword checks that a credential with a key and a password works with
// servers that require both or one of them, and that errors name what is missing or wrong.
func TestFindingEcosystemKeyAndPassword(t *testing.T) {
	t.Parallel()
	signer, mine := newKey(t, "ed25519")
	_, other := newKey(t, "ed25519")
	right, wrong, none := secrets.NewSecret("right"), secrets.NewSecret("wrong"), secrets.Secret{}
	for name, c := range map[string]struct {
		steps         []string
		key, password secrets.Secret
		want          []string
	}{
		"both":                       {[]string{"key", "password"}, mine, right, nil},
		"both, the other order":      {[]string{"password", "key"}, mine, right, nil},
		"both, interactive":          {[]string{"key", "interactive"}, mine, right, nil},
		"only a key is required":     {[]string{"key"}, mine, right, nil},
		"only a password":            {[]string{"password"}, mine, right, nil},
		"a password is missing":      {[]string{"key", "password"}, mine, none, []string{"sftp.password_also_required"}},
		"an answer is missing":       {[]string{"key", "interactive"}, mine, none, []string{"sftp.password_also_required"}},
		"a key is missing":           {[]string{"password", "key"}, none, right, []string{"sftp.key_also_required"}},
		"a password is not allowed":  {[]string{"key", "password"}, none, right, []string{"sftp.password_not_allowed"}},
		"a key is not allowed":       {[]string{"password", "key"}, mine, none, []string{"sftp.key_not_allowed"}},
		"the password is wrong":      {[]string{"key", "password"}, mine, wrong, []string{"sftp.login_denied", `"sftp.password"`}},
		"the key is wrong":           {[]string{"key", "password"}, other, right, []string{"sftp.login_denied", `"sftp.private_key"`}},
		"the key is wrong, reversed": {[]string{"password", "key"}, other, right, []string{"sftp.login_denied", `"sftp.private_key"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cred := serverWithSteps(t, signer.PublicKey(), c.steps...)
			cred.PrivateKey, cred.Password = c.key, c.password
			if c.want == nil {
				mustTest(t, cred)
				return
			}
			_, err := newClient(long).Test(context.Background(), cred)
			wantError(t, err, sftp.Denied, c.want...)
		})
	}
}

// TestFindingEcosystemSHA1 checks the hint for a server that lists modern signatures of RSA keys
// but accepts only SHA-1, as OpenSSH does with PubkeyAcceptedAlgorithms ssh-rsa. The server here
// refuses the key, which looks the same. A wrong key of another type gets no such hint.
func TestFindingEcosystemSHA1(t *testing.T) {
	t.Parallel()
	known, _ := newKey(t, "ed25519")
	for kind, want := range map[string]string{"rsa": "sftp.rsa_key_denied", "ed25519": "sftp.login_denied"} {
		_, mine := newKey(t, kind)
		cred := serverWithSteps(t, known.PublicKey(), "key")
		cred.PrivateKey, cred.Password = mine, secrets.Secret{}
		_, err := newClient(long).Test(context.Background(), cred)
		wantError(t, err, sftp.Denied, want, `"sftp.private_key"`)
	}
}

func authorizedKey(t *testing.T) string {
	key, _ := newKey(t, "ed25519")
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

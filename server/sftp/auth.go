package sftp

import (
	"bytes"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
)

// maxKeyText is the maximum length of a private key file, in bytes. An RSA key of
// 16,384 bits, the largest that OpenSSH generates, is 13 KB long.
const maxKeyText = 32 << 10

const opensshKey = "OPENSSH PRIVATE KEY"

// convertKey is the command that converts a key to OpenSSH's format and changes or
// removes its passphrase.
const convertKey = "ssh-keygen -p -f FILE"

// createKey is the command that creates a key of a recommended type.
const createKey = "ssh-keygen -t ed25519"

// minRSABits is the minimum length of an RSA key, of a user or of a server. Shorter keys can be
// factored.
const minRSABits = 2048

// convertPuTTYKey is the command that converts a key of PuTTY to OpenSSH's format.
const convertPuTTYKey = "puttygen FILE -O private-openssh-new -o NEW_FILE"

// isPublicKey reports whether text is a public key in one of the usual formats.
func isPublicKey(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.HasPrefix(first, []byte("-----BEGIN ")) && bytes.Contains(first, []byte("PUBLIC KEY")) || bytes.HasPrefix(first, []byte("---- BEGIN SSH2 PUBLIC KEY")) {
		return true
	}
	_, _, _, _, err := ssh.ParseAuthorizedKey(first)
	return err == nil
}

// Fingerprint returns the SHA-256 fingerprint of the public key in the format of OpenSSH:
// "SHA256:…". The private key must be in OpenSSH format, without a passphrase. The message of an
// error describes the problem and contains no part of the key.
func Fingerprint(privateKey secrets.Secret) (string, error) {
	signer, err := parsePrivateKey(privateKey)
	if err != nil {
		return "", err
	}
	return ssh.FingerprintSHA256(signer.PublicKey()), nil
}

func parsePrivateKey(privateKey secrets.Secret) (ssh.Signer, error) {
	text := bytes.TrimSpace([]byte(privateKey.Reveal()))
	if len(text) > maxKeyText {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.too_long", nil)}
	}
	if isPublicKey(text) {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.is_public", nil)}
	}
	if bytes.HasPrefix(text, []byte("PuTTY-User-Key-File-")) {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.is_putty", intray.Params{"command": convertPuTTYKey})}
	}
	if !bytes.HasPrefix(text, []byte("-----BEGIN "+opensshKey+"-----")) {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.not_openssh", intray.Params{"start": "-----BEGIN " + opensshKey + "-----", "command": convertKey})}
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != opensshKey || len(bytes.TrimSpace(rest)) > 0 {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.damaged", nil)}
	}
	signer, err := ssh.ParsePrivateKey(text)
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.has_passphrase", intray.Params{"command": convertKey})}
	case err != nil:
		// The library's error may quote the key.
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.unsupported", nil)}
	}
	if bits := rsaBits(signer.PublicKey()); bits > 0 && bits < minRSABits {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.rsa_too_short", intray.Params{"n": bits, "min": minRSABits, "command": createKey})}
	}
	return signer, nil
}

// rsaBits returns the length of an RSA key, or 0 for a key of another type.
func rsaBits(key ssh.PublicKey) int {
	if wrapped, ok := key.(ssh.CryptoPublicKey); ok {
		if public, ok := wrapped.CryptoPublicKey().(*rsa.PublicKey); ok {
			return public.N.BitLen()
		}
	}
	return 0
}

// These are the names of login methods in the protocol.
const (
	keyMethod         = "publickey"
	passwordMethod    = "password"
	interactiveMethod = "keyboard-interactive"
)

// passwordMethods are the methods that send a password.
var passwordMethods = []string{passwordMethod, interactiveMethod}

// login is the part of an attempt that logs in. It records what the server refuses, because the
// library has no error types for that.
type login struct {
	methods []ssh.AuthMethod
	names   []string
	// isRSA is true if the private key is an RSA key.
	isRSA bool
	// refused is true if the server accepts none of the remaining methods.
	refused bool
	// allowed, accepted and tried are the methods that the server allows next, those that it
	// accepted as a part of the login, and those that it refused.
	allowed, accepted, tried []string
}

// newLogin checks the secrets and returns the login. The key comes first, because servers that
// require both secrets usually expect this order.
func newLogin(cred Credential) (*login, error) {
	if cred.Password.IsZero() && cred.PrivateKey.IsZero() {
		return nil, &intray.MessageError{Message: intray.NewMessage("sftp.one_secret", nil)}
	}
	l := &login{}
	if !cred.PrivateKey.IsZero() {
		signer, err := parsePrivateKey(cred.PrivateKey)
		if err != nil {
			return nil, err
		}
		l.isRSA = signer.PublicKey().Type() == ssh.KeyAlgoRSA
		l.methods, l.names = append(l.methods, ssh.PublicKeys(signer)), append(l.names, keyMethod)
	}
	if !cred.Password.IsZero() {
		l.methods = append(l.methods, ssh.Password(cred.Password.Reveal()), ssh.KeyboardInteractive(answerOnce(cred.Password)))
		l.names = append(l.names, passwordMethods...)
	}
	return l, nil
}

// noteProgress records the state of the login. The library calls it after each method.
// noteProgress returns no method, so the library chooses the next one itself.
func (l *login) noteProgress(about *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.allowed, l.accepted, l.tried = about.AllowedMethods, about.PartialSuccessMethods, about.TriedMethods
	l.refused = !slices.ContainsFunc(l.names, func(method string) bool {
		return slices.Contains(about.AllowedMethods, method) && !slices.Contains(about.TriedMethods, method)
	})
	return nil, nil
}

// explainRefusal returns the message that explains why the login was refused. params are the
// parameters of the message except for the secret.
func (l *login) explainRefusal(params intray.Params) intray.Message {
	hasKey, hasPassword := slices.Contains(l.names, keyMethod), slices.Contains(l.names, passwordMethod)
	wantsKey, wantsPassword := slices.Contains(l.allowed, keyMethod), containsAny(l.allowed, passwordMethods)
	triedKey, triedPassword := slices.Contains(l.tried, keyMethod), containsAny(l.tried, passwordMethods)
	switch {
	case !hasPassword && wantsPassword && slices.Contains(l.accepted, keyMethod):
		return intray.NewMessage("sftp.password_also_required", params)
	case !hasKey && wantsKey && containsAny(l.accepted, passwordMethods):
		return intray.NewMessage("sftp.key_also_required", params)
	case !hasKey && wantsKey && !wantsPassword && !triedPassword:
		return intray.NewMessage("sftp.password_not_allowed", params)
	case !hasPassword && wantsPassword && !wantsKey && !triedKey:
		return intray.NewMessage("sftp.key_not_allowed", params)
	}
	params = maps.Clone(params)
	params["secret"] = l.secret()
	if l.isRSA && !triedPassword {
		return intray.NewMessage("sftp.rsa_key_denied", params)
	}
	return intray.NewMessage("sftp.login_denied", params)
}

// secret returns the name of the secrets that the server refused. If it refused none, secret
// returns the name of all secrets.
func (l *login) secret() intray.Message {
	hasKey, hasPassword := slices.Contains(l.names, keyMethod), slices.Contains(l.names, passwordMethod)
	triedKey, triedPassword := slices.Contains(l.tried, keyMethod), containsAny(l.tried, passwordMethods)
	switch {
	case hasKey && hasPassword && triedKey == triedPassword:
		return intray.NewMessage("sftp.key_and_password", nil)
	case hasPassword && (triedPassword || !hasKey):
		return intray.NewMessage("sftp.password", nil)
	}
	return intray.NewMessage("sftp.private_key", nil)
}

func containsAny(list, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(list, v) })
}

var errMoreQuestions = errors.New("the server asks for more than a password")

// answerOnce answers one question with the password if it is the only one in its round and its
// answer is not echoed. A second question would ask for a code, which nobody is there to enter.
func answerOnce(password secrets.Secret) ssh.KeyboardInteractiveChallenge {
	answered := false
	return func(_, _ string, questions []string, echo []bool) ([]string, error) {
		if len(questions) == 0 {
			return nil, nil
		}
		if answered || len(questions) > 1 || echo[0] {
			return nil, errMoreQuestions
		}
		answered = true
		return []string{password.Reveal()}, nil
	}
}

// hostKeyPin is the host key that a server must present. If none is pinned, the
// first key that the server presents becomes the pinned one.
type hostKeyPin struct {
	pinned ssh.PublicKey // nil if none

	mu       sync.Mutex
	found    ssh.PublicKey
	mismatch *HostKeyError
	// weakBits is the length of an RSA key that was refused because it is too short, or 0.
	weakBits int
}

// HostKeyError reports that a server presented a key other than the pinned one. Want and Found
// are fingerprints in the format of OpenSSH.
type HostKeyError struct{ Want, Found string }

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key %s instead of %s", e.Found, e.Want)
}

func parsePin(text string) (*hostKeyPin, error) {
	if text == "" {
		return &hostKeyPin{}, nil
	}
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	switch {
	case err != nil:
		return nil, &intray.MessageError{Message: intray.NewMessage("host_key.unreadable", nil)}
	case len(options) > 0 || len(bytes.TrimSpace(rest)) > 0:
		return nil, &intray.MessageError{Message: intray.NewMessage("host_key.more_than_key", nil)}
	case !slices.Contains(hostKeyAlgorithms, keyAlgorithms(key)[0]):
		return nil, &intray.MessageError{Message: intray.NewMessage("host_key.unsupported_type", nil)}
	}
	return &hostKeyPin{pinned: key}, nil
}

// verify checks the key that a server presents. It is called during every key exchange.
func (p *hostKeyPin) verify(key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	want := p.pinned
	if want == nil {
		want = p.found
	}
	if want != nil && !bytes.Equal(want.Marshal(), key.Marshal()) {
		p.mismatch = &HostKeyError{Want: ssh.FingerprintSHA256(want), Found: ssh.FingerprintSHA256(key)}
		return p.mismatch
	}
	if bits := rsaBits(key); bits > 0 && bits < minRSABits {
		p.weakBits = bits
		return errWeakHostKey
	}
	p.found = key
	return nil
}

var errWeakHostKey = errors.New("the host key is too short")

// weak returns the length of an RSA key that verify refused because it is too short, or 0.
func (p *hostKeyPin) weak() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.weakBits
}

// accepted returns the key that verify accepted, or nil.
func (p *hostKeyPin) accepted() ssh.PublicKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found
}

// rejected returns the error of verify, or nil.
func (p *hostKeyPin) rejected() *HostKeyError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mismatch
}

func (p *hostKeyPin) report() Report {
	key := p.accepted()
	return Report{
		HostKey:            strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))),
		HostKeyFingerprint: ssh.FingerprintSHA256(key),
	}
}

// hostKeyAlgorithms are all accepted algorithms. They do not include certificates,
// because no trusted authority is configured.
var hostKeyAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// algorithms returns hostKeyAlgorithms with those of the pinned key first, because a server with
// several keys presents the first one that the client asks for. The list keeps the others, so
// that a server that lost the pinned key can present its replacement.
func (p *hostKeyPin) algorithms() []string {
	if p.pinned == nil {
		return hostKeyAlgorithms
	}
	first := keyAlgorithms(p.pinned)
	others := slices.DeleteFunc(slices.Clone(hostKeyAlgorithms), func(name string) bool {
		return slices.Contains(first, name)
	})
	return append(first, others...)
}

func keyAlgorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

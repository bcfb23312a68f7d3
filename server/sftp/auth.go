package sftp

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
)

// maxKeyText is the longest private key, in bytes. An RSA key of 16384 bits, the
// largest that OpenSSH makes, takes 13 KB.
const maxKeyText = 32 << 10

const opensshKey = "OPENSSH PRIVATE KEY"

// convertKey is the command that writes a key in another format, and with another
// passphrase or none.
const convertKey = "ssh-keygen -p -f FILE"

// Fingerprint gives the SHA256 fingerprint of the key's public half as OpenSSH
// prints it: "SHA256:…". The key is in OpenSSH format and has no passphrase;
// the error is a sentence that says what is wrong, without any of the key.
func Fingerprint(privateKey secrets.Secret) (string, error) {
	signer, err := parsePrivateKey(privateKey, secrets.Secret{})
	if err != nil {
		return "", err
	}
	return ssh.FingerprintSHA256(signer.PublicKey()), nil
}

// parsePrivateKey reads a key. A key that says it wants very much work before it opens
// is refused by the library.
func parsePrivateKey(privateKey, passphrase secrets.Secret) (ssh.Signer, error) {
	text := bytes.TrimSpace([]byte(privateKey.Reveal()))
	if len(text) > maxKeyText {
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.too_long", nil)}
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
	if errors.As(err, &locked) && !passphrase.IsZero() {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(passphrase.Reveal()))
	}
	switch {
	case errors.As(err, &locked):
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.has_passphrase", intray.Params{"command": convertKey})}
	case errors.Is(err, x509.IncorrectPasswordError):
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.wrong_passphrase", nil)}
	case err != nil:
		// What the library says may hold pieces of the key.
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.unsupported", nil)}
	}
	return signer, nil
}

// authMethods checks the secrets and gives what makes the ways to log in, which serve
// for one connection.
func authMethods(cred Credential) (func() []ssh.AuthMethod, error) {
	if cred.Password.IsZero() == cred.PrivateKey.IsZero() {
		return nil, &intray.MessageError{Message: intray.NewMessage("sftp.one_secret", nil)}
	}
	if cred.Password.IsZero() {
		signer, err := parsePrivateKey(cred.PrivateKey, cred.Passphrase)
		if err != nil {
			return nil, err
		}
		return func() []ssh.AuthMethod { return []ssh.AuthMethod{ssh.PublicKeys(signer)} }, nil
	}
	return func() []ssh.AuthMethod {
		return []ssh.AuthMethod{
			ssh.Password(cred.Password.Reveal()),
			ssh.KeyboardInteractive(answerOnce(cred.Password)),
		}
	}, nil
}

// methodsOf are the names, as the protocol has them, of what authMethods gives.
func methodsOf(cred Credential) []string {
	if cred.Password.IsZero() {
		return []string{"publickey"}
	}
	return []string{"password", "keyboard-interactive"}
}

var errMoreQuestions = errors.New("the server asks for more than a password")

// answerOnce gives the password to the first single hidden question, and then to
// no other: a further question would be for a code that nobody can give.
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

// fingerprintPrefix begins what ssh-keygen -l prints of a key.
const fingerprintPrefix = "SHA256:"

// hostKeyPin is the host key that a server must show, or the first one that it showed.
type hostKeyPin struct {
	key  ssh.PublicKey // nil: only the fingerprint is known, or nothing
	want string        // the fingerprint; "": any key

	mu         sync.Mutex
	found      ssh.PublicKey
	mismatched *HostKeyError
	// otherKeys are the keys that the server showed although a fingerprint named
	// another: it may have more.
	otherKeys []ssh.PublicKey
	retried   int // how many of others were answered by asking again
}

// HostKeyError says that a server showed another key than the pinned one. Both
// are fingerprints as OpenSSH prints them.
type HostKeyError struct{ Want, Found string }

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key %s instead of %s", e.Found, e.Want)
}

func parsePin(text string) (*hostKeyPin, error) {
	if text == "" {
		return &hostKeyPin{}, nil
	}
	if strings.HasPrefix(text, fingerprintPrefix) {
		return parseFingerprint(text)
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
	return &hostKeyPin{key: key, want: ssh.FingerprintSHA256(key)}, nil
}

func parseFingerprint(text string) (*hostKeyPin, error) {
	hash := strings.TrimRight(strings.TrimPrefix(text, fingerprintPrefix), "=")
	sum, err := base64.RawStdEncoding.Strict().DecodeString(hash)
	if err != nil || len(sum) != sha256.Size {
		return nil, &intray.MessageError{Message: intray.NewMessage("host_key.invalid_fingerprint", nil)}
	}
	return &hostKeyPin{want: fingerprintPrefix + hash}, nil
}

// verify is asked at the first and at every later exchange of keys.
func (p *hostKeyPin) verify(key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	want, found := p.want, ssh.FingerprintSHA256(key)
	if want == "" && p.found != nil {
		want = ssh.FingerprintSHA256(p.found)
	}
	if want != "" && found != want {
		if p.mismatched == nil {
			p.mismatched = &HostKeyError{Want: want, Found: found}
		}
		p.otherKeys = append(p.otherKeys, key)
		return p.mismatched
	}
	p.found, p.mismatched = key, nil
	return nil
}

// tryOtherKey tells whether a server that showed the wrong key may have the
// right one as well: a fingerprint does not tell its type, and a server shows
// one key of each type. It tells so once for each wrong key.
func (p *hostKeyPin) tryOtherKey() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.want == "" || p.key != nil || len(p.otherKeys) == p.retried {
		return false
	}
	p.retried = len(p.otherKeys)
	return len(p.remainingAlgorithms()) > 0
}

// remainingAlgorithms are the algorithms whose key was not shown yet.
func (p *hostKeyPin) remainingAlgorithms() []string {
	return slices.DeleteFunc(slices.Clone(hostKeyAlgorithms), func(name string) bool {
		return slices.ContainsFunc(p.otherKeys, func(key ssh.PublicKey) bool {
			return slices.Contains(keyAlgorithms(key), name)
		})
	})
}

// serverKey gives the key that passed, or nil.
func (p *hostKeyPin) serverKey() ssh.PublicKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found
}

func (p *hostKeyPin) mismatch() *HostKeyError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mismatched
}

func (p *hostKeyPin) report() Report {
	key := p.serverKey()
	return Report{
		HostKey:            strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))),
		HostKeyFingerprint: ssh.FingerprintSHA256(key),
	}
}

// hostKeyAlgorithms are all that are accepted. Certificates are not among them:
// nobody here could vouch for their authority.
var hostKeyAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// algorithms puts those of the pinned key first: a server has several keys, and
// shows the first that the client asks for. The others stay in the list, so that
// a server that lost the pinned one shows what it has, and people can be told
// its fingerprint.
func (p *hostKeyPin) algorithms() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key == nil {
		return p.remainingAlgorithms()
	}
	first := keyAlgorithms(p.key)
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

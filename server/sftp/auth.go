package sftp

import (
	"bytes"
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

// maxKeyText is the maximum length of a private key file, in bytes. An RSA key of
// 16,384 bits, the largest that OpenSSH generates, is 13 KB long.
const maxKeyText = 32 << 10

const opensshKey = "OPENSSH PRIVATE KEY"

// convertKey is the command that converts a key to OpenSSH's format and changes or
// removes its passphrase.
const convertKey = "ssh-keygen -p -f FILE"

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
	return signer, nil
}

// authMethods checks the secrets and returns the login methods and their names in the protocol.
func authMethods(cred Credential) (methods []ssh.AuthMethod, names []string, err error) {
	if cred.Password.IsZero() == cred.PrivateKey.IsZero() {
		return nil, nil, &intray.MessageError{Message: intray.NewMessage("sftp.one_secret", nil)}
	}
	if cred.Password.IsZero() {
		signer, err := parsePrivateKey(cred.PrivateKey)
		return []ssh.AuthMethod{ssh.PublicKeys(signer)}, []string{"publickey"}, err
	}
	interactive := ssh.KeyboardInteractive(answerOnce(cred.Password))
	return []ssh.AuthMethod{ssh.Password(cred.Password.Reveal()), interactive}, []string{"password", "keyboard-interactive"}, nil
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
	p.found = key
	return nil
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

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
		// What the library says may hold pieces of the key.
		return nil, &intray.MessageError{Message: intray.NewMessage("private_key.unsupported", nil)}
	}
	return signer, nil
}

// authMethods checks the secrets and gives the ways to log in, and their names in the
// protocol.
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

// hostKeyPin is the host key that a server must show, or the first one that it showed.
type hostKeyPin struct {
	pinned ssh.PublicKey // nil: any key

	mu         sync.Mutex
	found      ssh.PublicKey
	mismatched *HostKeyError
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

// verify is asked at the first and at every later exchange of keys.
func (p *hostKeyPin) verify(key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	want := p.pinned
	if want == nil {
		want = p.found
	}
	if want != nil && !bytes.Equal(want.Marshal(), key.Marshal()) {
		p.mismatched = &HostKeyError{Want: ssh.FingerprintSHA256(want), Found: ssh.FingerprintSHA256(key)}
		return p.mismatched
	}
	p.found = key
	return nil
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

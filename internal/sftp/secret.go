package sftp

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
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
func Fingerprint(privateKey seal.Secret) (string, error) {
	signer, err := parseKey(privateKey, seal.Secret{})
	if err != nil {
		return "", err
	}
	return ssh.FingerprintSHA256(signer.PublicKey()), nil
}

// parseKey reads a key. A key that says it wants very much work before it opens
// is refused by the library.
func parseKey(privateKey, passphrase seal.Secret) (ssh.Signer, error) {
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

// authOf checks the secrets and gives what makes the ways to log in, which serve
// for one connection.
func authOf(cred Credential) (func() []ssh.AuthMethod, error) {
	if cred.Password.IsZero() == cred.PrivateKey.IsZero() {
		return nil, &intray.MessageError{Message: intray.NewMessage("sftp.one_secret", nil)}
	}
	if cred.Password.IsZero() {
		signer, err := parseKey(cred.PrivateKey, cred.Passphrase)
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

// methodsOf are the names, as the protocol has them, of what authOf gives.
func methodsOf(cred Credential) []string {
	if cred.Password.IsZero() {
		return []string{"publickey"}
	}
	return []string{"password", "keyboard-interactive"}
}

var errMoreQuestions = errors.New("the server asks for more than a password")

// answerOnce gives the password to the first single hidden question, and then to
// no other: a further question would be for a code that nobody can give.
func answerOnce(password seal.Secret) ssh.KeyboardInteractiveChallenge {
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

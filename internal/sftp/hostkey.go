package sftp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// pin is the host key that a server must show, or the first one that it showed.
type pin struct {
	want ssh.PublicKey // nil: any key

	mu      sync.Mutex
	found   ssh.PublicKey
	changed *hostKeyError
}

// hostKeyError says that a server showed another key than the pinned one.
type hostKeyError struct{ want, found string }

func (e *hostKeyError) Error() string {
	return fmt.Sprintf("host key %s instead of %s", e.found, e.want)
}

func parsePin(line string) (*pin, error) {
	if line == "" {
		return &pin{}, nil
	}
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	if err == nil && (len(options) > 0 || len(bytes.TrimSpace(rest)) > 0) {
		err = errors.New("it is more than a key")
	}
	if err == nil && !slices.Contains(hostKeyAlgorithms, algorithmsOf(key)[0]) {
		err = errors.New("its type is not supported")
	}
	if err != nil {
		return nil, fmt.Errorf("the pinned host key cannot be read: %w", err)
	}
	return &pin{want: key}, nil
}

// check is asked at the first and at every later exchange of keys.
func (p *pin) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	want := p.want
	if want == nil {
		want = p.found
	}
	if want != nil && !bytes.Equal(key.Marshal(), want.Marshal()) {
		p.changed = &hostKeyError{want: ssh.FingerprintSHA256(want), found: ssh.FingerprintSHA256(key)}
		return p.changed
	}
	p.found = key
	return nil
}

// shown gives the key that passed, or nil.
func (p *pin) shown() ssh.PublicKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found
}

func (p *pin) mismatch() *hostKeyError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

func (p *pin) report() Report {
	key := p.shown()
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
func (p *pin) algorithms() []string {
	if p.want == nil {
		return slices.Clone(hostKeyAlgorithms)
	}
	first := algorithmsOf(p.want)
	others := slices.DeleteFunc(slices.Clone(hostKeyAlgorithms), func(name string) bool {
		return slices.Contains(first, name)
	})
	return append(first, others...)
}

func algorithmsOf(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

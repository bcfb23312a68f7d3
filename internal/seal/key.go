package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
)

// ErrToken says that a token was not signed with this key, or was altered.
var ErrToken = errors.New("the token is not valid")

// What a key is used for goes into every code, so that a MAC never doubles as
// the signature of a token.
const (
	forMAC   = 1
	forToken = 2
)

// Key is a derived key of 32 bytes. Master.Derive makes it. The zero Key
// verifies nothing, and panics where it should make a code.
type Key struct{ hidden }

// MAC gives the HMAC-SHA256 of the parts, 32 bytes. Parts are told apart:
// ("ab", "c") and ("a", "bc") give different codes.
func (k Key) MAC(parts ...[]byte) []byte { return k.code(forMAC, parts...) }

// Equal says whether mac is the MAC of the parts, in constant time.
func (k Key) Equal(mac []byte, parts ...[]byte) bool {
	return !k.IsZero() && equal(mac, k.MAC(parts...))
}

// Sign gives the payload with its signature as text for addresses and headers:
// base64url(payload).base64url(HMAC-SHA256). The payload can be read by anybody.
func (k Key) Sign(payload []byte) string {
	return tokenText.EncodeToString(payload) + "." + tokenText.EncodeToString(k.code(forToken, payload))
}

// Verify gives the payload of a token that Sign made with this key, or ErrToken.
// There is one spelling for each token: every other one is refused.
func (k Key) Verify(token string) ([]byte, error) {
	head, tail, ok := strings.Cut(token, ".")
	if !ok || k.IsZero() {
		return nil, ErrToken
	}
	payload, okPayload := decode(head)
	code, okCode := decode(tail)
	if !okPayload || !okCode || !equal(code, k.code(forToken, payload)) {
		return nil, ErrToken
	}
	return payload, nil
}

var tokenText = base64.RawURLEncoding

// decode refuses what encodes back to another text: loose bits at the end, and
// the line ends that the decoder overlooks.
func decode(text string) ([]byte, bool) {
	content, err := tokenText.DecodeString(text)
	return content, err == nil && tokenText.EncodeToString(content) == text
}

func (k Key) code(use byte, parts ...[]byte) []byte {
	if k.IsZero() {
		panic("seal: a key that was never derived is used")
	}
	mac := hmac.New(sha256.New, k.bytes())
	mac.Write([]byte{use})
	mac.Write(joined(parts...))
	return mac.Sum(nil)
}

// joined puts the length before each part, so that parts cannot run together.
func joined(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

func equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray/server/secrets"
)

// The headers of Standard Webhooks, as net/http spells them.
const (
	headerID        = "Webhook-Id"
	headerTime      = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// signatureVersion marks HMAC-SHA256.
const signatureVersion = "v1"

// Tolerance is how far the time of an attempt may be from the receiver's clock,
// in either direction.
const Tolerance = 5 * time.Minute

// What Verify finds wrong.
var (
	// ErrUnsigned says that a header of the signature is missing or not readable.
	ErrUnsigned = errors.New("the message is not signed as a webhook is")
	// ErrStale says that the attempt is further than Tolerance from now.
	ErrStale = errors.New("the message was signed too long ago, or the clocks differ")
	// ErrForged says that no signature fits any of the secrets.
	ErrForged = errors.New("no signature of the message fits the secret")
)

// Sign gives the headers of one attempt at the message: its id, the time, and a
// signature for each secret. While an old secret still holds beside its
// successor, give both. The error says that the id or a secret cannot be used.
func Sign(m Message, at time.Time, secrets ...secrets.Secret) (http.Header, error) {
	if err := checkID(m.ID); err != nil {
		return nil, err
	}
	if len(secrets) == 0 {
		return nil, errors.New("signing a message needs a secret, there is none")
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := decodeKey(secret)
		if err != nil {
			return nil, fmt.Errorf("signing the message %s: %w", m.ID, err)
		}
		code := computeMAC(key, m.ID, stamp, m.Bytes)
		signatures[i] = signatureVersion + "," + base64.StdEncoding.EncodeToString(code)
	}
	return http.Header{
		headerID:        {m.ID},
		headerTime:      {stamp},
		headerSignature: {strings.Join(signatures, " ")},
	}, nil
}

// Verify is the receiver's half of Sign: it says whether body came from somebody
// who knows one of the secrets, within Tolerance of now. Its errors are
// ErrUnsigned, ErrStale and ErrForged, or say that a secret cannot be used.
func Verify(head http.Header, body []byte, now time.Time, secrets ...secrets.Secret) error {
	id, stamp, list := head.Get(headerID), head.Get(headerTime), head.Get(headerSignature)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || list == "" || err != nil {
		return ErrUnsigned
	}
	here, apart := now.Unix(), int64(Tolerance/time.Second)
	if seconds < here-apart || seconds > here+apart {
		return ErrStale
	}
	for _, secret := range secrets {
		key, err := decodeKey(secret)
		if err != nil {
			return fmt.Errorf("verifying the message: %w", err)
		}
		if hasValidSignature(list, computeMAC(key, id, stamp, body)) {
			return nil
		}
	}
	return ErrForged
}

func hasValidSignature(list string, code []byte) bool {
	for one := range strings.FieldsSeq(list) {
		version, text, _ := strings.Cut(one, ",")
		signature, err := base64.StdEncoding.DecodeString(text)
		if version == signatureVersion && err == nil && hmac.Equal(signature, code) {
			return true
		}
	}
	return false
}

func computeMAC(key []byte, id, stamp string, body []byte) []byte {
	code := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(code, "%s.%s.", id, stamp)
	_, _ = code.Write(body)
	return code.Sum(nil)
}

const (
	secretPrefix = "whsec_"
	// newKeySize is the length of keys made here, in bytes; those from elsewhere
	// have minKeySize to maxKeySize.
	newKeySize = 32
	minKeySize = 24
	maxKeySize = 64
)

var errSecret = errors.New(`a signing secret is "whsec_" and the base64, with padding, of 24 to 64 bytes`)

// NewSecret makes a signing secret out of 32 random bytes: "whsec_" and their
// base64 with padding.
func NewSecret(random io.Reader) (secrets.Secret, error) {
	key := make([]byte, newKeySize)
	if _, err := io.ReadFull(random, key); err != nil {
		return secrets.Secret{}, fmt.Errorf("making a signing secret: %w", err)
	}
	return secrets.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(key)), nil
}

// CheckSecret says what is wrong with a signing secret, without any of it.
func CheckSecret(secret secrets.Secret) error {
	_, err := decodeKey(secret)
	return err
}

// decodeKey takes only the one spelling that every library reads alike: others drop
// line breaks, take missing padding, or look past stray bits.
func decodeKey(secret secrets.Secret) ([]byte, error) {
	text, found := strings.CutPrefix(secret.Reveal(), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil || base64.StdEncoding.EncodeToString(key) != text {
		return nil, errSecret
	}
	if len(key) < minKeySize || len(key) > maxKeySize {
		return nil, errSecret
	}
	return key, nil
}

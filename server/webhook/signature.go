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

// Tolerance is the largest difference between the time of an attempt and the receiver's
// clock, in either direction.
const Tolerance = 5 * time.Minute

// The errors of Verify.
var (
	// ErrUnsigned reports that a header of the signature is missing or invalid.
	ErrUnsigned = errors.New("the message has no valid webhook signature headers")
	// ErrStale reports that the time of the attempt differs by more than Tolerance.
	ErrStale = errors.New("the message was signed too long ago, or the clocks differ")
	// ErrForged reports that no signature matches any of the secrets.
	ErrForged = errors.New("no signature of the message matches the secret")
)

// Sign returns the headers of one attempt: the id of the message, the time, and a signature
// for each secret. While an old secret is valid next to its successor, pass both. It returns
// an error if the id or a secret is invalid.
func Sign(m Message, at time.Time, secrets ...secrets.Secret) (http.Header, error) {
	if err := checkID(m.ID); err != nil {
		return nil, err
	}
	if len(secrets) == 0 {
		return nil, errors.New("sign a message: there is no secret")
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := decodeKey(secret)
		if err != nil {
			return nil, fmt.Errorf("sign the message %s: %w", m.ID, err)
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

// Verify checks on the receiver's side that the headers sign the body with one of the
// secrets, within Tolerance of now. Its errors are ErrUnsigned, ErrStale and ErrForged, or
// report that a secret is invalid.
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
			return fmt.Errorf("verify the message: %w", err)
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
	// newKeySize is the length of generated keys, in bytes. Others have minKeySize to
	// maxKeySize.
	newKeySize = 32
	minKeySize = 24
	maxKeySize = 64
)

var errSecret = errors.New(`a signing secret is "whsec_" and the base64, with padding, of 24 to 64 bytes`)

// NewSecret generates a signing secret: "whsec_" and the base64 of 32 random bytes, with
// padding.
func NewSecret(random io.Reader) (secrets.Secret, error) {
	key := make([]byte, newKeySize)
	if _, err := io.ReadFull(random, key); err != nil {
		return secrets.Secret{}, fmt.Errorf("generate a signing secret: %w", err)
	}
	return secrets.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(key)), nil
}

// CheckSecret returns an error if a signing secret is invalid. The error does not contain it.
func CheckSecret(secret secrets.Secret) error {
	_, err := decodeKey(secret)
	return err
}

// decodeKey accepts only the canonical encoding, which every library decodes alike: some
// ignore line breaks, missing padding or stray bits.
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

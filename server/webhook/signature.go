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

// These are the headers of Standard Webhooks, in the canonical case of net/http.
const (
	headerID        = "Webhook-Id"
	headerTime      = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// signatureVersion is the prefix of an HMAC-SHA256 signature.
const signatureVersion = "v1"

// Sign returns the headers for one attempt: the id of the message, the time, and
// one signature per secret. During a rotation, pass both the old and the new
// secret. Sign returns an error if the id or a secret is invalid.
func Sign(m Message, at time.Time, secrets ...secrets.Secret) (http.Header, error) {
	if err := checkID(m.ID); err != nil {
		return nil, err
	}
	if len(secrets) == 0 {
		return nil, errors.New("sign a message: no secret")
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := decodeKey(secret)
		if err != nil {
			return nil, fmt.Errorf("sign the message %s: %w", m.ID, err)
		}
		code := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(code, "%s.%s.", m.ID, stamp)
		_, _ = code.Write(m.Bytes)
		signatures[i] = signatureVersion + "," + base64.StdEncoding.EncodeToString(code.Sum(nil))
	}
	return http.Header{
		headerID:        {m.ID},
		headerTime:      {stamp},
		headerSignature: {strings.Join(signatures, " ")},
	}, nil
}

const (
	secretPrefix = "whsec_"
	// newKeySize is the length of a generated key in bytes. Other keys may have
	// from minKeySize to maxKeySize bytes.
	newKeySize = 32
	minKeySize = 24
	maxKeySize = 64
)

var errSecret = errors.New(`a signing secret is "whsec_" and the base64, with padding, of 24 to 64 bytes`)

// NewSecret generates a signing secret: "whsec_" followed by 32 random bytes in padded base64.
func NewSecret(random io.Reader) (secrets.Secret, error) {
	key := make([]byte, newKeySize)
	if _, err := io.ReadFull(random, key); err != nil {
		return secrets.Secret{}, fmt.Errorf("generate a signing secret: %w", err)
	}
	return secrets.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(key)), nil
}

// decodeKey decodes the key of a secret. It accepts only the canonical encoding, because
// libraries differ in whether they ignore line breaks, missing padding or unused bits.
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

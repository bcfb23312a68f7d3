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

// Sign returns the headers of one attempt: the id of the message, the time, and a signature
// for each secret. While an old secret is valid next to its successor, pass both. It returns
// an error if the id or a secret is invalid.
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

package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray/internal/seal"
)

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
func NewSecret(random io.Reader) (seal.Secret, error) {
	key := make([]byte, newKeySize)
	if _, err := io.ReadFull(random, key); err != nil {
		return seal.Secret{}, fmt.Errorf("making a signing secret: %w", err)
	}
	return seal.NewSecret(secretPrefix + base64.StdEncoding.EncodeToString(key)), nil
}

// CheckSecret says what is wrong with a signing secret, without any of it.
func CheckSecret(secret seal.Secret) error {
	_, err := keyOf(secret)
	return err
}

// keyOf takes only the one spelling that every library reads alike: others drop
// line breaks, take missing padding, or look past stray bits.
func keyOf(secret seal.Secret) ([]byte, error) {
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

package model

import (
	"encoding/base64"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// NewID returns a random UUID.
func (e *Env) NewID() (string, error) {
	id, err := uuid.NewRandomFromReader(e.Rand)
	if err != nil {
		return "", fmt.Errorf("create an id: %w", err)
	}
	return id.String(), nil
}

// IDOrNew returns fixed, or a new id if fixed is "".
func (e *Env) IDOrNew(fixed string) (string, error) {
	if fixed != "" {
		return fixed, nil
	}
	return e.NewID()
}

// ParseID returns the canonical form of an id, which has 36 characters in lower
// case. It accepts upper and lower case.
func ParseID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// DerivedID returns an id that is derived only from the first 16 bytes of mac.
func DerivedID(mac []byte) string {
	var id uuid.UUID
	copy(id[:], mac)
	id[6] = id[6]&0x0f | 0x80 // version 8: custom format
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id.String()
}

// RandomText returns n random bytes as URL-safe base64.
func (e *Env) RandomText(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(e.Rand, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

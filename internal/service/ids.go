package service

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ParseID reads an id in its one spelling: 36 characters, any case.
func ParseID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// newID makes a random id.
func (s *Service) newID() (string, error) {
	id, err := uuid.NewRandomFromReader(s.cfg.Rand)
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// idOr gives the id that the caller fixed, or a new one.
func (s *Service) idOr(fixed string) (string, error) {
	if fixed != "" {
		return fixed, nil
	}
	return s.newID()
}

// derivedID makes an id that depends on its parts only.
func derivedID(mac []byte) string {
	var id uuid.UUID
	copy(id[:], mac)
	id[6] = id[6]&0x0f | 0x80 // version 8: free form
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id.String()
}

// random gives n random bytes as URL-safe text.
func (s *Service) random(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.cfg.Rand, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// printable says whether text is UTF-8 and free of control characters, so that it can
// stand in a header or a log line.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 })
}

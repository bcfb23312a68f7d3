package model

import "github.com/google/uuid"

// ParseID reads an id in its one spelling: 36 characters, any case.
func ParseID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// DerivedID makes an id that depends on its parts only.
func DerivedID(mac []byte) string {
	var id uuid.UUID
	copy(id[:], mac)
	id[6] = id[6]&0x0f | 0x80 // version 8: free form
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id.String()
}

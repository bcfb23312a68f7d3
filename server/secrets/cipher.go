package secrets

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ErrSealed reports that sealed bytes cannot be opened: they were altered, belong
// to a different row, or were sealed with a different master key or label.
var ErrSealed = errors.New("sealed bytes cannot be opened")

// Cipher encrypts bytes for one purpose with XChaCha20-Poly1305. Sealed bytes are 45 bytes
// longer than the plaintext. It is safe for concurrent use.
type Cipher struct {
	redacted
	aead tink.AEAD
}

// Cipher returns a cipher for the purpose named by the label. Ciphers with the same
// master key and label can open each other's bytes.
func (m Master) Cipher(label string) (*Cipher, error) {
	if m.IsZero() {
		return nil, errors.New("make a cipher: there is no master key")
	}
	keys, err := m.keyset(label)
	if err != nil {
		return nil, fmt.Errorf("make the cipher %q: %w", label, err)
	}
	sealer, err := aead.New(keys)
	if err != nil {
		return nil, fmt.Errorf("make the cipher %q: %w", label, err)
	}
	return &Cipher{aead: sealer}, nil
}

// keyset returns a keyset with one key. The key and its id are derived from the
// master key and the label, so the same inputs yield the same keyset. The key id
// precedes all sealed bytes, so that several keys can be supported later. If a
// label changes, stored secrets are lost.
func (m Master) keyset(label string) (*keyset.Handle, error) {
	shape, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return nil, err
	}
	number := binary.BigEndian.Uint32(m.deriveBytes("number of the box", label))
	bytes := secretdata.NewBytesFromData(m.deriveBytes("box", label), insecuresecretdataaccess.Token{})
	key, err := xchacha20poly1305.NewKey(bytes, number, shape)
	if err != nil {
		return nil, err
	}
	keys := keyset.NewManager()
	id, err := keys.AddKey(key)
	if err != nil {
		return nil, err
	}
	if err := keys.SetPrimary(id); err != nil {
		return nil, err
	}
	return keys.Handle()
}

// Seal encrypts bytes for one row: the one with the given id in the organization.
func (c *Cipher) Seal(plain []byte, org, id string) ([]byte, error) {
	sealed, err := c.aead.Encrypt(plain, associatedData(org, id))
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return sealed, nil
}

// Open decrypts bytes that were sealed for the row. It returns ErrSealed if it
// cannot.
func (c *Cipher) Open(sealed []byte, org, id string) ([]byte, error) {
	plain, err := c.aead.Decrypt(sealed, associatedData(org, id))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func associatedData(org, id string) []byte { return lengthPrefixed([]byte(org), []byte(id)) }

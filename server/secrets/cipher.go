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

// ErrSealed says that sealed bytes do not open: they were altered, belong to
// another row, or were sealed under another master key or label.
var ErrSealed = errors.New("the sealed bytes do not open")

// Cipher seals bytes for one purpose with XChaCha20-Poly1305. It may be used by
// many goroutines. What is sealed is 45 bytes longer than what it hides.
type Cipher struct {
	redacted
	aead tink.AEAD
}

// Cipher gives the box for one purpose, which the label names. One master and one
// label always give boxes that open each other's bytes.
func (m Master) Cipher(label string) (*Cipher, error) {
	if m.IsZero() {
		return nil, errors.New("sealing needs a master key, there is none")
	}
	keys, err := m.keyset(label)
	if err != nil {
		return nil, fmt.Errorf("making the box %q: %w", label, err)
	}
	sealer, err := aead.New(keys)
	if err != nil {
		return nil, fmt.Errorf("making the box %q: %w", label, err)
	}
	return &Cipher{aead: sealer}, nil
}

// keyset gives the same set for the same master and label: key and number are
// both derived. The number stands before all sealed bytes, so that a set of
// several keys can be told which one to take.
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

// Seal hides plain and binds it to a row: the id of a row of the organization.
func (b *Cipher) Seal(plain []byte, org, id string) ([]byte, error) {
	sealed, err := b.aead.Encrypt(plain, associatedData(org, id))
	if err != nil {
		return nil, fmt.Errorf("sealing a row: %w", err)
	}
	return sealed, nil
}

// Open gives back what was sealed for this row, or ErrSealed.
func (b *Cipher) Open(sealed []byte, org, id string) ([]byte, error) {
	plain, err := b.aead.Decrypt(sealed, associatedData(org, id))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func associatedData(org, id string) []byte { return lengthPrefixed([]byte(org), []byte(id)) }

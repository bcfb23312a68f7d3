// Package secrets protects secrets in the database, in memory and in tokens.
//
// The [Master] is the key of an installation. It encrypts the [Keyring], which contains the
// secrets from which all other keys are derived. A [Key] is derived for one purpose and creates
// MACs and signed tokens. A [Cipher] is also derived for one purpose and encrypts bytes for one
// row of the database. They can be decrypted for that row only. A [Secret] is secret text, such
// as a password.
//
// All five print as "redacted" with every verb and encoder, even inside other values. The
// package does not hash passwords. Tokens do not expire: a caller that needs an expiry time must
// put it in the payload and check it.
package secrets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

const redactedText = "redacted"

// hidden holds the bytes of a secret. It points to a string because fmt calls no methods on
// unexported fields: it prints a pointer to a string as an address, but follows a pointer to
// an array.
type hidden struct {
	redacted
	text *string
}

func newHidden[T string | []byte](content T) hidden {
	text := string(content)
	return hidden{text: &text}
}

func (h hidden) bytes() []byte { return []byte(*h.text) }

// IsZero reports whether h contains no secret.
func (h hidden) IsZero() bool { return h.text == nil }

// redacted has the methods that fmt and encoders call. Each of them prints "redacted".
type redacted struct{}

func (redacted) String() string                 { return redactedText }
func (redacted) GoString() string               { return redactedText }
func (redacted) Format(f fmt.State, _ rune)     { _, _ = io.WriteString(f, redactedText) }
func (redacted) LogValue() slog.Value           { return slog.StringValue(redactedText) }
func (redacted) MarshalText() ([]byte, error)   { return []byte(redactedText), nil }
func (redacted) MarshalJSON() ([]byte, error)   { return []byte(`"` + redactedText + `"`), nil }
func (redacted) MarshalBinary() ([]byte, error) { return []byte(redactedText), nil }

// Secret is text that must not be printed. The zero Secret is empty. Compare
// secrets with Equal, never with ==.
type Secret struct{ hidden }

// NewSecret returns text as a secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{newHidden(text)}
}

// Reveal returns the text of the secret.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal reports whether two secrets have the same text. Its running time depends
// only on the lengths.
func (s Secret) Equal(other Secret) bool {
	return constantTimeEqual([]byte(s.Reveal()), []byte(other.Reveal()))
}

// ErrSealed reports that sealed bytes cannot be opened: they were altered, belong
// to a different row, or were sealed with a different master key or label.
var ErrSealed = errors.New("sealed bytes cannot be opened")

// Cipher encrypts bytes for one purpose with XChaCha20-Poly1305. Sealed bytes are 45 bytes
// longer than the plaintext. A Cipher is safe for concurrent use.
type Cipher struct {
	redacted
	aead tink.AEAD
	// former decrypt bytes that older keys encrypted.
	former []tink.AEAD
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

// keyset returns a keyset with one key. The key and its id are derived from the master key and
// the label, so the same inputs yield the same keyset. The key id precedes all sealed bytes, so
// that several keys can be supported later. If a label changes, stored secrets are lost.
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

// Open decrypts bytes that were sealed for the row. It returns ErrSealed if it cannot.
func (c *Cipher) Open(sealed []byte, org, id string) ([]byte, error) {
	row := associatedData(org, id)
	plain, err := c.aead.Decrypt(sealed, row)
	for _, former := range c.former {
		if err == nil {
			break
		}
		plain, err = former.Decrypt(sealed, row)
	}
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func associatedData(org, id string) []byte { return lengthPrefixed([]byte(org), []byte(id)) }

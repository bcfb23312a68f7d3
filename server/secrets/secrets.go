// Package secrets protects secrets in the database, in memory and in tokens.
//
// The [Master] is the key of an installation. A [Key] is derived from it for one
// purpose and creates MACs and signed tokens. A [Cipher] is also derived for one
// purpose and encrypts bytes for one row of the database. They can be decrypted for
// that row only. A [Secret] is secret text, such as a password.
//
// All four print as "redacted" with every verb and encoder, even inside other
// values. The package does not hash passwords and does not rotate keys. Tokens do
// not expire unless their payload says so.
package secrets

import (
	"fmt"
	"io"
	"log/slog"
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

// redacted has the methods that fmt and encoders call. Each of them prints
// "redacted".
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

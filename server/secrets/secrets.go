// Package secrets keeps secrets: at rest, in memory, and in what is handed out.
//
// The Master is the one secret that an installation starts with. A Key is
// derived from it for one purpose; it makes codes (MAC) and signed tokens. A Box
// seals the bytes of a database row so that they open only in that row. A Secret
// is a text that came from a person, such as a password.
//
// All four print as "redacted", whatever way they are printed, also deep inside
// of other values. The package does not hash passwords, does not rotate keys,
// and knows neither tokens' content nor the time: whoever signs puts the end of
// validity into what is signed.
package secrets

import (
	"fmt"
	"io"
	"log/slog"
)

const redactedText = "redacted"

// hidden holds the bytes of a secret. They are behind a pointer to a string: a
// printer that comes upon them in an unexported field asks no method, and shows
// such a pointer as an address. A pointer to an array would not do, printers
// look through it.
type hidden struct {
	redacted
	text *string
}

func newHidden[T string | []byte](content T) hidden {
	text := string(content)
	return hidden{text: &text}
}

func (h hidden) bytes() []byte { return []byte(*h.text) }

// IsZero says whether there is nothing inside.
func (h hidden) IsZero() bool { return h.text == nil }

// redacted has the methods that printers ask for.
type redacted struct{}

func (redacted) String() string                 { return redactedText }
func (redacted) GoString() string               { return redactedText }
func (redacted) Format(f fmt.State, _ rune)     { _, _ = io.WriteString(f, redactedText) }
func (redacted) LogValue() slog.Value           { return slog.StringValue(redactedText) }
func (redacted) MarshalText() ([]byte, error)   { return []byte(redactedText), nil }
func (redacted) MarshalJSON() ([]byte, error)   { return []byte(`"` + redactedText + `"`), nil }
func (redacted) MarshalBinary() ([]byte, error) { return []byte(redactedText), nil }

// Secret is a text that must not be seen. The zero Secret is the empty text;
// IsZero tells it.
// Secrets are compared with Equal, never with ==.
type Secret struct{ hidden }

// NewSecret hides the text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{newHidden(text)}
}

// Reveal gives the text back.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal says whether two secrets hold the same text, in a time that tells
// nothing but their lengths.
func (s Secret) Equal(other Secret) bool {
	return constantTimeEqual([]byte(s.Reveal()), []byte(other.Reveal()))
}

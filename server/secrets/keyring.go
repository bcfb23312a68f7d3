package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// Keyring contains the internal secrets of an installation, from which all other keys are
// derived. It is stored encrypted with the master key, so a new master key requires no change of
// the derived keys. The zero Keyring contains no secrets: Derive and TokenKey return the zero
// Key, and Cipher returns an error.
type Keyring struct {
	redacted
	// permanent is the secret for hashes and for other values that cannot be computed again.
	permanent Master
	// tokens and ciphers begin with the secret that is used. The others are older: tokens that
	// they signed are valid, and bytes that they encrypted can be decrypted.
	tokens, ciphers []Master
}

// NewKeyring returns a Keyring with random secrets.
func NewKeyring() Keyring {
	return Keyring{permanent: randomSecret(), tokens: []Master{randomSecret()}, ciphers: []Master{randomSecret()}}
}

func randomSecret() Master {
	var content [keySize]byte
	_, _ = rand.Read(content[:]) // It never returns an error.
	return Master{newHidden(content[:])}
}

// Keyring returns the secrets of an installation that derived all keys from the master key itself.
func (m Master) Keyring() Keyring {
	if m.IsZero() {
		return Keyring{}
	}
	return Keyring{permanent: m, tokens: []Master{m}, ciphers: []Master{m}}
}

// WithNewSecrets returns a Keyring that signs and encrypts with random secrets, and accepts what
// was signed or encrypted with k.
func (k Keyring) WithNewSecrets() Keyring {
	k.tokens = slices.Insert(slices.Clone(k.tokens), 0, randomSecret())
	k.ciphers = slices.Insert(slices.Clone(k.ciphers), 0, randomSecret())
	return k
}

// WithoutTokens returns a Keyring for which all tokens that k signed are invalid.
func (k Keyring) WithoutTokens() Keyring {
	k.tokens = []Master{randomSecret()}
	return k
}

// Derive returns the key for the purpose named by the label. It never changes.
func (k Keyring) Derive(label string) Key { return k.permanent.Derive(label) }

// TokenKey returns the key that signs the tokens for the purpose named by the label.
func (k Keyring) TokenKey(label string) Key {
	if len(k.tokens) == 0 {
		return Key{}
	}
	key := k.tokens[0].Derive(label)
	for _, m := range k.tokens[1:] {
		key.former = append(key.former, m.Derive(label))
	}
	return key
}

// Cipher returns the cipher for the purpose named by the label.
func (k Keyring) Cipher(label string) (*Cipher, error) {
	if len(k.ciphers) == 0 {
		return Master{}.Cipher(label)
	}
	c, err := k.ciphers[0].Cipher(label)
	if err != nil {
		return nil, err
	}
	for _, m := range k.ciphers[1:] {
		former, err := m.Cipher(label)
		if err != nil {
			return nil, err
		}
		c.former = append(c.former, former.aead)
	}
	return c, nil
}

// storedKeyring is the plaintext of an encrypted Keyring.
type storedKeyring struct {
	Permanent []byte   `json:"permanent"`
	Tokens    [][]byte `json:"tokens"`
	Ciphers   [][]byte `json:"ciphers"`
}

// keyringLabel is the label of the key that encrypts a Keyring.
const keyringLabel = "internal keys"

// EncryptKeyring encrypts a Keyring with the master key. The result is base64 text.
func (m Master) EncryptKeyring(k Keyring) (string, error) {
	c, err := m.Cipher(keyringLabel)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(storedKeyring{k.permanent.bytes(), contents(k.tokens), contents(k.ciphers)})
	if err != nil {
		return "", fmt.Errorf("encrypt the internal keys: %w", err)
	}
	sealed, err := c.Seal(plain, "", keyringLabel)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

func contents(list []Master) [][]byte {
	out := make([][]byte, len(list))
	for i, m := range list {
		out[i] = m.bytes()
	}
	return out
}

// DecryptKeyring decrypts the result of EncryptKeyring. It returns an error that wraps ErrSealed if
// the text was altered or was encrypted with a different master key.
func (m Master) DecryptKeyring(text string) (Keyring, error) {
	c, err := m.Cipher(keyringLabel)
	if err != nil {
		return Keyring{}, err
	}
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Keyring{}, fmt.Errorf("decrypt the internal keys: %w", ErrSealed)
	}
	plain, err := c.Open(sealed, "", keyringLabel)
	if err != nil {
		return Keyring{}, fmt.Errorf("decrypt the internal keys: %w", err)
	}
	var stored storedKeyring
	if err := json.Unmarshal(plain, &stored); err != nil || len(stored.Tokens) == 0 || len(stored.Ciphers) == 0 {
		return Keyring{}, fmt.Errorf("decrypt the internal keys: %w", ErrSealed)
	}
	return Keyring{permanent: Master{newHidden(stored.Permanent)}, tokens: masters(stored.Tokens), ciphers: masters(stored.Ciphers)}, nil
}

func masters(list [][]byte) []Master {
	out := make([]Master, len(list))
	for i, content := range list {
		out[i] = Master{newHidden(content)}
	}
	return out
}

package secrets_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/secrets"
)

// canary is a 32-byte secret that is easy to find in output.
const canary = "canary-0123456789-canary-6789-AB"

func master(t *testing.T, text string) secrets.Master {
	t.Helper()
	m, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(text)))
	if err != nil {
		t.Fatalf("ParseMaster: %v", err)
	}
	return m
}

// holder is a struct with secrets in exported and unexported fields.
type holder struct {
	Secret  secrets.Secret
	Pointer *secrets.Secret
	hidden  secrets.Secret
	master  secrets.Master
	inside  []any
}

func TestNothingPrintsSecrets(t *testing.T) {
	m, s := master(t, canary), secrets.NewSecret(canary)
	cipher, err := m.Cipher("test")
	if err != nil {
		t.Fatal(err)
	}
	held := holder{Secret: s, Pointer: &s, hidden: s, master: m, inside: []any{m, s, cipher}}
	values := map[string]any{
		"secret": s, "secret pointer": &s, "master": m, "key": m.Derive("test"), "cipher": cipher,
		"struct": held, "struct pointer": &held, "map": map[string]any{"a": s, "b": held},
		"error": fmt.Errorf("login %v: %w", s, errors.New("failed")),
	}
	for name, value := range values {
		for verb, text := range printed(t, value) {
			if leaks(text) {
				t.Errorf("%s prints the secret of the %s: %s", verb, name, text)
			}
		}
	}
}

func printed(t *testing.T, value any) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U", "%T", "%z"} {
		texts[verb] = fmt.Sprintf(verb, value)
	}
	var text, structured bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("event", "value", value)
	slog.New(slog.NewJSONHandler(&structured, nil)).Info("event", "value", value)
	texts["slog text"], texts["slog json"] = text.String(), structured.String()
	// Ignore errors, because an encoder that returns an error has printed nothing.
	asJSON, _ := json.Marshal(value)
	asXML, _ := xml.Marshal(value)
	var asGob bytes.Buffer
	_ = gob.NewEncoder(&asGob).Encode(value)
	texts["json"], texts["xml"], texts["gob"] = string(asJSON), string(asXML), asGob.String()
	return texts
}

func leaks(text string) bool {
	spellings := []string{
		canary, base64.StdEncoding.EncodeToString([]byte(canary))[:40],
		fmt.Sprintf("%x", canary[:8]), fmt.Sprintf("%X", canary[:8]),
		strings.Trim(fmt.Sprintf("%d", []byte(canary[:8])), "[]"), fmt.Sprintf("%o %o", canary[0], canary[1]),
	}
	for _, spelling := range spellings {
		if strings.Contains(text, spelling) {
			return true
		}
	}
	return false
}

func TestPrintedAsRedacted(t *testing.T) {
	s := secrets.NewSecret(canary)
	if got := fmt.Sprintf("%v %s %#v %d", s, s, s, s); got != "redacted redacted redacted redacted" {
		t.Errorf("printed as %q", got)
	}
	got, err := json.Marshal(map[string]any{"password": s})
	if err != nil || string(got) != `{"password":"redacted"}` {
		t.Errorf("json is %s, %v", got, err)
	}
	for name, encode := range map[string]func() ([]byte, error){"MarshalText": s.MarshalText, "MarshalBinary": s.MarshalBinary} {
		if got, err := encode(); err != nil || string(got) != "redacted" {
			t.Errorf("%s returns %q, %v", name, got, err)
		}
	}
	if !leaks("x" + s.Reveal()) {
		t.Error("the test does not detect a leak")
	}
}

func TestSecret(t *testing.T) {
	cases := []struct {
		a, b  string
		equal bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "", false}, {"a", "b", false}, {"a", "ab", false},
	}
	for _, c := range cases {
		a, b := secrets.NewSecret(c.a), secrets.NewSecret(c.b)
		if a.Equal(b) != c.equal || b.Equal(a) != c.equal {
			t.Errorf("Equal(%q, %q) is not %v", c.a, c.b, c.equal)
		}
		if a.Reveal() != c.a || a.IsZero() != (c.a == "") {
			t.Errorf("%q reveals %q, IsZero is %v", c.a, a.Reveal(), a.IsZero())
		}
	}
	if zero := (secrets.Secret{}); zero.Reveal() != "" || !zero.IsZero() {
		t.Error("the zero Secret is not the empty text")
	}
}

func newCipher(t *testing.T, m secrets.Master, label string) *secrets.Cipher {
	t.Helper()
	c, err := m.Cipher(label)
	if err != nil {
		t.Fatalf("Cipher: %v", err)
	}
	return c
}

func sealed(t *testing.T, c *secrets.Cipher, plain string) []byte {
	t.Helper()
	out, err := c.Seal([]byte(plain), "org", "id")
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return out
}

func TestCipher(t *testing.T) {
	c := newCipher(t, master(t, canary), "credentials")
	for _, plain := range []string{"", "x", "correct horse battery staple"} {
		first, second := sealed(t, c, plain), sealed(t, c, plain)
		if bytes.Equal(first, second) {
			t.Errorf("%q: sealed to the same bytes twice", plain)
		}
		if len(first) != len(plain)+45 {
			t.Errorf("%q: sealed to %d bytes, want %d", plain, len(first), len(plain)+45)
		}
		if plain != "" && len(plain) > 3 && bytes.Contains(first, []byte(plain)) {
			t.Errorf("%q: the sealed bytes contain it", plain)
		}
		for _, s := range [][]byte{first, second} {
			got, err := c.Open(s, "org", "id")
			if err != nil || string(got) != plain {
				t.Errorf("Open returned %q, %v, want %q", got, err, plain)
			}
		}
	}
}

func TestCipherSurvivesRestart(t *testing.T) {
	s := sealed(t, newCipher(t, master(t, canary), "credentials"), "secret")
	got, err := newCipher(t, master(t, canary), "credentials").Open(s, "org", "id")
	if err != nil || string(got) != "secret" {
		t.Errorf("Open with a new cipher returned %q, %v", got, err)
	}
}

// Every later version must be able to open sealed bytes.
func TestOpenStoredBytes(t *testing.T) {
	old, err := hex.DecodeString(storedBytes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newCipher(t, master(t, canary), "credentials").Open(old, "org", "id")
	if err != nil || string(got) != "hunter2" {
		t.Errorf("Open returned %q, %v, want hunter2", got, err)
	}
}

func TestRowsCannotBeSwapped(t *testing.T) {
	m := master(t, canary)
	c := newCipher(t, m, "credentials")
	s := sealed(t, c, "secret")
	cases := map[string]struct {
		cipher  *secrets.Cipher
		org, id string
	}{
		"another organization": {c, "org2", "id"},
		"another id":           {c, "org", "id2"},
		"swapped":              {c, "id", "org"},
		"concatenated":         {c, "orgi", "d"},
		"no row":               {c, "", ""},
		"another label":        {newCipher(t, m, "answers"), "org", "id"},
		"another master":       {newCipher(t, master(t, canary[1:]+"!"), "credentials"), "org", "id"},
	}
	for name, c := range cases {
		if got, err := c.cipher.Open(s, c.org, c.id); !errors.Is(err, secrets.ErrSealed) || got != nil {
			t.Errorf("%s: Open returned %q, %v, want ErrSealed", name, got, err)
		}
	}
}

func TestAlteredBitsStaySealed(t *testing.T) {
	c := newCipher(t, master(t, canary), "credentials")
	s := sealed(t, c, "secret")
	for i := range s {
		for bit := range 8 {
			altered := bytes.Clone(s)
			altered[i] ^= 1 << bit
			if _, err := c.Open(altered, "org", "id"); !errors.Is(err, secrets.ErrSealed) {
				t.Fatalf("bit %d of byte %d altered: %v, want ErrSealed", bit, i, err)
			}
		}
		if _, err := c.Open(s[:i], "org", "id"); !errors.Is(err, secrets.ErrSealed) {
			t.Fatalf("%d of %d bytes: %v, want ErrSealed", i, len(s), err)
		}
	}
}

const storedBytes = "01397495d084ed1f174eb2d78f6227b02a4b7e4477730f795937f176a0603dbd779abbc5f1ef07f559cdfde6253e67ef261a3a17"

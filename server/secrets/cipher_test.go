package secrets_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/intraydata/intray/server/secrets"
)

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

package secrets_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/intraydata/intray/server/secrets"
)

func box(t *testing.T, m secrets.Master, label string) *secrets.Cipher {
	t.Helper()
	b, err := m.Cipher(label)
	if err != nil {
		t.Fatalf("Box: %v", err)
	}
	return b
}

func sealed(t *testing.T, b *secrets.Cipher, plain string) []byte {
	t.Helper()
	out, err := b.Seal([]byte(plain), "org", "id")
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return out
}

func TestBox(t *testing.T) {
	b := box(t, master(t, canary), "credentials")
	for _, plain := range []string{"", "x", "correct horse battery staple"} {
		first, second := sealed(t, b, plain), sealed(t, b, plain)
		if bytes.Equal(first, second) {
			t.Errorf("%q sealed twice gives the same bytes", plain)
		}
		if len(first) != len(plain)+45 {
			t.Errorf("%q seals to %d bytes, want %d", plain, len(first), len(plain)+45)
		}
		if plain != "" && len(plain) > 3 && bytes.Contains(first, []byte(plain)) {
			t.Errorf("%q can be read in the sealed bytes", plain)
		}
		for _, s := range [][]byte{first, second} {
			got, err := b.Open(s, "org", "id")
			if err != nil || string(got) != plain {
				t.Errorf("Open gave %q, %v, want %q", got, err, plain)
			}
		}
	}
}

func TestBoxSurvivesRestart(t *testing.T) {
	s := sealed(t, box(t, master(t, canary), "credentials"), "secret")
	got, err := box(t, master(t, canary), "credentials").Open(s, "org", "id")
	if err != nil || string(got) != "secret" {
		t.Errorf("Open with a box made anew gave %q, %v", got, err)
	}
}

// Bytes that are sealed today must open in every later version.
func TestSealedLongAgo(t *testing.T) {
	old, err := hex.DecodeString(sealedLongAgo)
	if err != nil {
		t.Fatal(err)
	}
	got, err := box(t, master(t, canary), "credentials").Open(old, "org", "id")
	if err != nil || string(got) != "hunter2" {
		t.Errorf("Open gave %q, %v, want hunter2", got, err)
	}
}

func TestRowsCannotBeSwapped(t *testing.T) {
	m := master(t, canary)
	b := box(t, m, "credentials")
	s := sealed(t, b, "secret")
	cases := map[string]struct {
		box     *secrets.Cipher
		org, id string
	}{
		"another organization": {b, "org2", "id"},
		"another id":           {b, "org", "id2"},
		"exchanged":            {b, "id", "org"},
		"run together":         {b, "orgi", "d"},
		"nobody's":             {b, "", ""},
		"another label":        {box(t, m, "answers"), "org", "id"},
		"another master":       {box(t, master(t, canary[1:]+"!"), "credentials"), "org", "id"},
	}
	for name, c := range cases {
		if got, err := c.box.Open(s, c.org, c.id); !errors.Is(err, secrets.ErrSealed) || got != nil {
			t.Errorf("%s: Open gave %q, %v, want ErrSealed", name, got, err)
		}
	}
}

func TestEveryAlteredBitStaysSealed(t *testing.T) {
	b := box(t, master(t, canary), "credentials")
	s := sealed(t, b, "secret")
	for i := range s {
		for bit := range 8 {
			altered := bytes.Clone(s)
			altered[i] ^= 1 << bit
			if _, err := b.Open(altered, "org", "id"); !errors.Is(err, secrets.ErrSealed) {
				t.Fatalf("bit %d of byte %d changed, and it opened: %v", bit, i, err)
			}
		}
		if _, err := b.Open(s[:i], "org", "id"); !errors.Is(err, secrets.ErrSealed) {
			t.Fatalf("%d of %d bytes opened: %v", i, len(s), err)
		}
	}
}

const sealedLongAgo = "01397495d084ed1f174eb2d78f6227b02a4b7e4477730f795937f176a0603dbd779abbc5f1ef07f559cdfde6253e67ef261a3a17"

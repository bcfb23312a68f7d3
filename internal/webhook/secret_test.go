package webhook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/intraydata/intray/internal/seal"
)

// counting gives the bytes 0, 1, 2 and so on.
func counting(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i)
	}
	return out
}

func secretOf(key []byte) seal.Secret {
	return seal.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(key))
}

func TestNewSecret(t *testing.T) {
	secret, err := NewSecret(bytes.NewReader(counting(100)))
	if want := secretOf(counting(32)); err != nil || !secret.Equal(want) {
		t.Errorf("got %s, %v, want %s", secret.Reveal(), err, want.Reveal())
	}
	if err := CheckSecret(secret); err != nil {
		t.Error(err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", secret, secret, secret, secret); strings.Contains(text, "whsec_") {
		t.Errorf("the secret shows: %s", text)
	}
	for name, random := range map[string]*bytes.Reader{"none": bytes.NewReader(nil), "too little": bytes.NewReader(counting(31))} {
		if secret, err := NewSecret(random); err == nil || !secret.IsZero() {
			t.Errorf("%s: got %v, %v", name, secret, err)
		}
	}
	if _, err := NewSecret(iotest.ErrReader(errors.New("no luck"))); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("got %v", err)
	}
}

func TestCheckSecret(t *testing.T) {
	right := base64.StdEncoding.EncodeToString(counting(32))
	cases := []struct {
		name, text string
		ok         bool
	}{
		{"32 bytes", "whsec_" + right, true},
		{"24 bytes", secretOf(counting(24)).Reveal(), true},
		{"64 bytes", secretOf(counting(64)).Reveal(), true},
		{"the specification's own", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true},
		{"23 bytes", secretOf(counting(23)).Reveal(), false},
		{"65 bytes", secretOf(counting(65)).Reveal(), false},
		{"empty", "", false}, {"prefix alone", "whsec_", false}, {"no prefix", right, false},
		{"other prefix", "whsk_" + right, false}, {"capitals", "WHSEC_" + right, false},
		{"no padding", "whsec_" + strings.TrimRight(right, "="), false},
		{"alphabet of addresses", "whsec_" + base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 32)), false},
		{"line break", "whsec_" + right[:10] + "\n" + right[10:], false},
		{"line break at the end", "whsec_" + right + "\n", false},
		{"blank before", " whsec_" + right, false},
		{"stray bits", "whsec_" + strings.TrimSuffix(right, "8=") + "9=", false},
		{"more after the padding", "whsec_" + right + "AAAA", false},
	}
	for _, c := range cases {
		err := CheckSecret(seal.NewSecret(c.text))
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v, want ok %v", c.name, err, c.ok)
		}
		if err != nil && len(c.text) > 10 && strings.Contains(err.Error(), c.text[6:]) {
			t.Errorf("%s: the error shows the secret: %v", c.name, err)
		}
	}
}

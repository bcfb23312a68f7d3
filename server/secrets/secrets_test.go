package secrets_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
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

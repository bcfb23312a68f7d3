package seal_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/internal/seal"
)

func TestDerive(t *testing.T) {
	m := master(t, canary)
	code := m.Derive("upload").MAC([]byte("x"))
	if !bytes.Equal(code, m.Derive("upload").MAC([]byte("x"))) {
		t.Error("one label gave two keys")
	}
	others := map[string]seal.Key{
		"another label":  m.Derive("upload2"),
		"no label":       m.Derive(""),
		"another master": master(t, canary[1:]+"!").Derive("upload"),
	}
	for name, k := range others {
		if bytes.Equal(code, k.MAC([]byte("x"))) {
			t.Errorf("%s gave the same key", name)
		}
	}
}

// The recipe is a contract: signatures must survive new versions.
func TestRecipe(t *testing.T) {
	raw, err := hkdf.Key(sha256.New, []byte(canary), nil, "intray 1 key: upload", 32)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c"))
	got := master(t, canary).Derive("upload").MAC([]byte("ab"), []byte("c"))
	if !bytes.Equal(got, mac.Sum(nil)) {
		t.Errorf("MAC gave %x, want %x", got, mac.Sum(nil))
	}
}

func TestMACTellsPartsApart(t *testing.T) {
	k := master(t, canary).Derive("x")
	lists := [][]string{
		nil, {""}, {"", ""}, {"abc"}, {"ab", "c"}, {"a", "bc"}, {"a", "b", "c"}, {"abc", ""}, {"", "abc"},
		{"\x00\x00\x00\x00\x00\x00\x00\x00"},
	}
	seen := map[string][]string{}
	for _, list := range lists {
		var parts [][]byte
		for _, part := range list {
			parts = append(parts, []byte(part))
		}
		code := k.MAC(parts...)
		if before, ok := seen[string(code)]; ok {
			t.Errorf("%q and %q have the same MAC", before, list)
		}
		seen[string(code)] = list
		if !k.Equal(code, parts...) || k.Equal(code, append(parts, nil)...) || k.Equal(code[:31], parts...) {
			t.Errorf("Equal is wrong for %q", list)
		}
	}
}

func TestTokens(t *testing.T) {
	k := master(t, canary).Derive("x")
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOf(rapid.Byte()).Draw(t, "payload")
		token := k.Sign(payload)
		got, err := k.Verify(token)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("Verify gave %q, %v, want %q", got, err, payload)
		}
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			t.Fatalf("the token %q does not fit into an address", token)
		}
	})
}

// Payloads of all lengths modulo 3 end in different numbers of loose bits.
func TestEveryAlteredBitIsRefused(t *testing.T) {
	k := master(t, canary).Derive("x")
	for _, payload := range []string{"", "a", "ab", "abc", `{"import":"1","expires":1}`} {
		token := []byte(k.Sign([]byte(payload)))
		for i := range token {
			for bit := range 8 {
				altered := bytes.Clone(token)
				altered[i] ^= 1 << bit
				refused(t, k, string(altered))
			}
			refused(t, k, string(token[:i]))
			refused(t, k, string(token[:i])+string(token[i+1:]))
			for _, extra := range []string{"\n", "\r", "=", " ", "A", "."} {
				refused(t, k, string(token[:i])+extra+string(token[i:]))
			}
		}
		for _, extra := range []string{"\n", "=", "==", ".", "A", "\x00"} {
			refused(t, k, string(token)+extra)
		}
	}
}

func refused(t *testing.T, k seal.Key, token string) {
	t.Helper()
	if payload, err := k.Verify(token); !errors.Is(err, seal.ErrToken) || payload != nil {
		t.Errorf("Verify(%q) gave %q, %v, want ErrToken", token, payload, err)
	}
}

func TestTokensOfOthers(t *testing.T) {
	m := master(t, canary)
	k := m.Derive("x")
	refused(t, k, m.Derive("y").Sign([]byte("a")))
	refused(t, k, master(t, canary[1:]+"!").Derive("x").Sign([]byte("a")))
	head, tail, _ := strings.Cut(k.Sign([]byte("a")), ".")
	refused(t, k, tail+"."+head)
	first, _, _ := strings.Cut(k.Sign([]byte("b")), ".")
	refused(t, k, first+"."+tail)
	for _, token := range []string{"", ".", "..", head, head + ".", "." + tail, "YQ." + tail + "." + tail} {
		refused(t, k, token)
	}
}

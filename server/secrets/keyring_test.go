package secrets_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/secrets"
)

func encrypted(t *testing.T, m secrets.Master, k secrets.Keyring) secrets.Keyring {
	t.Helper()
	text, err := m.EncryptKeyring(k)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.DecryptKeyring(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func seal(t *testing.T, k secrets.Keyring) []byte {
	t.Helper()
	c, err := k.Cipher("credentials")
	if err != nil {
		t.Fatal(err)
	}
	return sealed(t, c, "secret")
}

func opens(t *testing.T, k secrets.Keyring, bytes []byte) bool {
	t.Helper()
	c, err := k.Cipher("credentials")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := c.Open(bytes, "org", "id")
	return err == nil && string(plain) == "secret"
}

// TestKeyring checks which tokens and encrypted bytes a Keyring accepts.
func TestKeyring(t *testing.T) {
	m := master(t, canary)
	first := m.Keyring()
	second := encrypted(t, m, first.WithNewSecrets())
	third := encrypted(t, master(t, canary[1:]+"!"), second.WithoutTokens())
	all := []secrets.Keyring{first, second, third, secrets.NewKeyring()}
	for from, want := range [][]bool{{true, true, false, false}, {false, true, false, false}, {false, false, true, false}, {false, false, false, true}} {
		token := all[from].TokenKey("review").Sign([]byte("x"))
		for i, k := range all {
			if _, err := k.TokenKey("review").Verify(token); (err == nil) != want[i] {
				t.Errorf("keyring %d accepts a token of keyring %d: %v", i, from, err == nil)
			}
			if _, err := k.TokenKey("upload").Verify(token); err == nil {
				t.Errorf("keyring %d accepts a token for another purpose", i)
			}
		}
	}
	for from, want := range [][]bool{{true, true, true, false}, {false, true, true, false}, {false, true, true, false}, {false, false, false, true}} {
		bytes := seal(t, all[from])
		for i, k := range all {
			if opens(t, k, bytes) != want[i] {
				t.Errorf("keyring %d opens bytes of keyring %d: %v", i, from, !want[i])
			}
		}
	}
	want := m.Derive("licence keys").MAC([]byte("x"))
	for i, k := range all[:3] {
		if !k.Derive("licence keys").Equal(want, []byte("x")) {
			t.Errorf("keyring %d has another permanent key", i)
		}
	}
	if all[3].Derive("licence keys").Equal(want, []byte("x")) {
		t.Error("a new keyring has the permanent key of another one")
	}
}

// TestDecryptKeyringRefuses checks that no bit of an encrypted Keyring can be altered, and that
// only its master key decrypts it.
func TestDecryptKeyringRefuses(t *testing.T) {
	m := master(t, canary)
	text, err := m.EncryptKeyring(secrets.NewKeyring())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := master(t, canary[1:]+"!").DecryptKeyring(text); !errors.Is(err, secrets.ErrSealed) {
		t.Errorf("another master key: %v, want ErrSealed", err)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] ^= 1
		if _, err := m.DecryptKeyring(base64.StdEncoding.EncodeToString(raw)); !errors.Is(err, secrets.ErrSealed) {
			t.Fatalf("byte %d altered: %v, want ErrSealed", i, err)
		}
		raw[i] ^= 1
	}
	for _, bad := range []string{"", "?", text[:40]} {
		if _, err := m.DecryptKeyring(bad); !errors.Is(err, secrets.ErrSealed) {
			t.Errorf("%q: %v, want ErrSealed", bad, err)
		}
	}
}

func TestKeyringIsRedacted(t *testing.T) {
	k := master(t, canary).Keyring().WithNewSecrets()
	c, err := k.Cipher("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{k, &k, struct{ K secrets.Keyring }{k}, k.TokenKey("x"), []secrets.Key{k.TokenKey("x")}, c} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

func TestZeroKeyring(t *testing.T) {
	var k secrets.Keyring
	if _, err := k.Cipher("x"); err == nil {
		t.Error("the zero Keyring has a cipher")
	}
	if !k.TokenKey("x").IsZero() || !k.Derive("x").IsZero() || !(secrets.Master{}).Keyring().TokenKey("x").IsZero() {
		t.Error("the zero Keyring has keys")
	}
}

func TestReplaceMasterFile(t *testing.T) {
	folder := t.TempDir()
	path, next, former := filepath.Join(folder, "key"), filepath.Join(folder, "new"), filepath.Join(folder, "old")
	first, err := secrets.LoadOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	wantIDs := func(path, want string) {
		t.Helper()
		if m, err := secrets.Load(path); err != nil || m.ID() != want {
			t.Errorf("%s contains the key %s, %v, want %s", path, m.ID(), err, want)
		}
	}
	second := master(t, canary)
	if err := secrets.CreateMasterFile(next, second); err != nil {
		t.Fatal(err)
	}
	// An existing file is never replaced.
	if err := secrets.CreateMasterFile(next, first); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := secrets.ReplaceMasterFile(path, next, former); err != nil {
			t.Fatal(err)
		}
		wantIDs(path, second.ID())
		wantIDs(former, first.ID())
	}
	if _, err := os.Stat(next); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the new file remains: %v", err)
	}
}

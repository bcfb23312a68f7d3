package secrets_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/secrets"
)

func TestParseMaster(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb, 0xef, 0xff, 0x3e}, 8)
	want, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]string{
		"standard": base64.StdEncoding.EncodeToString(raw), "url": base64.URLEncoding.EncodeToString(raw),
		"standard without padding": base64.RawStdEncoding.EncodeToString(raw),
		"url without padding":      base64.RawURLEncoding.EncodeToString(raw),
		"space around":             "\n\t " + base64.StdEncoding.EncodeToString(raw) + " \r\n",
	}
	for name, text := range good {
		m, err := secrets.ParseMaster(text)
		if err != nil || m.ID() != want.ID() {
			t.Errorf("%s: %v, same key %v", name, err, m.ID() == want.ID())
		}
	}
}

func TestParseMasterRefuses(t *testing.T) {
	full := base64.StdEncoding.EncodeToString([]byte(canary))
	bad := map[string]struct{ text, want string }{
		"empty":             {"", "0 bytes"},
		"31 bytes":          {base64.StdEncoding.EncodeToString([]byte(canary[1:])), "31 bytes"},
		"33 bytes":          {base64.StdEncoding.EncodeToString([]byte(canary + "x")), "33 bytes"},
		"hexadecimal":       {strings.Repeat("0f", 32), "48 bytes"},
		"not base64":        {"a secret sentence, not a key!", "not base64"},
		"line end inside":   {full[:20] + "\n" + full[20:], "not base64"},
		"loose bits":        {full[:42] + "J=", "not base64"},
		"text after it":     {full + "x", "not base64"},
		"two keys":          {full + full, "not base64"},
		"padding in middle": {full[:10] + "==" + full[10:], "not base64"},
	}
	for name, c := range bad {
		_, err := secrets.ParseMaster(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
		if err != nil && len(c.text) > 10 && strings.Contains(err.Error(), c.text[:10]) {
			t.Errorf("%s: the error quotes the key: %v", name, err)
		}
	}
}

func TestLoadOrCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	first, err := secrets.LoadOrCreate(path)
	if err != nil {
		t.Fatalf("LoadOrCreate of a new file: %v", err)
	}
	stat, err := os.Stat(path)
	if err != nil || stat.Mode() != 0o600 || stat.Size() != 45 {
		t.Errorf("the file has mode %v and size %d, %v, want 0600 and 45", stat.Mode(), stat.Size(), err)
	}
	again, err := secrets.LoadOrCreate(path)
	if err != nil || again.ID() != first.ID() {
		t.Errorf("LoadOrCreate again: %v, same key %v", err, again.ID() == first.ID())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := secrets.ParseMaster(string(text)); err != nil || parsed.ID() != first.ID() {
		t.Errorf("the text of the file: %v, same key %v", err, parsed.ID() == first.ID())
	}
	other, err := secrets.LoadOrCreate(path + ".other")
	if err != nil || other.ID() == first.ID() {
		t.Errorf("a second file: %v, same key %v", err, other.ID() == first.ID())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("temporary files remain: %v", left)
	}
}

func TestLoadCreatesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if m, err := secrets.Load(path); !errors.Is(err, fs.ErrNotExist) || !m.IsZero() {
		t.Errorf("Load of a missing file: %v, want ErrNotExist", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("Load created %v", left)
	}
	made, err := secrets.LoadOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded, err := secrets.Load(path); err != nil || loaded.ID() != made.ID() {
		t.Errorf("Load: %v, same key %v", err, loaded.ID() == made.ID())
	}
}

func TestLoadOrCreateConcurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	ids := make([]string, 16)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() {
			m, err := secrets.LoadOrCreate(path)
			if err != nil {
				t.Errorf("LoadOrCreate: %v", err)
			}
			ids[i] = m.ID()
		})
	}
	wait.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("one file has different keys: %v", ids)
		}
	}
}

func TestLoadOrCreateRefuses(t *testing.T) {
	good := base64.StdEncoding.EncodeToString([]byte(canary)) + "\n"
	cases := map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"group may read":  {good, 0o640, "chmod 600"},
		"others may read": {good, 0o604, "chmod 600"},
		"all may write":   {good, 0o622, "chmod 600"},
		"empty":           {"", 0o600, "0 bytes"},
		"half a key":      {good[:20], 0o600, "bytes"},
		"another file":    {strings.Repeat("x", 5000), 0o600, "not a master key file"},
	}
	for name, c := range cases {
		path := filepath.Join(t.TempDir(), "master.key")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := secrets.LoadOrCreate(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error with %q and the path", name, err, c.want)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != c.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "no", "folder")} {
		if _, err := secrets.LoadOrCreate(path); err == nil {
			t.Errorf("LoadOrCreate(%s) returned no error", path)
		}
	}
}

func TestZeroMaster(t *testing.T) {
	var m secrets.Master
	if _, err := m.Cipher("x"); err == nil {
		t.Error("Cipher of the zero Master returned no error")
	}
	if m.ID() != "" {
		t.Errorf("the zero Master has the ID %q", m.ID())
	}
	k := m.Derive("x")
	if _, err := k.Verify(master(t, canary).Derive("x").Sign(nil)); err == nil {
		t.Error("a zero Key verified a token")
	}
	if k.Equal(nil) {
		t.Error("a zero Key verified a MAC")
	}
	defer func() {
		if recover() == nil {
			t.Error("a zero Key signed")
		}
	}()
	k.Sign([]byte("x"))
}

func TestDerive(t *testing.T) {
	m := master(t, canary)
	code := m.Derive("upload").MAC([]byte("x"))
	if !bytes.Equal(code, m.Derive("upload").MAC([]byte("x"))) {
		t.Error("one label has two keys")
	}
	others := map[string]secrets.Key{
		"another label":  m.Derive("upload2"),
		"no label":       m.Derive(""),
		"another master": master(t, canary[1:]+"!").Derive("upload"),
	}
	for name, k := range others {
		if bytes.Equal(code, k.MAC([]byte("x"))) {
			t.Errorf("%s has the same key", name)
		}
	}
}

// Every later version must accept signatures made by this one.
func TestDerivationIsStable(t *testing.T) {
	raw, err := hkdf.Key(sha256.New, []byte(canary), nil, "intray 1 key: upload", 32)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c"))
	got := master(t, canary).Derive("upload").MAC([]byte("ab"), []byte("c"))
	if !bytes.Equal(got, mac.Sum(nil)) {
		t.Errorf("MAC returned %x, want %x", got, mac.Sum(nil))
	}
}

func TestMACSeparatesParts(t *testing.T) {
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
			t.Fatalf("Verify returned %q, %v, want %q", got, err, payload)
		}
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			t.Fatalf("the token %q has characters that URLs escape", token)
		}
	})
}

// TestAlteredTokensAreRefused uses payloads of different lengths, because the number of unused
// bits at the end of a token depends on the length.
func TestAlteredTokensAreRefused(t *testing.T) {
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

func refused(t *testing.T, k secrets.Key, token string) {
	t.Helper()
	if payload, err := k.Verify(token); !errors.Is(err, secrets.ErrToken) || payload != nil {
		t.Errorf("Verify(%q) returned %q, %v, want ErrToken", token, payload, err)
	}
}

func TestForeignTokens(t *testing.T) {
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

// TestLoadLimitsSize checks the exact maximum size of a key file, and that trailing newlines are
// ignored.
func TestLoadLimitsSize(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte(canary))
	for size, want := range map[int]string{4095: "", 4096: "", 4097: "not a master key file"} {
		path := filepath.Join(t.TempDir(), "master.key")
		if err := os.WriteFile(path, []byte(key+strings.Repeat("\n", size-len(key))), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := secrets.Load(path)
		if want == "" && (err != nil || m.IsZero()) || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !m.IsZero()) {
			t.Errorf("%d bytes: got %v, want %q", size, err, want)
		}
	}
}

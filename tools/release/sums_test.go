package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
)

func TestVerify(t *testing.T) {
	archive := "intray_1.2.3_linux_amd64.tar.gz"
	for _, test := range []struct {
		name   string
		change func(t *testing.T, out string)
		want   string
	}{
		{"unchanged", func(*testing.T, string) {}, ""},
		{"changed archive", func(t *testing.T, out string) { writeFile(t, filepath.Join(out, archive), "x") }, archive},
		{"additional file", func(t *testing.T, out string) { writeFile(t, filepath.Join(out, "setup.exe"), "x") }, "setup.exe"},
		{"missing file", func(t *testing.T, out string) { remove(t, filepath.Join(out, archive)) }, archive},
		{"changed checksums", func(t *testing.T, out string) {
			writeFile(t, filepath.Join(out, archive), "x")
			if err := writeSums(out); err != nil {
				t.Fatal(err)
			}
		}, "signature"},
		{"signature of another key", func(t *testing.T, out string) {
			_, other, err := minisign.GenerateKey(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			if err := signSums(out, other, "1.2.3"); err != nil {
				t.Fatal(err)
			}
		}, "signature"},
		{"no signature", func(t *testing.T, out string) { remove(t, filepath.Join(out, signatureName)) }, signatureName},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, public, _ := signedRelease(t)
			test.change(t, out)
			switch err := verify(out, public); {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error about %s", err, test.want)
			}
		})
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// TestSignatureIsReproducible checks that the signature contains no time and no random number.
func TestSignatureIsReproducible(t *testing.T) {
	out, _, secret := signedRelease(t)
	first, err := os.ReadFile(filepath.Join(out, signatureName))
	if err != nil {
		t.Fatal(err)
	}
	if err := signSums(out, secret, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(out, signatureName))
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Errorf("two signatures differ:\n%s\n%s", first, second)
	}
}

func TestSigningKey(t *testing.T) {
	_, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := minisign.EncryptKey("password", secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, key, password string
		valid               bool
	}{
		{"plain", string(plain), "", true},
		{"encrypted", string(encrypted), "password", true},
		{"wrong password", string(encrypted), "other", false},
		{"no key", "", "", false},
		{"no minisign key", "secret", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("INTRAY_SIGNING_KEY", test.key)
			t.Setenv("INTRAY_SIGNING_PASSWORD", test.password)
			key, err := signingKey()
			if test.valid != (err == nil) || test.valid && !key.Equal(secret) {
				t.Errorf("got %v, %v", key.ID(), err)
			}
		})
	}
}

// TestChangesAreDetected makes the changes of the command check.
func TestChangesAreDetected(t *testing.T) {
	out, public, secret := signedRelease(t)
	writeFile(t, filepath.Join(out, "intray_1.2.3_linux_amd64.cdx.json"), "{}")
	if err := writeSums(out); err != nil {
		t.Fatal(err)
	}
	if err := signSums(out, secret, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	if err := checkChanges(out, public); err != nil {
		t.Error(err)
	}
	archive := filepath.Join(out, "intray_1.2.3_linux_amd64.tar.gz")
	if err := mustDetect(archive, func() error { return nil }); err == nil {
		t.Error("a check that detects nothing is accepted")
	}
}

func TestCompareFolders(t *testing.T) {
	first, _, _ := signedRelease(t)
	second := t.TempDir()
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if err := compareFolders(first, second); err != nil {
		t.Error(err)
	}
	writeFile(t, filepath.Join(second, "intray.rb"), "x")
	if err := compareFolders(first, second); err == nil || !strings.Contains(err.Error(), "intray.rb") {
		t.Errorf("got %v, want an error about intray.rb", err)
	}
}

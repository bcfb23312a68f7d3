package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aead.dev/minisign"
)

const unit = "[Service]\nExecStart=/usr/bin/intray serve --data /var/lib/intray\n"

// sampleDate is the time of all files. Tests for each format check it, because two releases that are
// built within a second would also have the same time otherwise.
var sampleDate = time.Date(2025, 11, 28, 4, 19, 37, 0, time.UTC)

// sampleRelease writes a release of a small file instead of the program into a new folder. Its
// source is also in a new folder, and its files are new.
func sampleRelease(t *testing.T) (src source, out string) {
	t.Helper()
	src = source{
		folder: t.TempDir(), version: "1.2.3", commit: "b6ff9529f3a1b6ff9529f3a1b6ff9529f3a1b6ff",
		date: sampleDate,
	}
	files := map[string]string{"LICENSE": "license\n", "README.md": "[readme](docs/a.md)\n", noticesName: "notices\n", unitPath: unit, settingsPath: "#INTRAY_LISTEN=:8080\n", "program": "\x7fELF program"}
	for _, name := range []string{"postinstall", "preremove", "postremove"} {
		text, err := os.ReadFile(filepath.Join("packaging", name))
		if err != nil {
			t.Fatal(err)
		}
		files["tools/release/packaging/"+name] = string(text)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(src.folder, name), text)
	}
	out = t.TempDir()
	programs := map[target]string{}
	for _, target := range targets {
		programs[target] = filepath.Join(src.folder, "program")
		if err := writeArchive(src, target, programs[target], out); err != nil {
			t.Fatal(err)
		}
		if target.os == "linux" {
			if err := writePackages(src, target, programs[target], out); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := buildImages(src, programs, out); err != nil {
		t.Fatal(err)
	}
	if err := writeFormula(src, out, targets); err != nil {
		t.Fatal(err)
	}
	return src, out
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// signedRelease is a sampleRelease with checksums and a signature.
func signedRelease(t *testing.T) (out string, public minisign.PublicKey, secret minisign.PrivateKey) {
	t.Helper()
	src, out := sampleRelease(t)
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSums(out); err != nil {
		t.Fatal(err)
	}
	if err := signSums(out, secret, src.version); err != nil {
		t.Fatal(err)
	}
	return out, public, secret
}

// TestReproducible builds a release from equal files in two folders, under different settings.
func TestReproducible(t *testing.T) {
	_, first := sampleRelease(t)
	t.Setenv("TZ", "Pacific/Auckland")
	t.Setenv("HOSTNAME", "other")
	t.Setenv("SOURCE_DATE_EPOCH", "1")
	_, second := sampleRelease(t)
	a, err := hashFolder(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hashFolder(second)
	if err != nil {
		t.Fatal(err)
	}
	if different := compareSums(a, b); different != "" {
		t.Errorf("two builds differ:\n%s", different)
	}
	for _, kind := range []string{"*.tar.gz", "*.zip", "*.deb", "*.rpm", "*_image_*.tar", "*_image.oci.tar", "intray.rb"} {
		if names, _ := filepath.Glob(filepath.Join(first, kind)); len(names) == 0 {
			t.Errorf("no %s", kind)
		}
	}
}

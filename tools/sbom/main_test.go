package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// TestProgram builds the program and checks that its bill of materials is the same each time,
// can be decoded, and lists the parts that a scanner looks for.
func TestProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "intray")
	if out, err := exec.Command("go", "-C", "../..", "build", "-o", program, "./cmd/intray").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var texts [2][]byte
	for i := range texts {
		name := filepath.Join(t.TempDir(), "intray.cdx.json")
		if err := run(program, "../../ui/package-lock.json", name); err != nil {
			t.Fatal(err)
		}
		var err error
		if texts[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two bills of materials of one program differ")
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(texts[0]), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if root := bom.Metadata.Component; root.Name != "intray" || len((*root.Hashes)[0].Value) != 64 {
		t.Errorf("the program is %+v", root)
	}
	found := map[string]bool{}
	for _, c := range *bom.Components {
		if c.Version == "" || !strings.HasSuffix(c.PackageURL, "@"+c.Version) {
			t.Errorf("%s has the version %q and the package URL %q", c.Name, c.Version, c.PackageURL)
		}
		found[strings.TrimSuffix(c.PackageURL, "@"+c.Version)] = true
	}
	for _, want := range []string{"pkg:golang/std", "pkg:golang/modernc.org/sqlite", "pkg:golang/modernc.org/libquickjs", "pkg:npm/preact"} {
		if !found[want] {
			t.Errorf("%s is missing", want)
		}
	}
	for _, unused := range []string{"pkg:npm/vite", "pkg:golang/github.com/google/go-cmp"} {
		if found[unused] {
			t.Errorf("%s is not part of the program", unused)
		}
	}
}

// TestBadInput checks that a file that is not a Go program, and a lock file without packages,
// are errors.
func TestBadInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock.json")
	for _, text := range []string{"", "[]", `{"packages": {"": {}, "node_modules/vite": {"version": "1.0.0", "dev": true}}}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := pagePackages(name); err == nil {
			t.Errorf("no error for the lock file %q", text)
		}
	}
	if err := run(name, name, filepath.Join(t.TempDir(), "out")); err == nil {
		t.Error("no error for a program that is not one")
	}
}

package main

import (
	"archive/zip"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTarGz(t *testing.T) {
	_, out := sampleRelease(t)
	file, err := os.Open(filepath.Join(out, "intray_1.2.3_darwin_arm64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if !text.ModTime.IsZero() || text.Name != "" {
		t.Errorf("the header of gzip has the time %s and the name %q", text.ModTime, text.Name)
	}
	root := "intray_1.2.3_darwin_arm64/"
	want := []string{root + "intray 0755 0", root + "LICENSE 0644 0", root + "THIRD-PARTY-NOTICES 0644 0", root + "README.md 0644 0"}
	if got := listTar(t, text); !slices.Equal(got, want) {
		t.Errorf("the archive has the files %q, want %q", got, want)
	}
}

// TestReadmeLinks checks that no link in the README of an archive needs a file that the archive lacks.
func TestReadmeLinks(t *testing.T) {
	const commit = "b6ff9529f3a1"
	for page, want := range map[string]string{
		"[Docs](docs/x.md), [more](docs/y.md#part)":                             "[Docs](" + homepage + "/blob/b6ff9529f3a1/docs/x.md), [more](" + homepage + "/blob/b6ff9529f3a1/docs/y.md#part)",
		"![A page](docs/page.webp)":                                             "![A page](" + homepage + "/raw/b6ff9529f3a1/docs/page.webp)",
		"[Site](https://example.org/a), [here](#try-it), [Apache-2.0](LICENSE)": "[Site](https://example.org/a), [here](#try-it), [Apache-2.0](LICENSE)",
	} {
		if got := withAbsoluteLinks(page, commit); got != want {
			t.Errorf("%s becomes\n%s, want\n%s", page, got, want)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := withAbsoluteLinks(string(readme), commit)
	for _, match := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if to := match[1]; !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "#") && to != "LICENSE" {
			t.Errorf("the README links to %s", to)
		}
	}
	if strings.Count(page, homepage+"/blob/"+commit+"/docs/") < 20 {
		t.Error("the README has hardly any links")
	}
}

func TestZip(t *testing.T) {
	_, out := sampleRelease(t)
	archive, err := zip.OpenReader(filepath.Join(out, "intray_1.2.3_windows_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var got []string
	for _, file := range archive.File {
		if !file.Modified.Equal(sampleDate) {
			t.Errorf("%s has the time %s", file.Name, file.Modified)
		}
		got = append(got, fmt.Sprintf("%s %s", file.Name, file.Mode()))
	}
	root := "intray_1.2.3_windows_amd64/"
	want := []string{root + "intray.exe -rwxr-xr-x", root + "LICENSE -rw-r--r--", root + "THIRD-PARTY-NOTICES -rw-r--r--", root + "README.md -rw-r--r--"}
	if !slices.Equal(got, want) {
		t.Errorf("the archive has the files %q, want %q", got, want)
	}
}

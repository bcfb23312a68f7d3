package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// describeSample writes notices for the given components, and returns their text.
func describeSample(t *testing.T, components string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	sbom, program := filepath.Join(folder, "sbom.json"), filepath.Join(folder, "intray")
	writeFile(t, sbom, `{"components": [`+components+`]}`)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeNotices(source{folder: root}, sbom, program); err != nil {
		return "", err
	}
	text, err := os.ReadFile(noticesPath(program))
	return string(text), err
}

// TestNotices checks that the notices of this program contain the licenses of all its modules and npm
// packages.
func TestNotices(t *testing.T) {
	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	src := source{folder: root}
	program := filepath.Join(folder, "intray")
	if err := goCommand(root, []string{"CGO_ENABLED=0"}, "build", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/intray"); err != nil {
		t.Fatal(err)
	}
	sbom, err := buildSBOM(src, folder)
	if err != nil {
		t.Fatal(err)
	}
	bill := filepath.Join(folder, "intray.cdx.json")
	var before string
	for range 2 {
		if err := describe(src, program, sbom, bill); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(noticesPath(program))
		if err != nil {
			t.Fatal(err)
		}
		if before != "" && before != string(text) {
			t.Error("two runs write different notices")
		}
		before = string(text)
	}
	list, err := readDependencies(bill)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Errorf("the program has only %d dependencies", len(list))
	}
	for _, d := range list {
		if !strings.Contains(before, "  "+d.String()+" (") || !strings.Contains(before, "\n"+d.String()+": ") {
			t.Errorf("the notices contain no license of %s", d)
		}
	}
	for _, d := range dataSources {
		if !strings.Contains(before, "  "+d.name+" (") || !strings.Contains(before, "\n"+d.name+": LICENSE\n") {
			t.Errorf("the notices contain no license of %s", d.name)
		}
	}
	for _, want := range []string{"  libphonenumber (Apache-2.0): celltype/phone/plans.bin\n", "1991-2025 Unicode, Inc.", "The Go Authors", ": LICENSE-SQLITE\n", "Fabrice Bellard", "Jason Miller", "Mozilla Public License Version 2.0"} {
		if !strings.Contains(before, want) {
			t.Errorf("the notices do not contain %q", want)
		}
	}
}

// ownFiles are the embedded files that contain nothing of other projects. The licenses of the npm packages in
// the pages are in npmLicenses.
var ownFiles = []string{
	"examples/crm.csv", "examples/crm.schema.json", "hooks/jsruntime/js/", "mapping/lexicon/", "messages/",
	"server/sqlstore/migrations/", "server/sqlstore/triggers/", "server/webui/gzip", "source/charset/signs/", "source/charset/words/",
}

// TestEmbeddedFiles checks that it is known for each embedded file whether it contains data of another
// project, and that each data source has its files.
func TestEmbeddedFiles(t *testing.T) {
	const root = "../.."
	embedded := embeddedFiles(t, root)
	if len(embedded) < 15 {
		t.Errorf("only %d patterns of embedded files: %q", len(embedded), embedded)
	}
	for _, d := range dataSources {
		for _, name := range d.files {
			if !slices.Contains(embedded, name) {
				t.Errorf("%s, from data of %s, is not embedded", name, d.name)
			}
		}
		embedded = slices.DeleteFunc(embedded, func(name string) bool { return slices.Contains(d.files, name) })
	}
	for _, name := range embedded {
		if !slices.ContainsFunc(ownFiles, func(own string) bool { return strings.HasPrefix(name, own) }) {
			t.Errorf("%s is embedded; add it to dataSources if it contains data of another project, or else to ownFiles", name)
		}
	}
}

// embeddedFiles returns the patterns of the files that packages of the program embed, from the root of the
// repository.
func embeddedFiles(t *testing.T, root string) (list []string) {
	t.Helper()
	out, err := goOutput(root, "list", "-deps", "-f", `{{with .Module}}{{if .Main}}{{range $.EmbedPatterns}}{{$.ImportPath}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, "./cmd/intray")
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		list = append(list, strings.TrimPrefix(strings.TrimPrefix(name, "github.com/intraydata/intray"), "/"))
	}
	return list
}

func TestUnknownLicenses(t *testing.T) {
	for components, want := range map[string]string{
		``: "no components",
		`{"name": "x", "version": "1", "purl": "pkg:pypi/x@1"}`:                  "neither a Go module nor an npm package",
		`{"name": "preact", "version": "0.0.1", "purl": "pkg:npm/preact@0.0.1"}`: "run make ui",
	} {
		if _, err := describeSample(t, components); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", components, err, want)
		}
	}
	unknown := []licenseFile{{"LICENSE", "All rights reserved."}, {"vendored/LICENSE", "Apache License Version 2.0"}, {"PATENTS", "Grant"}}
	if ids := findLicenses(unknown); len(ids) > 0 {
		t.Errorf("unknown licenses are %q", ids)
	}
	if ids := findLicenses([]licenseFile{{"COPYING", "Permission is hereby granted, free of\n charge, to any person obtaining a copy of this software"}}); len(ids) != 1 || ids[0] != "MIT" {
		t.Errorf("the MIT license is %q", ids)
	}
}

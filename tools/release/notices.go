package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticesName is the name of the file with the licenses of other projects' code and data in the program.
const noticesName = "THIRD-PARTY-NOTICES"

// npmLicenses is the folder with the licenses of npm packages. ui/scripts/licenses.mjs writes it.
const npmLicenses = "tools/release/npm-licenses"

// noticesPath returns the path of the notices for a program, which are next to it.
func noticesPath(program string) string { return filepath.Join(filepath.Dir(program), noticesName) }

// dependency is a Go module, the Go standard library or an npm package in a program.
type dependency struct {
	name, version string
	npm           bool
}

func (d dependency) String() string { return d.name + " " + d.version }

// dataSource is a project whose data the program contains in another form, but not as a dependency.
type dataSource struct {
	name string
	// license is the path of its license, and files are the embedded files that were made from its data.
	license string
	files   []string
}

// dataSources are all projects whose data the program contains in another form.
var dataSources = []dataSource{
	{"libphonenumber", "LICENSE", []string{"celltype/phone/plans.bin"}}, // its license is the same as that of Intray
	{"Unicode CLDR", "tools/release/data-licenses/Unicode-3.0.txt", []string{"celltype/countries.txt", "celltype/regions.txt", "celltype/date/locales.txt"}},
}

// licenseText is the text of a license file of one or more dependencies.
type licenseText struct {
	text string
	// uses are the dependencies, and the paths of the file in them.
	uses []string
}

// noticeList collects the contents of the notices.
type noticeList struct {
	code, data strings.Builder
	texts      []*licenseText
	byHash     map[[sha256.Size]byte]*licenseText
}

// addTexts adds the license files of a dependency or data source, and returns the known licenses in them.
func (n *noticeList) addTexts(of string, files []licenseFile) (string, error) {
	known := findLicenses(files)
	if len(known) == 0 {
		return "", fmt.Errorf("%s has no license file with a known license; add the license to knownLicenses if Intray may contain it", of)
	}
	for _, f := range files {
		hash := sha256.Sum256([]byte(f.text))
		if n.byHash[hash] == nil {
			n.byHash[hash] = &licenseText{text: f.text}
			n.texts = append(n.texts, n.byHash[hash])
		}
		n.byHash[hash].uses = append(n.byHash[hash].uses, of+": "+f.name)
	}
	return strings.Join(known, ", "), nil
}

// writeNotices writes the licenses of all dependencies in a bill of materials, and of all data sources,
// next to the program. It returns an error if one has no license, or one that is not in knownLicenses.
func writeNotices(src source, sbom, program string) error {
	list, err := readDependencies(sbom)
	if err != nil {
		return fmt.Errorf("read the bill of materials: %w", err)
	}
	folders, err := moduleFolders(src.folder, list)
	if err != nil {
		return err
	}
	notices := noticeList{byHash: map[[sha256.Size]byte]*licenseText{}}
	for _, d := range list {
		files, err := licenseFiles(src, d, folders[d.name])
		if err != nil {
			return fmt.Errorf("licenses of %s: %w", d, err)
		}
		known, err := notices.addTexts(d.String(), files)
		if err != nil {
			return err
		}
		fmt.Fprintf(&notices.code, "  %s (%s)\n", d, known)
	}
	for _, d := range dataSources {
		text, err := os.ReadFile(filepath.Join(src.folder, d.license))
		if err != nil {
			return fmt.Errorf("license of %s: %w", d.name, err)
		}
		known, err := notices.addTexts(d.name, []licenseFile{{"LICENSE", strings.ReplaceAll(string(text), "\r\n", "\n")}})
		if err != nil {
			return err
		}
		fmt.Fprintf(&notices.data, "  %s (%s): %s\n", d.name, known, strings.Join(d.files, ", "))
	}
	return os.WriteFile(noticesPath(program), []byte(notices.format()), 0o644)
}

func (n *noticeList) format() string {
	const line = "--------------------------------------------------------------------------------\n"
	var out strings.Builder
	out.WriteString("Intray is licensed under the Apache License 2.0, see LICENSE. The program contains\nthe following code of other projects. Their licenses are below the lists.\n\n" + n.code.String())
	out.WriteString("\nThese files in the program were made from data of other projects, and changed.\n\n" + n.data.String())
	for _, t := range n.texts {
		out.WriteString("\n" + line + strings.Join(t.uses, "\n") + "\n" + line + "\n" + strings.Trim(t.text, "\n") + "\n")
	}
	return out.String()
}

// readDependencies returns the components of a bill of materials, sorted by name.
func readDependencies(sbom string) ([]dependency, error) {
	text, err := os.ReadFile(sbom)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var list []dependency
	for _, c := range doc.Components {
		if _, err := url.Parse(c.Purl); err != nil || !strings.HasPrefix(c.Purl, "pkg:golang/") && !strings.HasPrefix(c.Purl, "pkg:npm/") {
			return nil, fmt.Errorf("%s is neither a Go module nor an npm package: %s", c.Name, c.Purl)
		}
		list = append(list, dependency{c.Name, c.Version, strings.HasPrefix(c.Purl, "pkg:npm/")})
	}
	if len(list) == 0 {
		return nil, errors.New("it lists no components")
	}
	slices.SortFunc(list, func(a, b dependency) int { return strings.Compare(a.String(), b.String()) })
	return list, nil
}

// moduleFolders returns the folders of Go modules in the module cache, and of the standard library as
// std, by their names. The go command verifies the modules with go.sum.
func moduleFolders(folder string, list []dependency) (map[string]string, error) {
	root, err := goOutput(folder, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"std": strings.TrimSpace(string(root))}
	download := []string{"mod", "download", "-json"}
	for _, d := range list {
		if !d.npm && d.name != "std" {
			download = append(download, d.name+"@"+d.version)
		}
	}
	if len(download) == 3 { // without modules, it would download all
		return folders, nil
	}
	out, err := goOutput(folder, download...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var m struct{ Path, Dir string }
		if err := dec.Decode(&m); err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		folders[m.Path] = m.Dir
	}
	return folders, nil
}

func goOutput(folder string, args ...string) ([]byte, error) {
	command := exec.Command("go", args...)
	command.Dir = folder
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args[:2], " "), withStderr(err))
	}
	return out, nil
}

// licenseFile is a file with a license or a notice. Its name is the path in its module.
type licenseFile struct{ name, text string }

// licenseNames matches the names of files with licenses and notices.
var licenseNames = regexp.MustCompile(`(?i)^(licen[sc]e|unlicense|copying|copyright|notice|patents)([-_.][^/]*)?$`)

// licenseFiles returns the license files of a dependency, also those in subfolders, sorted by name.
func licenseFiles(src source, d dependency, folder string) (list []licenseFile, err error) {
	add := func(name, path string) error {
		text, err := os.ReadFile(path)
		list = append(list, licenseFile{name, strings.ReplaceAll(string(text), "\r\n", "\n")})
		return err
	}
	switch {
	case d.npm:
		name := strings.ReplaceAll(d.name, "/", "+") + "@" + d.version + ".txt"
		err := add("LICENSE", filepath.Join(src.folder, npmLicenses, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; run make ui", err)
		}
		return list, err
	case d.name == "std": // its subfolders contain tests and commands
		return list, errors.Join(add("LICENSE", filepath.Join(folder, "LICENSE")), add("PATENTS", filepath.Join(folder, "PATENTS")))
	case folder == "":
		return nil, errors.New("the module was not downloaded")
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(name) == ".go" || !licenseNames.MatchString(name):
			return nil
		}
		inside, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(inside), path)
	})
	return list, err
}

// knownLicenses are the licenses that the program may contain, and expressions that match their texts.
// All of them allow this if the program is published with their texts and, for MPL-2.0, if
// changes to the files are published.
var knownLicenses = []struct {
	id   string
	text *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`(?i)Apache License Version 2\.0`)},
	{"BSD", regexp.MustCompile(`(?i)Redistribution and use in source and binary forms( of \S+)?, with or without modification, are permitted`)},
	{"ISC", regexp.MustCompile(`(?i)Permission to use, copy, modify, and(/or)? distribute this software for any purpose with or without fee`)},
	{"MIT", regexp.MustCompile(`(?i)Permission is hereby granted, free of charge, to any person obtaining a copy of this software`)},
	{"MPL-2.0", regexp.MustCompile(`(?i)Mozilla Public License,? Version 2\.0`)},
	{"Unicode-3.0", regexp.MustCompile(`(?i)Permission is hereby granted, free of charge, to any person obtaining a copy of data files and any associated documentation`)},
}

// findLicenses returns the known licenses among the files in the root of a dependency.
func findLicenses(files []licenseFile) (ids []string) {
	for _, k := range knownLicenses {
		if slices.ContainsFunc(files, func(f licenseFile) bool {
			return !strings.Contains(f.name, "/") && k.text.MatchString(strings.Join(strings.Fields(f.text), " "))
		}) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

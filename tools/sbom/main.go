// Command sbom writes the software bill of materials of the intray program in the CycloneDX
// format 1.6, as JSON (https://cyclonedx.org/docs/1.6/json/). It lists the Go modules and the
// Go standard library that the program was built from, as recorded in the program itself, and
// the npm packages that its pages contain, as recorded in ui/package-lock.json. It therefore
// describes a build, not the modules that a build could use.
//
//	go -C tools run ./sbom -program ../intray -lock ../ui/package-lock.json -out ../intray.cdx.json
//
// The output contains no time and no random number, so the same program always has the same
// bill of materials.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	program := flag.String("program", "../intray", "the intray program")
	lock := flag.String("lock", "../ui/package-lock.json", "the npm packages of the pages")
	out := flag.String("out", "-", "the file to write, or - for standard output")
	flag.Parse()
	if err := run(*program, *lock, *out); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, lock, out string) error {
	bom, err := describe(program, lock)
	if err != nil {
		return err
	}
	w := os.Stdout
	if out != "-" {
		if w, err = os.Create(out); err != nil {
			return err
		}
	}
	err = cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return errors.Join(err, w.Close())
}

// describe returns the bill of materials of a program and its pages.
func describe(program, lock string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	hash, err := hashFile(program)
	if err != nil {
		return nil, err
	}
	packages, err := pagePackages(lock)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", lock, err)
	}
	root := goModule(info.Main.Path, info.Main.Version)
	root.Type, root.Name = cdx.ComponentTypeApplication, path.Base(info.Main.Path)
	root.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hash}}
	components := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, goModule(m.Path, m.Version))
	}
	components = append(components, packages...)
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	var refs []string
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &root}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: root.BOMRef, Dependencies: &refs}}
	return bom, nil
}

func hashFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

func goModule(name, version string) cdx.Component {
	return library(name, version, "pkg:golang/"+name+"@"+version)
}

// library returns a component whose package URL is its reference.
func library(name, version, purl string) cdx.Component {
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
}

// pagePackages returns the npm packages that are part of the pages: those that a lock file
// does not mark as needed only for development.
func pagePackages(lock string) ([]cdx.Component, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var all []cdx.Component
	for key, p := range doc.Packages {
		_, name, ok := strings.Cut(key, "node_modules/")
		if !ok || p.Dev { // the key of the user interface itself is empty
			continue
		}
		c := library(name, p.Version, "pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+p.Version)
		if p.License != "" {
			c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: p.License}}}
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("it lists no packages")
	}
	return all, nil
}

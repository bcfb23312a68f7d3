package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const (
	homepage    = "https://github.com/intraydata/intray"
	description = "Turns messy spreadsheets into clean rows that match your schema"
	// details is the rest of the description in packages.
	details = "Intray reads Excel, CSV and other files, maps their columns to your fields, and validates every cell. Anything ambiguous goes to a person, on a review page."
)

// These are the systemd unit and the file with its settings in the repository.
const (
	unitPath     = "deploy/systemd/intray.service"
	settingsPath = "deploy/systemd/intray.env"
)

// writePackages writes the deb and the rpm package of a Linux target.
func writePackages(src source, t target, program, out string) error {
	if err := checkUnit(src.folder); err != nil {
		return err
	}
	for ending, packager := range map[string]nfpm.Packager{".deb": deb.Default, ".rpm": &rpm.RPM{}} {
		info := nfpm.WithDefaults(packageInfo(src, t, program))
		if err := nfpm.PrepareForPackager(info, ending[1:]); err != nil {
			return fmt.Errorf("prepare the %s package: %w", ending[1:], err)
		}
		file := filepath.Join(out, t.fileName(src.version, ending))
		if err := createFile(file, func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
			return fmt.Errorf("write the %s package: %w", ending[1:], err)
		}
	}
	return nil
}

// checkUnit checks that the unit and its settings exist, and that the unit starts the program
// where the packages install it.
func checkUnit(folder string) error {
	for _, path := range []string{unitPath, settingsPath} {
		if _, err := os.Stat(filepath.Join(folder, path)); err != nil {
			return fmt.Errorf("the deb and rpm packages need %s: %w", path, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, unitPath))
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), "\nExecStart=/usr/bin/intray ") {
		return fmt.Errorf("%s does not start /usr/bin/intray, where the packages install the program", unitPath)
	}
	return nil
}

// packageInfo returns the description and the files of both packages.
func packageInfo(src source, t target, program string) *nfpm.Info {
	file := func(path, to string, mode os.FileMode) *files.Content {
		return &files.Content{Source: path, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: src.date, Owner: "root", Group: "root"}}
	}
	// Upgrades keep the settings that an administrator has changed. They can contain secrets.
	settings := file(filepath.Join(src.folder, settingsPath), "/etc/intray/intray.env", 0o600)
	settings.Type = files.TypeConfigNoReplace
	scripts := filepath.Join(src.folder, "tools/release/packaging")
	return &nfpm.Info{
		Name: "intray", Arch: t.arch, Platform: t.os, Version: src.version, Release: "1",
		Section: "net", Priority: "optional", License: "Apache-2.0", Homepage: homepage,
		Maintainer: "Intray maintainers <intraydata@users.noreply.github.com>", Description: description + "\n" + details,
		MTime: src.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: files.Contents{
				file(program, "/usr/bin/intray", 0o755),
				file(filepath.Join(src.folder, unitPath), "/usr/lib/systemd/system/intray.service", 0o644),
				settings,
				file(filepath.Join(src.folder, "LICENSE"), "/usr/share/doc/intray/copyright", 0o644),
				file(noticesPath(program), "/usr/share/doc/intray/"+noticesName, 0o644),
				file(filepath.Join(src.folder, "README.md"), "/usr/share/doc/intray/README.md", 0o644),
			},
			Umask: 0o022,
			Scripts: nfpm.Scripts{
				PostInstall: filepath.Join(scripts, "postinstall"),
				PreRemove:   filepath.Join(scripts, "preremove"),
				PostRemove:  filepath.Join(scripts, "postremove"),
			},
			// The default is the name of this machine.
			RPM: nfpm.RPM{BuildHost: "localhost", Compression: "zstd"},
			Deb: nfpm.Deb{Compression: "xz"},
		},
	}
}

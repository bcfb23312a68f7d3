package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// target is a system and a processor, as Go names them.
type target struct{ os, arch string }

// targets are the targets of a release. Makefile's target cross has the same ones.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// hostArch is the processor of this machine.
const hostArch = runtime.GOARCH

func (t target) String() string { return t.os + "/" + t.arch }

// isHost reports whether this machine can run programs for the target.
func (t target) isHost() bool { return t.os == runtime.GOOS && t.arch == hostArch }

// programName returns the file name of the program.
func (t target) programName() string {
	if t.os == "windows" {
		return "intray.exe"
	}
	return "intray"
}

// fileName returns the name of a file for the target: intray_1.2.3_linux_amd64 and an ending.
func (t target) fileName(version, ending string) string {
	return fmt.Sprintf("intray_%s_%s_%s%s", version, t.os, t.arch, ending)
}

// buildAll writes everything except the checksums and the signature into an empty folder. It
// replaces the files of an earlier release there.
func buildAll(src source, out string, list []target) error {
	if err := clearFolder(out); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "intray-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	sbom, err := buildSBOM(src, scratch)
	if err != nil {
		return err
	}
	programs := map[target]string{}
	for _, t := range list {
		fmt.Println("building for", t)
		programs[t] = filepath.Join(scratch, t.os, t.arch, t.programName())
		if err := compile(src, t, programs[t], true); err != nil {
			return err
		}
		if err := checkCommit(src, programs[t]); err != nil {
			return err
		}
		if info, err := os.Stat(programs[t]); err != nil {
			return err
		} else if t == sizeTarget {
			if err := checkSize(info.Size()); err != nil {
				return err
			}
		}
		if err := buildTarget(src, t, programs[t], sbom, out); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := buildImages(src, programs, out); err != nil {
		return err
	}
	return writeFormula(src, out, list)
}

// buildSBOM builds the program that writes bills of materials, and returns its path.
func buildSBOM(src source, folder string) (string, error) {
	sbom := filepath.Join(folder, "sbom")
	return sbom, goCommand(filepath.Join(src.folder, "tools"), nil, "build", "-o", sbom, "./sbom")
}

// describe writes the bill of materials of a program to a file, and the notices next to the program.
func describe(src source, program, sbom, file string) error {
	command := exec.Command(sbom, "-program", program, "-lock", filepath.Join(src.folder, "ui/package-lock.json"), "-out", file)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("describe the program: %w\n%s", err, text)
	}
	return writeNotices(src, file, program)
}

// buildTarget writes the archive, the bill of materials and the packages of one target.
func buildTarget(src source, t target, program, sbom, out string) error {
	if err := describe(src, program, sbom, filepath.Join(out, t.fileName(src.version, ".cdx.json"))); err != nil {
		return err
	}
	if err := writeArchive(src, t, program, out); err != nil {
		return err
	}
	if t.os != "linux" {
		return nil
	}
	return writePackages(src, t, program, out)
}

// compile builds the program of a target. A stripped program has no symbol table, which only
// debuggers and the command sizes need.
func compile(src source, t target, program string, stripped bool) error {
	ldflags := "-X main.released=" + src.version
	if stripped {
		ldflags += " -s -w"
	}
	// -buildvcs records the commit and its date in the program, where "go version -m" shows them.
	// The environment sets everything else that changes the program.
	env := []string{
		"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
	if err := goCommand(src.folder, env, "build", "-trimpath", "-buildvcs=true", "-ldflags", ldflags, "-o", program, "./cmd/intray"); err != nil {
		return err
	}
	if !t.isHost() {
		return nil
	}
	out, err := exec.Command(program, "version").Output()
	if err != nil {
		return fmt.Errorf("run the program: %w", withStderr(err))
	}
	got, _, _ := strings.Cut(string(out), "\n")
	if want := "intray " + src.version; got != want {
		return fmt.Errorf("the program has the version %q, want %q", got, want)
	}
	return nil
}

// checkCommit checks that a program contains the commit from which it was built. With -buildvcs=true,
// Go silently records nothing in a folder that "git worktree" created.
func checkCommit(src source, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the commit in the program: %w", err)
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	switch {
	case settings["vcs.revision"] == "":
		return errors.New("the program contains no commit: build the release in a clone of the repository, not in a folder of git worktree")
	case settings["vcs.revision"] != src.commit || settings["vcs.modified"] != "false":
		return fmt.Errorf("the program contains the commit %s (modified: %s), want %s", settings["vcs.revision"], settings["vcs.modified"], src.commit)
	}
	return nil
}

// goCommand runs the go command in a folder, with additional environment variables.
func goCommand(folder string, env []string, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), env...)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), folder, err, text)
	}
	return nil
}

// clearFolder creates a folder, or deletes the files in it. It refuses folders with files that
// do not belong to a release.
func clearFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasPrefix(name, "intray") && !strings.HasPrefix(name, sumsName) {
			return fmt.Errorf("%s does not belong to a release: choose another folder", filepath.Join(folder, name))
		}
	}
	for _, entry := range entries {
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// withStderr adds the error output of a program to the error of exec.Cmd.Output.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

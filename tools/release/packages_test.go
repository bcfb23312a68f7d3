package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// packageFiles are the files that both packages install.
var packageFiles = []string{
	"/etc/intray/intray.env", "/usr/bin/intray", "/usr/lib/systemd/system/intray.service",
	"/usr/share/doc/intray/README.md", "/usr/share/doc/intray/THIRD-PARTY-NOTICES", "/usr/share/doc/intray/copyright",
}

// packageModes are the modes of files that not everybody can read, or that can be executed.
var packageModes = map[string]string{"/etc/intray/intray.env": "-rw-------", "/usr/bin/intray": "-rwxr-xr-x"}

// output runs a program, and skips the test if it is not installed.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is not installed", program)
	}
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", program, strings.Join(args, " "), withStderr(err))
	}
	return string(out)
}

func TestDeb(t *testing.T) {
	_, out := sampleRelease(t)
	file := filepath.Join(out, "intray_1.2.3_linux_arm64.deb")
	if got, want := output(t, "dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", file), "intray 1.2.3-1 arm64"; got != want {
		t.Errorf("the package is %q, want %q", got, want)
	}
	var files []string
	for line := range strings.Lines(output(t, "dpkg-deb", "--contents", file)) {
		fields := strings.Fields(line)
		if name := strings.TrimPrefix(fields[5], "."); !strings.HasSuffix(name, "/") {
			files = append(files, name)
		}
		if name := strings.TrimPrefix(fields[5], "."); !strings.HasSuffix(name, "/") && fields[0] != cmp.Or(packageModes[name], "-rw-r--r--") {
			t.Errorf("wrong mode: %s", line)
		}
		if fields[1] != "root/root" || fields[3] != sampleDate.Format(time.DateOnly) {
			t.Errorf("wrong owner or date: %s", line)
		}
	}
	slices.Sort(files)
	if !slices.Equal(files, packageFiles) {
		t.Errorf("the package has the files %q", files)
	}
	folder := t.TempDir()
	output(t, "dpkg-deb", "--raw-extract", file, folder)
	if text, err := os.ReadFile(filepath.Join(folder, "usr/lib/systemd/system/intray.service")); err != nil || string(text) != unit {
		t.Errorf("the unit is %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "DEBIAN/conffiles")); err != nil || strings.TrimSpace(string(text)) != "/etc/intray/intray.env" {
		t.Errorf("the settings that upgrades keep are %q, %v", text, err)
	}
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		if info, err := os.Stat(filepath.Join(folder, "DEBIAN", name)); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("the script %s: %v, %v", name, info, err)
		}
	}
}

func TestRPM(t *testing.T) {
	_, out := sampleRelease(t)
	file := filepath.Join(out, "intray_1.2.3_linux_amd64.rpm")
	if got, want := output(t, "rpm", "-qp", "--queryformat", "%{NAME} %{VERSION} %{ARCH} %{BUILDHOST} %{BUILDTIME}", file), fmt.Sprint("intray 1.2.3 x86_64 localhost ", sampleDate.Unix()); got != want {
		t.Errorf("the package is %q, want %q", got, want)
	}
	var files []string
	for line := range strings.Lines(output(t, "rpm", "-qp", "--queryformat", "[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME} %{FILEMTIMES}\n]", file)) {
		fields := strings.Fields(line)
		files = append(files, fields[0])
		if want := cmp.Or(packageModes[fields[0]], "-rw-r--r--"); fields[1] != want || fields[2] != "root" || fields[3] != fmt.Sprint(sampleDate.Unix()) {
			t.Errorf("wrong mode, owner or time: %s", line)
		}
	}
	slices.Sort(files)
	if !slices.Equal(files, packageFiles) {
		t.Errorf("the package has the files %q", files)
	}
	if settings := output(t, "rpm", "-qp", "--configfiles", file); strings.TrimSpace(settings) != "/etc/intray/intray.env" {
		t.Errorf("the settings that upgrades keep are %q", settings)
	}
	if scripts := output(t, "rpm", "-qp", "--scripts", file); !strings.Contains(scripts, "systemctl try-restart intray.service") {
		t.Errorf("the scripts are %s", scripts)
	}
}

// TestUnitIsRequired checks that no package is built without a unit that starts the program.
func TestUnitIsRequired(t *testing.T) {
	src, out := sampleRelease(t)
	for _, test := range []struct{ text, want string }{
		{"", unitPath},
		{"[Service]\nExecStart=/usr/local/bin/intray serve\n", "does not start /usr/bin/intray"},
	} {
		file := filepath.Join(src.folder, unitPath)
		if test.text == "" {
			remove(t, file)
		} else {
			writeFile(t, file, test.text)
		}
		err := writePackages(src, target{"linux", "amd64"}, filepath.Join(src.folder, "program"), out)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
}

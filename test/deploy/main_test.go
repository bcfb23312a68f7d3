// Package deploy tests the files in the folder deploy of the repository: the systemd unit, the
// compose file and the Helm chart. It is a separate module, because these tests need libraries of
// Kubernetes and Helm.
//
// Tests that run whole systems use a copy of the root folder in memory, in their own namespaces
// (see root_test.go), so they change nothing on the machine.
package deploy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(variableRoot) != "" {
		if err := enterRoot(os.Getenv(variableRoot)); err != nil {
			fmt.Fprintln(os.Stderr, "enter the root folder in memory:", err)
			os.Exit(1)
		}
	}
	status := m.Run()
	if programFolder != "" {
		_ = os.RemoveAll(programFolder)
	}
	os.Exit(status)
}

// repository returns the path of a file in the repository.
func repository(t testing.TB, path ...string) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{folder}, path...)...)
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needPrograms skips the test if a program is not installed.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not installed", name)
		}
	}
}

// output runs a program and returns its output. The test fails if the program fails.
func output(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

var programFolder string

// program builds Intray once, and returns the path of the program.
var program = sync.OnceValues(func() (string, error) {
	var err error
	if programFolder, err = os.MkdirTemp("", "intray-deploy-*"); err != nil {
		return "", err
	}
	path := filepath.Join(programFolder, "intray")
	build := exec.Command("go", "build", "-o", path, "./cmd/intray")
	build.Dir = "../.."
	// The image and the packages contain a static program.
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Intray: %w\n%s", err, out)
	}
	return path, nil
})

func buildProgram(t testing.TB) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	shownVariable = regexp.MustCompile(`\$(INTRAY_[A-Z0-9_]+)`)
	readVariable  = regexp.MustCompile(`os\.Getenv\("(INTRAY_[A-Z0-9_]+)"\)`)
	usedVariable  = regexp.MustCompile(`INTRAY_[A-Z0-9_]+`)
	shownFlag     = regexp.MustCompile(`(?m)^ +(--[a-z0-9-]+)`)
)

// serveVariables returns the environment variables of intray serve: those of its flags, which the
// help lists, and those that have no flag.
func serveVariables(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, match := range shownVariable.FindAllStringSubmatch(output(t, buildProgram(t), "serve", "--help"), -1) {
		names[match[1]] = true
	}
	for _, match := range readVariable.FindAllStringSubmatch(read(t, repository(t, "cmd/intray/serve.go")), -1) {
		names[match[1]] = true
	}
	if len(names) < 25 {
		t.Fatalf("intray serve has only %d variables", len(names))
	}
	return names
}

// TestVariables checks that intray serve reads every variable that the files in deploy contain. It
// would ignore others silently.
func TestVariables(t *testing.T) {
	known := serveVariables(t)
	files, used := 0, 0
	err := filepath.WalkDir(repository(t, "deploy"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		for number, line := range bytes.Split([]byte(read(t, path)), []byte("\n")) {
			for _, name := range usedVariable.FindAllString(string(line), -1) {
				used++
				if !known[name] {
					t.Errorf("%s:%d: intray serve does not read %s", path, number+1, name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 6 || used < 15 {
		t.Errorf("only %d files with %d variables were found", files, used)
	}
}

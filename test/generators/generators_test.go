// Package generators generates clients from the OpenAPI documents with programs that others wrote,
// compiles the clients, and completes an import with each. It also tests the clients in sdk, and
// that their generated code is current. Its tests run in the suite "generators", because they
// install these programs from package registries.
package generators

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Generators)
	livetest.Cleanup()
	os.Exit(status)
}

// people is the file that the programs import, and imported is what they print.
const (
	people   = "Name;Born\nAnna;03/04/1990\nBela;25/12/1980\n"
	imported = "2 [{\"name\":\"Anna\",\"born\":\"1990-04-03\"},\n{\"name\":\"Bela\",\"born\":\"1980-12-25\"}]\n"
)

// workDir is a folder with a program, the documents of a server, and the file to import.
type workDir struct {
	*testing.T
	folder string
	env    []string
}

// newWorkDir copies a folder in testdata. It skips the test if one of the programs is not installed.
func newWorkDir(t *testing.T, name string, programs ...string) *workDir {
	t.Helper()
	requirePrograms(t, programs...)
	site := apitest.Start(t, apitest.SQLite, livetest.Config{})
	w := &workDir{T: t, folder: t.TempDir(), env: append(os.Environ(), "INTRAY_URL="+site.URL, "INTRAY_KEY="+livetest.BackendKey)}
	if err := os.CopyFS(w.folder, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"openapi.json", "openapi-3.0.json"} {
		w.write(document, site.Call(t, "GET", "/"+document, nil).WantStatus(http.StatusOK).Body)
	}
	w.write("people.csv", []byte(people))
	return w
}

// requirePrograms skips the test if one of the programs is not installed.
func requirePrograms(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: the program %s is not installed", program)
		}
	}
}

func (w *workDir) write(name string, text []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), text, 0o600); err != nil {
		w.Fatal(err)
	}
}

// run runs a program in the folder and returns its output. The test fails if the program does.
func (w *workDir) run(program string, args ...string) string {
	w.Helper()
	command := exec.Command(program, args...)
	command.Dir, command.Env = w.folder, w.env
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		w.Fatalf("%s %q: %v\n%.4000s\n%.4000s", program, args, err, problems.String(), out.String())
	}
	return out.String()
}

// imports runs a program that imports the file.
func (w *workDir) imports(program string, args ...string) {
	w.Helper()
	if got := w.run(program, args...); got != imported {
		w.Errorf("%s printed %q, want %q", program, got, imported)
	}
}

// TestTypeScript tests openapi-typescript, hey-api and orval. All are compiled in strict mode.
func TestTypeScript(t *testing.T) {
	w := newWorkDir(t, "node", "node", "npm")
	w.run("npm", "ci", "--ignore-scripts", "--silent", "--no-audit", "--no-fund")
	w.run("npx", "openapi-typescript", "openapi.json", "--output", "openapi-typescript/schema.d.ts")
	w.run("npx", "openapi-ts", "--input", "openapi.json", "--output", "hey-api", "--client", "@hey-api/client-fetch")
	w.run("npx", "orval", "--config", "orval.config.cjs")
	w.run("npx", "tsc")
	for _, program := range []string{"openapi-typescript", "hey-api", "orval"} {
		t.Run(program, func(t *testing.T) {
			(&workDir{t, w.folder, w.env}).imports("node", "out/"+program+"-program.js")
		})
	}
}

// loadAll imports every module of the generated client.
const loadAll = `import importlib, pkgutil, intray, intray.api
for module in pkgutil.walk_packages(intray.__path__, "intray."):
    importlib.import_module(module.name)`

// requireVenv skips the test if Python cannot create virtual environments.
func requireVenv(t *testing.T) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import ensurepip, venv").Run(); err != nil {
		t.Skip("SKIPPED: python3 with the module venv is not installed")
	}
}

// TestPython tests openapi-python-client, which must generate every operation.
func TestPython(t *testing.T) {
	requireVenv(t)
	w := newWorkDir(t, "python", "python3")
	w.run("python3", "-m", "venv", "venv")
	w.run("venv/bin/pip", "install", "-q", "--disable-pip-version-check", "-r", "requirements.txt")
	// Warnings are about operations that are missing in the client.
	w.write("config.yaml", []byte("post_hooks: []\ncontent_type_overrides:\n  application/offset+octet-stream: application/octet-stream\n"))
	w.run("venv/bin/openapi-python-client", "generate", "--path", "openapi.json", "--output-path", "intray", "--meta", "none", "--config", "config.yaml", "--fail-on-warning")
	w.run("venv/bin/python", "-c", loadAll)
	w.imports("venv/bin/python", "program.py")
}

// TestGo tests oapi-codegen and ogen with the 3.0 document, and oapi-codegen with the 3.1 document,
// which needs an option.
func TestGo(t *testing.T) {
	w := newWorkDir(t, "go", "go")
	w.env = append(w.env, "GOFLAGS=-mod=readonly", "GOWORK=off")
	for _, folder := range []string{"ogen/api", "oapicodegen/api", "oapicodegen31"} {
		if err := os.MkdirAll(filepath.Join(w.folder, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const config = "package: api\noutput: oapicodegen31/api.go\ngenerate: {models: true, client: true}\noutput-options: {skip-prune: true}\n"
	w.write("config.yaml", []byte(config))
	w.run("go", "tool", "ogen", "--target", "ogen/api", "--package", "api", "openapi-3.0.json")
	w.run("go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "api", "-o", "oapicodegen/api/api.go", "openapi-3.0.json")
	w.run("go", "tool", "oapi-codegen", "-config", "config.yaml", "openapi.json")
	w.run("go", "build", "./...")
	for _, program := range []string{"ogen", "oapicodegen"} {
		t.Run(program, func(t *testing.T) {
			(&workDir{t, w.folder, w.env}).imports("go", "run", fmt.Sprintf("./%s", program))
		})
	}
}

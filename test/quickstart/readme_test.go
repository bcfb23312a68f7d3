package quickstart

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeRun checks that the first command of the README works with a prebuilt program, in
// a writable folder.
func TestReadmeRun(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(blocks(read(t, root(t), "README.md")), func(b block) bool { return b.language == "" })
	if len(list) < 3 || list[0].language != "sh" || list[1].language != "text" || list[2].text != "go test ./...\n" {
		t.Fatalf("the first blocks of the README with a language are not the command to run, its output, and the command to test")
	}
	bin := install(t, read(t, root(t), "docs", "quickstart.md"))
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(root(t), "examples"), filepath.Join(folder, "examples")); err != nil {
		t.Fatal(err)
	}
	args, found := strings.CutPrefix(list[0].text, "go run ./cmd/intray ")
	if !found {
		t.Fatalf("the README runs %q", list[0].text)
	}
	command := exec.Command(filepath.Join(bin, "intray"), strings.Fields(args)...)
	command.Dir = folder
	command.Env = clean(os.Environ())
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !shows(list[1].text, string(out)) {
		t.Errorf("the README shows\n%s\nand this came:\n%s", list[1].text, out)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(read(t, folder, "contacts.result.json")), &rows); err != nil || len(rows) != 228 {
		t.Errorf("the result has %d rows: %v", len(rows), err)
	}
}

// TestReadmeLibrary checks that the README contains the example that the tests of package
// importer compile and run.
func TestReadmeLibrary(t *testing.T) {
	t.Parallel()
	shown := ""
	for _, b := range blocks(read(t, root(t), "README.md")) {
		if b.language == "go" {
			shown = b.text
		}
	}
	_, body, found := strings.Cut(read(t, root(t), "importer", "example_test.go"), "\nfunc printRows(ctx context.Context) error {\n")
	body, _, ended := strings.Cut(body, "\n\treturn nil\n}\n")
	if !found || !ended {
		t.Fatal("the example of package importer has no function printRows")
	}
	want := strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
	if diff := cmp.Diff(want, strings.TrimSuffix(shown, "\n")); diff != "" {
		t.Errorf("the README shows another example than package importer has (-importer +README):\n%s", diff)
	}
}

package quickstart

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeRun types the first command of the README, with the program built
// before, in a folder that the result may be written to.
func TestReadmeRun(t *testing.T) {
	t.Parallel()
	list := blocks(read(t, root(t), "README.md"))
	if len(list) < 3 || list[0].language != "sh" || list[1].language != "text" || list[2].text != "go test ./...\n" {
		t.Fatalf("the README does not begin with the command to run, its output, and the command to test")
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
	if err := json.Unmarshal([]byte(read(t, folder, "contacts.result.json")), &rows); err != nil || len(rows) != 227 {
		t.Errorf("the result has %d rows: %v", len(rows), err)
	}
}

// around makes a program of the README's example.
const around = `package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

func main() {
	schema, err := schema.ReadFile(bytes.NewBufferString(` + "`" + `{"fields": [
		{"key": "name", "label": "Name", "validators": [{"validate": "required"}]}]}` + "`" + `))
	if err != nil {
		panic(err)
	}
	text := "Name\nAda\n\"\"\nBob\n"
	file := source.Input{Name: "people.csv", ReaderAt: bytes.NewReader([]byte(text)), Size: int64(len(text))}
	out, err := clean(context.Background(), file, schema)
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Verdict == engine.Done, out.DataRows, out.ErrorRows)
}

`

// TestReadmeLibrary compiles and runs the README's example, as a program that
// stands in the module without being written there.
func TestReadmeLibrary(t *testing.T) {
	t.Parallel()
	example := ""
	for _, b := range blocks(read(t, root(t), "README.md")) {
		if b.language == "go" {
			example = b.text
		}
	}
	if lines := strings.Count(example, "\n"); lines == 0 || lines > 15 {
		t.Errorf("the example has %d lines", lines)
	}
	folder := t.TempDir()
	program, overlay := filepath.Join(folder, "main.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root(t), "test", "quickstart", "readme", "main.go"): program,
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{program: around + example, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "-overlay", overlay, "./test/quickstart/readme")
	command.Dir = root(t)
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if want := "{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}\ntrue 3 1\n"; string(out) != want {
		t.Errorf("the example writes %q, want %q", out, want)
	}
}

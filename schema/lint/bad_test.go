package lint_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/intraydata/intray/schema/lint"
)

var update = flag.Bool("update", false, "write what is found into testdata/bad")

// TestBadSchemas checks the exact findings for each bad schema. A case is a schema, or only
// its fields, followed by its findings.
func TestBadSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range badFiles(t) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			in, want := archive.Files[i], &archive.Files[i+1]
			got := findings(check(t, document(string(in.Data))), seen)
			if got == "" {
				t.Errorf("%s, %s: nothing is found", filepath.Base(file), in.Name)
			}
			if *update {
				want.Data = []byte(got)
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", filepath.Base(file), in.Name, diff)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, code := range codes(t) {
		if !seen[code] {
			t.Errorf("no case has the code %s", code)
		}
	}
}

func badFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of bad schemas: %v", len(files), err)
	}
	return files
}

// document returns text as a schema document. If text is a list, it becomes the fields of the
// document.
func document(text string) string {
	if strings.HasPrefix(text, "[") {
		return `{"fields": ` + text + `}`
	}
	return text
}

func findings(list []lint.Finding, seen map[string]bool) string {
	text := ""
	for _, f := range list {
		seen[f.Code] = true
		text += fmt.Sprintf("%s %s %s\n", f.Level, f.Code, f)
	}
	return text
}

// codes returns the finding codes in the source of the package, except those for schemas
// that are too large.
func codes(t *testing.T) (all []string) {
	t.Helper()
	files, _ := filepath.Glob("*.go")
	call := regexp.MustCompile(`l\.(?:warn|info|add)\((?:[^"]|"[a-zA-Z]*")*?"([a-z]+_[a-z_]+)",`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			if m[1] != "not_all_checked" && m[1] != "more_findings" {
				all = append(all, m[1])
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("the code names only %d codes: %v", len(all), all)
	}
	return all
}

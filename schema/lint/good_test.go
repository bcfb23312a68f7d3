package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/schema/lint"
)

// read returns the schema that a document describes, and the settings as they are in the
// document.
func read(t testing.TB, document string) (*intray.Schema, any) {
	t.Helper()
	v, err := jsonschema.Decode(strings.NewReader(document), jsonschema.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	whole, _ := v.(map[string]any)
	doc := schema.Doc{Fields: whole["fields"], Settings: whole["settings"], Hooks: whole["hooks"]}
	s, issues := schema.Parse(doc)
	if len(issues) > 0 {
		t.Fatalf("%v in %.300s", issues, document)
	}
	return s, doc.Settings
}

func check(t testing.TB, document string) []lint.Finding {
	t.Helper()
	return lint.CheckWritten(read(t, document))
}

// TestGoodSchemas checks that typical schemas have no findings.
func TestGoodSchemas(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d good schemas: %v", len(files), err)
	}
	for _, file := range files {
		for _, f := range check(t, contents(t, file)) {
			t.Errorf("%s: %s %s %s", filepath.Base(file), f.Level, f.Code, f)
		}
	}
}

// TestExamples checks that the examples have no warnings.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.schema.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		for _, f := range check(t, contents(t, file)) {
			if f.Level == intray.LevelWarning {
				t.Errorf("%s: %s %s", filepath.Base(file), f.Code, f)
			}
		}
	}
}

func contents(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCorpusSchemas checks that the schemas in a corpus have no findings. It does not check that
// they are valid, because their select fields have no options.
func TestCorpusSchemas(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "..", "shared", "corpora", "headers", "schemas", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("the corpus of headers is not here")
	}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.Decode(in, jsonschema.Limits{})
		if in.Close(); err != nil {
			t.Fatal(err)
		}
		whole := v.(map[string]any)
		for _, f := range lint.Check(schema.ParseUnchecked(schema.Doc{Fields: whole["fields"]})) {
			t.Errorf("%s: %s %s %s", filepath.Base(file), f.Level, f.Code, f)
		}
	}
}

// root returns the root folder of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("the folder of the module is not found: %v", err)
	return ""
}

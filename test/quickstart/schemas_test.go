package quickstart

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// savedSchema matches the schemas that readers save in a file.
var savedSchema = regexp.MustCompile(`(?s)cat >\S*schema\S*\.json <<'END'\n(.*?\n)END\n`)

// TestSchemas checks that a server accepts every schema that the pages and examples use with the command
// line.
func TestSchemas(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{}
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for _, match := range savedSchema.FindAllStringSubmatch(read(t, page), -1) {
			schemas[filepath.Base(page)+": "+match[1][:20]] = match[1]
		}
	}
	examples, err := filepath.Glob(filepath.Join(root(t), "examples", "*.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range examples {
		schemas[filepath.Base(example)] = read(t, example)
	}
	if len(schemas) < 9 {
		t.Fatalf("the pages and examples have only %d schemas", len(schemas))
	}
	bin := install(t, read(t, root(t), "docs", "quickstart.md"))
	server := livetest.Start(t, livetest.Config{Binary: filepath.Join(bin, "intray")})
	for name, text := range schemas {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/schemas/", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Service-License-Key", livetest.BackendKey)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			t.Errorf("%s: status %d: %s", name, response.StatusCode, body)
		}
	}
}

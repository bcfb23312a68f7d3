package webui_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/httpapi"
)

var update = flag.Bool("update", false, "write down anew what the pages know of the API")

// document is what the review page's types are made of.
const document = "../../ui/src/api/openapi.json"

// TestPagesKnowTheAPI compares the part of the API that the review page calls
// with what its types were made of.
func TestPagesKnowTheAPI(t *testing.T) {
	want := reviewPart(t)
	if *update {
		if err := os.WriteFile(document, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the API has changed since the types of the pages were made; run\n\n\tgo test ./server/webui -run TestPagesKnowTheAPI -update && (cd ui && npm run api && npm run build)\n\n%s", diff)
	}
}

// reviewPart is the part of the service's own description that the review page
// calls, without the sentences: those may change and the types stay.
func reviewPart(t *testing.T) []byte {
	t.Helper()
	_, text := get(t, httpapi.New(httpapi.Config{}), "GET", "/openapi.json")
	var whole struct {
		OpenAPI    string                    `json:"openapi"`
		Paths      map[string]any            `json:"paths"`
		Components map[string]map[string]any `json:"components"`
	}
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	paths := map[string]any{}
	for path, operations := range whole.Paths {
		if strings.HasPrefix(path, "/api/review/") {
			paths[path] = wordless(operations)
		}
	}
	schemas := map[string]any{}
	collect(paths, whole.Components["schemas"], schemas)
	part := map[string]any{
		"openapi": whole.OpenAPI, "info": map[string]any{"title": "Intray", "version": "1"},
		"paths": paths, "components": map[string]any{"schemas": schemas},
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(part); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// collect puts each schema that node refers to into found.
func collect(node any, all, found map[string]any) {
	switch node := node.(type) {
	case map[string]any:
		ref, _ := node["$ref"].(string)
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		if _, seen := found[name]; ref != "" && !seen {
			found[name] = wordless(all[name])
			collect(found[name], all, found)
		}
		for _, inner := range node {
			collect(inner, all, found)
		}
	case []any:
		for _, inner := range node {
			collect(inner, all, found)
		}
	}
}

// wordless is node without its sentences and its security.
func wordless(node any) any {
	switch node := node.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range node {
			_, sentence := inner.(string)
			if sentence && (name == "description" || name == "summary") || name == "security" || name == "tags" {
				continue
			}
			out[name] = wordless(inner)
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range node {
			out = append(out, wordless(inner))
		}
		return out
	}
	return node
}

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

var update = flag.Bool("update", false, "rewrite the API description of the pages")

// document is the path of the API description from which the types of the
// pages are generated.
const document = "../../ui/src/api/openapi.json"

// The generated types of the pages must match the current API.
func TestPagesKnowTheAPI(t *testing.T) {
	want := pagePart(t)
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
		t.Errorf("the API has changed since the types of the pages were generated; run\n\n\tgo test ./server/webui -run TestPagesKnowTheAPI -update && (cd ui && npm run api && npm run build)\n\n%s", diff)
	}
}

// pagePart returns the part of the OpenAPI document with the operations that the pages
// call. It omits the descriptions, which do not affect the types.
func pagePart(t *testing.T) []byte {
	t.Helper()
	_, text := get(t, httpapi.New(httpapi.Config{}), "GET", "/openapi.json")
	var document struct {
		OpenAPI    string                    `json:"openapi"`
		Paths      map[string]any            `json:"paths"`
		Components map[string]map[string]any `json:"components"`
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	paths := map[string]any{}
	for path, operations := range document.Paths {
		if strings.HasPrefix(path, "/api/review/") || strings.HasPrefix(path, "/api/in/") || strings.HasPrefix(path, "/api/widget/v1/") {
			paths[path] = withoutDescriptions(operations)
		}
	}
	schemas := map[string]any{}
	collect(paths, document.Components["schemas"], schemas)
	part := map[string]any{
		"openapi": document.OpenAPI, "info": map[string]any{"title": "Intray", "version": "1"},
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

// collect adds each schema to which node refers, directly or indirectly, to the map found.
func collect(node any, all, found map[string]any) {
	switch node := node.(type) {
	case map[string]any:
		ref, _ := node["$ref"].(string)
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		if _, seen := found[name]; ref != "" && !seen {
			found[name] = withoutDescriptions(all[name])
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

// withoutDescriptions returns node without descriptions, tags and security.
func withoutDescriptions(node any) any {
	switch node := node.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range node {
			_, isText := inner.(string)
			if isText && (name == "description" || name == "summary") || name == "security" || name == "tags" {
				continue
			}
			out[name] = withoutDescriptions(inner)
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range node {
			out = append(out, withoutDescriptions(inner))
		}
		return out
	}
	return node
}

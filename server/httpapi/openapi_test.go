package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/webhooks"
)

func TestDocumentNamesTheOtherHeaders(t *testing.T) {
	for header, headers := range map[string][]string{
		"browser.": {"X-Key"}, "Also accepted in: X-Two, X-Three.": {"X-One", "X-Two", "X-Three"},
	} {
		a := New(Config{KeyHeaders: headers})
		scheme := a.securitySchemes()["backendKey"].(map[string]any)
		if text := scheme["description"].(string); !strings.HasSuffix(text, header) {
			t.Errorf("%v: %q", headers, text)
		}
	}
}

// describedAPI returns the decoded OpenAPI document.
func describedAPI(t *testing.T) map[string]any {
	t.Helper()
	text, err := New(Config{}).describe()
	check(t, err)
	var document map[string]any
	check(t, json.Unmarshal(text, &document))
	return document
}

// walk calls visit for each object inside a value, with its JSON pointer.
func walk(value any, at string, visit func(at string, object map[string]any)) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			walk(one, at+"/-", visit)
		}
	case map[string]any:
		visit(at, v)
		for name, one := range v {
			walk(one, at+"/"+name, visit)
		}
	}
}

// TestBodiesHaveExamples checks that the body of each request has an example that the server
// accepts.
func TestBodiesHaveExamples(t *testing.T) {
	for _, op := range operations() {
		if op.body == nil {
			continue
		}
		if op.body.Name == "" || op.body.Example == nil {
			t.Errorf("the body of %s has no name or no example", op.id)
			continue
		}
		text, err := encodeJSON(op.body.Example)
		check(t, err)
		var example any
		check(t, json.Unmarshal(text, &example))
		if issues := op.body.Validate(example); len(issues) > 0 {
			t.Errorf("the example of %s: %v", op.id, issues)
		}
	}
}

// TestDocumentSuitsGenerators checks the rules without which programs cannot generate clients.
func TestDocumentSuitsGenerators(t *testing.T) {
	document := describedAPI(t)
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	for name, schema := range schemas {
		if _, isList := schema.(map[string]any)["type"].([]any); isList {
			t.Errorf("the component %s may be null", name)
		}
	}
	walk(document, "", func(at string, object map[string]any) {
		if _, has := object["default"]; has && object["type"] != nil {
			t.Errorf("%s has a default, which generators treat as a required property", at)
		}
		if object["type"] == "array" && object["items"] == nil {
			t.Errorf("%s is an array without items", at)
		}
		if choices, _ := object["oneOf"].([]any); len(choices) > 2 && object["discriminator"] == nil {
			t.Errorf("%s has no discriminator", at)
		}
		properties, _ := object["properties"].(map[string]any)
		if properties != nil && !strings.HasPrefix(at, "/components/schemas/") && !strings.Contains(at, "multipart/form-data") {
			t.Errorf("%s is an object without a name", at)
		}
	})
}

// TestDocumentExplainsProperties checks that ids and parameters have a description, and times a format.
func TestDocumentExplainsProperties(t *testing.T) {
	walk(describedAPI(t), "", func(at string, object map[string]any) {
		properties, _ := object["properties"].(map[string]any)
		for name, one := range properties {
			property := one.(map[string]any)
			if property["description"] == nil && name == "id" {
				t.Errorf("%s: id has no description", at)
			}
			if isTime := strings.HasSuffix(name, "_date") || strings.HasSuffix(name, "_at"); isTime && property["format"] != "date-time" {
				t.Errorf("%s: %s has no format", at, name)
			}
		}
		if object["in"] != nil && object["name"] != nil && object["description"] == "" {
			t.Errorf("%s: the parameter %s has no description", at, object["name"])
		}
	})
}

// TestDocumentDescribesEvents checks that the document describes the messages about all events.
func TestDocumentDescribesEvents(t *testing.T) {
	described := slices.Sorted(maps.Keys(describedAPI(t)["webhooks"].(map[string]any)))
	want := webhooks.Events()
	slices.Sort(want)
	if diff := cmp.Diff(want, described); diff != "" {
		t.Error(diff)
	}
}

// TestTagsAreDescribed checks that the document describes each group of operations, and no other.
func TestTagsAreDescribed(t *testing.T) {
	used := map[string]bool{}
	for _, op := range operations() {
		used[op.tag()] = true
	}
	var described []string
	for _, tag := range tags {
		described = append(described, tag["name"])
		if tag["description"] == "" {
			t.Errorf("the tag %s has no description", tag["name"])
		}
	}
	slices.Sort(described)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(used)), described); diff != "" {
		t.Error(diff)
	}
}

// TestConvertSchema checks how each construct of OpenAPI 3.1 becomes one of 3.0.
func TestConvertSchema(t *testing.T) {
	for before, want := range map[string]string{
		`{"type":["string","null"],"enum":["a",null]}`:                             `{"type":"string","nullable":true,"enum":["a",null]}`,
		`{"type":"string","examples":["a","b"]}`:                                   `{"type":"string","example":"a"}`,
		`{"$ref":"#/components/schemas/A","description":"Here."}`:                  `{"$ref":"#/components/schemas/A"}`,
		`{"anyOf":[{"$ref":"#/components/schemas/A"},{"type":"null"}]}`:            `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/A"}]}`,
		`{"oneOf":[{"type":["array","null"],"items":{}},{"type":"string"}]}`:       `{"oneOf":[{"type":"array","nullable":true,"items":{}},{"type":"string"}]}`,
		`{"oneOf":[{"type":"string"},{"type":"object"},{"type":"null"}]}`:          `{"nullable":true,"oneOf":[{"type":"string"},{"type":"object"}]}`,
		`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object"}]}}`: `{"type":"array","items":{}}`,
		`{"type":"object","properties":{"examples":{"type":["integer","null"]}}}`:  `{"type":"object","properties":{"examples":{"type":"integer","nullable":true}}}`,
		`{"type":"object","additionalProperties":{"type":["string","null"]}}`:      `{"type":"object","additionalProperties":{"type":"string","nullable":true}}`,
		`{"type":"object","additionalProperties":false}`:                           `{"type":"object","additionalProperties":false}`,
	} {
		var from, to any
		check(t, json.Unmarshal([]byte(before), &from))
		check(t, json.Unmarshal([]byte(want), &to))
		if diff := cmp.Diff(to, convertSchema(from)); diff != "" {
			t.Errorf("%s: %s", before, diff)
		}
	}
}

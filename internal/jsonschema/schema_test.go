package jsonschema

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

func TestJSONSchema(t *testing.T) {
	s := &Schema{Kind: Object, Description: "A thing.", Properties: []Property{
		{"name", true, &Schema{Kind: String, MaxLength: 5, NoControl: true, Example: "x"}},
		{"mode", false, &Schema{Kind: String, Nullable: true, Enum: []string{"A"}, Default: "A"}},
		{"count", false, &Schema{Kind: Integer, Nullable: true, Min: Bound(1)}},
	}}
	want := map[string]any{
		"type": "object", "description": "A thing.", "additionalProperties": false, "required": []any{"name"},
		"properties": map[string]any{
			"name":  map[string]any{"type": "string", "maxLength": 5, "pattern": noControlPattern, "examples": []any{"x"}},
			"mode":  map[string]any{"type": []any{"string", "null"}, "enum": []any{"A", nil}, "default": "A"},
			"count": map[string]any{"type": []any{"integer", "null"}, "format": "int64", "minimum": int64(1)},
		},
	}
	if diff := cmp.Diff(want, s.JSONSchema()); diff != "" {
		t.Error(diff)
	}
}

// validator compiles the JSON Schema of s with an independent implementation.
func validator(t *testing.T, s *Schema) func(v any) error {
	t.Helper()
	text, err := json.Marshal(s.JSONSchema())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("shape.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("shape.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate
}

// plainJSON decodes a document with encoding/json, as the validator requires.
func plainJSON(document string) (v any, err error) {
	err = json.NewDecoder(strings.NewReader(document)).Decode(&v)
	return v, err
}

func TestCheckAgreesWithJSONSchema(t *testing.T) {
	validate := validator(t, sample())
	for _, tt := range checkCases() {
		v, err := plainJSON(tt.document)
		if err != nil {
			continue // encoding/json rejects 1e999
		}
		// In JSON Schema, a UUID is only a format, which does not affect validity.
		if err := validate(v); (err == nil) != (tt.want == "") && !strings.Contains(tt.want, "UUID") {
			t.Errorf("%s: Validate returns %q, JSON Schema %v", tt.document, tt.want, err)
		}
	}
}

func TestRandomDocumentsAgree(t *testing.T) {
	validate := validator(t, sample())
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOfN(rapid.SampledFrom([]string{"mode", "type", "rules", "counts", "tags", "on", "any"}),
			anyJSON(3), 0, 4).Draw(t, "document")
		m["name"] = "x"
		issues, err := sample().Validate(m), validate(m)
		if (len(issues) == 0) != (err == nil) {
			t.Fatalf("%v: Validate returns %v, JSON Schema %v", m, issues, err)
		}
	})
}

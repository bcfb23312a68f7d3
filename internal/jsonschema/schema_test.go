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

// TestComponents checks references to named schemas, which carry what differs between their uses.
func TestComponents(t *testing.T) {
	part := func(role string, isNullable bool) *Schema {
		return &Schema{Kind: Object, Name: "Part", Description: "A part.", Role: role, Nullable: isNullable, Properties: []Property{{"n", true, text(Integer)}}}
	}
	mode := &Schema{Kind: String, Name: "Mode", Enum: []string{"A"}, Default: "A"}
	answer := &Schema{Kind: Object, Properties: []Property{{"first", true, part("The first.", false)}, {"last", true, part("", true)}, {"mode", false, mode}, {"n", false, &Schema{Kind: Integer, Description: "A number.", Default: 1}}}}
	c := NewComponents()
	want := map[string]any{"type": "object", "required": []any{"first", "last"}, "properties": map[string]any{
		"first": map[string]any{"$ref": "#/components/schemas/Part", "description": "The first."},
		"last":  map[string]any{"anyOf": []any{map[string]any{"$ref": "#/components/schemas/Part"}, map[string]any{"type": "null"}}},
		"mode":  map[string]any{"$ref": "#/components/schemas/Mode", "description": `Default: "A".`},
		"n":     map[string]any{"type": "integer", "format": "int64", "description": "A number. Default: 1."},
	}}
	if diff := cmp.Diff(want, c.Describe(answer)); diff != "" {
		t.Error(diff)
	}
	c.Closed = true
	draft := c.Describe(&Schema{Kind: Object, Name: "Draft", Properties: []Property{{"part", false, part("", false)}}})
	if diff := cmp.Diff(map[string]any{"$ref": "#/components/schemas/Draft"}, draft); diff != "" {
		t.Error(diff)
	}
	wantSchemas := map[string]any{
		"Part":  map[string]any{"type": "object", "description": "A part.", "required": []any{"n"}, "properties": map[string]any{"n": map[string]any{"type": "integer", "format": "int64"}}},
		"Mode":  map[string]any{"type": "string", "enum": []any{"A"}},
		"Draft": map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{"part": map[string]any{"$ref": "#/components/schemas/Part"}}},
	}
	if diff := cmp.Diff(wantSchemas, c.Schemas()); diff != "" {
		t.Error(diff)
	}
}

// TestComponentsRefuseAnotherSchema checks that a name belongs to one schema.
func TestComponentsRefuseAnotherSchema(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two schemas have one name")
		}
	}()
	c := NewComponents()
	c.Describe(&Schema{Kind: Object, Name: "Part"})
	c.Describe(&Schema{Kind: Object, Name: "Part", Description: "Another."})
}

// TestChoices checks that objects get a discriminator, and that tuples become an array.
func TestChoices(t *testing.T) {
	rule := func(name string) *Schema {
		return &Schema{Kind: Object, Name: name, Properties: []Property{{"rule", true, &Schema{Kind: String, Enum: []string{strings.ToLower(name)}}}}}
	}
	options := func(name string) *Schema { return &Schema{Kind: Object, Name: name} }
	preset := &Schema{Kind: String, Name: "Preset", Enum: []string{"p"}}
	c := NewComponents()
	ref := func(name string) any { return map[string]any{"$ref": "#/components/schemas/" + name} }
	want := map[string]any{
		"oneOf":         []any{ref("First"), ref("Second")},
		"discriminator": map[string]any{"propertyName": "rule", "mapping": map[string]any{"first": "#/components/schemas/First", "second": "#/components/schemas/Second"}},
	}
	if diff := cmp.Diff(want, c.Describe(&Schema{Kind: OneOf, Choices: []*Schema{rule("First"), rule("Second")}})); diff != "" {
		t.Error(diff)
	}
	names := &Schema{Kind: String, Name: "Name", Enum: []string{"a", "b", "c"}}
	want = map[string]any{"oneOf": []any{ref("Name"), map[string]any{
		"type": "array", "minItems": 2, "maxItems": 2, "items": map[string]any{"anyOf": []any{ref("Name"), ref("One"), ref("Preset"), ref("Two")}},
	}}}
	got := c.Describe(&Schema{Kind: OneOf, Choices: []*Schema{
		names, pair("a", options("One")), pair("b", &Schema{Kind: OneOf, Choices: []*Schema{preset, options("Two")}}), pair("c", options("One")),
	}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
)

// TestShapeOf checks the schema of a struct that has a field of each supported type.
func TestShapeOf(t *testing.T) {
	type inner struct {
		_ struct{} `doc:"An inner object."`
		N int      `json:"n"`
	}
	type outer struct {
		_ struct{} `name:"Outer" doc:"An outer object."`
		wire.Reason
		ID      string            `json:"id" schema:"uuid"`
		Made    *string           `json:"made" schema:"time" doc:"When it was made."`
		Level   string            `json:"level,omitempty" schema:"level"`
		Score   float64           `json:"score" doc:"From 0 to 1."`
		Done    *bool             `json:"done,omitempty"`
		Inner   *inner            `json:"inner" doc:"The part inside."`
		Link    string            `json:"link" schema:"uri"`
		List    []inner           `json:"list,omitzero" doc:"All of them."`
		Names   []string          `json:"names" schema:"nullable"`
		Kinds   []string          `json:"kinds" schema:"learned_kind"`
		Texts   map[string]string `json:"texts"`
		Any     map[string]any    `json:"any"`
		Message intray.Message    `json:"message"`
	}
	innerShape := namedType("inner", "An inner object.", required("n", countType("")))
	innerInside := *innerShape
	innerInside.Role = "The part inside."
	want := namedType("Outer", "An outer object.",
		required("reason", stringType("The reason in English. May be empty.")), optional("reasonCode", stringType(codeDoc)), optional("reasonParams", paramsShape()),
		required("id", uuidType("")),
		required("made", nullable(&jsonschema.Schema{Kind: jsonschema.String, Format: "date-time", Description: "When it was made. ISO 8601 in UTC with microseconds.", Example: "2026-11-21T09:30:00.000000Z"})),
		optional("level", &jsonschema.Schema{Kind: jsonschema.String, Name: "Level", Enum: []string{"error", "warning", "info"}}),
		required("score", &jsonschema.Schema{Kind: jsonschema.Number, Description: "From 0 to 1."}),
		optional("done", boolType("")),
		required("inner", nullable(&innerInside)),
		required("link", uriType("")),
		optional("list", arrayType(innerShape, "All of them.")),
		required("names", nullable(arrayType(stringType(""), ""))),
		required("kinds", arrayType(enumType("", "column", "value"), "")),
		required("texts", mapType(stringType(""), "")),
		required("any", mapType(nil, "")),
		required("message", messageShape()),
	)
	if diff := cmp.Diff(want, shapeOf[outer]()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(arrayType(want, ""), shapeOf[[]outer]()); diff != "" {
		t.Error(diff)
	}
}

// TestPagesAreNamedAfterTheirElements checks the names of the schemas of lists.
func TestPagesAreNamedAfterTheirElements(t *testing.T) {
	for want, shape := range map[string]*jsonschema.Schema{
		"ImportPage": shapeOf[wire.Page[wire.ImportSummary]](), "SftpCredentialPage": shapeOf[wire.Page[wire.Credential]](), "ReceiptPage": shapeOf[wire.Page[wire.Receipt]](),
	} {
		if shape.Name != want {
			t.Errorf("the name is %s, want %s", shape.Name, want)
		}
	}
}

// TestShapeOfRefuses checks that shapeOf panics if a tag is unknown or a type has no schema.
func TestShapeOfRefuses(t *testing.T) {
	for name, shape := range map[string]func(){
		"an unknown name": func() {
			shapeOf[struct {
				X string `json:"x" schema:"odd"`
			}]()
		},
		"a channel": func() { shapeOf[chan int]() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s has a schema", name)
				}
			}()
			shape()
		}()
	}
}

// TestShapesFitTheirZeroValues checks that schemas accept the JSON of values whose optional
// fields are zero, which has the fewest properties.
func TestShapesFitTheirZeroValues(t *testing.T) {
	for _, c := range []struct {
		value any
		shape *jsonschema.Schema
	}{
		{wire.Notice{Type: "EMPTY_FILE", Level: "error"}, shapeOf[wire.Notice]()},
		{wire.ReviewCell{}, shapeOf[wire.ReviewCell]()},
		{wire.FieldSource{}, shapeOf[wire.FieldSource]()},
		{wire.Choice{Alternative: wire.Alternative{Examples: []string{}}}, shapeOf[wire.Choice]()},
		{wire.ReviewNext{}, shapeOf[wire.ReviewNext]()},
		{wire.Page[wire.Credential]{Results: []wire.Credential{}}, shapeOf[wire.Page[wire.Credential]]()},
	} {
		text, err := encodeJSON(c.value)
		check(t, err)
		var doc any
		check(t, json.Unmarshal(text, &doc))
		if issues := c.shape.Validate(doc); len(issues) > 0 {
			t.Errorf("%s: %v", text, issues)
		}
	}
}

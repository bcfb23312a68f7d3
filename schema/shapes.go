package schema

import "github.com/intraydata/intray/internal/jsonschema"

// The limits of a schema.
const (
	// MaxFields is the most fields that a schema may have.
	MaxFields = 2000
	// MaxExpressions is the most different regular expressions that a schema may
	// have.
	MaxExpressions = 200
	// MaxKeyBytes is the most bytes that a field's key may have.
	MaxKeyBytes = 255
	// MaxHooks is the most functions in each list of hooks.
	MaxHooks = 100
	// MaxHookBytes is the most bytes that one hook may have: 1 MiB.
	MaxHookBytes = 1 << 20
)

// FileShape is a schema in a file of its own: a saved schema, of which only
// the fields must be there. It may keep the id that the service gave it.
func FileShape() *jsonschema.Schema {
	name := nameShape("The schema's name, unique in the organization.")
	name.MinLength = 1
	return objectShape("An import schema in a file.",
		optional("name", name),
		required("fields", FieldsShape()),
		optional("settings", SettingsShape()),
		optional("hooks", HooksShape()),
		optional("id", newShape(jsonschema.String, "The id of the saved schema. It is ignored.")),
	)
}

// The tables below are written with these words.

func required(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Schema: s}
}

func objectShape(doc string, props ...jsonschema.Property) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Object, Description: doc, Properties: props}
}

func newShape(kind jsonschema.Kind, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: kind, Description: doc}
}

func boolShape(doc string, standard bool) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Bool, Description: doc, Default: standard}
}

// nameShape is a string that names something: no control characters, at most 255
// characters.
func nameShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, MaxLength: 255, NoControl: true}
}

func enumShape(doc string, names ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, Enum: names}
}

func listShape(doc string, elem *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Array, Description: doc, Elem: elem}
}

func stringListShape(doc string) *jsonschema.Schema {
	return listShape(doc, newShape(jsonschema.String, ""))
}

func integerShape(doc string, least int64) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Integer, Description: doc, Min: jsonschema.Bound(least)}
}

func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	s.Nullable = true
	return s
}

func withDefault(s *jsonschema.Schema, value any) *jsonschema.Schema {
	s.Default = value
	return s
}

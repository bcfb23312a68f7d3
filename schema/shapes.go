package schema

import "github.com/intraydata/intray/internal/jsonschema"

// These are the limits of a schema.
const (
	// MaxFields is the maximum number of fields in a schema.
	MaxFields = 2000
	// MaxExpressions is the maximum number of distinct regular expressions in a schema.
	MaxExpressions = 200
	// MaxKeyBytes is the maximum length of a field's key in bytes.
	MaxKeyBytes = 255
	// maxText is the maximum number of characters of labels, of values of options and of
	// messages.
	maxText = 4096
	// MaxHooks is the maximum number of functions in each list of hooks.
	MaxHooks = 100
	// MaxHookBytes is the maximum size of a hook in bytes: 1 MiB.
	MaxHookBytes = 1 << 20
)

// FileShape returns the shape of a schema file. It is the shape of a saved schema,
// including its optional id, but only the fields are required.
func FileShape() *jsonschema.Schema {
	name := nameShape("The schema's name, unique in the organization.")
	name.MinLength = 1
	return objectShape("An import schema in a file.",
		optional("name", name),
		required("fields", FieldsShape()),
		optional("settings", SettingsShape()),
		optional("hooks", HooksShape()),
		optional("extensions", ExtensionsShape()),
		optional("id", newShape(jsonschema.String, "The id of the saved schema. It is ignored.")),
	)
}

// The following functions build shapes.

func required(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Schema: s}
}

func objectShape(doc string, props ...jsonschema.Property) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Object, Description: doc, Properties: props}
}

// named sets the name of a shape in the OpenAPI document and returns the shape.
func named(name string, s *jsonschema.Schema) *jsonschema.Schema {
	s.Name = name
	return s
}

// withRole sets the meaning of a shape with a name where it is used, and returns the shape.
func withRole(role string, s *jsonschema.Schema) *jsonschema.Schema {
	s.Role = role
	return s
}

func newShape(kind jsonschema.Kind, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: kind, Description: doc}
}

func boolShape(doc string, standard bool) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Bool, Description: doc, Default: standard}
}

// nameShape returns the shape of a name, which has at most 255 characters and no control
// characters.
func nameShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, MaxLength: 255, NoControl: true}
}

// textShape returns the shape of a text that the result or the problems of many rows can contain.
// It has at most 4,096 characters, because a long one would multiply the size of a file.
func textShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, MaxLength: maxText}
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

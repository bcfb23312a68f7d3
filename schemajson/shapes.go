package schemajson

import "github.com/intraydata/intray/internal/shape"

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
func FileShape() *shape.Schema {
	name := nameShape("The schema's name, unique in the organization.")
	name.MinLength = 1
	return objectShape("An import schema in a file.",
		optional("name", name),
		required("fields", FieldsShape()),
		optional("settings", SettingsShape()),
		optional("hooks", HooksShape()),
		optional("id", newShape(shape.String, "The id of the saved schema. It is ignored.")),
	)
}

// The tables below are written with these words.

func required(name string, s *shape.Schema) shape.Property {
	return shape.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *shape.Schema) shape.Property {
	return shape.Property{Name: name, Schema: s}
}

func objectShape(doc string, props ...shape.Property) *shape.Schema {
	return &shape.Schema{Kind: shape.Object, Description: doc, Properties: props}
}

func newShape(kind shape.Kind, doc string) *shape.Schema {
	return &shape.Schema{Kind: kind, Description: doc}
}

func boolShape(doc string, standard bool) *shape.Schema {
	return &shape.Schema{Kind: shape.Bool, Description: doc, Default: standard}
}

// nameShape is a string that names something: no control characters, at most 255
// characters.
func nameShape(doc string) *shape.Schema {
	return &shape.Schema{Kind: shape.String, Description: doc, MaxLength: 255, NoControl: true}
}

func enumShape(doc string, names ...string) *shape.Schema {
	return &shape.Schema{Kind: shape.String, Description: doc, Enum: names}
}

func listShape(doc string, elem *shape.Schema) *shape.Schema {
	return &shape.Schema{Kind: shape.Array, Description: doc, Elem: elem}
}

func stringListShape(doc string) *shape.Schema { return listShape(doc, newShape(shape.String, "")) }

func integerShape(doc string, least int64) *shape.Schema {
	return &shape.Schema{Kind: shape.Integer, Description: doc, Min: shape.Bound(least)}
}

func nullable(s *shape.Schema) *shape.Schema {
	s.Nullable = true
	return s
}

func withDefault(s *shape.Schema, value any) *shape.Schema {
	s.Default = value
	return s
}

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
func FileShape() *shape.Shape {
	name := words("The schema's name, unique in the organization.")
	name.MinLength = 1
	return object("An import schema in a file.",
		optional("name", name),
		required("fields", FieldsShape()),
		optional("settings", SettingsShape()),
		optional("hooks", HooksShape()),
		optional("id", kindOf(shape.String, "The id of the saved schema. It is ignored.")),
	)
}

// The tables below are written with these words.

func required(name string, s *shape.Shape) shape.Prop {
	return shape.Prop{Name: name, Required: true, Shape: s}
}

func optional(name string, s *shape.Shape) shape.Prop {
	return shape.Prop{Name: name, Shape: s}
}

func object(doc string, props ...shape.Prop) *shape.Shape {
	return &shape.Shape{Kind: shape.Object, Doc: doc, Props: props}
}

func kindOf(kind shape.Kind, doc string) *shape.Shape {
	return &shape.Shape{Kind: kind, Doc: doc}
}

func flag(doc string, standard bool) *shape.Shape {
	return &shape.Shape{Kind: shape.Bool, Doc: doc, Default: standard}
}

// words is a string that names something: no control characters, at most 255
// characters.
func words(doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Doc: doc, MaxLength: 255, NoControl: true}
}

func oneOf(doc string, names ...string) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Doc: doc, Enum: names}
}

func listOf(doc string, elem *shape.Shape) *shape.Shape {
	return &shape.Shape{Kind: shape.Array, Doc: doc, Elem: elem}
}

func texts(doc string) *shape.Shape { return listOf(doc, kindOf(shape.String, "")) }

func whole(doc string, least int64) *shape.Shape {
	return &shape.Shape{Kind: shape.Integer, Doc: doc, Min: shape.Bound(least)}
}

func orNull(s *shape.Shape) *shape.Shape {
	s.Nullable = true
	return s
}

func byDefault(s *shape.Shape, value any) *shape.Shape {
	s.Default = value
	return s
}

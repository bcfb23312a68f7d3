package jsonschema

import (
	"slices"
)

// Kind is what sort of value a [Schema] allows.
type Kind uint8

// The kinds.
const (
	// Any allows every value, null too.
	Any Kind = iota
	String
	Bool
	// Integer allows whole numbers of 64 bits, however they are written: 5,
	// 5.0 and 1e3 are integers, 5.5 and 1e30 are not.
	Integer
	// Number allows what a double-precision number can hold.
	Number
	// Object allows objects with the properties of Props and no others.
	Object
	// Map allows objects with any property names; each value has shape Elem.
	Map
	// Array allows arrays; each element has shape Elem.
	Array
	// Tuple allows arrays with exactly one element for each of Items.
	Tuple
	// OneOf allows what one of Choices allows.
	OneOf
)

// Schema says which values are allowed. It is built as a plain value and not
// changed afterwards; fields that do not concern its Kind stay zero.
type Schema struct {
	Kind Kind
	// Description says what the value means, in plain sentences.
	Description string
	// Nullable allows null beside the kind.
	Nullable bool
	// Default is what a missing value means. It is only told, never filled in.
	Default any
	// Example is one allowed value, for readers.
	Example any

	// Enum lists the only strings allowed.
	Enum []string
	// MinLength and MaxLength bound a string in code points. 0 means no bound.
	MinLength, MaxLength int
	// NoControl refuses control characters (U+0000 to U+001F and U+007F) in a
	// string. Names, addresses and identifiers need it: they end in headers,
	// logs and file names.
	NoControl bool
	// Format is "uuid" or "".
	Format string

	// Min and Max bound a number, both inclusive. nil means no bound.
	Min, Max *int64

	// Properties are the properties of an Object, in the order in which they are
	// checked.
	Properties []Property
	// Elem is the shape of the elements of an Array or of the values of a
	// Map. nil means Any.
	Elem *Schema
	// MinItems and MaxItems bound an Array. 0 means no bound.
	MinItems, MaxItems int
	// Items are the elements of a Tuple.
	Items []*Schema
	// Choices are the alternatives of a OneOf. Choices of different JSON
	// types are told apart by that type. Objects are told apart by their first
	// property and tuples by their first element, which must be a string with
	// an Enum in each of them.
	Choices []*Schema
}

// Property is one property of an object.
type Property struct {
	Name     string
	Required bool
	Schema   *Schema
}

// Bound is a value for [Schema].Min and Max.
func Bound(n int64) *int64 { return &n }

// Property gives the shape of the property with this name, or nil.
func (s *Schema) Property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// jsonType is the JSON type of the kind; Any and OneOf have none.
func (k Kind) jsonType() string {
	switch k {
	case String:
		return "string"
	case Bool:
		return "boolean"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Object, Map:
		return "object"
	case Array, Tuple:
		return "array"
	}
	return ""
}

// noControlPattern allows what NoControl allows.
const noControlPattern = `^[^\x00-\x1f\x7f]*$`

// JSONSchema writes the shape as a JSON Schema of draft 2020-12, as OpenAPI 3.1
// uses it. It allows what Check allows, but for the bounds of 64-bit integers,
// which it tells as a format. The result is new and belongs to the caller.
func (s *Schema) JSONSchema() map[string]any {
	m := map[string]any{}
	s.writeType(m)
	s.writeString(m)
	s.writeNumber(m)
	s.writeItems(m)
	s.writeObject(m)
	s.writeAnnotations(m)
	return m
}

func (s *Schema) writeType(m map[string]any) {
	name := s.Kind.jsonType()
	switch {
	case s.Kind == OneOf:
		m["oneOf"] = s.choiceSchemas()
	case name == "":
	case s.Nullable:
		m["type"] = []any{name, "null"}
	default:
		m["type"] = name
	}
}

func (s *Schema) choiceSchemas() []any {
	list := jsonSchemas(s.Choices)
	if s.Nullable {
		list = append(list, map[string]any{"type": "null"})
	}
	return list
}

func jsonSchemas(shapes []*Schema) []any {
	list := make([]any, 0, len(shapes)+1)
	for _, c := range shapes {
		list = append(list, c.JSONSchema())
	}
	return list
}

func (s *Schema) writeString(m map[string]any) {
	if len(s.Enum) > 0 {
		m["enum"] = s.enumValues()
	}
	setPositive(m, "minLength", s.MinLength)
	setPositive(m, "maxLength", s.MaxLength)
	if s.NoControl {
		m["pattern"] = noControlPattern
	}
	if s.Format != "" {
		m["format"] = s.Format
	}
}

func (s *Schema) enumValues() []any {
	list := make([]any, 0, len(s.Enum)+1)
	for _, e := range s.Enum {
		list = append(list, e)
	}
	if s.Nullable {
		list = append(list, nil)
	}
	return list
}

func (s *Schema) writeNumber(m map[string]any) {
	if s.Kind == Integer {
		m["format"] = "int64"
	}
	if s.Min != nil {
		m["minimum"] = *s.Min
	}
	if s.Max != nil {
		m["maximum"] = *s.Max
	}
}

func (s *Schema) writeItems(m map[string]any) {
	setPositive(m, "minItems", s.MinItems)
	setPositive(m, "maxItems", s.MaxItems)
	switch s.Kind {
	case Array:
		m["items"] = s.elemOrAny().JSONSchema()
	case Tuple:
		m["prefixItems"] = jsonSchemas(s.Items)
		m["minItems"], m["maxItems"] = len(s.Items), len(s.Items)
	}
}

func (s *Schema) writeObject(m map[string]any) {
	switch s.Kind {
	case Map:
		m["additionalProperties"] = s.elemOrAny().JSONSchema()
	case Object:
		props, required := map[string]any{}, []any{}
		for _, p := range s.Properties {
			props[p.Name] = p.Schema.JSONSchema()
			if p.Required {
				required = append(required, p.Name)
			}
		}
		m["properties"], m["additionalProperties"] = props, false
		if len(required) > 0 {
			m["required"] = required
		}
	}
}

func (s *Schema) writeAnnotations(m map[string]any) {
	if s.Description != "" {
		m["description"] = s.Description
	}
	if s.Default != nil {
		m["default"] = s.Default
	}
	if s.Example != nil {
		m["examples"] = []any{s.Example}
	}
}

// elemOrAny is the shape of elements and map values.
func (s *Schema) elemOrAny() *Schema {
	if s.Elem == nil {
		return &Schema{}
	}
	return s.Elem
}

func setPositive(m map[string]any, name string, n int) {
	if n > 0 {
		m[name] = n
	}
}

func mergedEnum(choices []*Schema) []string {
	var all []string
	for _, c := range choices {
		for _, e := range c.discriminator().Enum {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

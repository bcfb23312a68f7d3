// Package jsonschema decodes JSON documents strictly, validates them, and exports the validation
// rules in JSON Schema format.
//
//   - A document is a JSON value as [Decode] returns it: nil, bool, string, json.Number,
//     []any or map[string]any.
//   - A [Scanner] reads a document by the same rules without storing it.
//   - A [Schema] describes the valid documents. Objects are closed: a property that is not
//     listed is invalid.
//   - An [Issue] is one problem in a document: its location, and a message that states the
//     rule.
//
// The package does not interpret documents, set defaults or change values. Callers check
// rules that concern several properties.
package jsonschema

// Kind is the kind of value that a [Schema] allows.
type Kind uint8

// These are the kinds of values.
const (
	// Any allows every value, including null.
	Any Kind = iota
	String
	Bool
	// Integer allows 64-bit integers in any notation. For example, 5, 5.0 and 1e3 are
	// integers, but 5.5 and 1e30 are not.
	Integer
	// Number allows numbers within the range of a double.
	Number
	// Object allows objects whose properties are all listed in Properties.
	Object
	// Map allows objects that have any property names and values that match Elem.
	Map
	// Array allows arrays whose elements match Elem.
	Array
	// Tuple allows arrays with one element for each of Items.
	Tuple
	// OneOf allows values that match one of Choices.
	OneOf
)

// Schema describes the valid values. It must not be changed after its first use. Fields that
// do not apply to its Kind are zero.
type Schema struct {
	Kind Kind
	// Description is the meaning of the value, in full sentences.
	Description string
	// Nullable also allows null.
	Nullable bool
	// Default is the value that applies if the value is missing. It is only documentation:
	// Validate does not set it.
	Default any
	// Example is a valid value for the documentation.
	Example any

	// Enum lists the valid strings.
	Enum []string
	// MinLength and MaxLength limit a string, in code points. 0 means no limit.
	MinLength, MaxLength int
	// NoControl forbids control characters (U+0000 to U+001F and U+007F) in a string. Set it for
	// names, URLs and identifiers, because they appear in headers, logs and file names.
	NoControl bool
	// Format is "uuid" or "".
	Format string

	// Min and Max limit a number, both inclusive. nil means no limit.
	Min, Max *int64

	// Properties are the properties of an Object, in the order of validation.
	Properties []Property
	// Elem is the schema of the elements of an Array or of the values of a Map. nil means Any.
	Elem *Schema
	// MinItems and MaxItems limit the length of an Array. 0 means no limit.
	MinItems, MaxItems int
	// Items are the schemas of the elements of a Tuple.
	Items []*Schema
	// Choices are the alternatives of a OneOf. The JSON type of a value selects among choices of
	// different types. The first property selects among objects, and the first element selects
	// among tuples. In every such choice, that property or element must be a string with an Enum.
	Choices []*Schema
}

// Property is one property of an object.
type Property struct {
	Name     string
	Required bool
	Schema   *Schema
}

// Bound returns a pointer to n for the fields Min and Max of a [Schema].
func Bound(n int64) *int64 { return &n }

// Property returns the schema of the property with the given name, or nil.
func (s *Schema) Property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// jsonType returns the JSON type of the kind, or "" for Any and OneOf.
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

// noControlPattern matches the strings that NoControl allows.
const noControlPattern = `^[^\x00-\x1f\x7f]*$`

// JSONSchema returns the schema as JSON Schema, draft 2020-12, for OpenAPI 3.1. It allows
// the same documents as Validate, except that it expresses the range of 64-bit integers
// only as a format. The caller may change the result.
func (s *Schema) JSONSchema() map[string]any {
	m := map[string]any{}
	name := s.Kind.jsonType()
	switch {
	case s.Kind == OneOf:
		list := jsonSchemas(s.Choices)
		if s.Nullable {
			list = append(list, map[string]any{"type": "null"})
		}
		m["oneOf"] = list
	case name == "":
	case s.Nullable:
		m["type"] = []any{name, "null"}
	default:
		m["type"] = name
	}
	s.writeString(m)
	if s.Kind == Integer {
		m["format"] = "int64"
	}
	if s.Min != nil {
		m["minimum"] = *s.Min
	}
	if s.Max != nil {
		m["maximum"] = *s.Max
	}
	setPositive(m, "minItems", s.MinItems)
	setPositive(m, "maxItems", s.MaxItems)
	switch s.Kind {
	case Array:
		m["items"] = s.elemOrAny().JSONSchema()
	case Tuple:
		m["prefixItems"] = jsonSchemas(s.Items)
		m["minItems"], m["maxItems"] = len(s.Items), len(s.Items)
	}
	s.writeObject(m)
	if s.Description != "" {
		m["description"] = s.Description
	}
	if s.Default != nil {
		m["default"] = s.Default
	}
	if s.Example != nil {
		m["examples"] = []any{s.Example}
	}
	return m
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
		list := make([]any, 0, len(s.Enum)+1)
		for _, e := range s.Enum {
			list = append(list, e)
		}
		if s.Nullable {
			list = append(list, nil)
		}
		m["enum"] = list
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

// elemOrAny returns the schema of elements and map values.
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

package shape

import (
	"slices"
)

// Kind is what sort of value a [Shape] allows.
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

// Shape says which values are allowed. It is built as a plain value and not
// changed afterwards; fields that do not concern its Kind stay zero.
type Shape struct {
	Kind Kind
	// Doc says what the value means, in plain sentences.
	Doc string
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

	// Props are the properties of an Object, in the order in which they are
	// checked.
	Props []Prop
	// Elem is the shape of the elements of an Array or of the values of a
	// Map. nil means Any.
	Elem *Shape
	// MinItems and MaxItems bound an Array. 0 means no bound.
	MinItems, MaxItems int
	// Items are the elements of a Tuple.
	Items []*Shape
	// Choices are the alternatives of a OneOf. Choices of different JSON
	// types are told apart by that type. Objects are told apart by their first
	// property and tuples by their first element, which must be a string with
	// an Enum in each of them.
	Choices []*Shape
}

// Prop is one property of an object.
type Prop struct {
	Name     string
	Required bool
	Shape    *Shape
}

// Bound is a value for [Shape].Min and Max.
func Bound(n int64) *int64 { return &n }

// Prop gives the shape of the property with this name, or nil.
func (s *Shape) Prop(name string) *Shape {
	for _, p := range s.Props {
		if p.Name == name {
			return p.Shape
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
func (s *Shape) JSONSchema() map[string]any {
	m := map[string]any{}
	s.writeType(m)
	s.writeString(m)
	s.writeNumber(m)
	s.writeItems(m)
	s.writeObject(m)
	s.writeWords(m)
	return m
}

func (s *Shape) writeType(m map[string]any) {
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

func (s *Shape) choiceSchemas() []any {
	list := schemas(s.Choices)
	if s.Nullable {
		list = append(list, map[string]any{"type": "null"})
	}
	return list
}

func schemas(shapes []*Shape) []any {
	list := make([]any, 0, len(shapes)+1)
	for _, c := range shapes {
		list = append(list, c.JSONSchema())
	}
	return list
}

func (s *Shape) writeString(m map[string]any) {
	if len(s.Enum) > 0 {
		m["enum"] = s.enumValues()
	}
	putAbove(m, "minLength", s.MinLength)
	putAbove(m, "maxLength", s.MaxLength)
	if s.NoControl {
		m["pattern"] = noControlPattern
	}
	if s.Format != "" {
		m["format"] = s.Format
	}
}

func (s *Shape) enumValues() []any {
	list := make([]any, 0, len(s.Enum)+1)
	for _, e := range s.Enum {
		list = append(list, e)
	}
	if s.Nullable {
		list = append(list, nil)
	}
	return list
}

func (s *Shape) writeNumber(m map[string]any) {
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

func (s *Shape) writeItems(m map[string]any) {
	putAbove(m, "minItems", s.MinItems)
	putAbove(m, "maxItems", s.MaxItems)
	switch s.Kind {
	case Array:
		m["items"] = s.elem().JSONSchema()
	case Tuple:
		m["prefixItems"] = schemas(s.Items)
		m["minItems"], m["maxItems"] = len(s.Items), len(s.Items)
	}
}

func (s *Shape) writeObject(m map[string]any) {
	switch s.Kind {
	case Map:
		m["additionalProperties"] = s.elem().JSONSchema()
	case Object:
		props, required := map[string]any{}, []any{}
		for _, p := range s.Props {
			props[p.Name] = p.Shape.JSONSchema()
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

func (s *Shape) writeWords(m map[string]any) {
	if s.Doc != "" {
		m["description"] = s.Doc
	}
	if s.Default != nil {
		m["default"] = s.Default
	}
	if s.Example != nil {
		m["examples"] = []any{s.Example}
	}
}

// elem is the shape of elements and map values.
func (s *Shape) elem() *Shape {
	if s.Elem == nil {
		return &Shape{}
	}
	return s.Elem
}

func putAbove(m map[string]any, name string, n int) {
	if n > 0 {
		m[name] = n
	}
}

func enumOf(choices []*Shape) []string {
	var all []string
	for _, c := range choices {
		for _, e := range c.tag().Enum {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

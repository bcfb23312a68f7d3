package shape

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

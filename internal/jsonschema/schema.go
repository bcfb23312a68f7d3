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
	// Name is the name of the schema in an OpenAPI document. "" means that the document repeats
	// the schema wherever it occurs.
	Name string
	// Description is the meaning of the value, in full sentences.
	Description string
	// Role is the meaning of the value where a schema with a Name is used, in addition to its
	// Description.
	Role string
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
	// Format is "uuid", "date-time", "uri" or "". Validate checks only "uuid".
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

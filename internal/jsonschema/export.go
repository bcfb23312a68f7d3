package jsonschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// JSONSchema returns the schema as JSON Schema, draft 2020-12, without references. It allows
// the same documents as Validate, except that it expresses the range of 64-bit integers
// only as a format. The caller may change the result.
func (s *Schema) JSONSchema() map[string]any {
	var inline *Components
	return inline.describe(s, s.Nullable, s.Description)
}

// Components collects the schemas of an OpenAPI 3.1 document that have a name. The document
// refers to them instead of repeating them.
type Components struct {
	// Closed forbids unlisted properties in the objects that are described from now on. It does
	// not affect schemas with a name that have been described before.
	Closed bool

	used    map[string]*Schema
	schemas map[string]any
}

// NewComponents returns an empty collection.
func NewComponents() *Components {
	return &Components{used: map[string]*Schema{}, schemas: map[string]any{}}
}

// Schemas returns the collected schemas by name.
func (c *Components) Schemas() map[string]any { return c.schemas }

// Describe returns the schema for an OpenAPI 3.1 document: a reference if it has a name. It panics
// if another schema has the same name.
//
// The result allows all documents that Validate allows, and some more, because programs that
// generate clients need a simpler schema: tuples among the choices of a OneOf are arrays of any of
// their elements, and objects allow other properties unless Closed is set. Defaults are part of the
// description.
func (c *Components) Describe(s *Schema) map[string]any {
	if s.Name == "" {
		return c.describe(s, s.Nullable, s.text(s.Description))
	}
	c.add(s)
	m := map[string]any{"$ref": reference(s.Name)}
	if s.Nullable {
		m = map[string]any{"anyOf": []any{m, map[string]any{"type": "null"}}}
	}
	if text := s.text(s.Role); text != "" {
		m["description"] = text
	}
	return m
}

func reference(name string) string { return "#/components/schemas/" + name }

// add collects a schema with a name.
func (c *Components) add(s *Schema) {
	itself := *s
	itself.Nullable, itself.Role, itself.Default = false, "", nil
	if used := c.used[s.Name]; used != nil {
		if !reflect.DeepEqual(used, &itself) {
			panic(fmt.Sprintf("jsonschema: two schemas have the name %s", s.Name))
		}
		return
	}
	c.used[s.Name] = &itself
	c.schemas[s.Name] = c.describe(&itself, false, s.Description)
}

// text returns a description, followed by the default.
func (s *Schema) text(description string) string {
	if s.Default == nil {
		return description
	}
	value, err := json.Marshal(s.Default)
	if err != nil {
		panic(fmt.Sprintf("jsonschema: encode the default %v: %v", s.Default, err))
	}
	return strings.TrimSpace(fmt.Sprintf("%s Default: %s.", description, value))
}

// part returns the schema of a part of a value.
func (c *Components) part(s *Schema) map[string]any {
	if c == nil {
		return s.JSONSchema()
	}
	return c.Describe(s)
}

func (c *Components) parts(list []*Schema) []any {
	all := make([]any, 0, len(list)+1)
	for _, s := range list {
		all = append(all, c.part(s))
	}
	return all
}

// describe returns the schema itself. If c is nil, it contains no references.
func (c *Components) describe(s *Schema, isNullable bool, description string) map[string]any {
	m := map[string]any{}
	name := s.Kind.jsonType()
	switch {
	case s.Kind == OneOf:
		c.writeChoices(m, s, isNullable)
	case name == "":
	case isNullable:
		m["type"] = []any{name, "null"}
	default:
		m["type"] = name
	}
	s.writeString(m, isNullable)
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
		m["items"] = c.part(s.elemOrAny())
	case Tuple:
		m["prefixItems"] = c.parts(s.Items)
		m["minItems"], m["maxItems"] = len(s.Items), len(s.Items)
	case Map:
		m["additionalProperties"] = c.part(s.elemOrAny())
	case Object:
		c.writeObject(m, s)
	}
	if description != "" {
		m["description"] = description
	}
	if c == nil && s.Default != nil {
		m["default"] = s.Default
	}
	if s.Example != nil {
		m["examples"] = []any{s.Example}
	}
	return m
}

func (c *Components) writeChoices(m map[string]any, s *Schema, isNullable bool) {
	var list []any
	if c == nil {
		list = c.parts(s.Choices)
	} else {
		list = c.describeChoices(s.Choices)
	}
	if isNullable {
		list = append(list, map[string]any{"type": "null"})
	}
	m["oneOf"] = list
	if c == nil || slices.ContainsFunc(s.Choices, func(choice *Schema) bool { return choice.Kind != Object || choice.Name == "" }) {
		return
	}
	names := map[string]any{}
	for _, choice := range s.Choices {
		for _, value := range choice.discriminator().Enum {
			names[value] = reference(choice.Name)
		}
	}
	m["discriminator"] = map[string]any{"propertyName": s.Choices[0].Properties[0].Name, "mapping": names}
}

// describeChoices describes choices. It replaces tuples, which must have the same length, by an array
// whose elements match any element of a tuple: only this is supported by all programs that generate
// clients.
func (c *Components) describeChoices(choices []*Schema) []any {
	var rest, tuples []*Schema
	for _, choice := range choices {
		if choice.Kind == Tuple {
			tuples = append(tuples, choice)
		} else {
			rest = append(rest, choice)
		}
	}
	if len(tuples) == 0 {
		return c.parts(choices)
	}
	n := len(tuples[0].Items)
	var elements []*Schema
	for i := range n {
		elements = append(elements, union(tuples, i, rest)...)
	}
	return append(c.parts(rest), map[string]any{"type": "array", "items": map[string]any{"anyOf": c.parts(elements)}, "minItems": n, "maxItems": n})
}

// union returns the distinct schemas of the elements of tuples at an index. Enumerations are joined.
// If there is a schema with the joined values in known, union returns it.
func union(tuples []*Schema, index int, known []*Schema) []*Schema {
	var all []*Schema
	var values []string
	for _, tuple := range tuples {
		element := tuple.Items[index]
		values = append(values, element.Enum...)
		choices := []*Schema{element}
		if element.Kind == OneOf {
			choices = element.Choices
		}
		for _, choice := range choices {
			if !slices.ContainsFunc(all, func(other *Schema) bool { return reflect.DeepEqual(other, choice) }) {
				all = append(all, choice)
			}
		}
	}
	if slices.ContainsFunc(all, func(s *Schema) bool { return len(s.Enum) == 0 }) {
		return all
	}
	for _, s := range known {
		if slices.Equal(s.Enum, values) {
			return []*Schema{s}
		}
	}
	return []*Schema{{Kind: String, Enum: values}}
}

// noControlPattern matches the strings that NoControl allows.
const noControlPattern = `^[^\x00-\x1f\x7f]*$`

func (s *Schema) writeString(m map[string]any, isNullable bool) {
	if len(s.Enum) > 0 {
		list := make([]any, 0, len(s.Enum)+1)
		for _, e := range s.Enum {
			list = append(list, e)
		}
		if isNullable {
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

func (c *Components) writeObject(m map[string]any, s *Schema) {
	props, required := map[string]any{}, []any{}
	for _, p := range s.Properties {
		props[p.Name] = c.part(p.Schema)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	m["properties"] = props
	if c == nil || c.Closed {
		m["additionalProperties"] = false
	}
	if len(required) > 0 {
		m["required"] = required
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

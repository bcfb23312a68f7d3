package shape

import "slices"

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

package shape

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// Check gives everything that is wrong with a document, in the order of the
// shape's properties and the document's elements, at most MaxIssues. No issue
// means that the document is allowed.
func (s *Shape) Check(v any) []Issue {
	var c checker
	c.value(s, "", v)
	return c.issues
}

type checker struct{ issues []Issue }

func (c *checker) add(path string, message intray.Message) {
	if !c.full() {
		c.issues = append(c.issues, Issue{Path: path, Message: message})
	}
}

func (c *checker) full() bool { return len(c.issues) >= MaxIssues }

func (c *checker) value(s *Shape, path string, v any) {
	switch {
	case c.full() || s.Kind == Any || v == nil && s.Nullable:
	case s.Kind == OneOf:
		c.oneOf(s, path, v)
	case !s.takes(v):
		c.add(path, s.wanted(v))
	default:
		c.inside(s, path, v)
	}
}

// inside checks a value that is of the right type.
func (c *checker) inside(s *Shape, path string, v any) {
	switch s.Kind {
	case String:
		c.text(s, path, v.(string))
	case Integer, Number:
		c.number(s, path, v)
	case Object:
		c.object(s, path, v.(map[string]any))
	case Map:
		c.entries(s, path, v.(map[string]any))
	case Array:
		c.array(s, path, v.([]any))
	case Tuple:
		c.tuple(s, path, v.([]any))
	}
}

func (c *checker) text(s *Shape, path, text string) {
	n := utf8.RuneCountInString(text)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		c.add(path, intray.NewMessage("property.not_listed", intray.Params{"values": s.Enum, "value": shorten(text, maxShown)}))
	case n < s.MinLength && n == 0:
		c.add(path, intray.NewMessage("property.empty", nil))
	case n < s.MinLength:
		c.add(path, intray.NewMessage("property.too_short", intray.Params{"n": s.MinLength}))
	case s.MaxLength > 0 && n > s.MaxLength:
		c.add(path, intray.NewMessage("property.too_long", intray.Params{"n": s.MaxLength, "length": n}))
	case s.NoControl && hasControl(text):
		c.add(path, intray.NewMessage("property.control_characters", nil))
	case s.Format == "uuid" && !isUUID(text):
		c.add(path, intray.NewMessage("property.not_uuid", intray.Params{"example": exampleUUID, "value": shorten(text, maxShown)}))
	}
}

func (c *checker) number(s *Shape, path string, v any) {
	switch {
	case s.Min != nil && below(v, *s.Min):
		c.add(path, intray.NewMessage("property.too_small", intray.Params{"limit": *s.Min}))
	case s.Max != nil && above(v, *s.Max):
		c.add(path, intray.NewMessage("property.too_large", intray.Params{"limit": *s.Max}))
	}
}

func (c *checker) object(s *Shape, path string, m map[string]any) {
	known := 0
	for _, p := range s.Props {
		v, there := m[p.Name]
		switch {
		case there:
			known++
			c.value(p.Shape, join(path, p.Name), v)
		case p.Required:
			c.add(join(path, p.Name), intray.NewMessage("property.required", nil))
		}
	}
	if known < len(m) {
		c.unknown(s, path, m)
	}
}

func (c *checker) unknown(s *Shape, path string, m map[string]any) {
	for _, name := range sortedNames(m) {
		if s.Prop(name) != nil || c.full() {
			continue
		}
		if plain(name) {
			c.add(join(path, name), unknownProperty(name, s.Props))
		} else {
			c.add(path, intray.NewMessage("property.unknown_name", intray.Params{"name": shorten(name, maxShown)}))
		}
	}
}

func (c *checker) entries(s *Shape, path string, m map[string]any) {
	if s.Elem == nil {
		return
	}
	for _, name := range sortedNames(m) {
		at := path + "[" + quote(name) + "]"
		if plain(name) {
			at = join(path, name)
		}
		c.value(s.Elem, at, m[name])
	}
}

func (c *checker) array(s *Shape, path string, elems []any) {
	switch n := len(elems); {
	case n < s.MinItems:
		c.add(path, intray.NewMessage("property.too_few_elements", intray.Params{"n": s.MinItems}))
	case s.MaxItems > 0 && n > s.MaxItems:
		c.add(path, intray.NewMessage("property.too_many_elements", intray.Params{"n": s.MaxItems, "count": n}))
	}
	for i := 0; s.Elem != nil && i < len(elems) && !c.full(); i++ {
		c.value(s.Elem, index(path, i), elems[i])
	}
}

func (c *checker) tuple(s *Shape, path string, elems []any) {
	if len(elems) != len(s.Items) {
		c.add(path, intray.NewMessage("property.wrong_number_of_elements", intray.Params{"n": len(s.Items), "count": len(elems)}))
		return
	}
	for i, item := range s.Items {
		c.value(item, index(path, i), elems[i])
	}
}

// oneOf picks the choice that the value is meant to be, so that issues speak
// of that choice alone.
func (c *checker) oneOf(s *Shape, path string, v any) {
	fits := s.fitting(v)
	switch len(fits) {
	case 0:
		c.add(path, s.wanted(v))
	case 1:
		c.value(fits[0], path, v)
	default:
		c.tagged(fits, path, v)
	}
}

// tagged picks among objects by their first property, and among tuples by
// their first element.
func (c *checker) tagged(choices []*Shape, path string, v any) {
	tag, at, there := tagOf(choices[0], path, v)
	text, isText := tag.(string)
	for _, choice := range choices {
		if isText && slices.Contains(choice.tag().Enum, text) {
			c.value(choice, path, v)
			return
		}
	}
	if !there {
		c.add(at, intray.NewMessage("property.required", nil))
		return
	}
	c.value(&Shape{Kind: String, Enum: enumOf(choices)}, at, tag)
}

// tagOf gives the value that tells choices apart, and its place.
func tagOf(choice *Shape, path string, v any) (tag any, at string, there bool) {
	if elems, ok := v.([]any); ok {
		if len(elems) == 0 {
			return nil, index(path, 0), false
		}
		return elems[0], index(path, 0), true
	}
	name := choice.Props[0].Name
	m, _ := v.(map[string]any)
	tag, there = m[name]
	return tag, join(path, name), there
}

// tag is the shape of that value.
func (s *Shape) tag() *Shape {
	if s.Kind == Tuple {
		return s.Items[0]
	}
	return s.Props[0].Shape
}

func (s *Shape) fitting(v any) []*Shape {
	var fits []*Shape
	for _, c := range s.Choices {
		if c.takes(v) || v == nil && c.Nullable {
			fits = append(fits, c)
		}
	}
	return fits
}

// takes says whether the value is of the shape's type.
func (s *Shape) takes(v any) bool {
	switch s.Kind {
	case Integer:
		_, ok := Int64(v)
		return ok
	case Number:
		return isFinite(v)
	}
	return s.Kind == Any || s.Kind.jsonType() == typeName(v)
}

func below(v any, bound int64) bool {
	if n, ok := Int64(v); ok {
		return n < bound
	}
	return float(v) < float64(bound)
}

func above(v any, bound int64) bool {
	if n, ok := Int64(v); ok {
		return n > bound
	}
	return float(v) > float64(bound)
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func hasControl(s string) bool {
	return slices.ContainsFunc([]byte(s), func(b byte) bool { return b < 0x20 || b == 0x7f })
}

// exampleUUID shows people what a UUID looks like.
const exampleUUID = "0f8fad5b-d9cb-469f-a165-70867728950e"

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

func isUUID(s string) bool { return uuidForm.MatchString(s) }

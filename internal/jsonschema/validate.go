package jsonschema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// Validate returns the issues in a document, in the order of the schema's properties and
// the document's elements. It returns at most MaxIssues, and none if the document is valid.
func (s *Schema) Validate(v any) []Issue {
	var c validation
	c.checkValue(s, v)
	return c.issues
}

// validation checks one document.
type validation struct {
	issues []Issue
	// path leads to the value that is being checked. It becomes text only in an issue.
	path []step
}

// step is one level of a path: a property, or an element of an array.
type step struct {
	// name is the property, or "" for an element.
	name  string
	index int
}

func (c *validation) report(message intray.Message) {
	if c.isFull() {
		return
	}
	path := ""
	for _, s := range c.path {
		if s.name == "" {
			path += "[" + strconv.Itoa(s.index) + "]"
		} else {
			path = joinPath(path, s.name)
		}
	}
	c.issues = append(c.issues, Issue{Path: path, Message: message})
}

// reportBelow reports an issue with the property or element that a step leads to.
func (c *validation) reportBelow(s step, message intray.Message) {
	c.path = append(c.path, s)
	c.report(message)
	c.path = c.path[:len(c.path)-1]
}

// checkBelow checks the property or element that a step leads to.
func (c *validation) checkBelow(s step, shape *Schema, v any) {
	c.path = append(c.path, s)
	c.checkValue(shape, v)
	c.path = c.path[:len(c.path)-1]
}

func (c *validation) isFull() bool { return len(c.issues) >= MaxIssues }

func (c *validation) checkValue(s *Schema, v any) {
	switch {
	case c.isFull() || s.Kind == Any || v == nil && s.Nullable:
	case s.Kind == OneOf:
		c.checkOneOf(s, v)
	case !s.allowsType(v):
		c.report(s.typeMessage(v))
	default:
		switch s.Kind {
		case String:
			c.checkString(s, v.(string))
		case Integer, Number:
			c.checkNumber(s, v)
		case Object:
			c.checkObject(s, v.(map[string]any))
		case Map:
			c.checkMap(s, v.(map[string]any))
		case Array:
			c.checkArray(s, v.([]any))
		case Tuple:
			c.checkTuple(s, v.([]any))
		}
	}
}

func (c *validation) checkString(s *Schema, text string) {
	n := utf8.RuneCountInString(text)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		c.report(intray.NewMessage("property.not_listed", intray.Params{"values": s.Enum, "value": shorten(text, maxShown)}))
	case n < s.MinLength && n == 0:
		c.report(intray.NewMessage("property.empty", nil))
	case n < s.MinLength:
		c.report(intray.NewMessage("property.too_short", intray.Params{"n": s.MinLength}))
	case s.MaxLength > 0 && n > s.MaxLength:
		c.report(intray.NewMessage("property.too_long", intray.Params{"n": s.MaxLength, "length": n}))
	case s.NoControl && slices.ContainsFunc([]byte(text), func(b byte) bool { return b < 0x20 || b == 0x7f }):
		c.report(intray.NewMessage("property.control_characters", nil))
	case s.Format == "uuid" && !uuidForm.MatchString(text):
		c.report(intray.NewMessage("property.not_uuid", intray.Params{"example": exampleUUID, "value": shorten(text, maxShown)}))
	}
}

func (c *validation) checkNumber(s *Schema, v any) {
	switch {
	case s.Min != nil && lessThan(v, *s.Min):
		c.report(intray.NewMessage("property.too_small", intray.Params{"limit": *s.Min}))
	case s.Max != nil && greaterThan(v, *s.Max):
		c.report(intray.NewMessage("property.too_large", intray.Params{"limit": *s.Max}))
	}
}

func (c *validation) checkObject(s *Schema, m map[string]any) {
	known := 0
	for _, p := range s.Properties {
		v, there := m[p.Name]
		switch {
		case there:
			known++
			c.checkBelow(step{name: p.Name}, p.Schema, v)
		case p.Required:
			c.reportBelow(step{name: p.Name}, intray.NewMessage("property.required", nil))
		}
	}
	if known < len(m) {
		for _, name := range sortedNames(m) {
			if s.Property(name) != nil || c.isFull() {
				continue
			}
			if isPlainName(name) {
				c.reportBelow(step{name: name}, unknownProperty(name, s.Properties))
			} else {
				c.report(intray.NewMessage("property.unknown_name", intray.Params{"name": shorten(name, maxShown)}))
			}
		}
	}
}

func (c *validation) checkMap(s *Schema, m map[string]any) {
	if s.Elem == nil {
		return
	}
	for _, name := range sortedNames(m) {
		shown := name
		if !isPlainName(name) {
			shown = "[" + strconv.Quote(shorten(name, maxShown)) + "]"
		}
		c.checkBelow(step{name: shown}, s.Elem, m[name])
	}
}

func (c *validation) checkArray(s *Schema, elems []any) {
	switch n := len(elems); {
	case n < s.MinItems:
		c.report(intray.NewMessage("property.too_few_elements", intray.Params{"n": s.MinItems}))
	case s.MaxItems > 0 && n > s.MaxItems:
		c.report(intray.NewMessage("property.too_many_elements", intray.Params{"n": s.MaxItems, "count": n}))
	}
	for i := 0; s.Elem != nil && i < len(elems) && !c.isFull(); i++ {
		c.checkBelow(step{index: i}, s.Elem, elems[i])
	}
}

func (c *validation) checkTuple(s *Schema, elems []any) {
	if len(elems) != len(s.Items) {
		c.report(intray.NewMessage("property.wrong_number_of_elements", intray.Params{"n": len(s.Items), "count": len(elems)}))
		return
	}
	for i, item := range s.Items {
		c.checkBelow(step{index: i}, item, elems[i])
	}
}

// checkOneOf selects the choice that the value was most likely meant to match, and reports only
// the violations of that choice.
func (c *validation) checkOneOf(s *Schema, v any) {
	var fits []*Schema
	for _, choice := range s.Choices {
		if choice.allowsType(v) || v == nil && choice.Nullable {
			fits = append(fits, choice)
		}
	}
	switch len(fits) {
	case 0:
		c.report(s.typeMessage(v))
	case 1:
		c.checkValue(fits[0], v)
	default:
		c.checkDiscriminated(fits, v)
	}
}

// checkDiscriminated selects one of several objects by their first property, or one of
// several tuples by their first element.
func (c *validation) checkDiscriminated(choices []*Schema, v any) {
	tag, at, there := discriminatorOf(choices[0], v)
	text, isText := tag.(string)
	for _, choice := range choices {
		if isText && slices.Contains(choice.discriminator().Enum, text) {
			c.checkValue(choice, v)
			return
		}
	}
	if !there {
		c.reportBelow(at, intray.NewMessage("property.required", nil))
		return
	}
	var all []string
	for _, c := range choices {
		for _, e := range c.discriminator().Enum {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	c.checkBelow(at, &Schema{Kind: String, Enum: all}, tag)
}

// discriminatorOf returns the value that selects among choices, and its location.
func discriminatorOf(choice *Schema, v any) (tag any, at step, there bool) {
	if elems, ok := v.([]any); ok {
		if len(elems) == 0 {
			return nil, step{index: 0}, false
		}
		return elems[0], step{index: 0}, true
	}
	name := choice.Properties[0].Name
	m, _ := v.(map[string]any)
	tag, there = m[name]
	return tag, step{name: name}, there
}

// discriminator returns the schema of the value that selects among choices.
func (s *Schema) discriminator() *Schema {
	if s.Kind == Tuple {
		return s.Items[0]
	}
	return s.Properties[0].Schema
}

// allowsType reports whether the value has the type of the schema.
func (s *Schema) allowsType(v any) bool {
	switch s.Kind {
	case Integer:
		_, ok := Int64(v)
		return ok
	case Number:
		return isFinite(v)
	}
	return s.Kind == Any || s.Kind.jsonType() == typeName(v)
}

func lessThan(v any, bound int64) bool {
	if n, ok := Int64(v); ok {
		return n < bound
	}
	return toFloat(v) < float64(bound)
}

func greaterThan(v any, bound int64) bool {
	if n, ok := Int64(v); ok {
		return n > bound
	}
	return toFloat(v) > float64(bound)
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// exampleUUID is the example of a UUID in messages.
const exampleUUID = "0f8fad5b-d9cb-469f-a165-70867728950e"

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

// MaxIssues is the maximum number of issues that Validate returns.
const MaxIssues = 50

// Issue is one problem in a document.
type Issue struct {
	// Path is the location of the value, such as settings.maxRecords or fields[1].type. It
	// is "" for the document itself.
	Path string
	// Message is a sentence without a subject and without a final period, such as "must be an
	// integer".
	Message intray.Message
}

// Describe returns the path followed by the message.
func (i Issue) Describe() intray.Message {
	if i.Path == "" {
		return i.Message
	}
	return intray.NewMessage("property.problem", intray.Params{"path": i.Path, "problem": i.Message})
}

// String returns the path and the message in English, such as "fields[1].type: is required".
func (i Issue) String() string { return i.Describe().String() }

// ByField groups issues by their top-level property. The message begins with the rest of
// the path: an issue with settings.maxRecords becomes "maxRecords: must be an integer"
// under settings, and an issue with fields[1].label becomes "[1].label: is required" under
// fields. Issues with the document itself are under "".
func ByField(issues []Issue) map[string][]intray.Message {
	groups := map[string][]intray.Message{}
	for _, i := range issues {
		field, rest := cutField(i.Path)
		groups[field] = append(groups[field], Issue{Path: rest, Message: i.Message}.Describe())
	}
	return groups
}

func joinPath(path, rest string) string {
	if path == "" || rest == "" || rest[0] == '[' {
		return path + rest
	}
	return path + "." + rest
}

func cutField(path string) (field, rest string) {
	at := strings.IndexAny(path, ".[")
	if at < 0 {
		return path, ""
	}
	return path[:at], strings.TrimPrefix(path[at:], ".")
}

// typeMessage returns the message for a value of the wrong type.
func (s *Schema) typeMessage(v any) intray.Message {
	got := typeName(v)
	switch {
	case got == "number" && s.Kind == Integer:
		return intray.NewMessage("property.not_integer", intray.Params{"expected": s.typeNames(), "value": shorten(fmt.Sprint(v), 40)})
	case got == "number" && s.Kind == Number:
		return intray.NewMessage("property.number_out_of_range", nil)
	}
	return intray.NewMessage("property.wrong_type", intray.Params{"expected": s.typeNames(), "found": typeNameCodes[got]})
}

// typeNames returns the types that the schema allows, without duplicates.
func (s *Schema) typeNames() []intray.Message {
	names := []intray.Message{typeNameCodes[s.Kind.jsonType()]}
	if s.Kind == OneOf {
		names = nil
		for _, c := range s.Choices {
			names = append(names, c.typeNames()...)
		}
	}
	if s.Nullable {
		names = append(names, typeNameCodes["null"])
	}
	var once []intray.Message
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// typeNameCodes maps JSON types to their names with an article.
var typeNameCodes = map[string]intray.Message{
	"null":    intray.NewMessage("json_type.null", nil),
	"string":  intray.NewMessage("json_type.string", nil),
	"boolean": intray.NewMessage("json_type.boolean", nil),
	"integer": intray.NewMessage("json_type.integer", nil),
	"number":  intray.NewMessage("json_type.number", nil),
	"object":  intray.NewMessage("json_type.object", nil),
	"array":   intray.NewMessage("json_type.array", nil),
	otherType: intray.NewMessage("json_type.other", nil),
}

// otherType is the type of a Go value that cannot occur in JSON.
const otherType = "other"

// typeName returns the JSON type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number, float64, int64, int:
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return otherType
}

func toFloat(v any) float64 {
	switch n := v.(type) {
	case json.Number:
		f, _ := n.Float64() // isFinite has already checked it
		return f
	case float64:
		return n
	}
	return 0
}

// unknownProperty returns the message for an unknown name. It suggests the closest known
// name, or lists the known names if there are only a few.
func unknownProperty(name string, props []Property) intray.Message {
	best, closest := 3, ""
	known := make([]string, 0, len(props))
	for _, p := range props {
		known = append(known, p.Name)
		d := Distance(strings.ToLower(name), strings.ToLower(p.Name), best)
		if d < best && d < len(name) {
			best, closest = d, p.Name
		}
	}
	switch {
	case closest != "":
		return intray.NewMessage("property.unknown_similar", intray.Params{"name": closest})
	case len(known) == 0:
		return intray.NewMessage("property.none_allowed", nil)
	case len(known) <= 20:
		return intray.NewMessage("property.unknown_listed", intray.Params{"names": known})
	}
	return intray.NewMessage("property.unknown", nil)
}

// Distance returns the Levenshtein distance between two words. If the distance is limit or more,
// it returns any number that is at least limit.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// isPlainName reports whether a path can contain the name without quotes.
func isPlainName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, r := range name {
		letter := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && r != '_' && r != '$' && r != '-' {
			return false
		}
	}
	return true
}

// maxShown is the maximum length of a quoted value in an issue, in code points.
const maxShown = 60

// shorten returns the first n code points of s, followed by an ellipsis if there are more.
func shorten(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

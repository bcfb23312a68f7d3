package shape

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// wanted is the message for a value of the wrong type.
func (s *Shape) wanted(v any) intray.Message {
	got := typeName(v)
	switch {
	case got == "number" && s.Kind == Integer:
		return intray.NewMessage("property.not_integer", intray.Params{"expected": s.nouns(), "value": shorten(fmt.Sprint(v), 40)})
	case got == "number" && s.Kind == Number:
		return intray.NewMessage("property.number_out_of_range", nil)
	}
	return intray.NewMessage("property.wrong_type", intray.Params{"expected": s.nouns(), "found": typeNouns[got]})
}

// nouns are the types that the shape allows, each once.
func (s *Shape) nouns() []intray.Message {
	nouns := []intray.Message{typeNouns[s.Kind.jsonType()]}
	if s.Kind == OneOf {
		nouns = nil
		for _, c := range s.Choices {
			nouns = append(nouns, c.nouns()...)
		}
	}
	if s.Nullable {
		nouns = append(nouns, typeNouns["null"])
	}
	var once []intray.Message
	for _, noun := range nouns {
		if !slices.Contains(once, noun) {
			once = append(once, noun)
		}
	}
	return once
}

// typeNouns are the types of JSON, with articles.
var typeNouns = map[string]intray.Message{
	"null":    intray.NewMessage("json_type.null", nil),
	"string":  intray.NewMessage("json_type.string", nil),
	"boolean": intray.NewMessage("json_type.boolean", nil),
	"integer": intray.NewMessage("json_type.integer", nil),
	"number":  intray.NewMessage("json_type.number", nil),
	"object":  intray.NewMessage("json_type.object", nil),
	"array":   intray.NewMessage("json_type.array", nil),
	otherType: intray.NewMessage("json_type.other", nil),
}

// otherType is the type of what no JSON document decodes to.
const otherType = "other"

// typeName is the JSON type of a decoded value.
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

func float(v any) float64 {
	switch n := v.(type) {
	case json.Number:
		f, _ := n.Float64() // isFinite has seen it
		return f
	case float64:
		return n
	}
	return 0
}

// unknownProperty refuses a name. It proposes the closest known one, or lists the
// known ones where they are few.
func unknownProperty(name string, props []Prop) intray.Message {
	best, closest := 3, ""
	known := make([]string, 0, len(props))
	for _, p := range props {
		known = append(known, p.Name)
		d := distance(strings.ToLower(name), strings.ToLower(p.Name), best)
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

// distance counts the single-letter changes between two words. From limit on
// it may stop counting.
func distance(a, b string, limit int) int {
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

// plain says whether a name can stand in a path as it is.
func plain(name string) bool {
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

// maxShown is how much of a text an issue shows, in code points.
const maxShown = 60

func quote(s string) string { return strconv.Quote(shorten(s, maxShown)) }

// shorten keeps the first n code points.
func shorten(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

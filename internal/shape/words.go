package shape

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// wanted is the message for a value of the wrong type.
func (s *Shape) wanted(v any) string {
	got := typeName(v)
	if got == "number" && s.Kind == Integer {
		return fmt.Sprintf("must be %s of at most 64 bits; got %s", s.noun(), shorten(fmt.Sprint(v), 40))
	}
	if got == "number" && s.Kind == Number {
		return "must be a number that double precision can hold"
	}
	return fmt.Sprintf("must be %s, not %s", s.noun(), article(got))
}

// noun says in words what the shape allows.
func (s *Shape) noun() string {
	noun := article(s.Kind.jsonType())
	if s.Kind == OneOf {
		noun = s.choiceNouns()
	}
	if s.Nullable {
		noun += " or null"
	}
	return noun
}

func (s *Shape) choiceNouns() string {
	var nouns []string
	for _, c := range s.Choices {
		if n := c.noun(); !strings.Contains(strings.Join(nouns, " "), n) {
			nouns = append(nouns, n)
		}
	}
	return strings.Join(nouns, " or ")
}

func article(noun string) string {
	switch noun {
	case "null", "":
		return noun
	case "integer", "object", "array":
		return "an " + noun
	}
	return "a " + noun
}

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
	return "value of another type"
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

// cure proposes the known name closest to a wrong one, or tells the known ones
// where they are few.
func cure(name string, props []Prop) string {
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
		return "; did you mean " + quote(closest) + "?"
	case len(known) == 0:
		return "; none is allowed here"
	case len(known) <= 20:
		return "; known are " + list(known)
	}
	return ""
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

func quote(s string) string { return strconv.Quote(shorten(s, 60)) }

// shorten keeps the first n code points.
func shorten(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

func list(words []string) string { return strings.Join(words, ", ") }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

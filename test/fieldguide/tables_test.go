package fieldguide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/jsonschema"
)

// code formats text as code inside a table.
func code(text string) string {
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + strings.ReplaceAll(text, "|", `\|`) + fence
}

// input formats the text of a cell, with a visible sign for each line break.
func input(text string) string {
	if text == "" {
		return "(empty)"
	}
	return code(strings.ReplaceAll(text, "\n", "⏎"))
}

// table writes a Markdown table.
func table(b *strings.Builder, header []string, rows [][]string) {
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			if cell = strings.TrimSpace(cell); cell != "" {
				cell = " " + cell
			}
			b.WriteString(cell + " |")
		}
		b.WriteString("\n")
	}
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	b.WriteString("\n")
}

// properties writes the table of the properties that an object may have.
func properties(b *strings.Builder, what string, props []jsonschema.Property) {
	var rows [][]string
	for _, p := range props {
		rows = append(rows, []string{code(p.Name), typeOf(p.Schema), defaultOf(p), plain(cmp.Or(p.Schema.Role, p.Schema.Description))})
	}
	table(b, []string{what, "Type", "Default", "Description"}, rows)
}

// plain escapes a description from a schema, for use in Markdown.
func plain(doc string) string {
	return strings.NewReplacer("|", `\|`, "$unmapped", "`$unmapped`", "$text", "`$text`", "^ and $", "`^` and `$`", `\p{…}`, "`\\p{…}`", "\n", " ").Replace(doc)
}

// typeOf describes the values that a schema allows.
func typeOf(s *jsonschema.Schema) string {
	text := kind(s)
	if s.Nullable {
		text += " or null"
	}
	return text
}

func kind(s *jsonschema.Schema) string {
	switch s.Kind {
	case jsonschema.String:
		if len(s.Enum) > 0 {
			return "`" + strings.Join(s.Enum, "` `") + "`"
		}
		return "string"
	case jsonschema.Bool:
		return "Boolean"
	case jsonschema.Integer:
		return "integer" + bounds(s)
	case jsonschema.Number:
		return "number"
	case jsonschema.Array:
		if s.Elem != nil && s.Elem.Kind == jsonschema.String {
			return "list of strings"
		}
		return "list"
	case jsonschema.Object, jsonschema.Map:
		return "object"
	case jsonschema.OneOf:
		return "string or list"
	}
	return "any"
}

func bounds(s *jsonschema.Schema) string {
	switch {
	case s.Min != nil && s.Max != nil:
		return fmt.Sprintf(" from %d to %d", *s.Min, *s.Max)
	case s.Min != nil:
		return fmt.Sprintf(" ≥ %d", *s.Min)
	case s.Max != nil:
		return fmt.Sprintf(" ≤ %d", *s.Max)
	}
	return ""
}

// defaultOf describes the default of a property.
func defaultOf(p jsonschema.Property) string {
	switch {
	case p.Required:
		return "required"
	case p.Schema.Default == nil:
		return "none"
	}
	text, err := json.Marshal(p.Schema.Default)
	if err != nil {
		return fmt.Sprint(p.Schema.Default)
	}
	return code(string(text))
}

// snippet writes a code block of JSON.
func snippet(b *strings.Builder, text string) {
	b.WriteString("```json\n" + text + "\n```\n\n")
}

// uses reports whether JSON text contains a property at any depth. If value is not empty,
// the property must have this value.
func uses(t *testing.T, text, name, value string) bool {
	t.Helper()
	return within(decoded(t, text), name, value)
}

func within(v any, name, value string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, one := range v {
			if key == name && (value == "" || fmt.Sprint(one) == value) || within(one, name, value) {
				return true
			}
		}
	case []any:
		for _, one := range v {
			if within(one, name, value) {
				return true
			}
		}
	}
	return false
}

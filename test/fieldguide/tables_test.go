package fieldguide

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/jsonschema"
)

// code sets a text as code, so that it can stand in a table.
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

// input sets the text of a cell, whose blanks must be seen.
func input(text string) string {
	if text == "" {
		return "(empty)"
	}
	return code(strings.ReplaceAll(text, "\n", "⏎"))
}

// table writes a table of Markdown.
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

// properties writes the table of what an object may hold.
func properties(b *strings.Builder, what string, props []jsonschema.Property) {
	var rows [][]string
	for _, p := range props {
		rows = append(rows, []string{code(p.Name), takes(p.Schema), standard(p), plain(p.Schema.Description)})
	}
	table(b, []string{what, "Takes", "Default", "What it does"}, rows)
}

// plain keeps what code the documentation of a shape holds from being read as
// Markdown.
func plain(doc string) string {
	return strings.NewReplacer("|", `\|`, "$unmapped", "`$unmapped`", "^ and $", "`^` and `$`", `\p{…}`, "`\\p{…}`", "\n", " ").Replace(doc)
}

// takes says in words which values a shape allows.
func takes(s *jsonschema.Schema) string {
	text := kind(s)
	if s.Nullable {
		text += ", or null"
	}
	return text
}

func kind(s *jsonschema.Schema) string {
	switch s.Kind {
	case jsonschema.String:
		if len(s.Enum) > 0 {
			return "`" + strings.Join(s.Enum, "` `") + "`"
		}
		return "text"
	case jsonschema.Bool:
		return "true or false"
	case jsonschema.Integer:
		return "whole number" + bounds(s)
	case jsonschema.Number:
		return "number"
	case jsonschema.Array:
		if s.Elem != nil && s.Elem.Kind == jsonschema.String {
			return "list of texts"
		}
		return "list"
	case jsonschema.Object, jsonschema.Map:
		return "object"
	case jsonschema.OneOf:
		return "text or list"
	}
	return "anything"
}

func bounds(s *jsonschema.Schema) string {
	switch {
	case s.Min != nil && s.Max != nil:
		return fmt.Sprintf(" from %d to %d", *s.Min, *s.Max)
	case s.Min != nil:
		return fmt.Sprintf(", at least %d", *s.Min)
	case s.Max != nil:
		return fmt.Sprintf(", at most %d", *s.Max)
	}
	return ""
}

// standard says what a property is where it is not there.
func standard(p jsonschema.Property) string {
	switch {
	case p.Required:
		return "must be there"
	case p.Schema.Default == nil:
		return "none"
	}
	text, err := json.Marshal(p.Schema.Default)
	if err != nil {
		return fmt.Sprint(p.Schema.Default)
	}
	return code(string(text))
}

// snippet sets JSON as a block of its own.
func snippet(b *strings.Builder, text string) {
	b.WriteString("```json\n" + text + "\n```\n\n")
}

// uses says whether a JSON text has a property at any depth, and where the
// property must have a value, this one.
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

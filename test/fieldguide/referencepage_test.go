package fieldguide

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
)

const introduction = `# Fields reference

This page lists every field property, type, validator and setting of a schema. For an introduction, see [Describe your fields](fields.md). For hooks, see the [hooks reference](hooks-reference.md).

The results on this page come from running the examples. The page is generated: ` + "`go test ./test/fieldguide -update`" + ` rewrites it.

How to read the results:

- Text in code font is the value in the result, as JSON.
- *error*, *warning* and *info* are problems with their messages. An error makes the row invalid, and [` + "`invalidDataBehavior`" + `](#settings) decides what happens to it. Warnings and info messages do not affect the result.
- *question* means that the file is ambiguous. The import is waiting for a person to answer.

Except in ` + "`string`" + ` fields, Intray ignores white space around a cell.

`

// page returns the content of the whole page.
func page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(introduction)
	contents(&b)
	b.WriteString("## Field properties\n\n")
	writeKeys(t, &b)
	b.WriteString("## Types\n\nWrite a type as its name, or as an array that contains its name and its options. If a cell cannot be parsed, Intray keeps its raw text for review.\n\n")
	writeTypes(t, &b)
	b.WriteString("## Validators\n\nThe property `validators` of a field is a list of objects. In each object, `validate` contains the name of the validator. Validators check the values that the type parsed from the cells. They skip cells that could not be parsed, because these cells already have a problem. Every validator also has these properties:\n\n")
	properties(&b, "Property", schema.CommonRuleProps())
	writeRules(t, &b)
	b.WriteString("## Settings\n\nEach setting of an import replaces the same setting in the saved schema.\n\n")
	writeSettings(t, &b)
	b.WriteString("## Rejected properties\n\n")
	writeRejected(t, &b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// contents writes the list of sections.
func contents(b *strings.Builder) {
	var types, rules []string
	for _, one := range schema.TypeShapes() {
		types = append(types, string(one.Name))
	}
	for _, one := range schema.RuleShapes() {
		rules = append(rules, one.Name)
	}
	b.WriteString("- [Field properties](#field-properties)\n")
	for _, part := range []struct {
		name string
		list []string
	}{{"Types", types}, {"Validators", rules}} {
		b.WriteString("- " + link(part.name) + ": ")
		for i, name := range part.list {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(link(name))
		}
		b.WriteString("\n")
	}
	b.WriteString("- [Settings](#settings)\n- [Rejected properties](#rejected-properties)\n\n")
}

// link returns a Markdown link to a heading of the page.
func link(heading string) string { return "[" + heading + "](#" + strings.ToLower(heading) + ")" }

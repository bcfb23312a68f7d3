package fieldguide

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
)

const opening = `# Fields, types, rules and settings

A schema says what an import must deliver: the fields of a row, the type of each, the rules that its cells must keep, and how the import behaves. This page has all that can be written in one but hooks, each with what it does to cells. The results on it come from running the examples: ` + "`go test ./test/fieldguide`" + ` compares them with the program.

In the results, what is set as code is the value in the result, as JSON. A cell that is wrong has no value; the message stands in its place. Problems have a level: an *error* makes the row invalid, and [invalidDataBehavior](#invaliddatabehavior) says what becomes of it; *warning* and *info* are told and change nothing. *Asked* means that the file leaves something open, and that the import waits for a person. White space around a cell never counts, but for the type string.

`

const wholeSchema = `{
  "name": "Contacts",
  "fields": [
    {"key": "name", "label": "Name", "validators": [{"validate": "required"}]},
    {"key": "email", "label": "E-mail", "type": "email"}
  ],
  "settings": {"invalidDataBehavior": "BLOCK_SUBMIT"}
}`

// page writes the whole page.
func page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(opening)
	contents(&b)
	b.WriteString("## A schema\n\nA schema is an object: `fields`, and where wanted `name`, `settings` and `hooks`. In a file of its own it is taken by `intray run --schema`, and `intray schema check` tells what in it is wrong or can hardly be meant. Hooks are functions; this page leaves them out.\n\n")
	if _, err := schema.Read(strings.NewReader(wholeSchema)); err != nil {
		t.Error(err)
	}
	snippet(&b, wholeSchema)
	b.WriteString("## A field\n\nA field is fed by the column whose header fits its key, label or alternate matches best. With `manyToOne` it takes every column that fits, and its type and rules look at each of them by itself.\n\n")
	writeKeys(t, &b)
	b.WriteString("## Types\n\nA type is written as its name, or as an array of its name and its options. Where a cell cannot be read as its type, the raw text is kept beside it for the person who reviews.\n\n")
	writeTypes(t, &b)
	b.WriteString("## Rules\n\nThe rules of a field stand in `validators`, each an object with the name of the rule in `validate` and its properties beside it. They look at values, after the type has read the cells; a cell that could not be read has a problem already, and no rule looks at it. Every rule also takes:\n\n")
	properties(&b, "Property", schema.CommonRuleProps())
	writeRules(t, &b)
	b.WriteString("## Settings\n\nSettings of an import are laid over those of the saved schema, one by one.\n\n")
	writeSettings(t, &b)
	b.WriteString("## What is refused\n\n")
	writeRefused(t, &b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// contents lists what the page has.
func contents(b *strings.Builder) {
	var types, rules, settings []string
	for _, one := range schema.TypeShapes() {
		types = append(types, string(one.Name))
	}
	for _, one := range schema.RuleShapes() {
		rules = append(rules, one.Name)
	}
	for _, p := range schema.SettingsShape().Properties {
		settings = append(settings, p.Name)
	}
	b.WriteString("- [A schema](#a-schema)\n- [A field](#a-field)\n")
	for _, part := range []struct {
		name string
		list []string
	}{{"Types", types}, {"Rules", rules}, {"Settings", settings}} {
		b.WriteString("- " + link(part.name) + ": ")
		for i, name := range part.list {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(link(name))
		}
		b.WriteString("\n")
	}
	b.WriteString("- [What is refused](#what-is-refused)\n\n")
}

// link leads to a heading of the page.
func link(heading string) string { return "[" + heading + "](#" + strings.ToLower(heading) + ")" }

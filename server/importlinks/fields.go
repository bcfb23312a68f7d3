package importlinks

import (
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
)

// ExpectedField is a field that people may send values for, as the page describes it.
type ExpectedField struct {
	intray.Field
	// Labels and Descriptions are the texts in other languages, by language tag.
	Labels, Descriptions map[string]string
	Required, Unique     bool
	// Example is a value that the field accepts, or "" if none is known.
	Example string
	// Options are the values of a field with a list of values in the schema.
	Options []intray.SelectOption
}

// ExpectedFields returns the fields of a schema that are not hidden, in schema order. doc is the
// document of the schema, from which the texts in other languages come.
func ExpectedFields(parsed *intray.Schema, doc schema.Doc) []ExpectedField {
	extensions, _ := doc.Extensions.(map[string]any)
	byKey, _ := extensions["fields"].(map[string]any)
	list := []ExpectedField{}
	for _, f := range parsed.Fields {
		if f.Hidden {
			continue
		}
		given, _ := byKey[f.Key].(map[string]any)
		list = append(list, ExpectedField{
			Field: f, Labels: textsByLanguage(given["labels"]), Descriptions: textsByLanguage(given["descriptions"]),
			Required: f.RequireMapping || hasRule(f, "required"), Unique: hasRule(f, "unique"), Example: exampleOf(f), Options: f.SelectOptions,
		})
	}
	return list
}

func textsByLanguage(given any) map[string]string {
	texts := map[string]string{}
	all, _ := given.(map[string]any)
	for tag, text := range all {
		if s, ok := text.(string); ok {
			texts[tag] = s
		}
	}
	return texts
}

func hasRule(f intray.Field, rule string) bool {
	return slices.ContainsFunc(f.Validators, func(v intray.Validator) bool { return v.Rule == rule })
}

// typeExamples are values that fields of a type accept whatever their options are.
var typeExamples = map[intray.TypeName]string{
	intray.TypeDate:     "2026-03-31",
	intray.TypeDatetime: "2026-03-31 14:30",
	intray.TypeTime:     "14:30",
	intray.TypeNumber:   "1250",
	intray.TypeCheckbox: "yes",
	intray.TypeEmail:    "anna@example.com",
	intray.TypePhone:    "+49 30 901820",
	intray.TypeURL:      "https://example.com",
	intray.TypeDomain:   "example.com",
	intray.TypeZIP:      "10001",
	intray.TypeState:    "CA",
	intray.TypeCountry:  "DE",
}

// exampleOf returns a value that a field accepts. It returns "" if options or rules of the field may
// refuse the value that its type usually accepts.
func exampleOf(f intray.Field) string {
	if len(f.SelectOptions) > 0 {
		return f.SelectOptions[0].Label
	}
	for _, v := range f.Validators {
		if v.Rule != "required" && v.Rule != "unique" {
			return ""
		}
	}
	for _, option := range []string{"min", "max", "country", "acceptedProtocols", "acceptedDomains", "format"} {
		if _, limited := f.Type.Options[option]; limited {
			return ""
		}
	}
	return typeExamples[f.Type.Name]
}

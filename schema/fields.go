package schema

import (
	"maps"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// FieldsShape returns the shape of a list of fields.
func FieldsShape() *jsonschema.Schema {
	s := listShape("The fields of an import, in the order of the result.", fieldShape())
	s.MinItems, s.MaxItems = 1, MaxFields
	return s
}

func fieldShape() *jsonschema.Schema {
	return objectShape("",
		required("key", keyShape()),
		optional("type", withDefault(typeShape(), "string")),
		required("label", newShape(jsonschema.String, "The name that people see. Intray compares headers with it.")),
		optional("description", newShape(jsonschema.String, "Help text.")),
		optional("alternateMatches", stringListShape("Other headers that match the field.")),
		optional("validators", listShape("The rules that the cells of the field must satisfy.", validatorShape())),
		optional("invalidValueMessage", newShape(jsonschema.String, "Replaces the error message of the type.")),
		optional("readOnly", boolShape("Prevents people from editing the cells. Hooks can still change them.", false)),
		optional("hidden", boolShape("Excludes the field from mapping and review. Only hooks can fill it. It cannot have validators.", false)),
		optional("requireMapping", boolShape("Requires a column for the field, even if its cells can be empty. If no column matches, the import needs review.", false)),
		optional("manyToOne", boolShape("Allows several columns to map to the field. The value of the field is a list.", false)),
		optional("selectOptions", listShape("The options of a select or multi-select field.", optionShape())),
	)
}

func keyShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: "The name of the field in the result. It must be unique in the schema and have at most 255 bytes.",
		MinLength: 1, MaxLength: MaxKeyBytes, NoControl: true, Example: "email"}
}

func optionShape() *jsonschema.Schema {
	return objectShape("",
		required("label", newShape(jsonschema.String, "The name that people see.")),
		required("value", newShape(jsonschema.String, "The value in the result.")),
		optional("alternateMatches", stringListShape("Other values in the file that mean this option.")),
	)
}

// readFields reads a list of fields. Its shape must have been checked.
func (p *parser) readFields(list []any) []intray.Field {
	fields := make([]intray.Field, len(list))
	for i, f := range list {
		fields[i] = readField(f.(map[string]any))
	}
	return fields
}

func readField(m map[string]any) intray.Field {
	return intray.Field{
		Key:                 stringMember(m, "key"),
		Label:               stringMember(m, "label"),
		Type:                readType(m["type"]),
		Description:         stringMember(m, "description"),
		AlternateMatches:    stringListMember(m, "alternateMatches"),
		Validators:          readValidators(m),
		InvalidValueMessage: stringMember(m, "invalidValueMessage"),
		ReadOnly:            boolMember(m, "readOnly"),
		Hidden:              boolMember(m, "hidden"),
		RequireMapping:      boolMember(m, "requireMapping"),
		ManyToOne:           boolMember(m, "manyToOne"),
		SelectOptions:       readOptions(m),
	}
}

func readOptions(m map[string]any) []intray.SelectOption {
	var options []intray.SelectOption
	for _, o := range listMember(m, "selectOptions") {
		option := o.(map[string]any)
		options = append(options, intray.SelectOption{
			Label:            stringMember(option, "label"),
			Value:            stringMember(option, "value"),
			AlternateMatches: stringListMember(option, "alternateMatches"),
		})
	}
	return options
}

// The following functions read decoded JSON. They return the zero value for missing and
// null members.

func stringMember(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

func boolMember(m map[string]any, name string) bool {
	b, _ := m[name].(bool)
	return b
}

func listMember(m map[string]any, name string) []any {
	list, _ := m[name].([]any)
	return list
}

func stringListMember(m map[string]any, name string) []string {
	var list []string
	for _, e := range listMember(m, name) {
		if s, ok := e.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

// RuleShape describes a kind of validator.
type RuleShape struct {
	Name string
	// Props are the properties that not all validators have.
	Props []jsonschema.Property
}

// RuleShapes returns the 16 kinds of validators.
func RuleShapes() []RuleShape {
	fields := []jsonschema.Property{required("fields", fieldKeysShape())}
	values := []jsonschema.Property{required("fieldValues", newShape(jsonschema.Map, "The values to compare with, keyed by field key."))}
	regex := []jsonschema.Property{
		required("regex", newShape(jsonschema.String, "A regular expression in JavaScript syntax, without slashes.")),
		optional("regexOptions", objectShape("The flags of the expression.",
			optional("ignoreCase", boolShape("Ignores case (the `i` flag).", false)),
			optional("dotAll", boolShape("Lets a dot also match line breaks (the `s` flag).", false)),
			optional("multiline", boolShape("Lets `^` and `$` also match at line breaks (the `m` flag).", false)),
			optional("unicode", boolShape("Matches code points and supports `\\p{…}` (the `u` flag).", false)))),
	}
	return []RuleShape{
		{"required", nil},
		{"unique", nil},
		{"unique_case_insensitive", nil},
		{"unique_with", []jsonschema.Property{required("uniqueKey", newShape(jsonschema.String, "Identifies a group of fields. The combination of values in fields with the same key must be unique."))}},
		{"regex_match", regex},
		{"regex_exclude", regex},
		{"require_with", fields},
		{"require_without", fields},
		{"require_with_all", fields},
		{"require_without_all", fields},
		{"require_with_values", values},
		{"require_without_values", values},
		{"require_with_all_values", values},
		{"require_without_all_values", values},
		{"length", []jsonschema.Property{
			optional("min", integerShape("The minimum number of characters.", 0)),
			optional("max", integerShape("The maximum number of characters.", 0))}},
		{"alphabetical", nil},
	}
}

func fieldKeysShape() *jsonschema.Schema {
	s := stringListShape("The keys of the other fields.")
	s.MinItems = 1
	return s
}

func validatorShape() *jsonschema.Schema {
	choices := make([]*jsonschema.Schema, 0, len(RuleShapes()))
	for _, r := range RuleShapes() {
		props := append([]jsonschema.Property{required("validate", enumShape("The name of the validator.", r.Name))}, r.Props...)
		props = append(props, CommonRuleProps()...)
		choices = append(choices, objectShape("", props...))
	}
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: choices}
}

// CommonRuleProps returns the properties that all validators have.
func CommonRuleProps() []jsonschema.Property {
	return []jsonschema.Property{
		optional("errorMessage", newShape(jsonschema.String, "Replaces the message of the validator.")),
		optional("level", withDefault(enumShape("The severity. Only an error makes a row invalid.", "info", "warning", "error"), "error")),
	}
}

func readValidators(m map[string]any) []intray.Validator {
	var list []intray.Validator
	for _, v := range listMember(m, "validators") {
		list = append(list, readValidator(v.(map[string]any)))
	}
	return list
}

func readValidator(m map[string]any) intray.Validator {
	v := intray.Validator{Rule: stringMember(m, "validate"), Message: stringMember(m, "errorMessage")}
	v.Level, _ = intray.ParseLevel(stringMember(m, "level"))
	options := maps.Clone(m)
	for _, own := range []string{"validate", "errorMessage", "level"} {
		delete(options, own)
	}
	if len(options) > 0 {
		v.Options = options
	}
	return v
}

// fieldReference is a field key in a validator, and its path relative to the validator.
type fieldReference struct{ path, key string }

// fieldReferences returns the keys of other fields to which a validator refers.
func fieldReferences(v intray.Validator) []fieldReference {
	var all []fieldReference
	for i, key := range stringListMember(v.Options, "fields") {
		all = append(all, fieldReference{indexedPath("fields", i), key})
	}
	values, _ := v.Options["fieldValues"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, fieldReference{"fieldValues", key})
	}
	return all
}

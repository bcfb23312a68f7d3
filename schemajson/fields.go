package schemajson

import (
	"maps"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// FieldsShape is the closed table of what a list of fields may hold.
func FieldsShape() *shape.Shape {
	s := listOf("The fields of an import, in the order of the result.", fieldShape())
	s.MinItems, s.MaxItems = 1, MaxFields
	return s
}

func fieldShape() *shape.Shape {
	return object("",
		required("key", keyShape()),
		optional("type", byDefault(typeShape(), "string")),
		required("label", kindOf(shape.String, "The name that people see. Headers are compared with it.")),
		optional("description", kindOf(shape.String, "A help text.")),
		optional("alternateMatches", texts("Further headers under which a file may bring the field.")),
		optional("validators", listOf("The rules that the field's cells must keep.", validatorShape())),
		optional("invalidValueMessage", kindOf(shape.String, "Replaces the text of the type's own error.")),
		optional("readOnly", flag("Lets no person edit the cells; hooks may.", false)),
		optional("hidden", flag("Never maps nor shows the field; only hooks fill it. It then has no validators.", false)),
		optional("requireMapping", flag("Wants a column for the field, whether or not its cells may be empty: where none fits, the import waits for a person.", false)),
		optional("manyToOne", flag("Lets several columns feed the field; its value is a list.", false)),
		optional("selectOptions", listOf("The values that a select or multi-select field may take.", optionShape())),
	)
}

func keyShape() *shape.Shape {
	return &shape.Shape{Kind: shape.String, Doc: "The field's name in the result, unique in the schema, at most 255 bytes.",
		MinLength: 1, MaxLength: MaxKeyBytes, NoControl: true, Example: "email"}
}

func optionShape() *shape.Shape {
	return object("",
		required("label", kindOf(shape.String, "What people see.")),
		required("value", kindOf(shape.String, "What the result holds.")),
		optional("alternateMatches", texts("Further texts that mean the same.")),
	)
}

// fields reads the list of fields. Its shape has been checked.
func (p *parser) fields(list []any) []intray.Field {
	fields := make([]intray.Field, len(list))
	for i, f := range list {
		fields[i] = readField(f.(map[string]any))
	}
	return fields
}

func readField(m map[string]any) intray.Field {
	return intray.Field{
		Key:                 text(m, "key"),
		Label:               text(m, "label"),
		Type:                readType(m["type"]),
		Description:         text(m, "description"),
		AlternateMatches:    textList(m, "alternateMatches"),
		Validators:          readValidators(m),
		InvalidValueMessage: text(m, "invalidValueMessage"),
		ReadOnly:            isTrue(m, "readOnly"),
		Hidden:              isTrue(m, "hidden"),
		RequireMapping:      isTrue(m, "requireMapping"),
		ManyToOne:           isTrue(m, "manyToOne"),
		SelectOptions:       readOptions(m),
	}
}

func readOptions(m map[string]any) []intray.SelectOption {
	var options []intray.SelectOption
	for _, o := range elements(m, "selectOptions") {
		option := o.(map[string]any)
		options = append(options, intray.SelectOption{
			Label:            text(option, "label"),
			Value:            text(option, "value"),
			AlternateMatches: textList(option, "alternateMatches"),
		})
	}
	return options
}

// Readers of decoded JSON. A value that is missing or null is the zero value.

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

func isTrue(m map[string]any, name string) bool {
	b, _ := m[name].(bool)
	return b
}

func elements(m map[string]any, name string) []any {
	list, _ := m[name].([]any)
	return list
}

func textList(m map[string]any, name string) []string {
	var list []string
	for _, e := range elements(m, name) {
		if s, ok := e.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

// RuleShape is one row of the table of validators.
type RuleShape struct {
	Name string
	// Props are the properties of its own, beside those that all rules have.
	Props []shape.Prop
}

// RuleShapes are the 16 kinds of validators.
func RuleShapes() []RuleShape {
	fields := []shape.Prop{required("fields", someFields())}
	values := []shape.Prop{required("fieldValues", kindOf(shape.Map, "The values looked for, by field key."))}
	regex := []shape.Prop{
		required("regex", kindOf(shape.String, "A regular expression in JavaScript's syntax, without slashes.")),
		optional("regexOptions", object("The flags of the expression.",
			optional("ignoreCase", flag("Takes capitals and small letters for the same: the flag i.", false)),
			optional("dotAll", flag("Lets a point take line breaks, too: the flag s.", false)),
			optional("multiline", flag("Lets ^ and $ stand at line breaks, too: the flag m.", false)),
			optional("unicode", flag("Counts code points and knows \\p{…}: the flag u.", false)))),
	}
	return []RuleShape{
		{"required", nil},
		{"unique", nil},
		{"unique_case_insensitive", nil},
		{"unique_with", []shape.Prop{required("uniqueKey", kindOf(shape.String, "Fields with the same key are compared together."))}},
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
		{"length", []shape.Prop{
			optional("min", whole("The fewest characters taken.", 0)),
			optional("max", whole("The most characters taken.", 0))}},
		{"alphabetical", nil},
	}
}

func someFields() *shape.Shape {
	s := texts("The keys of the fields looked at.")
	s.MinItems = 1
	return s
}

func validatorShape() *shape.Shape {
	choices := make([]*shape.Shape, 0, len(RuleShapes()))
	for _, r := range RuleShapes() {
		props := append([]shape.Prop{required("validate", oneOf("The rule.", r.Name))}, r.Props...)
		props = append(props, EachRule()...)
		choices = append(choices, object("", props...))
	}
	return &shape.Shape{Kind: shape.OneOf, Choices: choices}
}

// EachRule are the properties that every rule may have.
func EachRule() []shape.Prop {
	return []shape.Prop{
		optional("errorMessage", kindOf(shape.String, "Replaces the rule's own text.")),
		optional("level", byDefault(oneOf("How bad a breach is. Only an error makes a row invalid.", "info", "warning", "error"), "error")),
	}
}

func readValidators(m map[string]any) []intray.Validator {
	var list []intray.Validator
	for _, v := range elements(m, "validators") {
		list = append(list, readValidator(v.(map[string]any)))
	}
	return list
}

func readValidator(m map[string]any) intray.Validator {
	v := intray.Validator{Rule: text(m, "validate"), Message: text(m, "errorMessage")}
	v.Level, _ = intray.ParseLevel(text(m, "level"))
	options := maps.Clone(m)
	for _, own := range []string{"validate", "errorMessage", "level"} {
		delete(options, own)
	}
	if len(options) > 0 {
		v.Options = options
	}
	return v
}

// named is a key that a rule names, and its place below the validator.
type named struct{ path, key string }

// namedFields are the keys of the other fields that a rule looks at.
func namedFields(v intray.Validator) []named {
	var all []named
	for i, key := range textList(v.Options, "fields") {
		all = append(all, named{indexed("fields", i), key})
	}
	values, _ := v.Options["fieldValues"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, named{"fieldValues", key})
	}
	return all
}

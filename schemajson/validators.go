package schemajson

import (
	"maps"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

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

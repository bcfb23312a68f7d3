package schemajson

import (
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

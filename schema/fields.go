package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// FieldsShape returns the shape of a list of fields.
func FieldsShape() *jsonschema.Schema {
	s := named("Fields", listShape("The fields of an import, in the order of the result.", fieldShape()))
	s.MinItems, s.MaxItems = 1, MaxFields
	return s
}

func fieldShape() *jsonschema.Schema {
	return named("Field", objectShape("A field of a schema.",
		required("key", keyShape()),
		optional("type", withRole("The type: its name, or an array of its name and its options.", withDefault(typeShape(), "string"))),
		required("label", textShape("The name that people see. Intray compares headers with it.")),
		optional("description", newShape(jsonschema.String, "Help text.")),
		optional("alternateMatches", stringListShape("Other headers that match the field.")),
		optional("validators", listShape("The rules that the cells of the field must satisfy.", validatorShape())),
		optional("invalidValueMessage", textShape("Replaces the error message of the type.")),
		optional("readOnly", boolShape("Prevents people from editing the cells. Hooks can still change them.", false)),
		optional("hidden", boolShape("Excludes the field from mapping and review. Only hooks can fill it. It cannot have validators.", false)),
		optional("requireMapping", boolShape("Requires a column for the field, even if its cells can be empty. If no column matches, the import needs review.", false)),
		optional("manyToOne", boolShape("Allows several columns to map to the field. The value of the field is a list.", false)),
		optional("selectOptions", listShape("The options of a select or multi-select field.", optionShape())),
	))
}

func keyShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: "The name of the field in the result. It must be unique in the schema and have at most 255 bytes.",
		MinLength: 1, MaxLength: MaxKeyBytes, NoControl: true, Example: "email"}
}

func optionShape() *jsonschema.Schema {
	return named("SelectOption", objectShape("An option of a select or multi-select field.",
		required("label", textShape("The name that people see.")),
		required("value", textShape("The value in the result.")),
		optional("alternateMatches", stringListShape("Other values in the file that mean this option.")),
	))
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
	// Props are the properties other than those that all validators have.
	Props []jsonschema.Property
}

// RuleShapes returns the 16 kinds of validators.
func RuleShapes() []RuleShape {
	s := stringListShape("The keys of the other fields.")
	s.MinItems = 1
	fields := []jsonschema.Property{required("fields", s)}
	values := []jsonschema.Property{required("fieldValues", newShape(jsonschema.Map, "The values to compare with, keyed by field key."))}
	regex := []jsonschema.Property{
		required("regex", newShape(jsonschema.String, "A regular expression in JavaScript syntax, without slashes.")),
		optional("regexOptions", withRole("The flags of the expression.", named("RegexOptions", objectShape("The flags of a regular expression.",
			optional("ignoreCase", boolShape("Ignores case (the `i` flag).", false)),
			optional("dotAll", boolShape("Lets a dot also match line breaks (the `s` flag).", false)),
			optional("multiline", boolShape("Lets `^` and `$` also match at line breaks (the `m` flag).", false)),
			optional("unicode", boolShape("Matches code points and supports `\\p{…}` (the `u` flag).", false)))))),
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

func validatorShape() *jsonschema.Schema {
	choices := make([]*jsonschema.Schema, 0, len(RuleShapes()))
	for _, r := range RuleShapes() {
		props := append([]jsonschema.Property{required("validate", enumShape("The name of the validator.", r.Name))}, r.Props...)
		props = append(props, CommonRuleProps()...)
		choices = append(choices, named(componentName(r.Name)+"Validator", objectShape("The validator "+r.Name+".", props...)))
	}
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Name: "Validator", Description: "A rule that the cells of a field must satisfy.", Choices: choices}
}

// componentName returns the name of a type or a validator in the style of the names of components:
// unique_with becomes UniqueWith.
func componentName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// CommonRuleProps returns the properties that all validators have.
func CommonRuleProps() []jsonschema.Property {
	return []jsonschema.Property{
		optional("errorMessage", textShape("Replaces the message of the validator.")),
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

// TypeShape describes a field type.
type TypeShape struct {
	Name intray.TypeName
	// Options is the shape of the object that holds the type's options. The type number
	// also accepts the name of a preset.
	Options *jsonschema.Schema
}

// TypeShapes returns the 17 field types with their options.
func TypeShapes() []TypeShape {
	none := named("NoTypeOptions", objectShape("No options."))
	return []TypeShape{
		{intray.TypeString, none},
		{intray.TypeNumber, numberOptions()},
		{intray.TypeDate, dateOptions("Date", optional("autofix", boolShape("If a date does not fit the order of its column (such as day before month) but is valid in exactly one other order, Intray reads it in that order and reports it. If this option is false, such a cell is invalid.", true)))},
		{intray.TypeDatetime, dateOptions("Datetime")},
		{intray.TypeTime, dateOptions("Time")},
		{intray.TypeCheckbox, none},
		{intray.TypeSelect, named("SelectTypeOptions", objectShape("The options of the type select.",
			optional("allowCustom", boolShape("Accepts any value.", false)),
			optional("exactMatchOnly", boolShape("Accepts only exact matches.", false))))},
		{intray.TypeMultiSelect, named("MultiSelectTypeOptions", objectShape("The options of the type multi-select.",
			optional("delimiter", withDefault(newShape(jsonschema.String, "Separates the values of a cell."), ",")),
			optional("trimValues", boolShape("Removes white space around each value.", true))))},
		{intray.TypeEmail, none},
		{intray.TypePhone, named("PhoneTypeOptions", objectShape("The options of the type phone.",
			optional("country", newShape(jsonschema.String, "The country that Intray assumes for numbers without a country code, as a two-letter code such as `FR`.")),
			optional("format", withDefault(enumShape("The format in the result. `international` and `both` include the country code. `national` omits it if the option `country` is set. `both` requires this option.", "international", "national", "both"), "international")),
			optional("outputFormatted", boolShape("Formats numbers as is usual in their country, such as `+33 1 23 45 67 89` or `+1 201-555-0123`.", false))))},
		{intray.TypeURL, named("URLTypeOptions", objectShape("The options of the type url.",
			optional("acceptedProtocols", stringListShape("The accepted protocols.")),
			optional("acceptedDomains", stringListShape("The accepted domains."))))},
		{intray.TypeDomain, named("DomainTypeOptions", objectShape("The options of the type domain.", optional("allowSubdomains", boolShape("Accepts subdomains.", true))))},
		{intray.TypeZIP, named("ZipTypeOptions", objectShape("The options of the type zip.",
			optional("format", withDefault(enumShape("The number of digits.", "5-digit", "9-digit"), "5-digit")),
			optional("outputDash", boolShape("Formats nine digits with a dash.", false))))},
		{intray.TypeState, none},
		{intray.TypeSSN, named("SSNTypeOptions", objectShape("The options of the type ssn.", optional("outputDash", boolShape("Formats the number with dashes.", false))))},
		{intray.TypeCountry, named("CountryTypeOptions", objectShape("The options of the type country.",
			optional("format", withDefault(enumShape("The ISO 3166 code in the result.", "2-letter", "3-letter"), "2-letter"))))},
		{intray.TypeUUID, named("UUIDTypeOptions", objectShape("The options of the type uuid.", optional("version", uuidVersion())))},
	}
}

func uuidVersion() *jsonschema.Schema {
	s := integerShape("The accepted version.", 1)
	s.Max = jsonschema.Bound(8)
	return s
}

func dateOptions(of string, more ...jsonschema.Property) *jsonschema.Schema {
	return named(of+"TypeOptions", objectShape("The options of the type "+strings.ToLower(of)+".", append([]jsonschema.Property{
		optional("locale", withDefault(newShape(jsonschema.String, "The language and country for reading and displaying values. If this option is set, Intray uses it to read ambiguous values."), "en-US")),
		optional("displayFormat", newShape(jsonschema.String, "The format in which people see values, in Luxon tokens. Cells in this format are also accepted.")),
		optional("outputFormat", withDefault(newShape(jsonschema.String, "The format of values in the result, in Luxon tokens."), "[ISO]")),
		optional("withSeconds", boolShape("Keeps the seconds of times. In a `date` field, this option has no effect.", false)),
	}, more...)...))
}

func numberPresets() []string {
	return []string{"default", "plain", "integer",
		"decimal_0", "decimal_1", "decimal_2", "decimal_3", "decimal_4",
		"percent", "percent_0", "percent_1", "percent_2", "percent_3", "percent_4",
		"usd", "usd_accounting", "eur", "gbp"}
}

func numberOptions() *jsonschema.Schema {
	preset := withDefault(named("NumberPreset", enumShape("A named format, which determines rounding, display and currency.", numberPresets()...)), "default")
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: []*jsonschema.Schema{preset, named("NumberTypeOptions", objectShape("The options of the type number.",
		optional("preset", preset),
		optional("round", newShape(jsonschema.Integer, "The number of decimal places. A negative value rounds to the left of the decimal point: -2 rounds to hundreds. Intray rounds a number before it checks min and max.")),
		optional("displayFormat", NumberFormat("The format in which people see the numbers. It has no effect on the result.")),
		optional("outputFormat", NumberFormat("The format of the numbers in the result, as text.")),
		optional("min", newShape(jsonschema.Number, "The smallest accepted number.")),
		optional("max", newShape(jsonschema.Number, "The largest accepted number.")),
	))}}
}

// NumberFormat returns the shape of Numbro's format options.
func NumberFormat(role string) *jsonschema.Schema {
	off := func(doc string) *jsonschema.Schema { return boolShape(doc, false) }
	digits := func(doc string) *jsonschema.Schema { return withDefault(integerShape(doc, 0), 0) }
	return withRole(role, named("NumberFormat", objectShape("How numbers are formatted, as in Numbro.",
		optional("output", withDefault(enumShape("The kind of number.", "number", "currency", "percent", "byte", "time", "ordinal"), "number")),
		optional("base", enumShape("The units for bytes: 1024 bytes are 1 KiB (binary), 1000 bytes are 1 KB (decimal), or 1024 bytes are 1 KB (general).", "decimal", "binary", "general")),
		optional("prefix", newShape(jsonschema.String, "Text before the formatted number.")),
		optional("postfix", newShape(jsonschema.String, "Text after the formatted number.")),
		optional("characteristic", digits("The minimum number of digits before the decimal point.")),
		optional("optionalCharacteristic", off("Omits a zero before the decimal point.")),
		optional("mantissa", integerShape("The number of decimal places. Default: as many as needed.", 0)),
		optional("optionalMantissa", off("Omits decimal places if all are zero.")),
		optional("trimMantissa", off("Omits trailing zeros.")),
		optional("thousandSeparated", off("Adds commas as thousands separators.")),
		optional("spaceSeparated", off("Adds a space between the number and its unit, abbreviation, ordinal suffix or percent sign.")),
		optional("negative", withDefault(enumShape("How negative numbers are marked.", "sign", "parenthesis"), "sign")),
		optional("forceSign", off("Adds a + to positive numbers.")),
		optional("exponential", off("Uses exponential notation.")),
		optional("average", off("Abbreviates to thousands, millions, billions or trillions.")),
		optional("forceAverage", enumShape("Abbreviates to this unit.", "thousand", "million", "billion", "trillion")),
		optional("totalLength", digits("Abbreviates the number to this total number of digits.")),
		optional("lowPrecision", boolShape("With `average`, also abbreviates numbers that are at least half of a unit: 500 becomes 0.5k. For currencies, the default is false.", true)),
		optional("abbreviations", newShape(jsonschema.Map, "Abbreviations for thousand, million, billion and trillion, instead of k, m, b and t.")),
		optional("spaceSeparatedAbbreviation", off("Adds a space between an abbreviation and a currency symbol after it, if spaceSeparatedCurrency is set.")),
		optional("currencySymbol", withDefault(newShape(jsonschema.String, "The currency symbol."), "$")),
		optional("currencyPosition", withDefault(enumShape("The position of the currency symbol: before the number, in place of the decimal point, or after the number.", "prefix", "infix", "postfix"), "prefix")),
		optional("prefixSymbol", off("Puts the percent sign before the number.")),
		optional("spaceSeparatedCurrency", off("Adds a space next to the currency symbol.")),
	)))
}

// typeShape accepts the name of a type, or the name and its options.
func typeShape() *jsonschema.Schema {
	var names []string
	var pairs []*jsonschema.Schema
	for _, t := range TypeShapes() {
		names = append(names, string(t.Name))
		pairs = append(pairs, &jsonschema.Schema{Kind: jsonschema.Tuple, Items: []*jsonschema.Schema{enumShape("", string(t.Name)), t.Options}})
	}
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Name: "FieldType", Description: "The type of a field: its name, or an array of its name and its options.",
		Choices: append([]*jsonschema.Schema{named("FieldTypeName", enumShape("The name of a type.", names...))}, pairs...)}
}

// readType reads a type. Its shape must have been checked. For the type number, a string in
// place of the options is the value of the option preset.
func readType(v any) intray.FieldType {
	switch t := v.(type) {
	case string:
		return intray.FieldType{Name: intray.TypeName(t)}
	case []any:
		name, _ := t[0].(string)
		options, ok := t[1].(map[string]any)
		if !ok {
			options = map[string]any{"preset": t[1]}
		}
		return intray.FieldType{Name: intray.TypeName(name), Options: options}
	}
	return intray.FieldType{Name: intray.TypeString}
}

package schema

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// TypeShape describes a field type.
type TypeShape struct {
	Name intray.TypeName
	// Options is the shape of the object that holds the type's options. The type number
	// also accepts the name of a preset.
	Options *jsonschema.Schema
}

// TypeShapes returns the 17 field types with their options.
func TypeShapes() []TypeShape {
	none := objectShape("No options.")
	return []TypeShape{
		{intray.TypeString, none},
		{intray.TypeNumber, numberOptions()},
		{intray.TypeDate, dateOptions(optional("autofix", boolShape("If a date does not fit the order of its column (such as day before month) but is valid in exactly one other order, Intray reads it in that order and reports it. If this option is false, such a cell is invalid.", true)))},
		{intray.TypeDatetime, dateOptions()},
		{intray.TypeTime, dateOptions()},
		{intray.TypeCheckbox, none},
		{intray.TypeSelect, objectShape("",
			optional("allowCustom", boolShape("Accepts any value.", false)),
			optional("exactMatchOnly", boolShape("Accepts only exact matches.", false)))},
		{intray.TypeMultiSelect, objectShape("",
			optional("delimiter", withDefault(newShape(jsonschema.String, "Separates the values of a cell."), ",")),
			optional("trimValues", boolShape("Removes white space around each value.", true)))},
		{intray.TypeEmail, none},
		{intray.TypePhone, objectShape("",
			optional("country", newShape(jsonschema.String, "The country that Intray assumes for numbers without a country code, as a two-letter code such as `FR`.")),
			optional("format", withDefault(enumShape("The format in the result. `national` omits the country code. `international` and `both` include it, and `both` requires the option `country`.", "international", "national", "both"), "international")),
			optional("outputFormatted", boolShape("Formats numbers with spaces.", false)))},
		{intray.TypeURL, objectShape("",
			optional("acceptedProtocols", stringListShape("The accepted protocols.")),
			optional("acceptedDomains", stringListShape("The accepted domains.")))},
		{intray.TypeDomain, objectShape("", optional("allowSubdomains", boolShape("Accepts subdomains.", true)))},
		{intray.TypeZIP, objectShape("",
			optional("format", withDefault(enumShape("The number of digits.", "5-digit", "9-digit"), "5-digit")),
			optional("outputDash", boolShape("Formats nine digits with a dash.", false)))},
		{intray.TypeState, none},
		{intray.TypeSSN, objectShape("", optional("outputDash", boolShape("Formats the number with dashes.", false)))},
		{intray.TypeCountry, objectShape("",
			optional("format", withDefault(enumShape("The ISO 3166 code in the result.", "2-letter", "3-letter"), "2-letter")))},
		{intray.TypeUUID, objectShape("", optional("version", uuidVersion()))},
	}
}

func uuidVersion() *jsonschema.Schema {
	s := integerShape("The accepted version.", 1)
	s.Max = jsonschema.Bound(8)
	return s
}

func dateOptions(more ...jsonschema.Property) *jsonschema.Schema {
	return objectShape("", append([]jsonschema.Property{
		optional("locale", withDefault(newShape(jsonschema.String, "The language and country for reading and displaying values. If this option is set, Intray uses it to read ambiguous values."), "en-US")),
		optional("displayFormat", newShape(jsonschema.String, "The format in which people see values, in Luxon tokens. Cells in this format are also accepted.")),
		optional("outputFormat", withDefault(newShape(jsonschema.String, "The format of values in the result, in Luxon tokens."), "[ISO]")),
		optional("withSeconds", boolShape("Keeps the seconds of times. In a `date` field, this option has no effect.", false)),
	}, more...)...)
}

func numberPresets() []string {
	return []string{"default", "plain", "integer",
		"decimal_0", "decimal_1", "decimal_2", "decimal_3", "decimal_4",
		"percent", "percent_0", "percent_1", "percent_2", "percent_3", "percent_4",
		"usd", "usd_accounting", "eur", "gbp"}
}

func numberOptions() *jsonschema.Schema {
	preset := withDefault(enumShape("A named format, which determines rounding, display and currency.", numberPresets()...), "default")
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: []*jsonschema.Schema{preset, objectShape("",
		optional("preset", preset),
		optional("round", newShape(jsonschema.Integer, "The number of decimal places. A negative value rounds to the left of the decimal point: -2 rounds to hundreds. Intray rounds a number before it checks min and max.")),
		optional("displayFormat", NumberFormat("The format in which people see the numbers. It has no effect on the result.")),
		optional("outputFormat", NumberFormat("The format of the numbers in the result, as text.")),
		optional("min", newShape(jsonschema.Number, "The smallest accepted number.")),
		optional("max", newShape(jsonschema.Number, "The largest accepted number.")),
	)}}
}

// NumberFormat returns the shape of Numbro's format options.
func NumberFormat(doc string) *jsonschema.Schema {
	off := func(doc string) *jsonschema.Schema { return boolShape(doc, false) }
	digits := func(doc string) *jsonschema.Schema { return withDefault(integerShape(doc, 0), 0) }
	return objectShape(doc,
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
	)
}

// typeShape accepts the name of a type, or the name and its options.
func typeShape() *jsonschema.Schema {
	var names []string
	var pairs []*jsonschema.Schema
	for _, t := range TypeShapes() {
		names = append(names, string(t.Name))
		pairs = append(pairs, &jsonschema.Schema{Kind: jsonschema.Tuple, Items: []*jsonschema.Schema{enumShape("", string(t.Name)), t.Options}})
	}
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Description: "The type: its name, or an array of its name and its options.",
		Choices: append([]*jsonschema.Schema{enumShape("", names...)}, pairs...)}
}

// readType reads a type. Its shape must have been checked. A string in place of the options
// of a number is the option preset.
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

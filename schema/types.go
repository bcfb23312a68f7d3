package schema

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// TypeShape is one row of the table of types.
type TypeShape struct {
	Name intray.TypeName
	// Options is the closed table of the type's options: an object. That of
	// number is a choice of a preset's name and an object.
	Options *jsonschema.Schema
}

// TypeShapes are the 17 types, each with the options it takes.
func TypeShapes() []TypeShape {
	none := objectShape("No options.")
	return []TypeShape{
		{intray.TypeString, none},
		{intray.TypeNumber, numberOptions()},
		{intray.TypeDate, dateOptions(optional("autofix", boolShape("Reads a date in another order than that of its column where only one reading is possible, and tells so. Without it the cell is wrong.", true)))},
		{intray.TypeDatetime, dateOptions()},
		{intray.TypeTime, dateOptions()},
		{intray.TypeCheckbox, none},
		{intray.TypeSelect, objectShape("",
			optional("allowCustom", boolShape("Takes any value.", false)),
			optional("exactMatchOnly", boolShape("Takes no value that is only close.", false)))},
		{intray.TypeMultiSelect, objectShape("",
			optional("delimiter", withDefault(newShape(jsonschema.String, "Stands between the values of a cell."), ",")),
			optional("trimValues", boolShape("Removes white space around each value.", true)))},
		{intray.TypeEmail, none},
		{intray.TypePhone, objectShape("",
			optional("country", newShape(jsonschema.String, "The country of numbers without a country code, in two letters.")),
			optional("format", withDefault(enumShape("How numbers are written: with the country code, without, or with it for one country, which must be given.", "international", "national", "both"), "international")),
			optional("outputFormatted", boolShape("Writes numbers with spaces.", false)))},
		{intray.TypeURL, objectShape("",
			optional("acceptedProtocols", stringListShape("The only protocols taken.")),
			optional("acceptedDomains", stringListShape("The only domains taken.")))},
		{intray.TypeDomain, objectShape("", optional("allowSubdomains", boolShape("Takes subdomains too.", true)))},
		{intray.TypeZIP, objectShape("",
			optional("format", withDefault(enumShape("How many digits.", "5-digit", "9-digit"), "5-digit")),
			optional("outputDash", boolShape("Writes nine digits with a dash.", false)))},
		{intray.TypeState, none},
		{intray.TypeSSN, objectShape("", optional("outputDash", boolShape("Writes dashes.", false)))},
		{intray.TypeCountry, objectShape("",
			optional("format", withDefault(enumShape("Which ISO 3166 code.", "2-letter", "3-letter"), "2-letter")))},
		{intray.TypeUUID, objectShape("", optional("version", uuidVersion()))},
	}
}

func uuidVersion() *jsonschema.Schema {
	s := integerShape("The only version taken.", 1)
	s.Max = jsonschema.Bound(8)
	return s
}

func dateOptions(more ...jsonschema.Property) *jsonschema.Schema {
	return objectShape("", append([]jsonschema.Property{
		optional("locale", withDefault(newShape(jsonschema.String, "The language and country in which values are read and shown. Where it is given, it decides between two readings."), "en-US")),
		optional("displayFormat", newShape(jsonschema.String, "How people see values, and a form in which cells are read, in Luxon tokens.")),
		optional("outputFormat", withDefault(newShape(jsonschema.String, "How values are written to the result, in Luxon tokens."), "[ISO]")),
		optional("withSeconds", boolShape("Keeps seconds; a date has none.", false)),
	}, more...)...)
}

func numberPresets() []string {
	return []string{"default", "plain", "integer",
		"decimal_0", "decimal_1", "decimal_2", "decimal_3", "decimal_4",
		"percent", "percent_0", "percent_1", "percent_2", "percent_3", "percent_4",
		"usd", "usd_accounting", "eur", "gbp"}
}

func numberOptions() *jsonschema.Schema {
	preset := withDefault(enumShape("A format with a name: it says how numbers are rounded and shown, and which currency they are in.", numberPresets()...), "default")
	return &jsonschema.Schema{Kind: jsonschema.OneOf, Choices: []*jsonschema.Schema{preset, objectShape("",
		optional("preset", preset),
		optional("round", newShape(jsonschema.Integer, "How many digits after the decimal sign are kept; negative counts before it. It is done before min and max are looked at.")),
		optional("displayFormat", NumberFormat("How people see the numbers. The result is not changed by it.")),
		optional("outputFormat", NumberFormat("Writes the numbers to the result as texts in this format.")),
		optional("min", newShape(jsonschema.Number, "The smallest number taken.")),
		optional("max", newShape(jsonschema.Number, "The largest number taken.")),
	)}}
}

// NumberFormat is the closed table of Numbro's format options.
func NumberFormat(doc string) *jsonschema.Schema {
	off := func(doc string) *jsonschema.Schema { return boolShape(doc, false) }
	digits := func(doc string) *jsonschema.Schema { return withDefault(integerShape(doc, 0), 0) }
	return objectShape(doc,
		optional("output", withDefault(enumShape("What the number is.", "number", "currency", "percent", "byte", "time", "ordinal"), "number")),
		optional("base", enumShape("What a kilobyte is: 1024 bytes (binary), 1000 (decimal), or 1024 under the names of the other (general).", "decimal", "binary", "general")),
		optional("prefix", newShape(jsonschema.String, "Stands before it all.")),
		optional("postfix", newShape(jsonschema.String, "Stands behind it all.")),
		optional("characteristic", digits("The fewest digits before the decimal sign.")),
		optional("optionalCharacteristic", off("Leaves out a zero before the decimal sign.")),
		optional("mantissa", integerShape("How many digits stand behind the decimal sign. Without it, as many as there are.", 0)),
		optional("optionalMantissa", off("Leaves out the digits behind the decimal sign where all are zero.")),
		optional("trimMantissa", off("Leaves out zeros at the end.")),
		optional("thousandSeparated", off("Puts a comma between the thousands.")),
		optional("spaceSeparated", off("Puts a blank between the number and its unit, abbreviation or sign.")),
		optional("negative", withDefault(enumShape("How numbers below zero are marked.", "sign", "parenthesis"), "sign")),
		optional("forceSign", off("Puts a + before numbers above zero.")),
		optional("exponential", off("Writes powers of ten.")),
		optional("average", off("Shortens to thousands, millions, billions or trillions.")),
		optional("forceAverage", enumShape("Shortens to this unit.", "thousand", "million", "billion", "trillion")),
		optional("totalLength", digits("Shortens to so many digits in all.")),
		optional("lowPrecision", boolShape("Shortens from half a unit on: 500 is 0.5k. Not for currencies, unless set.", true)),
		optional("abbreviations", newShape(jsonschema.Map, "Texts for thousand, million, billion and trillion, in place of k, m, b and t.")),
		optional("spaceSeparatedAbbreviation", off("Puts a blank between an abbreviation and the sign of a currency behind it, where currencies have one.")),
		optional("currencySymbol", withDefault(newShape(jsonschema.String, "The sign of the currency."), "$")),
		optional("currencyPosition", withDefault(enumShape("Where it stands: before, in place of the decimal sign, or behind.", "prefix", "infix", "postfix"), "prefix")),
		optional("prefixSymbol", off("Puts the percent sign before the number.")),
		optional("spaceSeparatedCurrency", off("Puts a blank beside the sign of the currency.")),
	)
}

// typeShape takes the name of a type, or the name and its options.
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

// readType reads a type that has its shape. A named number format alone is the
// option preset.
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

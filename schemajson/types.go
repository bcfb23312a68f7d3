package schemajson

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// fieldType is one row of the table of types.
type fieldType struct {
	name    intray.TypeName
	options *shape.Shape
}

// fieldTypes are the 17 types, each with the options it takes.
func fieldTypes() []fieldType {
	none := object("No options.")
	return []fieldType{
		{intray.TypeString, none},
		{intray.TypeNumber, numberOptions()},
		{intray.TypeDate, dateOptions(optional("autofix", flag("Repairs dates in other formats.", true)))},
		{intray.TypeDatetime, dateOptions()},
		{intray.TypeTime, dateOptions()},
		{intray.TypeCheckbox, none},
		{intray.TypeSelect, object("",
			optional("allowCustom", flag("Takes any value.", false)),
			optional("exactMatchOnly", flag("Takes no value that is only close.", false)))},
		{intray.TypeMultiSelect, object("",
			optional("delimiter", byDefault(kindOf(shape.String, "Stands between the values of a cell."), ",")),
			optional("trimValues", flag("Removes white space around each value.", true)))},
		{intray.TypeEmail, none},
		{intray.TypePhone, object("",
			optional("country", kindOf(shape.String, "The country of numbers without a country code, in two letters.")),
			optional("format", byDefault(oneOf("How numbers are written.", "international", "national", "both"), "international")),
			optional("outputFormatted", flag("Writes numbers with spaces.", false)))},
		{intray.TypeURL, object("",
			optional("acceptedProtocols", texts("The only protocols taken.")),
			optional("acceptedDomains", texts("The only domains taken.")))},
		{intray.TypeDomain, object("", optional("allowSubdomains", flag("Takes subdomains too.", true)))},
		{intray.TypeZIP, object("",
			optional("format", byDefault(oneOf("How many digits.", "5-digit", "9-digit"), "5-digit")),
			optional("outputDash", flag("Writes nine digits with a dash.", false)))},
		{intray.TypeState, none},
		{intray.TypeSSN, object("", optional("outputDash", flag("Writes dashes.", false)))},
		{intray.TypeCountry, object("",
			optional("format", byDefault(oneOf("Which ISO 3166 code.", "2-letter", "3-letter"), "2-letter")))},
		{intray.TypeUUID, object("", optional("version", uuidVersion()))},
	}
}

func uuidVersion() *shape.Shape {
	s := whole("The only version taken.", 1)
	s.Max = shape.Bound(8)
	return s
}

func dateOptions(more ...shape.Prop) *shape.Shape {
	return object("", append([]shape.Prop{
		optional("locale", byDefault(kindOf(shape.String, "The locale in which values are read and shown."), "en-US")),
		optional("displayFormat", kindOf(shape.String, "How values are shown, in Luxon tokens.")),
		optional("outputFormat", byDefault(kindOf(shape.String, "How values are written to the result, in Luxon tokens."), "[ISO]")),
		optional("withSeconds", flag("Keeps seconds.", false)),
	}, more...)...)
}

func numberPresets() []string {
	return []string{"default", "plain", "integer",
		"decimal_0", "decimal_1", "decimal_2", "decimal_3", "decimal_4",
		"percent", "percent_0", "percent_1", "percent_2", "percent_3", "percent_4",
		"usd", "usd_accounting", "eur", "gbp"}
}

func numberOptions() *shape.Shape {
	preset := oneOf("A named format.", numberPresets()...)
	return &shape.Shape{Kind: shape.OneOf, Choices: []*shape.Shape{preset, object("",
		optional("preset", preset),
		optional("round", kindOf(shape.Integer, "How many digits after the decimal sign are kept; negative counts before it.")),
		optional("displayFormat", numberFormat()),
		optional("outputFormat", numberFormat()),
		optional("min", kindOf(shape.Number, "The smallest number taken.")),
		optional("max", kindOf(shape.Number, "The largest number taken.")),
	)}}
}

// numberFormat is the closed table of Numbro's format options.
func numberFormat() *shape.Shape {
	s := object("How numbers are written: Numbro format options.",
		optional("negative", oneOf("", "sign", "parenthesis")),
		optional("currencyPosition", oneOf("", "prefix", "infix", "postfix")),
		optional("abbreviations", kindOf(shape.Map, "")))
	add := func(kind shape.Kind, names ...string) {
		for _, name := range names {
			s.Props = append(s.Props, optional(name, kindOf(kind, "")))
		}
	}
	add(shape.String, "output", "base", "prefix", "postfix", "forceAverage", "currencySymbol")
	add(shape.Integer, "characteristic", "totalLength", "mantissa")
	add(shape.Bool, "average", "optionalMantissa", "trimMantissa", "optionalCharacteristic", "thousandSeparated",
		"forceSign", "spaceSeparated", "spaceSeparatedCurrency", "spaceSeparatedAbbreviation", "exponential",
		"prefixSymbol", "lowPrecision")
	return s
}

// typeShape takes the name of a type, or the name and its options.
func typeShape() *shape.Shape {
	var names []string
	var pairs []*shape.Shape
	for _, t := range fieldTypes() {
		names = append(names, string(t.name))
		pairs = append(pairs, &shape.Shape{Kind: shape.Tuple, Items: []*shape.Shape{oneOf("", string(t.name)), t.options}})
	}
	return &shape.Shape{Kind: shape.OneOf, Doc: "The type: its name, or an array of its name and its options.",
		Choices: append([]*shape.Shape{oneOf("", names...)}, pairs...)}
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

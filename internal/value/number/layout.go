package number

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Layout writes numbers as a set of Numbro's format options says, in the
// language en-US. The zero Layout writes the number alone. It is not changed by
// writing.
//
// It follows Numbro 2.5 (https://numbrojs.com/format.html), with these
// differences: it counts in decimals, with all digits and without exponents where
// none is asked for; it rounds half away from zero below zero as well; a number
// that rounds to zero has no sign, whatever stands beside it; abbreviations and
// a byte base of none are taken as documented; a zero is not left out where
// nothing else stands; and times carry their seconds and take a minus before
// them.
type Layout struct {
	output, base, forceAverage string
	prefix, postfix, symbol    string
	position, negative         string
	abbreviations              [5]string // by the power of a thousand

	characteristic, totalLength int
	mantissa                    int

	// fixed says that mantissa holds.
	fixed bool

	average, optionalMantissa, trimMantissa, optionalCharacteristic bool
	thousands, forceSign, exponential, prefixSymbol                 bool
	lowPrecision, spaced, spacedCurrency, spacedAbbreviation        bool
}

// maxPadding is the most digits that a format can ask for.
const maxPadding = 400

// CompileLayout makes a layout of the format options as they stand in a schema.
// Unknown options, values of another kind than Numbro takes, lengths below 0 or
// over 400 and options that exclude each other are errors.
func CompileLayout(options map[string]any) (Layout, error) {
	if len(options) == 1 && options["output"] == "currency" {
		// Numbro's own format for currency alone.
		options = map[string]any{"output": "currency", "thousandSeparated": true, "totalLength": json.Number("4"),
			"spaceSeparated": true, "spaceSeparatedCurrency": true}
	}
	l := Layout{abbreviations: [5]string{"", "k", "m", "b", "t"}}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if err := l.set(name, options[name]); err != nil {
			return Layout{}, err
		}
	}
	l.settle(options)
	if l.exponential && l.totalLength > 0 {
		return Layout{}, fmt.Errorf("totalLength and exponential exclude each other")
	}
	return l, nil
}

// settle fills in what depends on several options.
func (l *Layout) settle(options map[string]any) {
	if _, set := options["lowPrecision"]; !set {
		l.lowPrecision = l.output != "currency"
	}
	if _, set := options["spaceSeparatedCurrency"]; !set {
		l.spacedCurrency = l.spaced
	}
	l.average = l.average || l.totalLength > 0 || l.forceAverage != ""
	_, set := options["mantissa"]
	l.fixed = set || l.average
	if l.totalLength > 0 {
		l.characteristic, l.optionalMantissa = 0, false
	}
	if l.symbol == "" {
		l.symbol = "$"
	}
	if l.position == "" {
		l.position = "prefix"
	}
}

// set takes one option.
func (l *Layout) set(name string, value any) error {
	if flag := l.flags()[name]; flag != nil {
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("%s is %v, not true or false", name, value)
		}
		*flag = b
		return nil
	}
	if length := l.lengths()[name]; length != nil {
		n, ok := wholeOf(value)
		if !ok || n < 0 || n > maxPadding {
			return fmt.Errorf("%s is %v, not a whole number from 0 to %d", name, value, maxPadding)
		}
		*length = n
		return nil
	}
	if name == "abbreviations" {
		return l.setAbbreviations(value)
	}
	return l.setText(name, value)
}

func (l *Layout) flags() map[string]*bool {
	return map[string]*bool{
		"average":                    &l.average,
		"optionalMantissa":           &l.optionalMantissa,
		"trimMantissa":               &l.trimMantissa,
		"optionalCharacteristic":     &l.optionalCharacteristic,
		"thousandSeparated":          &l.thousands,
		"forceSign":                  &l.forceSign,
		"exponential":                &l.exponential,
		"prefixSymbol":               &l.prefixSymbol,
		"lowPrecision":               &l.lowPrecision,
		"spaceSeparated":             &l.spaced,
		"spaceSeparatedCurrency":     &l.spacedCurrency,
		"spaceSeparatedAbbreviation": &l.spacedAbbreviation,
	}
}

func (l *Layout) lengths() map[string]*int {
	return map[string]*int{"characteristic": &l.characteristic, "totalLength": &l.totalLength, "mantissa": &l.mantissa}
}

// textOption is an option that holds text, and the values it may have; none
// means any.
type textOption struct {
	to     *string
	values []string
}

func (l *Layout) texts() map[string]textOption {
	return map[string]textOption{
		"output":           {&l.output, []string{"number", "currency", "percent", "byte", "time", "ordinal"}},
		"base":             {&l.base, []string{"decimal", "binary", "general"}},
		"forceAverage":     {&l.forceAverage, averages[1:]},
		"currencyPosition": {&l.position, []string{"prefix", "infix", "postfix"}},
		"negative":         {&l.negative, []string{"sign", "parenthesis"}},
		"currencySymbol":   {to: &l.symbol},
		"prefix":           {to: &l.prefix},
		"postfix":          {to: &l.postfix},
	}
}

// averages are the units by the power of a thousand.
var averages = []string{"", "thousand", "million", "billion", "trillion"}

func (l *Layout) setText(name string, value any) error {
	option, known := l.texts()[name]
	if !known {
		return fmt.Errorf("there is no option %s of a number format", name)
	}
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%s is %v, not a text", name, value)
	}
	if option.values != nil && !slices.Contains(option.values, text) {
		return fmt.Errorf("%s is %q, not one of %v", name, text, option.values)
	}
	*option.to = text
	return nil
}

func (l *Layout) setAbbreviations(value any) error {
	given, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("abbreviations are %v, not an object of texts", value)
	}
	for _, unit := range slices.Sorted(maps.Keys(given)) {
		at := slices.Index(averages, unit)
		text, ok := given[unit].(string)
		if at < 1 || !ok {
			return fmt.Errorf("abbreviations hold %s: %v, not a text for one of %v", unit, given[unit], averages[1:])
		}
		l.abbreviations[at] = text
	}
	return nil
}

// wholeOf gives the whole number that an option holds, cut at a million.
func wholeOf(value any) (n int, ok bool) {
	d, ok := valueOf(value)
	if !ok || len(d.digits) > d.point || d.point > maxPlaces {
		return 0, false
	}
	for place := d.point - 1; place >= 0; place-- {
		n = min(n*10+int(d.at(place)-'0'), farExponent)
	}
	if d.negative {
		n = -n
	}
	return n, true
}

// valueOf takes apart a number of a schema.
func valueOf(value any) (decimal, bool) {
	var text []byte
	switch n := value.(type) {
	case json.Number:
		text = []byte(n)
	case float64, int, int64:
		text = fmt.Append(nil, n)
	default:
		return decimal{}, false
	}
	d, ok := parse(text, nil)
	return d, ok
}

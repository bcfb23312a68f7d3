package number

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/intraydata/intray"
)

// Options are the options of a number field.
type Options struct {
	// Rounds reports whether numbers are rounded to Places decimal places
	// before they are compared with Min and Max. Places may be negative.
	Rounds bool
	Places int
	// Min and Max are the smallest and largest valid numbers in canonical form;
	// nil means no limit.
	Min, Max []byte
	// Display is the format in which numbers are displayed.
	Display Layout
	// Output is the format of numbers in the result; nil means JSON numbers.
	Output *Layout
	// Explicit reports whether the schema sets a display format, or the preset
	// of a currency that is always written with a decimal point.
	Explicit bool
	// Currency is the currency of a preset, or zero. Cells with an incompatible
	// currency are invalid.
	Currency Currency

	// low and high are Min and Max, parsed.
	low, high decimal
}

// CompileOptions compiles the options of a number field in a schema; nil means
// no options. It returns an error for options that package schema rejects, for
// a minimum above the maximum, and for formats that CompileLayout rejects.
func CompileOptions(options map[string]any) (Options, error) {
	var o Options
	name, display := "default", options["displayFormat"]
	if given, ok := options["preset"]; ok {
		if name, ok = given.(string); !ok {
			return Options{}, fmt.Errorf("read number options: the preset is %v, not a name", given)
		}
	}
	preset, ok := FindPreset(name)
	if !ok {
		return Options{}, fmt.Errorf("read number options: unknown preset %q", name)
	}
	o.Rounds, o.Places = preset.Rounds, preset.Places
	o.Currency, _ = FindCurrency(preset.Currency)
	o.Explicit = display != nil || preset.Currency == "USD" || preset.Currency == "GBP"
	if display == nil {
		display = preset.Display
	}
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if err := o.setOption(key, options[key]); err != nil {
			return Options{}, fmt.Errorf("read number options: %w", err)
		}
	}
	layout, err := compileLayoutOption(display)
	if err != nil {
		return Options{}, fmt.Errorf("read number options: %w", ofOption("displayFormat", err))
	}
	o.Display = layout
	o.low, _ = parse(o.Min, nil)
	o.high, _ = parse(o.Max, nil)
	if o.Min != nil && o.Max != nil && o.low.compare(o.high) > 0 {
		return Options{}, fmt.Errorf("read number options: %w",
			&intray.MessageError{Message: intray.NewMessage("number_format.min_above_max", intray.Params{"min": string(o.Min), "max": string(o.Max)})})
	}
	return o, nil
}

// setOption sets any option except the preset and the display format.
func (o *Options) setOption(key string, value any) (err error) {
	switch key {
	case "preset", "displayFormat":
	case "round":
		places, ok := toInt(value)
		if !ok {
			return fmt.Errorf("round is %v, not a whole number", value)
		}
		o.Rounds, o.Places = true, places
	case "outputFormat":
		var layout Layout
		if layout, err = compileLayoutOption(value); err != nil {
			return ofOption("outputFormat", err)
		}
		o.Output = &layout
	case "min":
		o.Min, err = canonicalBound(key, value)
	case "max":
		o.Max, err = canonicalBound(key, value)
	default:
		return fmt.Errorf("unknown option %s", key)
	}
	return err
}

// ofOption wraps err with the name of the option.
func ofOption(name string, err error) error {
	return &intray.MessageError{Message: intray.NewMessage("property.problem", intray.Params{"path": name, "problem": intray.MessageOf(err)})}
}

func compileLayoutOption(value any) (Layout, error) {
	options, ok := value.(map[string]any)
	if !ok {
		return Layout{}, fmt.Errorf("the format is %v, not an object of format options", value)
	}
	return CompileLayout(options)
}

func canonicalBound(key string, value any) ([]byte, error) {
	d, ok := toDecimal(value)
	if !ok || !d.inBounds() {
		return nil, &intray.MessageError{Message: intray.NewMessage("number_format.too_many_digits", intray.Params{"option": key, "value": fmt.Sprint(value), "n": maxPlaces})}
	}
	return d.append([]byte{}), nil
}

// Round appends a number in canonical form, rounded according to the options.
func (o *Options) Round(dst, number []byte) []byte {
	if !o.Rounds || o.Places >= 0 && fitsPlaces(number, o.Places) {
		return append(dst, number...)
	}
	return Round(dst, number, o.Places)
}

// fitsPlaces reports whether a number has at most the given number of decimal
// places, and no exponent.
func fitsPlaces(number []byte, places int) bool {
	for i, c := range number {
		if c == '.' && len(number)-1-i > places || c == 'e' {
			return false
		}
	}
	return true
}

// CompareBounds returns -1 if a number is less than Min, +1 if it is greater
// than Max, and 0 otherwise.
func (o *Options) CompareBounds(number []byte) int {
	if o.Min == nil && o.Max == nil {
		return 0
	}
	var buf [smallCellBytes]byte
	d, _ := parse(number, buf[:0])
	switch {
	case o.Min != nil && d.compare(o.low) < 0:
		return -1
	case o.Max != nil && d.compare(o.high) > 0:
		return 1
	}
	return 0
}

// Preset is a named number format.
type Preset struct {
	// Rounds reports whether numbers are rounded to Places decimal places.
	Rounds bool
	Places int
	// Display contains the Numbro format options.
	Display map[string]any
	// Currency is the ISO 4217 code of the currency, or "".
	Currency string
}

// FindPreset returns the preset with a name that schemas can use. The caller may modify its map.
func FindPreset(name string) (Preset, bool) {
	switch name {
	case "default":
		return Preset{Display: map[string]any{"thousandSeparated": true}}, true
	case "plain":
		return Preset{Display: map[string]any{}}, true
	case "integer":
		return decimalPreset(0), true
	case "percent":
		return Preset{Display: map[string]any{"output": "percent"}}, true
	case "usd":
		return currencyPreset("USD", "$", "prefix"), true
	case "usd_accounting":
		p := currencyPreset("USD", "$", "prefix")
		p.Display["negative"] = "parenthesis"
		return p, true
	case "eur":
		return currencyPreset("EUR", "€", "postfix"), true
	case "gbp":
		return currencyPreset("GBP", "£", "prefix"), true
	}
	return numberedPreset(name)
}

// numberedPreset returns the preset for a name that ends with a number of
// decimal places, from 0 to 4.
func numberedPreset(name string) (Preset, bool) {
	if len(name) == 0 || name[len(name)-1] < '0' || name[len(name)-1] > '4' {
		return Preset{}, false
	}
	n := int(name[len(name)-1] - '0')
	switch name[:len(name)-1] {
	case "decimal_":
		return decimalPreset(n), true
	case "percent_":
		return Preset{Rounds: true, Places: n + 2, Display: map[string]any{"output": "percent", "mantissa": n}}, true
	}
	return Preset{}, false
}

func decimalPreset(n int) Preset {
	return Preset{Rounds: true, Places: n, Display: map[string]any{"thousandSeparated": true, "mantissa": n}}
}

func currencyPreset(code, symbol, position string) Preset {
	return Preset{Rounds: true, Places: 2, Currency: code, Display: map[string]any{
		"output": "currency", "mantissa": 2, "thousandSeparated": true, "average": false,
		"spaceSeparatedCurrency": true, "currencyPosition": position, "currencySymbol": symbol,
	}}
}

// Sign is a separator within a number.
type Sign byte

// These are the signs. Space and Apostrophe include all characters of their kind.
const (
	Undecided  Sign = 0
	Point      Sign = '.'
	Comma      Sign = ','
	Space      Sign = ' '
	Apostrophe Sign = '\''
)

// The Arabic separators have only one meaning each, so they are never ambiguous.
const (
	arabicDecimal Sign = 'd'
	arabicGroup   Sign = 'g'
)

// String returns the name of the sign, such as point.
func (s Sign) String() string {
	switch s {
	case Point:
		return "point"
	case Comma:
		return "comma"
	case Space:
		return "space"
	case Apostrophe:
		return "apostrophe"
	}
	return "undecided"
}

// opposite returns Comma for Point, and Point for Comma.
func (s Sign) opposite() Sign {
	if s == Point {
		return Comma
	}
	return Point
}

// Style describes how to read ambiguous cells of a column. The zero Style reads
// only unambiguous cells.
type Style struct {
	// Decimal is the decimal sign: Point, Comma or Undecided.
	Decimal Sign
	// Group is the thousands separator: any Sign except Decimal. Undecided accepts all of them.
	Group Sign
}

// String returns the output of MarshalText.
func (s Style) String() string { return "decimal=" + s.Decimal.String() + " group=" + s.Group.String() }

// MarshalText returns the style as text, such as "decimal=comma group=point".
func (s Style) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the output of MarshalText. If it returns an error, it
// does not change the style.
func (s *Style) UnmarshalText(text []byte) error {
	for _, decimal := range []Sign{Undecided, Point, Comma} {
		for _, group := range []Sign{Undecided, Point, Comma, Space, Apostrophe} {
			style := Style{decimal, group}
			if (decimal != group || decimal == Undecided) && bytes.Equal(text, []byte(style.String())) {
				*s = style
				return nil
			}
		}
	}
	return fmt.Errorf("parse style %.80q: want a style such as %q", text, Style{Comma, Point}.String())
}

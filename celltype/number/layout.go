package number

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/intraydata/intray"
)

// Layout formats numbers according to a set of Numbro format options, in the
// locale en-US. The zero Layout formats only the number. A Layout is immutable.
//
// It follows Numbro 2.5 (https://numbrojs.com/format.html), with these differences. It computes
// in decimal, with all digits, and uses exponents only on request. It also rounds halves away
// from zero if a number is negative. A number that is rounded to zero has neither a sign nor
// parentheses. Empty abbreviations and a missing byte base work as documented. A zero is not
// dropped if nothing else would remain. Times have seconds, and a minus sign if they are
// negative.
type Layout struct {
	output, base, forceAverage string
	prefix, postfix, symbol    string
	position, negative         string
	abbreviations              [len(thousandNames)]string

	characteristic, totalLength int
	mantissa                    int

	// fixedMantissa reports whether mantissa is set.
	fixedMantissa bool

	average, optionalMantissa, trimMantissa, optionalCharacteristic  bool
	thousands, forceSign, exponential, prefixSymbol                  bool
	lowPrecision, spaceSeparated, spacedCurrency, spacedAbbreviation bool
}

const (
	// maxPadding is the maximum number of digits that a format can request.
	maxPadding = 400
	// maxText is the maximum length of a text in a format in bytes. Every number of the result
	// contains the text, so that a long one would multiply the size of a file.
	maxText = 256
)

// CompileLayout compiles the format options in a schema. It returns an error
// for unknown options, for values of a type that Numbro rejects, for lengths
// below 0 or over 400, for texts over 256 bytes, and for options that exclude
// each other.
func CompileLayout(options map[string]any) (Layout, error) {
	if len(options) == 1 && options["output"] == "currency" {
		// This is Numbro's format for a currency without further options.
		options = map[string]any{"output": "currency", "thousandSeparated": true, "totalLength": json.Number("4"),
			"spaceSeparated": true, "spaceSeparatedCurrency": true}
	}
	l := Layout{abbreviations: [...]string{"", "k", "m", "b", "t"}}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if err := l.setOption(name, options[name]); err != nil {
			return Layout{}, err
		}
	}
	l.applyDefaults(options)
	if l.exponential && l.totalLength > 0 {
		return Layout{}, &intray.MessageError{Message: intray.NewMessage("number_format.excluding_options", intray.Params{"option": "totalLength", "other": "exponential"})}
	}
	return l, nil
}

// applyDefaults sets the defaults that depend on several options.
func (l *Layout) applyDefaults(options map[string]any) {
	if _, set := options["lowPrecision"]; !set {
		l.lowPrecision = l.output != "currency"
	}
	if _, set := options["spaceSeparatedCurrency"]; !set {
		l.spacedCurrency = l.spaceSeparated
	}
	l.average = l.average || l.totalLength > 0 || l.forceAverage != ""
	_, set := options["mantissa"]
	l.fixedMantissa = set || l.average
	if l.totalLength > 0 {
		l.characteristic, l.optionalMantissa = 0, false
	}
	l.symbol = cmp.Or(l.symbol, "$")
	l.position = cmp.Or(l.position, "prefix")
}

// setOption sets one option.
func (l *Layout) setOption(name string, value any) error {
	switch option := l.options()[name].(type) {
	case *bool:
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("%s is %v, not true or false", name, value)
		}
		*option = b
	case *int:
		n, ok := toInt(value)
		if !ok || n < 0 || n > maxPadding {
			return &intray.MessageError{Message: intray.NewMessage("number_format.not_in_range", intray.Params{"option": name, "value": fmt.Sprint(value), "limit": maxPadding})}
		}
		*option = n
	case textOption:
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("%s is %v, not a string", name, value)
		}
		if option.values != nil && !slices.Contains(option.values, text) {
			return fmt.Errorf("%s is %q, not one of %v", name, text, option.values)
		}
		if len(text) > maxText {
			return textTooLong(name, text)
		}
		*option.target = text
	case *[len(thousandNames)]string:
		given, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, not an object of strings", name, value)
		}
		for _, unit := range slices.Sorted(maps.Keys(given)) {
			at := slices.Index(thousandNames[:], unit)
			text, ok := given[unit].(string)
			if at < 1 || !ok {
				return &intray.MessageError{Message: intray.NewMessage("number_format.unknown_abbreviation", intray.Params{"name": unit, "value": fmt.Sprint(given[unit]), "names": thousandNames[1:]})}
			}
			if len(text) > maxText {
				return textTooLong(name+"."+unit, text)
			}
			option[at] = text
		}
	default:
		return fmt.Errorf("unknown option %s of a number format", name)
	}
	return nil
}

func textTooLong(option, text string) error {
	return &intray.MessageError{Message: intray.NewMessage("number_format.too_long", intray.Params{"option": option, "n": len(text), "limit": maxText})}
}

// textOption is an option of type string. If values is not nil, the option must be one of them.
type textOption struct {
	target *string
	values []string
}

// options returns the field that each option sets.
func (l *Layout) options() map[string]any {
	return map[string]any{
		"average": &l.average, "optionalMantissa": &l.optionalMantissa, "trimMantissa": &l.trimMantissa,
		"optionalCharacteristic": &l.optionalCharacteristic, "thousandSeparated": &l.thousands, "forceSign": &l.forceSign,
		"exponential": &l.exponential, "prefixSymbol": &l.prefixSymbol, "lowPrecision": &l.lowPrecision,
		"spaceSeparated": &l.spaceSeparated, "spaceSeparatedCurrency": &l.spacedCurrency, "spaceSeparatedAbbreviation": &l.spacedAbbreviation,
		"characteristic": &l.characteristic, "totalLength": &l.totalLength, "mantissa": &l.mantissa,
		"output":           textOption{&l.output, []string{"number", "currency", "percent", "byte", "time", "ordinal"}},
		"base":             textOption{&l.base, []string{"decimal", "binary", "general"}},
		"forceAverage":     textOption{&l.forceAverage, thousandNames[1:]},
		"currencyPosition": textOption{&l.position, []string{"prefix", "infix", "postfix"}},
		"negative":         textOption{&l.negative, []string{"sign", "parenthesis"}},
		"currencySymbol":   textOption{target: &l.symbol},
		"prefix":           textOption{target: &l.prefix},
		"postfix":          textOption{target: &l.postfix},
		"abbreviations":    &l.abbreviations,
	}
}

// thousandNames are the names of the powers of a thousand.
var thousandNames = [...]string{"", "thousand", "million", "billion", "trillion"}

// toInt returns an option as an integer, limited to one million.
func toInt(value any) (n int, ok bool) {
	d, ok := toDecimal(value)
	if !ok || len(d.digits) > d.point || d.point > maxPlaces {
		return 0, false
	}
	for place := d.point - 1; place >= 0; place-- {
		n = min(n*10+int(d.digitAt(place)-'0'), maxExponent)
	}
	if d.negative {
		n = -n
	}
	return n, true
}

// toDecimal parses a number in a schema.
func toDecimal(value any) (decimal, bool) {
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

// Append appends the formatted number. Text that is not a number is appended unchanged.
func (l *Layout) Append(dst, number []byte) []byte {
	var buf [smallCellBytes]byte
	d, ok := parse(number, buf[:0])
	if !ok || !d.inBounds() {
		return append(dst, number...)
	}
	dst = append(dst, l.prefix...)
	switch l.output {
	case "currency":
		dst = l.appendCurrency(dst, d)
	case "percent":
		dst = l.appendPercent(dst, d)
	case "byte":
		dst = l.appendBytes(dst, d)
	case "time":
		dst = appendDuration(dst, d)
	case "ordinal":
		suffix := ordinalSuffix(d)
		dst = append(appendSpace(l.appendNumber(dst, d), l.spaceSeparated), suffix...)
	default:
		dst = l.appendNumber(dst, d)
	}
	return append(dst, l.postfix...)
}

func appendSpace(dst []byte, wanted bool) []byte {
	if wanted {
		return append(dst, ' ')
	}
	return dst
}

// scaledNumber is a number that is ready to format: rounded, and converted to its unit.
type scaledNumber struct {
	decimal
	zero        bool
	unit        int
	mantissa    int // decimal places, or -1 for all
	exponent    int
	exponential bool
}

// scale converts a number to its unit and rounds it.
func (l *Layout) scale(d decimal) scaledNumber {
	s := scaledNumber{decimal: d, mantissa: -1, exponential: l.exponential}
	if l.fixedMantissa {
		s.mantissa = l.mantissa
	}
	if l.average {
		s.unit = l.thousandPower(d)
		if !s.isZero() {
			s.point -= 3 * s.unit
		}
		if l.totalLength > 0 {
			s.mantissa = max(l.totalLength-max(s.point, 1), 0)
		}
	}
	if l.exponential {
		whole := max(l.characteristic, 1)
		s.exponent = 1 - whole
		if !s.isZero() {
			s.exponent = s.point - whole
			s.point = whole
		}
	}
	if s.mantissa >= 0 {
		s.decimal = s.round(s.mantissa)
	}
	s.zero = s.isZero()
	return s
}

// thousandPower returns the power of a thousand in which a number is displayed.
func (l *Layout) thousandPower(d decimal) int {
	for unit := len(thousandNames) - 1; unit > 0; unit-- {
		if l.forceAverage != "" {
			if l.forceAverage == thousandNames[unit] {
				return unit
			}
			continue
		}
		// With low precision, half of a unit is enough to use that unit.
		half := l.lowPrecision && d.point == 3*unit && !d.isZero() && d.digits[0] >= '5'
		if d.point > 3*unit || half {
			return unit
		}
	}
	return 0
}

// appendNumber appends the number with its sign.
func (l *Layout) appendNumber(dst []byte, d decimal) []byte {
	s := l.scale(d)
	return l.appendSigned(dst, &s, ".")
}

// usesParentheses reports whether negative numbers are in parentheses and have no sign.
func (l *Layout) usesParentheses() bool { return l.negative == "parenthesis" }

// appendSigned appends the sign, the digits and the unit.
func (l *Layout) appendSigned(dst []byte, s *scaledNumber, point string) []byte {
	switch {
	case s.zero:
	case s.negative && l.usesParentheses():
		return append(l.appendUnsigned(append(dst, '('), s, point), ')')
	case s.negative:
		dst = append(dst, '-')
	case l.forceSign:
		dst = append(dst, '+')
	}
	return l.appendUnsigned(dst, s, point)
}

// appendUnsigned appends the digits and the unit.
func (l *Layout) appendUnsigned(dst []byte, s *scaledNumber, point string) []byte {
	places := l.decimalPlaces(s)
	if l.optionalCharacteristic && s.point <= 0 {
		if places == 0 {
			dst = append(dst, '0')
		}
	} else {
		n := max(s.point, 1, l.characteristic)
		for place := n - 1; place >= 0; place-- {
			dst = append(dst, s.digitAt(place))
			if l.thousands && place > 0 && place%3 == 0 {
				dst = append(dst, ',')
			}
		}
	}
	if places > 0 {
		dst = s.appendPlaces(append(dst, point...), places)
	}
	if s.exponential {
		dst = append(dst, 'e')
		if s.exponent >= 0 {
			dst = append(dst, '+')
		}
		dst = appendInt(dst, s.exponent)
	}
	if text := l.abbreviations[s.unit]; l.average && text != "" {
		dst = append(appendSpace(dst, l.spaceSeparated), text...)
	}
	return dst
}

// decimalPlaces returns the number of digits after the decimal sign.
func (l *Layout) decimalPlaces(s *scaledNumber) int {
	there := 0
	if !s.zero {
		there = max(len(s.digits)-s.point, 0)
	}
	if s.mantissa < 0 || l.trimMantissa || l.optionalMantissa && there == 0 {
		return there
	}
	return s.mantissa
}

func (l *Layout) appendPercent(dst []byte, d decimal) []byte {
	if !d.isZero() {
		d.point += 2
	}
	if l.prefixSymbol {
		return l.appendNumber(appendSpace(append(dst, '%'), l.spaceSeparated), d)
	}
	return append(appendSpace(l.appendNumber(dst, d), l.spaceSeparated), '%')
}

// appendCurrency appends the number with its symbol. If the symbol comes first,
// it follows the sign but precedes an opening parenthesis.
func (l *Layout) appendCurrency(dst []byte, d decimal) []byte {
	s := l.scale(d)
	gap := ""
	if l.spacedCurrency {
		gap = " "
	}
	switch l.position {
	case "infix":
		return l.appendSigned(dst, &s, gap+l.symbol+gap)
	case "postfix":
		dst = l.appendSigned(dst, &s, ".")
		if !l.average || l.spacedAbbreviation {
			dst = append(dst, gap...)
		}
		return append(dst, l.symbol...)
	}
	switch {
	case s.zero || s.negative && l.usesParentheses() || !s.negative && !l.forceSign:
		return l.appendSigned(append(append(dst, l.symbol...), gap...), &s, ".")
	case s.negative:
		dst = append(dst, '-')
	default:
		dst = append(dst, '+')
	}
	dst = append(append(dst, gap...), l.symbol...)
	return l.appendUnsigned(dst, &s, ".")
}

// These are the units of bytes, indexed by power.
var (
	byteUnits   = [...]string{"B", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	binaryUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	binarySizes = [...]string{"1", "1024", "1048576", "1073741824", "1099511627776", "1125899906842624",
		"1152921504606846976", "1180591620717411303424", "1208925819614629174706176"}
)

func (l *Layout) appendBytes(dst []byte, d decimal) []byte {
	power := 0
	if l.base == "decimal" {
		power = min(max(d.point-1, 0)/3, len(byteUnits)-1)
		if !d.isZero() {
			d.point -= 3 * power
		}
	} else {
		for power < len(binarySizes)-1 && !d.isZero() && d.reachesSize(binarySizes[power+1]) {
			power++
		}
		d = d.divPowerOfTwo(10 * power)
	}
	units := &byteUnits
	if l.base != "decimal" && l.base != "general" {
		units = &binaryUnits
	}
	return append(appendSpace(l.appendNumber(dst, d), l.spaceSeparated), units[power]...)
}

// reachesSize reports whether the absolute value of a nonzero number is at least size.
func (d decimal) reachesSize(size string) bool {
	var buf [smallCellBytes]byte
	other, _ := parse([]byte(size), buf[:0])
	return d.compareSize(other) >= 0
}

// divPowerOfTwo returns d divided by 2 to the power of times. It does so by multiplying by 5 and
// shifting the decimal sign, which is exact.
func (d decimal) divPowerOfTwo(times int) decimal {
	if times == 0 || d.isZero() {
		return d
	}
	n, _ := new(big.Int).SetString(string(d.digits), 10)
	n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(times)), nil))
	digits := n.Append(nil, 10)
	d.point += len(digits) - len(d.digits) - times
	d.digits = digits
	return d.trim()
}

// appendDuration appends a number of seconds as hours, minutes and seconds.
func appendDuration(dst []byte, d decimal) []byte {
	d = d.round(0)
	if d.negative && !d.isZero() {
		dst = append(dst, '-')
	}
	n, _ := new(big.Int).SetString(string(d.appendWhole(nil)), 10)
	minutes, seconds := n.QuoRem(n, big.NewInt(60), new(big.Int))
	hours, minutes := new(big.Int).QuoRem(minutes, big.NewInt(60), new(big.Int))
	dst = hours.Append(dst, 10)
	for _, part := range [...]int64{minutes.Int64(), seconds.Int64()} {
		dst = append(dst, ':', '0'+byte(part/10), '0'+byte(part%10))
	}
	return dst
}

// ordinalSuffix returns the English suffix of an ordinal number.
func ordinalSuffix(d decimal) string {
	if d.negative || len(d.digits) > d.point || d.digitAt(1) == '1' {
		return "th"
	}
	switch d.digitAt(0) {
	case '1':
		return "st"
	case '2':
		return "nd"
	case '3':
		return "rd"
	}
	return "th"
}

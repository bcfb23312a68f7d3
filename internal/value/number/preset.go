package number

// Preset is a number format with a name.
type Preset struct {
	// Rounds says that numbers are rounded to Places behind the decimal sign.
	Rounds bool
	Places int
	// Display are Numbro's format options.
	Display map[string]any
	// Currency is the ISO 4217 code of the currency, or "".
	Currency string
}

// FindPreset gives the preset of a name that schemas know. The map is the
// caller's own.
func FindPreset(name string) (Preset, bool) {
	switch name {
	case "default":
		return Preset{Display: map[string]any{"thousandSeparated": true}}, true
	case "plain":
		return Preset{Display: map[string]any{}}, true
	case "integer":
		return decimals(0), true
	case "percent":
		return Preset{Display: map[string]any{"output": "percent"}}, true
	case "usd":
		return money("USD", "$", "prefix"), true
	case "usd_accounting":
		p := money("USD", "$", "prefix")
		p.Display["negative"] = "parenthesis"
		return p, true
	case "eur":
		return money("EUR", "€", "postfix"), true
	case "gbp":
		return money("GBP", "£", "prefix"), true
	}
	return numbered(name)
}

// numbered gives the presets that end with how many decimals they have: 0 to 4.
func numbered(name string) (Preset, bool) {
	if len(name) == 0 || name[len(name)-1] < '0' || name[len(name)-1] > '4' {
		return Preset{}, false
	}
	n := int(name[len(name)-1] - '0')
	switch name[:len(name)-1] {
	case "decimal_":
		return decimals(n), true
	case "percent_":
		return Preset{Rounds: true, Places: n + 2, Display: map[string]any{"output": "percent", "mantissa": n}}, true
	}
	return Preset{}, false
}

func decimals(n int) Preset {
	return Preset{Rounds: true, Places: n, Display: map[string]any{"thousandSeparated": true, "mantissa": n}}
}

func money(code, symbol, position string) Preset {
	return Preset{Rounds: true, Places: 2, Currency: code, Display: map[string]any{
		"output": "currency", "mantissa": 2, "thousandSeparated": true, "average": false,
		"spaceSeparatedCurrency": true, "currencyPosition": position, "currencySymbol": symbol,
	}}
}

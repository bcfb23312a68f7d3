package lint

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// checkDateFormats checks the formats of a date, datetime or time.
func (l *linter) checkDateFormats(i int, f intray.Field) {
	for _, name := range []string{"displayFormat", "outputFormat"} {
		format, _ := f.Type.Options[name].(string)
		if format == "" || format == "[ISO]" {
			continue
		}
		runs := tokens(format)
		params := intray.Params{"option": name, "format": shorten(format)}
		if wrong := otherTokens(f.Type.Name, runs, params); len(wrong) > 0 {
			for _, one := range wrong {
				l.warn(l.fieldAt(i, "type"), "format_other_token", one)
			}
			continue
		}
		switch {
		case f.Type.Name != intray.TypeTime && !hasToken(runs, dateLetters):
			l.warn(l.fieldAt(i, "type"), "format_without_value", intray.NewMessage("lint.format_without_day", params))
		case f.Type.Name == intray.TypeTime && !hasToken(runs, timeLetters):
			l.warn(l.fieldAt(i, "type"), "format_without_value", intray.NewMessage("lint.format_without_hour", params))
		}
		if name == "displayFormat" {
			l.checkLocaleOrder(i, f, format, runs)
		}
	}
}

// tokens returns the tokens of a format, which are sequences of the same letter. It ignores
// quoted text.
func tokens(format string) (runs []string) {
	for n, part := range strings.Split(format, "'") {
		for n%2 == 0 && part != "" {
			end := len(part) - len(strings.TrimLeft(part, part[:1]))
			if isAlnum(part[0]) {
				runs = append(runs, part[:end])
			}
			part = part[end:]
		}
	}
	return runs
}

// hasToken reports whether one of the tokens consists of one of the letters.
func hasToken(runs []string, letters string) bool {
	return slices.ContainsFunc(runs, func(run string) bool { return strings.Contains(letters, run[:1]) })
}

// otherTokens returns tokens that have a different meaning in other libraries. That meaning
// was probably intended.
func otherTokens(t intray.TypeName, runs []string, params intray.Params) (wrong []intray.Message) {
	hours, otherYear := hasToken(runs, "Hh"), hasToken(runs, "Y")
	wholeDay := hasToken(runs, "yY") && hasToken(runs, "dD")
	minutes := t != intray.TypeTime && hasToken(runs, "m") && !hasToken(runs, "ML") && (!hours || wholeDay)
	if otherYear {
		wrong = append(wrong, intray.NewMessage("lint.format_year", params))
	}
	if hasToken(runs, "D") && (otherYear || minutes || hasToken(runs, "ML")) {
		wrong = append(wrong, intray.NewMessage("lint.format_day", params))
	}
	if minutes {
		wrong = append(wrong, intray.NewMessage("lint.format_month", params))
	}
	if t == intray.TypeTime && hours && hasToken(runs, "M") {
		wrong = append(wrong, intray.NewMessage("lint.format_minute", params))
	}
	return wrong
}

const (
	dateLetters = "yMLdDkiWnoqEcXxfF"
	timeLetters = "HhtTXxfF"
)

// checkLocaleOrder reports a numeric format whose order of month and day differs from the locale.
func (l *linter) checkLocaleOrder(i int, f intray.Field, format string, runs []string) {
	locale, _ := f.Type.Options["locale"].(string)
	dayFirst, known := daysFirst(locale)
	day := slices.IndexFunc(runs, func(run string) bool { return run == "d" || run == "dd" })
	month := slices.IndexFunc(runs, func(run string) bool { return len(run) <= 2 && strings.IndexByte("ML", run[0]) >= 0 })
	year := slices.IndexFunc(runs, func(run string) bool { return run[0] == 'y' })
	if !known || day < 0 || month < 0 || year >= 0 && year < max(day, month) || dayFirst == (day < month) {
		return
	}
	l.info(l.fieldAt(i, "type"), "format_against_locale",
		intray.NewMessage("lint.format_against_locale", intray.Params{"format": shorten(format), "locale": shorten(locale), "example": "04/05/2024"}))
}

// dayLanguages are the languages that write the day before the month in all countries.
const dayLanguages = " bg cs da de el et fi fr hr id it nb nl nn no pl pt ro ru sk sl tr uk vi "

// daysFirst reports whether a locale writes the day before the month. known is false if
// that is not certain.
func daysFirst(locale string) (first, known bool) {
	switch locale {
	case "en-US", "en-PH":
		return false, true
	case "en-GB", "en-AU", "en-NZ", "en-IE", "en-IN", "es-ES", "es-MX", "es-AR":
		return true, true
	}
	language, _, _ := strings.Cut(locale, "-")
	known = language != "" && strings.Contains(dayLanguages, " "+language+" ")
	return known, known
}

// checkPercentBounds reports bounds that are probably percentages.
func (l *linter) checkPercentBounds(i int, f intray.Field) {
	preset, _ := f.Type.Options["preset"].(string)
	low, high := numberBounds(f)
	const many = 10
	if !strings.HasPrefix(preset, "percent") || f.Type.Options["max"] == nil && f.Type.Options["min"] == nil {
		return
	}
	if f.Type.Options["max"] != nil && high >= many || f.Type.Options["min"] != nil && low >= many {
		l.info(l.fieldAt(i, "type"), "percent_bounds", intray.NewMessage("lint.percent_bounds", nil))
	}
}

// currencies maps currency marks to the currencies of presets.
var currencies = map[string]string{"$": "usd", "US$": "usd", "USD": "usd", "€": "eur", "EUR": "eur", "£": "gbp", "GBP": "gbp"}

// checkCurrency reports a format whose currency symbol differs from the currency of the preset.
func (l *linter) checkCurrency(i int, f intray.Field) {
	preset, _ := f.Type.Options["preset"].(string)
	own, _, _ := strings.Cut(preset, "_")
	if own != "usd" && own != "eur" && own != "gbp" {
		return
	}
	for _, name := range []string{"displayFormat", "outputFormat"} {
		format, _ := f.Type.Options[name].(map[string]any)
		symbol, _ := format["currencySymbol"].(string)
		if other := currencies[strings.TrimSpace(symbol)]; other != "" && other != own {
			l.warn(l.fieldAt(i, "type"), "currency_contradicts",
				intray.NewMessage("lint.currency_contradicts", intray.Params{"preset": preset, "option": name, "symbol": shorten(symbol)}))
		}
	}
}

// checkAcceptedDomains reports domains that no host can have.
func (l *linter) checkAcceptedDomains(i int, f intray.Field) {
	list, _ := f.Type.Options["acceptedDomains"].([]any)
	for _, one := range list {
		if domain, is := one.(string); is && strings.ContainsAny(domain, "/:@ ") {
			l.warn(l.fieldAt(i, "type"), "domain_never_met", intray.NewMessage("lint.domain_never_met", intray.Params{"domain": shorten(domain)}))
		}
	}
}

package fieldguide

import "github.com/intraydata/intray"

// typeEntries returns the entries of all types, by name.
func typeEntries() map[intray.TypeName]typeEntry {
	const id = "123e4567-e89b-42d3-a456-426614174000"
	return map[intray.TypeName]typeEntry{
		intray.TypeString: {key: "note", label: "Note",
			summary: "Any text, unchanged. Intray reports numbers such as `4.00638E+12`, whose last digits a spreadsheet dropped. `string` is the default type. An empty cell is an empty string, not null, if a column maps to the field.",
			tried:   []attempt{{"", []string{"Ada Lovelace", "  two blanks each  ", "00123", ""}}}},
		intray.TypeNumber: {key: "amount", label: "Amount",
			summary: "A number. It can have thousands separators, a decimal comma or point, a currency, a percent sign (12% is 0.12), or parentheses for negative numbers. Intray keeps all digits of the number. It drops the currency, and reports amounts in other currencies than most of the column.\n\nIntray determines the decimal separator from the whole column. If the column is ambiguous, Intray asks, unless the field has a `displayFormat` or a dollar or pound preset. The result contains a JSON number, or text if there is an `outputFormat`.",
			tried: []attempt{
				{"", []string{"1,234.50", "-7", "(3)", "12%", "$ 5", "twelve", ""}},
				{"", []string{"1.234,50", "7,5"}},
				{"", []string{"1.234", "5.678"}},
				{`{"round": 1}`, []string{"0.25", "-0.25"}},
				{`{"round": -2}`, []string{"1250"}},
				{`{"min": 1, "max": 10}`, []string{"1", "10.5", "0"}},
				{`{"preset": "usd"}`, []string{"$1,234.567", "5 €"}},
				{`{"displayFormat": {"mantissa": 1}}`, []string{"1.234", "5.678"}},
				{`{"outputFormat": {"thousandSeparated": true, "mantissa": 2}}`, []string{"1234.5"}},
			}},
		intray.TypeDate: {key: "born", label: "Born",
			summary: "A date in any common format and in many languages. Intray determines from the whole column whether the day or the month comes first. If the column is ambiguous, Intray asks, unless the field has a `locale` or `displayFormat`.\n\nIf a time follows the date, Intray drops it and reports in how many cells it did so. Intray reads two-digit years as 1950 to 2049, and in fields for births and deaths as years that are not in the future. Years such as 2567 and 1403, which are likely in another calendar, are a question. The result contains `YYYY-MM-DD`. Formats use [Luxon tokens](https://moment.github.io/luxon/#/formatting?id=table-of-tokens).",
			tried: []attempt{
				{"", []string{"2024-12-31", "31/12/2024", "Dec 31, 2024", "31. Dezember 2024", "2024-12-31T15:20", "12/31/99", "2024-02-30", ""}},
				{"", []string{"04/05/2024", "06/07/2024"}},
				{`{"locale": "en-GB"}`, []string{"04/05/2024"}},
				{`{"displayFormat": "MM/dd/yyyy"}`, []string{"04/05/2024"}},
				{`{"outputFormat": "dd.MM.yyyy"}`, []string{"2024-12-31"}},
				{`{"outputFormat": "DD", "locale": "fr"}`, []string{"2024-12-31"}},
				{`{"autofix": true}`, []string{"25/12/2021", "26/12/2021", "27/12/2021", "28/12/2021", "12/30/2021"}},
				{`{"autofix": false}`, []string{"25/12/2021", "26/12/2021", "27/12/2021", "28/12/2021", "12/30/2021"}},
				{`{"withSeconds": true}`, []string{"2024-12-31"}},
			}},
		intray.TypeDatetime: {key: "seen", label: "Seen",
			summary: "A date and a time. Intray reads the date in the same way as in a `date` field. A date without a time means midnight at the start of that day. The result contains `YYYY-MM-DDTHH:MM`, without a UTC offset. If all cells have the same offset, Intray keeps the times as written. If the offsets differ, Intray converts the times to UTC and reports in how many cells it did so. Intray drops seconds unless `withSeconds` is set, and reports in how many cells it did so.",
			tried: []attempt{
				{"", []string{"2024-12-31 15:20", "12/31/2024 3:20 pm", "2024-12-31T15:20:59Z", "2024-12-31", "25:00"}},
				{`{"withSeconds": true}`, []string{"2024-12-31 15:20:59"}},
				{`{"locale": "de", "displayFormat": "d.M.yyyy H:mm"}`, []string{"4.5.2024 7:05"}},
				{`{"outputFormat": "yyyy/MM/dd HH'h'mm"}`, []string{"2024-12-31 15:20"}},
			}},
		intray.TypeTime: {key: "opens", label: "Opens",
			summary: "A time of day. The result contains `HH:MM`. Intray drops seconds unless `withSeconds` is set, and reports in how many cells it did so.",
			tried: []attempt{
				{"", []string{"15:20", "3:20 pm", "9 am", "24:00"}},
				{`{"withSeconds": true}`, []string{"15:20:05"}},
				{`{"locale": "en-US", "displayFormat": "h.mm a"}`, []string{"3.20 PM"}},
				{`{"outputFormat": "h:mm a"}`, []string{"15:20"}},
			}},
		intray.TypeCheckbox: {key: "member", label: "Member",
			summary: "Yes or no. Intray knows the words for yes and no and for true and false in 36 languages, and `1` and `0`, `on` and `off`, `enabled` and `disabled`, `x`, and signs such as `✓` and `✗`, in upper or lower case. Markers of missing values, such as `n/a`, are empty. All other text is an error. The result contains true or false.",
			tried:   []attempt{{"", []string{"yes", "X", "No", "0", "disabled", "nein", "いいえ", "n/a", "maybe", ""}}}},
		intray.TypeSelect: {key: "color", label: "Color", more: colors,
			summary: "One of the `selectOptions`. Intray compares the text with labels, values and alternate matches. It first looks for an exact match. If there is none, it ignores case, accents and spaces. If there is still none, it allows typos, provided that one option is clearly closest. It reports every match that is not exact. The result contains the value of the option.",
			tried: []attempt{
				{"", []string{"Red", "b", " RED ", "Bleu", "Bluee", "Green", ""}},
				{`{"exactMatchOnly": true}`, []string{"Red", "red"}},
				{`{"allowCustom": true}`, []string{"Red", "Green"}},
			}},
		intray.TypeMultiSelect: {key: "colors", label: "Colors", more: colors,
			summary: "Several `selectOptions` in one cell, each matched as for `select`. The result is a list that contains each value once.",
			tried: []attempt{
				{"", []string{"Red, Blue", "blue", "Red, red", "Red, Green", ""}},
				{`{"delimiter": ";"}`, []string{"Red; Blue"}},
				{`{"trimValues": true}`, []string{" Red , Blue "}},
				{`{"trimValues": false}`, []string{" Red , Blue ", "Red,Blue"}},
			}},
		intray.TypeEmail: {key: "email", label: "E-mail",
			summary: "An email address that a browser's email input accepts and whose host contains a dot. The host can be in any script, such as `bäckerei.example`. Intray does not convert it to ASCII. The part before the `@` must be ASCII. Intray removes spaces around the address and keeps uppercase letters.",
			tried:   []attempt{{"", []string{"ada@example.org", " Ada.L@Example.org ", "ada@localhost", "ada@", ""}}}},
		intray.TypePhone: {key: "phone", label: "Phone",
			summary: "A phone number that is valid in its country. To read numbers without a country code, set the option `country`.",
			tried: []attempt{
				{"", []string{"+33 1 23 45 67 89", "0033 1 23 45 67 89", "01 23 45 67 89", "+33 1 23"}},
				{`{"country": "FR"}`, []string{"01 23 45 67 89", "+49 30 123456"}},
				{`{"format": "international", "outputFormatted": true}`, []string{"+33123456789"}},
				{`{"country": "FR", "format": "national"}`, []string{"+33 1 23 45 67 89"}},
				{`{"country": "FR", "format": "national", "outputFormatted": true}`, []string{"+33 1 23 45 67 89"}},
				{`{"country": "FR", "format": "both"}`, []string{"01 23 45 67 89"}},
			}},
		intray.TypeURL: {key: "page", label: "Page",
			summary: "A URL with a protocol. Like a browser, Intray normalizes extra slashes and dot segments. A protocol that is almost `http` or `https` has a warning.",
			tried: []attempt{
				{"", []string{"https://example.org/a/../b", "HTTPS:///Example.org", "example.org", "https://localhost/"}},
				{`{"acceptedProtocols": ["https"]}`, []string{"https://example.org/", "http://example.org/"}},
				{`{"acceptedDomains": ["example.org"]}`, []string{"https://www.example.org/", "https://example.com/"}},
			}},
		intray.TypeDomain: {key: "site", label: "Site",
			summary: "A host name, without protocol, path or port. The result contains the host name in lowercase.",
			tried: []attempt{
				{"", []string{"Example.org", "shop.example.co.uk", "https://example.org", "localhost"}},
				{`{"allowSubdomains": false}`, []string{"example.co.uk", "shop.example.co.uk"}},
			}},
		intray.TypeZIP: {key: "zip", label: "ZIP",
			summary: "A US ZIP code. By default, the result contains five digits. Intray restores leading zeros that a spreadsheet dropped, and reports in how many cells it did so.",
			tried: []attempt{
				{`{"format": "5-digit"}`, []string{"12345", "12345-6789", "501", "1234567"}},
				{`{"format": "9-digit"}`, []string{"12345-6789", "123456789", "12345"}},
				{`{"format": "9-digit", "outputDash": true}`, []string{"123456789"}},
			}},
		intray.TypeState: {key: "state", label: "State",
			summary: "A US state, territory or military post: its two-letter code, with or without `US-`, or its English name. The result contains the two-letter code.",
			tried:   []attempt{{"", []string{"ca", "US-TX", "New York", "Puerto Rico", "Bavaria"}}}},
		intray.TypeSSN: {key: "ssn", label: "SSN",
			summary: "A US Social Security number: nine digits, with or without dashes.",
			tried: []attempt{
				{"", []string{"123-45-6789", "123456789", "12345678"}},
				{`{"outputDash": true}`, []string{"123456789"}},
			}},
		intray.TypeCountry: {key: "country", label: "Country",
			summary: "A country: its ISO 3166-1 code with two or three letters, or its exact name in English and many other languages. Intray never guesses.",
			tried: []attempt{
				{`{"format": "2-letter"}`, []string{"de", "DEU", "Germany", "Allemagne", "Germani"}},
				{`{"format": "3-letter"}`, []string{"DE"}},
			}},
		intray.TypeUUID: {key: "id", label: "Id",
			summary: "A UUID: 32 hexadecimal digits in five groups. Intray keeps uppercase letters.",
			tried: []attempt{
				{"", []string{id, "123E4567-E89B-42D3-A456-426614174000", "123e4567e89b42d3a456426614174000"}},
				{`{"version": 4}`, []string{id, "123e4567-e89b-12d3-a456-426614174000"}},
			}},
	}
}

const colors = `"selectOptions": [
    {"label": "Red", "value": "r"},
    {"label": "Blue", "value": "b", "alternateMatches": ["Bleu"]}]`

// formatted is a number format and a cell to which it is applied.
type formatted struct{ format, cell string }

// formatExamples returns examples of each option of number formats, by name.
func formatExamples() map[string][]formatted {
	return map[string][]formatted{
		"output": {
			{`{"output": "number"}`, "1234.5"}, {`{"output": "currency", "mantissa": 2}`, "1234.5"}, {`{"output": "percent"}`, "0.125"},
			{`{"output": "byte"}`, "1536"}, {`{"output": "time"}`, "3725"}, {`{"output": "ordinal"}`, "22"}},
		"base": {
			{`{"output": "byte", "base": "decimal"}`, "1536"}, {`{"output": "byte", "base": "binary"}`, "1536"}, {`{"output": "byte", "base": "general"}`, "1536"}},
		"prefix":                     {{`{"prefix": "about "}`, "5"}},
		"postfix":                    {{`{"postfix": " kg"}`, "5"}},
		"characteristic":             {{`{"characteristic": 4}`, "7"}},
		"optionalCharacteristic":     {{`{"optionalCharacteristic": true}`, "0.5"}},
		"mantissa":                   {{`{"mantissa": 2}`, "1.5"}, {`{"mantissa": 2}`, "1.23456"}},
		"optionalMantissa":           {{`{"mantissa": 2, "optionalMantissa": true}`, "7"}},
		"trimMantissa":               {{`{"mantissa": 3, "trimMantissa": true}`, "1.5"}},
		"thousandSeparated":          {{`{"thousandSeparated": true}`, "1234567"}},
		"spaceSeparated":             {{`{"output": "percent", "spaceSeparated": true}`, "0.125"}, {`{"average": true, "spaceSeparated": true}`, "1234567"}},
		"negative":                   {{`{"negative": "sign"}`, "-5"}, {`{"negative": "parenthesis"}`, "-5"}},
		"forceSign":                  {{`{"forceSign": true}`, "5"}},
		"exponential":                {{`{"exponential": true}`, "1234"}},
		"average":                    {{`{"average": true}`, "1234567"}, {`{"average": true, "mantissa": 1}`, "1234567"}},
		"forceAverage":               {{`{"forceAverage": "thousand"}`, "1234567"}, {`{"forceAverage": "million", "mantissa": 2}`, "1234567"}, {`{"forceAverage": "billion", "mantissa": 3}`, "1234567"}, {`{"forceAverage": "trillion", "mantissa": 6}`, "1234567"}},
		"totalLength":                {{`{"totalLength": 3}`, "1234567"}},
		"lowPrecision":               {{`{"average": true, "mantissa": 1, "lowPrecision": true}`, "500"}, {`{"average": true, "mantissa": 1, "lowPrecision": false}`, "500"}},
		"abbreviations":              {{`{"average": true, "abbreviations": {"million": " Mio."}}`, "1234567"}},
		"spaceSeparatedAbbreviation": {{`{"output": "currency", "currencySymbol": "€", "currencyPosition": "postfix", "average": true, "spaceSeparatedCurrency": true, "spaceSeparatedAbbreviation": true}`, "1234567"}},
		"currencySymbol":             {{`{"output": "currency", "mantissa": 2, "currencySymbol": "£"}`, "5"}},
		"currencyPosition": {
			{`{"output": "currency", "mantissa": 2, "currencyPosition": "prefix"}`, "5"}, {`{"output": "currency", "mantissa": 2, "currencyPosition": "infix"}`, "5"},
			{`{"output": "currency", "mantissa": 2, "currencyPosition": "postfix", "currencySymbol": "€"}`, "5"}},
		"prefixSymbol":           {{`{"output": "percent", "prefixSymbol": true}`, "0.125"}},
		"spaceSeparatedCurrency": {{`{"output": "currency", "mantissa": 2, "spaceSeparatedCurrency": true}`, "5"}},
	}
}

package phone

import (
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	for _, c := range []struct{ options, raw, code, text string }{
		{`{}`, "089 123456", "no_country_code", "The country code is missing."},
		{`{}`, "0049 8", "too_short", "This is too short for a phone number of DE (+49). "},
		{`{}`, "00999 123456", "no_country_code", "The country code is missing."},
		{`{"country":"US"}`, "0049 8", "too_short", "This is too short for a phone number with the country code +1. "},
		{`{}`, "+999 123456", "unknown_country_code", "No country has this country code."},
		{`{}`, "+1", "too_short", "This is too short for a phone number. "},
		{`{}`, "+49 8", "too_short", "This is too short for a phone number of DE (+49). "},
		{`{}`, "+49 89 12345678901234", "too_long", "This is too long for a phone number of DE (+49). "},
		{`{}`, "+1 201 555 012", "too_short", "This is too short for a phone number with the country code +1. "},
		{`{}`, "+1 123 555 0123", "not_valid", "This is not a valid phone number with the country code +1. "},
		{`{}`, "+800 1234 567", "too_short", "This is too short for a phone number with the country code +800. "},
		{`{"country":"CA"}`, "123 555 0123", "not_valid", "This is not a valid phone number of CA (+1). "},
		{`{"country":"US"}`, "555-0123", "too_short", "This is too short for a phone number with the country code +1. "},
		{`{"country":"DE"}`, "4921123456", "two_readings", "These digits can be a phone number of DE (+49) with"},
		{`{"country":"DE","format":"national"}`, "+33 1 23 45 67 89", "other_country", "This number belongs to another country. Only phone numbers of DE (+49) fit here."},
		{`{}`, "1-800-FLOWERS", "letters", "A phone number has no letters."},
		{`{}`, "n/a", "letters", "A phone number has no letters."},
		{`{}`, "Büro +49 89 123456", "letters", "A phone number has no letters."},
		{`{}`, "4.98912E+11", "digits_lost", "A spreadsheet has rounded this number"},
		{`{}`, "-1e5", "digits_lost", "A spreadsheet has rounded this number"},
		{`{}`, "+49 89 123456; +49 89 654321", "several_numbers", "The cell has more than one phone number"},
		{`{}`, "+49 89 123456 +49 89 654321", "several_numbers", "The cell has more than one phone number"},
		{`{}`, "+49 89 123456 (7)", "several_numbers", "The cell has more than one phone number"},
		{`{}`, "+49 89 1234567/8", "several_numbers", "The cell has more than one phone number"},
		{`{}`, "089 1234567 / 0171 1234567", "no_country_code", "The country code is missing."},
		{`{}`, "?", "not_a_number", "This is not a phone number."},
		{`{}`, "\u200b", "not_a_number", "This is not a phone number."},
		{`{}`, "()", "not_a_number", "This is not a phone number."},
		{`{}`, strings.Repeat("1", maxDigits+1), "too_long", "This is too long for a phone number. "},
		{`{}`, strings.Repeat("no ", maxText), "too_long", "This is too long for a phone number. "},
		{`{}`, "+49 89 123456 x12", "extension_left_out", "The extension is left out"},
		{`{}`, "+4989123456", "read", ""},
		{`{}`, strings.Repeat("\t", maxText) + "+4989123456", "read", ""},
		{`{}`, " ", "blank", ""},
	} {
		_, p := configured(t, c.options).Append(nil, []byte(c.raw))
		text := p.Message().String()
		if p.Code.String() != c.code || !strings.HasPrefix(text, c.text) || c.text == "" && text != "" {
			t.Errorf("%s %q: %s %q, want %s %q", c.options, c.raw, p.Code, text, c.code, c.text)
		}
		if strings.Contains(text, "  ") || strings.Contains(text, " .") {
			t.Errorf("%q: the country is missing in %q", c.raw, text)
		}
	}
}

// TestSentences wants a name and a sentence for every code, no two alike.
func TestSentences(t *testing.T) {
	seen := map[string]Code{}
	for code := range Code(len(codes)) {
		name, text := code.String(), Problem{Code: code}.Message().String()
		if name == "" || (text == "") != (code == Read || code == Blank) {
			t.Errorf("code %d: name %q, text %q", code, name, text)
		}
		for _, s := range []string{name, text} {
			if before, found := seen[s]; found && s != "" {
				t.Errorf("%q stands for %d and %d", s, before, code)
			}
			seen[s] = code
		}
	}
}

// TestSlashes tells a slash behind an area code from one between two numbers.
func TestSlashes(t *testing.T) {
	for raw, want := range map[string]string{
		"030/12345678":        "+493012345678",
		"06221/123456":        "+496221123456",
		"+49 6221/123456":     "+496221123456",
		"+49(0)34205/123456":  "+4934205123456",
		"0049 34205/123456":   "+4934205123456",
		"030/123/45/67":       "+49301234567",
		"030 1234567/":        "+49301234567",
		"030/1234567/68":      "wrong",
		"030 1234567/123":     "wrong",
		"+49 30 1234567/8":    "wrong",
		"030 123456/030 6543": "wrong",
		"030 1234567 (68)":    "wrong",
		"030 1234567 (68) ":   "wrong",
		"030 1234567 (68).":   "wrong",
		"030 (1234567)":       "+49301234567",
		"(030) (1234567)":     "+49301234567",
		"030 1234567 ()":      "+49301234567",
		"(030 1234567)":       "+49301234567",
		"[030] 1234567":       "+49301234567",
	} {
		if got := described(configured(t, `{"country":"DE"}`), raw); got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
	}
}

package phone

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestValues checks the inputs in testdata. Each line has the text of a cell,
// plain or quoted, and after a bar the expected result: a value followed by the
// code of a note, "=" for the text itself, "empty" or "wrong". A line that
// starts with "options" changes the reader for the lines that follow.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/phone-number.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, inputs := configured(t, `{}`), 0
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if rest, found := strings.CutPrefix(line, "options "); found {
			r = configured(t, rest)
			continue
		}
		raw, want, found := strings.Cut(line, " | ")
		if !found {
			t.Fatalf("line %d has no bar: %s", i+1, line)
		}
		if strings.HasPrefix(raw, `"`) {
			if raw, err = strconv.Unquote(raw); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
		}
		inputs++
		if got := described(r, raw); got != want {
			t.Errorf("line %d: %q gives %s, want %s", i+1, raw, got, want)
		}
	}
	if inputs < 100 {
		t.Errorf("%d inputs, want at least 100", inputs)
	}
}

func configured(t *testing.T, options string) *Reader {
	t.Helper()
	var o struct {
		Country, Format string
		OutputFormatted bool
	}
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Country: o.Country, Format: o.Format, Formatted: o.OutputFormatted})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func described(r *Reader, raw string) string {
	out, p := r.Append([]byte("before:"), []byte(raw))
	value, kept := strings.CutPrefix(string(out), "before:")
	switch {
	case !kept:
		return "what stood in dst is gone"
	case (p.Invalid() || p.Code == Blank) && value != "":
		return "a value together with a problem"
	case p.Code == Blank:
		return "empty"
	case p.Invalid():
		return "wrong"
	case value == raw && p.Code == CodeKept:
		return "= " + p.Code.String()
	case value == raw:
		return "="
	case p.Code == Extension || p.Code == CodeKept:
		return value + " " + p.Code.String()
	}
	return value
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{}, ""},
		{Config{Country: "de"}, ""},
		{Config{Country: "XK"}, ""},
		{Config{Format: "international"}, ""},
		{Config{Format: "national"}, ""},
		{Config{Format: "both", Country: "US"}, ""},
		{Config{Format: "both"}, `the phone format "both" requires a country`},
		{Config{Format: "E164"}, `unknown phone format "E164": want international, national or both`},
		{Config{Country: "001"}, `no phone numbers are known for the country "001"; use a two-letter ISO 3166-1 code`},
		{Config{Country: "DEU"}, `no phone numbers are known for the country "DEU"; use a two-letter ISO 3166-1 code`},
		{Config{Country: "ZZ"}, `no phone numbers are known for the country "ZZ"; use a two-letter ISO 3166-1 code`},
	} {
		got := ""
		if _, err := New(c.c); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
	}
}

// TestForeign checks that, if the format is national and no country is set, numbers keep their
// calling code and a note reports this.
func TestForeign(t *testing.T) {
	r := configured(t, `{"format":"national"}`)
	for raw, want := range map[string]string{"+4989123456": "= country_code_kept", "+1 201 555 0123": "+12015550123 country_code_kept", "089123456": "wrong"} {
		if got := described(r, raw); got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	dst := make([]byte, 0, 64)
	for _, column := range columns {
		r, err := New(column.c)
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range append(column.cells, "tel:089-123456;phone-context=+49", "Tel. privat 1", "4.9e+11", "+49 89 123456 ext 12") {
			raw := []byte(cell)
			if n := testing.AllocsPerRun(10, func() { dst, _ = r.Append(dst[:0], raw) }); n != 0 {
				t.Errorf("%s %q: %v allocations", column.name, cell, n)
			}
		}
	}
}

// FuzzAppend checks that Append handles any text and keeps dst, and that its
// output is read as the same number.
func FuzzAppend(f *testing.F) {
	for _, column := range columns {
		for _, cell := range column.cells {
			f.Add([]byte(cell), column.c.Country, column.c.Format == "national", column.c.Formatted)
		}
	}
	f.Add([]byte("tel:1;phone-context=+49;isub=1;ext=2"), "", false, false)
	f.Add([]byte("=\"'1e5'\"//(+)"), "AR", true, true)
	f.Fuzz(func(t *testing.T, raw []byte, country string, national, formatted bool) {
		c := Config{Country: country, Formatted: formatted}
		if national {
			c.Format = "national"
		}
		r, err := New(c)
		if err != nil {
			return
		}
		before := bytes.Clone(raw)
		out, p := r.Append([]byte("x"), raw)
		if out[0] != 'x' || !bytes.Equal(raw, before) || (p.Invalid() || p.Code == Blank) && len(out) > 1 {
			t.Fatalf("%q: %q %s", before, out, p.Code)
		}
		if p.Code != Read && p.Code != Extension || national && country == "" {
			return
		}
		if again, q := r.Append(nil, out[1:]); q.Code != Read || !bytes.Equal(again, out[1:]) {
			t.Fatalf("%q: %q, and that is %q %s", raw, out[1:], again, q.Code)
		}
	})
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ options, raw, code, text string }{
		{`{}`, "089 123456", "no_country_code", "The country code is missing."},
		{`{}`, "0049 8", "too_short", "This phone number for DE (+49) is too short. "},
		{`{}`, "00999 123456", "no_country_code", "The country code is missing."},
		{`{"country":"US"}`, "0049 8", "too_short", "This phone number with the country code +1 is too short. "},
		{`{}`, "+999 123456", "unknown_country_code", "No country has this country code."},
		{`{}`, "+1", "too_short", "This phone number is too short. "},
		{`{}`, "+49 8", "too_short", "This phone number for DE (+49) is too short. "},
		{`{}`, "+49 89 12345678901234", "too_long", "This phone number for DE (+49) is too long. "},
		{`{}`, "+1 201 555 012", "too_short", "This phone number with the country code +1 is too short. "},
		{`{}`, "+1 123 555 0123", "not_valid", "Not a valid phone number with the country code +1. "},
		{`{}`, "+800 1234 567", "too_short", "This phone number with the country code +800 is too short. "},
		{`{"country":"CA"}`, "123 555 0123", "not_valid", "Not a valid phone number for CA (+1). "},
		{`{"country":"US"}`, "555-0123", "too_short", "This phone number with the country code +1 is too short. "},
		{`{"country":"DE"}`, "4921123456", "two_readings", "It's unclear whether this phone number for DE (+49) includes"},
		{`{"country":"DE","format":"national"}`, "+33 1 23 45 67 89", "other_country", "This phone number belongs to another country. Enter a number for DE (+49)."},
		{`{}`, "1-800-FLOWERS", "letters", "Phone numbers can't contain letters."},
		{`{}`, "n/a", "letters", "Phone numbers can't contain letters."},
		{`{}`, "Büro +49 89 123456", "letters", "Phone numbers can't contain letters."},
		{`{}`, "4.98912E+11", "digits_lost", "A spreadsheet rounded this number"},
		{`{}`, "-1e5", "digits_lost", "A spreadsheet rounded this number"},
		{`{}`, "+49 89 123456; +49 89 654321", "several_numbers", "This cell contains more than one phone number"},
		{`{}`, "+49 89 123456 +49 89 654321", "several_numbers", "This cell contains more than one phone number"},
		{`{}`, "+49 89 123456 (7)", "several_numbers", "This cell contains more than one phone number"},
		{`{}`, "+49 89 1234567/8", "several_numbers", "This cell contains more than one phone number"},
		{`{}`, "089 1234567 / 0171 1234567", "no_country_code", "The country code is missing."},
		{`{}`, "?", "not_a_number", "Not a phone number."},
		{`{}`, "\u200b", "not_a_number", "Not a phone number."},
		{`{}`, "()", "not_a_number", "Not a phone number."},
		{`{}`, strings.Repeat("1", maxDigits+1), "too_long", "This phone number is too long. "},
		{`{}`, strings.Repeat("no ", maxText), "too_long", "This phone number is too long. "},
		{`{}`, "+49 89 123456 x12", "extension_left_out", "The extension was dropped"},
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

// TestSentences checks that every code has a unique name and message.
func TestSentences(t *testing.T) {
	seen := map[string]Code{}
	for code := range Code(len(codes)) {
		name, text := code.String(), Problem{Code: code}.Message().String()
		if name == "" || (text == "") != (code == Read || code == Blank) {
			t.Errorf("code %d: name %q, text %q", code, name, text)
		}
		for _, s := range []string{name, text} {
			if before, found := seen[s]; found && s != "" {
				t.Errorf("%q is the sentence of %d and %d", s, before, code)
			}
			seen[s] = code
		}
	}
}

// TestSlashes checks that a slash after an area code is distinguished from a
// slash between two numbers.
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

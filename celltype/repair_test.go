package celltype

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestCorrections checks the suggestions for invalid text, with their reasons.
func TestCorrections(t *testing.T) {
	field := func(name intray.TypeName, options map[string]any) intray.Field {
		return intray.Field{Type: intray.FieldType{Name: name, Options: options}}
	}
	colors := field(intray.TypeMultiSelect, nil)
	colors.SelectOptions = []intray.SelectOption{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}
	for _, c := range []struct {
		field intray.Field
		// cases maps text to its suggestions.
		cases map[string]string
	}{
		{field(intray.TypeEmail, nil), map[string]string{
			"a(at)b.co": "a@b.co signs", "a [at] b.co": "a@b.co signs", "a{at}b[dot]co": "a@b.co signs", "a at b dot co": "a@b.co signs", "a@@b.co": "a@b.co signs",
			"a@b,co": "a@b.co signs", "a@b.co.": "a@b.co signs", "a@b.co,": "a@b.co signs", "a@b..co": "a@b.co signs", "a @ b.co": "a@b.co signs", "a b@c.co": "ab@c.co signs",
			"mailto:a@b.co": "a@b.co part", "MAILTO: a@b.co?subject=x": "a@b.co part", "a＠b．co": "a@b.co signs", "<a@b.co>": "a@b.co signs", "Ada <a@b.co>": "a@b.co part",
			"a@b.co (work)": "a@b.co part", "a@b.co; c@d.co": "a@b.co part, c@d.co part", "a@b.co,c@d.co": "a@b.co part, c@d.co part", "\"a@b.co\"": "a@b.co signs",
			"'a@b.co": "a@b.co signs", "o'hara@b.co": "", "a@b": "", "nobody": "", "@": "", "": "", "a@b.co": "", " a@b.co ": "", "@b.co": "",
		}},
		{field(intray.TypeURL, nil), map[string]string{
			"example.org": "https://example.org scheme", "www.example.org/a b": "https://www.example.org/a%20b scheme",
			"htp://example.org": "http://example.org scheme", "htps://example.org": "https://example.org scheme", "hhttps://example.org": "https://example.org scheme", "ttps://example.org": "https://example.org scheme",
			"https//example.org": "https://example.org scheme", "http//:example.org": "http://example.org scheme", "https ://example.org": "https://example.org scheme", "https;//example.org": "https://example.org scheme",
			"http://http://example.org": "http://example.org scheme", "https://example,org": "https://example.org scheme", "https://exam ple.org": "https://example.org scheme", "//example.org/x": "https://example.org/x scheme",
			"<https://example.org>": "https://example.org scheme", "[x](https://example.org)": "https://example.org scheme", "https://example.org, ": "",
			"a@b.co": "", "nobody": "", "tel:+4930": "", "mailto:a@b.co": "", "https://example.org": "", "https://": "",
		}},
		{field(intray.TypeURL, map[string]any{"acceptedProtocols": []any{"http"}}), map[string]string{"example.org": "http://example.org scheme"}},
		{field(intray.TypeDomain, nil), map[string]string{
			"https://example.org/x": "example.org part", "example.org.": "example.org part", "a@example.org": "example.org part", "example,org": "example.org part", "example": "",
		}},
		{field(intray.TypePhone, nil), map[string]string{
			"+49 3O l23456": "+49 30 123456 digits", "+49 30 123456 (privat)": "+49 30 123456 part", "+4930123456,+4930123457": "+4930123456 part, +4930123457 part",
			"+49 30 123456 or +49 30 123457": "+49 30 123456 part, +49 30 123457 part", "+1 555 CALL NOW": "", "123": "", "+0049 30 123456": "+49 30 123456 prefix",
		}},
		{field(intray.TypePhone, map[string]any{"country": "DE"}), map[string]string{"491711234567": "+491711234567 prefix, 0491711234567 prefix"}},
		{field(intray.TypeDate, nil), map[string]string{
			"2024_12_31": "2024-12-31 separators", "2024;1;3 10:30": "", "2O24-12-31": "2024-12-31 digits", "31\\12\\2024": "31.12.2024 separators", "31*12*2024": "31.12.2024 separators",
			"geb. 12.03.1945": "", "*31.12.1945": "31.12.1945 separators", "3\\4\\2024": "", "30.02.2024": "", "12/2024": "", "soon": "",
		}},
		{field(intray.TypeTime, nil), map[string]string{"14;30": "14:30 separators", "14_30_05": "14:30:05 separators", "25;00": "", "noon": ""}},
		{field(intray.TypeNumber, nil), map[string]string{
			"1O0": "100 digits", "=5": "5 signs", `="12.5"`: "12.5 signs", "~5": "5 signs", "5*": "5 signs", "1_000": "1000 separators", "5 kg": "5 unit", "12.5 km/h": "12.5 unit", "20°C": "20 unit",
			"(-5)": "-5 signs", "5k": "", "5 M": "", "5 CR": "", "5 Mio.": "", "5-10": "", "twelve": "", "1/2": "", "3rd": "", "12": "",
		}},
		{field(intray.TypeZIP, nil), map[string]string{
			"12345 6789": "12345-6789 signs", "12345–6789": "12345-6789 signs", "1234-5678": "01234-5678 signs", "'01234": "01234 signs", "12345.0": "12345 signs", "12345-": "12345 signs", "9O210": "90210 signs", "ABCDE": "", "012345": "",
		}},
		{field(intray.TypeSSN, nil), map[string]string{"123 45 6789": "123456789 signs", "123–45–6789": "123456789 signs", "12345678": "", "***-**-6789": ""}},
		{field(intray.TypeUUID, nil), map[string]string{
			"{123e4567-e89b-42d3-a456-426614174000}": "123e4567-e89b-42d3-a456-426614174000 signs", "123e4567e89b42d3a456426614174000": "123e4567-e89b-42d3-a456-426614174000 signs",
			"urn:uuid:123e4567-e89b-42d3-a456-426614174000": "123e4567-e89b-42d3-a456-426614174000 signs", "123e4567": "",
		}},
		{field(intray.TypeCheckbox, nil), map[string]string{"yes!": "yes signs", "[x]": "x signs", "[ ]": "false signs", "maybe": ""}},
		{field(intray.TypeCountry, nil), map[string]string{
			"Germany (DE)": "Germany part", "DE - Germany": "DE part", "🇩🇪": "DE signs", "Germny": "DE spelled_like", "Frnace": "FR spelled_like", "Guinea/Bissau": "GW spelled_like, GN part_of, GQ part_of", "Europe": "",
		}},
		{field(intray.TypeState, nil), map[string]string{"Texas, USA": "Texas part", "CA - California": "CA part", "Californi": "CA spelled_like", "Ontario": "", "Calif.": "CA abbreviation", "Fla": "FL abbreviation", "W. Va.": "WV abbreviation", "N.Y.": "NY signs", "D.C.": "DC signs", "New  York": "NY spelled_like"}},
		{colors, map[string]string{"Red;Blue": "Red,Blue separators", "Red | Blue": "Red,Blue separators", "Red and Blue": "Red,Blue separators", "Red;Green": "r part_of"}},
		{field(intray.TypeString, nil), map[string]string{" a  b ": "a b white_space", "a\u200bb": "ab white_space", "a\u00a0b": "a b white_space", "a b": ""}},
	} {
		parser, err := Compile(c.field)
		if err != nil {
			t.Fatal(err)
		}
		s := NewSuggester(c.field, parser)
		for text, want := range c.cases {
			var got []string
			for _, one := range s.Suggest(text, 3) {
				got = append(got, one.Text+" "+strings.TrimPrefix(one.Reason.Code, "suggestion."))
			}
			if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("%s, %q (-want +got):\n%s", c.field.Type.Name, text, diff)
			}
		}
	}
}

// TestCorrectionsOfColumns checks that the style of the column decides which dates are suggested.
func TestCorrectionsOfColumns(t *testing.T) {
	field := intray.Field{Type: intray.FieldType{Name: intray.TypeDate}}
	parser, err := Compile(field)
	if err != nil {
		t.Fatal(err)
	}
	for style, want := range map[string]string{"slash=MDY": "3/4/2024", "slash=DMY": "3/4/2024", "dash=DMY": "3-4-2024", "": ""} {
		sniffed, err := parser.(SniffingParser).Restore(style)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range NewSuggester(field, sniffed).Suggest(`3\4\2024`, 3) {
			got += s.Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", style, got, want)
		}
	}
}

// TestCorrectionsAreValid checks that every correction of any text is valid and differs from the text.
func TestCorrectionsAreValid(t *testing.T) {
	types := []intray.TypeName{
		intray.TypeNumber, intray.TypeDate, intray.TypeDatetime, intray.TypeTime, intray.TypeCheckbox, intray.TypeEmail, intray.TypePhone,
		intray.TypeURL, intray.TypeDomain, intray.TypeZIP, intray.TypeSSN, intray.TypeUUID,
	}
	pieces := []string{"a", "b", "@", ".", ",", ";", "(at)", " ", "1", "2024", "12", "31", "O", "+49", "30", "123456", "http", ":", "/", "\\", "-", "_", "org", "<", ">", "\"", "'", "=", "kg", "％", "＠", "é", "\u200b", "🇩🇪"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(types).Draw(t, "type")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		field := intray.Field{Type: intray.FieldType{Name: name}}
		parser, err := Compile(field)
		if err != nil {
			t.Fatal(err)
		}
		invalid := parser.Parse(Cell{Raw: []byte(text)}, nil).State == Invalid
		for _, s := range NewSuggester(field, parser).Suggest(text, 3) {
			state := parser.Parse(Cell{Raw: []byte(s.Text)}, nil).State
			if !invalid || s.Text == text || s.Reason.IsZero() || state != Parsed && state != Unchanged {
				t.Fatalf("%s, %q: %+v", name, text, s)
			}
		}
	})
}

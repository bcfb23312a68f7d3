package celltype_test

import (
	"encoding/json"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// written returns the formatted value of a cell. It uses the parser and the
// formatter of the field.
func written(t *testing.T, f intray.Field, raw string) string {
	t.Helper()
	parser, err := celltype.Compile(f)
	if err != nil {
		t.Fatalf("%s %v: %v", f.Key, f.Type.Options, err)
	}
	write, err := celltype.OutputFormatter(f)
	if err != nil {
		t.Fatalf("%s %v: %v", f.Key, f.Type.Options, err)
	}
	r := parser.Parse(celltype.Cell{Raw: []byte(raw)}, nil)
	if r.State == celltype.Unchanged {
		r.Value = []byte(raw)
	}
	if r.State == celltype.Unchanged || r.State == celltype.Parsed {
		if write != nil {
			return string(write(nil, r.Value))
		}
		return string(r.Value)
	}
	return describe(r)
}

// TestEveryOptionHasItsEffect checks that each option has the documented effect on a cell, by
// parsing the cell with and without it.
func TestEveryOptionHasItsEffect(t *testing.T) {
	for _, c := range []struct {
		name                       intray.TypeName
		options, raw, without, set string
	}{
		{intray.TypeNumber, `{"preset":"decimal_1"}`, "2.25", "2.25", "2.3"},
		{intray.TypeNumber, `{"preset":"eur"}`, "$5", "5", "wrong"},
		{intray.TypeNumber, `{"round":1}`, "2.25", "2.25", "2.3"},
		{intray.TypeNumber, `{"displayFormat":{"mantissa":1}}`, "1,250", "wrong", "1250"},
		{intray.TypeNumber, `{"displayFormat":{"mantissa":1}}`, "2.25", "2.25", "2.25"}, // affects only the display
		{intray.TypeNumber, `{"outputFormat":{"thousandSeparated":true,"mantissa":2}}`, "1250", "1250", "1,250.00"},
		{intray.TypeNumber, `{"min":3}`, "2", "2", "wrong"},
		{intray.TypeNumber, `{"max":1.5}`, "2", "2", "wrong"},
		{intray.TypeDate, `{"locale":"en-GB"}`, "03/04/2021", "wrong", "2021-04-03"},
		{intray.TypeDate, `{"displayFormat":"MM/dd/yyyy"}`, "03/04/2021", "wrong", "2021-03-04"},
		{intray.TypeDate, `{"displayFormat":"yyyy 'day' o"}`, "2021 day 63", "wrong", "2021-03-04"},
		{intray.TypeDate, `{"displayFormat":"dd.MM.yyyy"}`, "2021-03-04", "2021-03-04", "2021-03-04"}, // affects only the display
		{intray.TypeDate, `{"outputFormat":"dd.MM.yyyy"}`, "2021-03-04", "2021-03-04", "04.03.2021"},
		{intray.TypeDate, `{"outputFormat":"[ISO]"}`, "2021-03-04", "2021-03-04", "2021-03-04"}, // the default
		{intray.TypeDate, `{"outputFormat":"d LLLL yyyy","locale":"de"}`, "2021-03-04", "2021-03-04", "4 März 2021"},
		{intray.TypeDate, `{"withSeconds":true}`, "2021-03-04", "2021-03-04", "2021-03-04"}, // a date has no seconds
		{intray.TypeDate, `{"locale":"en-US","autofix":false}`, "25/12/2021", "2021-12-25", "wrong"},
		{intray.TypeDatetime, `{"locale":"en-GB"}`, "03/04/2021 15:20", "wrong", "2021-04-03T15:20"},
		{intray.TypeDatetime, `{"displayFormat":"MM/dd/yyyy HH:mm"}`, "03/04/2021 15:20", "wrong", "2021-03-04T15:20"},
		{intray.TypeDatetime, `{"outputFormat":"f","locale":"en-US"}`, "2021-03-04T15:20", "2021-03-04T15:20", "3/4/2021, 3:20\u202fPM"},
		{intray.TypeDatetime, `{"withSeconds":true}`, "2021-03-04 15:20:07", "2021-03-04T15:20", "2021-03-04T15:20:07"},
		{intray.TypeDatetime, `{"displayFormat":"yyyy-MM-dd mm:HH"}`, "2021-03-04 15:20", "2021-03-04T15:20", "2021-03-04T20:15"},
		{intray.TypeTime, `{"displayFormat":"mm:ss"}`, "20:07", "20:07", "00:20"},
		{intray.TypeTime, `{"displayFormat":"HH'x'mm"}`, "20x07", "wrong", "20:07"},
		{intray.TypeTime, `{"outputFormat":"h:mm a","locale":"en-US"}`, "15:20", "15:20", "3:20 PM"},
		{intray.TypeTime, `{"outputFormat":"H 'h' mm","locale":"fr"}`, "15:20", "15:20", "15 h 20"},
		{intray.TypeTime, `{"withSeconds":true}`, "15:20:07", "15:20", "15:20:07"},
		{intray.TypeSelect, `{"allowCustom":true}`, "Medium", "wrong", "Medium"},
		{intray.TypeSelect, `{"exactMatchOnly":true}`, "very high", "vh", "wrong"},
		{intray.TypeMultiSelect, `{"delimiter":"; "}`, "High; Low", "wrong", `["h","l"]`},
		{intray.TypeMultiSelect, `{"trimValues":false}`, "High, Low", `["h","l"]`, `["h","l"]`}, // reported, see below
		{intray.TypePhone, `{"country":"DE"}`, "089 123456", "wrong", "+4989123456"},
		{intray.TypePhone, `{"country":"DE","format":"national"}`, "+49 89 123456", "+4989123456", "089123456"},
		{intray.TypePhone, `{"country":"DE","format":"both"}`, "089 123456", "wrong", "+4989123456"},
		{intray.TypePhone, `{"outputFormatted":true}`, "+4989123456", "+4989123456", "+49 89 123456"},
		{intray.TypeURL, `{"acceptedProtocols":["https"]}`, "http://example.org/", "http://example.org/", "wrong"},
		{intray.TypeURL, `{"acceptedProtocols":["https://"]}`, "https://example.org/", "https://example.org/", "https://example.org/"},
		{intray.TypeURL, `{"acceptedProtocols":["tel"]}`, "tel:+4989123456", "wrong", "tel:+4989123456"},
		{intray.TypeURL, `{"acceptedDomains":["example.com"]}`, "http://example.org/", "http://example.org/", "wrong"},
		{intray.TypeURL, `{"acceptedDomains":["example.org"]}`, "http://www.example.org/", "http://www.example.org/", "http://www.example.org/"},
		{intray.TypeURL, `{"acceptedDomains":["example.org"]}`, "http://myexample.org/", "http://myexample.org/", "wrong"},
		{intray.TypeURL, `{"acceptedDomains":["Bücher.example"]}`, "http://bücher.example/", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
		{intray.TypeDomain, `{"allowSubdomains":false}`, "www.example.org", "www.example.org", "wrong"},
		{intray.TypeDomain, `{"allowSubdomains":false}`, "Example.co.uk", "example.co.uk", "example.co.uk"},
		{intray.TypeZIP, `{"format":"9-digit"}`, "123456789", "12345", "123456789"},
		{intray.TypeZIP, `{"format":"9-digit"}`, "12345", "12345", "wrong"},
		{intray.TypeZIP, `{"format":"9-digit","outputDash":true}`, "123456789", "12345", "12345-6789"},
		{intray.TypeZIP, `{"outputDash":true}`, "12345-6789", "12345", "12345"}, // a five-digit code has no dash
		{intray.TypeSSN, `{"outputDash":true}`, "123456789", "123456789", "123-45-6789"},
		{intray.TypeCountry, `{"format":"3-letter"}`, "Germany", "DE", "DEU"},
		{intray.TypeUUID, `{"version":4}`, "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "wrong"},
	} {
		plain := typed(c.name, nil)
		if c.name == intray.TypeSelect || c.name == intray.TypeMultiSelect {
			plain = picking(c.name)
		}
		with := plain
		if err := json.Unmarshal([]byte(c.options), &with.Type.Options); err != nil {
			t.Fatal(err)
		}
		if got := written(t, plain, c.raw); got != c.without && got != c.without+" read_otherwise" {
			t.Errorf("%s: %q is %q, want %q", c.name, c.raw, got, c.without)
		}
		if got := written(t, with, c.raw); got != c.set {
			t.Errorf("%s with %s: %q is %q, want %q", c.name, c.options, c.raw, got, c.set)
		}
	}
}

// TestUntrimmedValuesAreReported checks that values with surrounding white space still match
// options if trimValues is false, and that a note reports this.
func TestUntrimmedValuesAreReported(t *testing.T) {
	f := picking(intray.TypeMultiSelect)
	f.Type.Options = map[string]any{"trimValues": false}
	p, err := celltype.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		"High,Low": `["h","l"]`, "High, Low": `["h","l"] value_mapped`, "High, ": `["h"]`, " , ": "empty",
	} {
		if got := describe(p.Parse(celltype.Cell{Raw: []byte(raw)}, nil)); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	}
}

// TestOptionsThatMeanNothingAreRefused checks that fields with unusable options do not compile.
func TestOptionsThatMeanNothingAreRefused(t *testing.T) {
	for _, c := range []struct {
		name    intray.TypeName
		options map[string]any
	}{
		{intray.TypeNumber, map[string]any{"preset": "dollars"}},
		{intray.TypeNumber, map[string]any{"preset": 2.0}},
		{intray.TypeNumber, map[string]any{"round": 1.5}},
		{intray.TypeNumber, map[string]any{"min": 2.0, "max": 1.0}},
		{intray.TypeNumber, map[string]any{"displayFormat": map[string]any{"output": "roman"}}},
		{intray.TypeNumber, map[string]any{"outputFormat": map[string]any{"mantissa": -1.0}}},
		{intray.TypeNumber, map[string]any{"format": "x"}},
		{intray.TypeDate, map[string]any{"locale": "xx-none"}},
		{intray.TypeDate, map[string]any{"displayFormat": "?"}},
		{intray.TypeDate, map[string]any{"outputFormat": "'only text'"}},
		{intray.TypePhone, map[string]any{"country": "Germany"}},
		{intray.TypePhone, map[string]any{"format": "both"}},
		{intray.TypePhone, map[string]any{"format": "local"}},
	} {
		if _, err := celltype.Compile(typed(c.name, c.options)); err == nil {
			t.Errorf("%s takes %v", c.name, c.options)
		}
	}
}

package number

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestPresets(t *testing.T) {
	for _, c := range []struct{ preset, number, rounded, shown string }{
		{"default", "1234567.1234567", "1234567.1234567", "1,234,567.1234567"}, {"plain", "1234567.123", "1234567.123", "1234567.123"},
		{"integer", "234.567", "235", "235"}, {"decimal_0", "234.567", "235", "235"}, {"decimal_1", "234.567", "234.6", "234.6"}, {"decimal_1", "123", "123", "123.0"},
		{"decimal_2", "234.567123", "234.57", "234.57"}, {"decimal_3", "123", "123", "123.000"}, {"decimal_4", "234.56789123", "234.5679", "234.5679"},
		{"percent", "0.1234", "0.1234", "12.34%"}, {"percent", "0.56", "0.56", "56%"}, {"percent_0", "0.1256", "0.13", "13%"}, {"percent_1", "0.34", "0.34", "34.0%"},
		{"percent_2", "0.12567", "0.1257", "12.57%"}, {"percent_3", "0.123456", "0.12346", "12.346%"}, {"percent_4", "0.12345678", "0.123457", "12.3457%"},
		{"usd", "1234.567", "1234.57", "$ 1,234.57"}, {"usd", "-3456.78", "-3456.78", "- $3,456.78"}, {"usd_accounting", "-3456.78", "-3456.78", "$ (3,456.78)"},
		{"eur", "1234.567", "1234.57", "1,234.57 €"}, {"eur", "-3456.78", "-3456.78", "-3,456.78 €"}, {"gbp", "1234.567", "1234.57", "£ 1,234.57"}, {"gbp", "-3456.78", "-3456.78", "- £3,456.78"},
	} {
		o, err := CompileOptions(map[string]any{"preset": c.preset})
		if err != nil {
			t.Fatal(err)
		}
		rounded := o.Round(nil, []byte(c.number))
		if shown := o.Display.Append(nil, rounded); string(rounded) != c.rounded || string(shown) != c.shown || o.Output != nil || o.Explicit != (o.Currency.String() == "USD" || o.Currency.String() == "GBP") {
			t.Errorf("%s: %s is %s, shown as %s; want %s and %s", c.preset, c.number, rounded, shown, c.rounded, c.shown)
		}
	}
	for _, name := range []string{"", "decimal", "decimal_5", "percent_", "USD", "4", "money_2"} {
		if p, ok := FindPreset(name); ok {
			t.Errorf("there is a preset %q: %+v", name, p)
		}
	}
}

func TestNoOptions(t *testing.T) {
	o, err := CompileOptions(nil)
	if err != nil || o.Rounds || o.Explicit || o.Output != nil || o.Min != nil || o.Currency != 0 || string(o.Display.Append(nil, []byte("1234.5"))) != "1,234.5" {
		t.Errorf("no options are %+v: %v", o, err)
	}
}

func TestOptions(t *testing.T) {
	o, err := CompileOptions(map[string]any{
		"preset": "usd", "round": json.Number("-2"), "min": json.Number("-1.50"), "max": 1e3,
		"displayFormat": map[string]any{"average": true}, "outputFormat": map[string]any{"output": "percent", "mantissa": 0.0},
	})
	if err != nil {
		t.Fatal(err)
	}
	number := o.Round(nil, []byte("1250"))
	if string(number) != "1300" || string(o.Display.Append(nil, number)) != "1k" || string(o.Output.Append(nil, number)) != "130000%" {
		t.Errorf("1250 is %s", number)
	}
	if string(o.Min) != "-1.5" || string(o.Max) != "1000" || o.Currency.String() != "USD" {
		t.Errorf("%s to %s in %s", o.Min, o.Max, o.Currency)
	}
	o.Places = 5
	for number, want := range map[string]string{"1e-50": "0", "1e50": "1e50", "1.5": "1.5", "1.123456": "1.12346", "12": "12"} {
		if got := string(o.Round(nil, []byte(number))); got != want {
			t.Errorf("%s is rounded to %s, want %s", number, got, want)
		}
	}
	for text, want := range map[string]int{"-1.5": 0, "-1.500000000000000000001": -1, "1000": 0, "1000.000000000000000001": 1, "0": 0, "1e300": 1, "-1e300": -1} {
		if got := o.CompareBounds([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if fits := o.Currency.CompatibleWith(currency(t, "€")); fits || !o.Currency.CompatibleWith(currency(t, "$")) {
		t.Error("euros are dollars")
	}
}

func TestOptionsAreRefused(t *testing.T) {
	for name, options := range map[string]map[string]any{
		"a preset":         {"preset": "money"},
		"no name":          {"preset": 2},
		"half a digit":     {"round": json.Number("1.5")},
		"a text":           {"round": "2"},
		"min":              {"min": "1"},
		"far min":          {"min": json.Number("1e999")},
		"max":              {"max": true},
		"none between":     {"min": json.Number("2"), "max": json.Number("1.9999999999999999999")},
		"display":          {"displayFormat": map[string]any{"output": "x"}},
		"display as text":  {"displayFormat": "0,0"},
		"output":           {"outputFormat": map[string]any{"mantissa": -1}},
		"output as number": {"outputFormat": 2},
		"unknown":          {"places": 2},
	} {
		if o, err := CompileOptions(options); err == nil {
			t.Errorf("%s: %v is read as %+v", name, options, o)
		}
	}
	if o, err := CompileOptions(map[string]any{"round": json.Number("1e99999")}); err == nil {
		t.Errorf("an endless round is read as %d", o.Places)
	}
}

// TestOptionsAgreeWithTheirParts compares the fast paths of Options.Round and
// Options.CompareBounds with Round and an exact comparison.
func TestOptionsAgreeWithTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := canonical(t, numbers().Draw(t, "number"))
		a, b := canonical(t, numbers().Draw(t, "a")), canonical(t, numbers().Draw(t, "b"))
		if compareTexts([]byte(a), []byte(b)) > 0 {
			a, b = b, a
		}
		places := rapid.IntRange(-5, 45).Draw(t, "places")
		o, err := CompileOptions(map[string]any{"round": places, "min": json.Number(a), "max": json.Number(b)})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(o.Round(nil, []byte(number))), string(Round(nil, []byte(number), places)); got != want {
			t.Fatalf("%s to %d places is %s, want %s", number, places, got, want)
		}
		want := 0
		if compareTexts([]byte(number), []byte(a)) < 0 {
			want = -1
		} else if compareTexts([]byte(number), []byte(b)) > 0 {
			want = 1
		}
		if got := o.CompareBounds([]byte(number)); got != want {
			t.Fatalf("%s within %s and %s: %d, want %d", number, a, b, got, want)
		}
	})
}

package phone

import "testing"

func TestFold(t *testing.T) {
	for raw, want := range map[string]string{
		"+４９（８９）１２．３":           "+49(89)12.3",
		"٠١٢٣٤٥٦٧٨٩":            "0123456789",
		"۰۱۲۳۴۵۶۷۸۹":            "0123456789",
		"०१२३४५६७८९":            "0123456789",
		"𝟎𝟗𝟘𝟡":                  "0909",
		"1‐2‑3–4—5−6ー7":         "1-2-3-4-5-6-7",
		"1\u00a02\u20093\t4":    "1 2 3 4",
		"\ufeff1\u200b2\u20603": "123",
		"“1”’2‘":                "\"1\"'2'",
		"TÉL [1]{2}":            "tél (1)(2)",
		"1\u20282":              "1\n2",
		"1\xff2":                "1?2",
	} {
		if got := string(foldText(nil, []byte(raw))); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	for raw, want := range map[string]string{
		` "089" `: "089", `="089"`: "089", `=089`: "089", `'089`: "089", `'089'`: "089", `''089''`: "089", `089,;: `: "089",
		`"`: `"`, `'`: "", `=`: "=", `""`: "", ``: "",
	} {
		if got := string(trimWrapping([]byte(raw))); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func TestExponent(t *testing.T) {
	for text, want := range map[string]bool{
		"4.98912e+11": true, "4,98912e+11": true, "1e5": true, "-1e05": true, "+4.9e-3": true,
		"e5": false, "1e": false, "1e+": false, "1ext5": false, "1e12345": false, "tel 1e5": false, "12": false,
	} {
		if got := isScientific([]byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"tel. 089": "089", "tel:+49": "+49", "telefon (089)": "(089)", "fax: 089": "089", "t +49": "+49", ": 089": "089", "тел. 089": "089",
		"089": "089", "tel": "tel", "tel. privat 089": "tel. privat 089", "*089": "*089", "xyz 089": "xyz 089",
	} {
		if got := string(cutLabel([]byte(text))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestContext(t *testing.T) {
	for text, want := range map[string]string{
		"089-1;phone-context=+49":                  "+49089-1",
		"089-1;ext=2;phone-context=+49":            "+49089-1;ext=2",
		"089-1;isub=7;phone-context=+49;x=y":       "+49089-1",
		"089-1;phone-context=example.org":          "089-1",
		"089-1;phone-context=":                     "089-1",
		"089-1;phone-context=+4912345678901234567": "089-1",
		"+49891;isub=12":                           "+49891",
		"+49891;ext=12":                            "+49891;ext=12",
	} {
		if got := string(cutContext([]byte(text))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestExtensions(t *testing.T) {
	for text, want := range map[string]string{
		"0891234 ext. 12": "0891234", "0891234x12": "0891234", "0891234 x 12": "0891234", "0891234 #12": "0891234", "0891234,,12#": "0891234",
		"0891234 (ext 12)": "0891234", "0891234;ext=12": "0891234", "0891234, extension: 12": "0891234", "0891234 доб.12": "0891234",
		"0891234": "-", "0891234 12": "-", "0891234 box 12": "-", "089 x12": "-", "x12": "-", "0891234 ext": "-", "": "-",
	} {
		got, cut := cutExtension([]byte(text))
		if cut && string(got) != want || !cut && (want != "-" || string(got) != text) {
			t.Errorf("%q: %q %v, want %q", text, got, cut, want)
		}
	}
}

func TestSeveral(t *testing.T) {
	for text, want := range map[string]bool{
		"089123, 089124": true, "089123;089124": true, "089123 or 089124": true, "+49891 +49892": true, "089123\n089124": true, "089123, 4": true,
		"089123": false, "(+49) 891": false, "089, 123456": false, "089123,": false, "089123 und": false, "": false,
	} {
		if got := hasSeveralNumbers([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

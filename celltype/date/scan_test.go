package date

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func fold(text string) string {
	return string(appendFolded(make([]byte, 0, 4*len(text)+utf8.UTFMax), []byte(text)))
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"MÄRZ":                      "marz",
		"Février":                   "fevrier",
		"fe\u0301vrier":             "fevrier",
		"ŠKOLA":                     "skola",
		"İSTANBUL ısı":              "istanbul isi",
		"ΜΑΪΟΣ Μαΐου":               "μαιοσ μαιου",
		"ЧЕРВЕНЬ й":                 "червень и",
		"Thứ Bảy":                   "thu bay",
		"٠١٢٣٤٥٦٧٨٩":                "0123456789",
		"۰۱۲۳۴۵۶۷۸۹":                "0123456789",
		"०१२३४५६७८९":                "0123456789",
		"๐๑๒๓๔๕๖๗๘๙":                "0123456789",
		"０１９／：．－ＡＢｚ":                "019/:.-abz",
		"a\u00a0b\u202fc\u3000d\te": "a b c d e",
		"1\u20102\u20133\u22124":    "1-2-3-4",
		"p.\u200bm.\u200f":          "p.m.",
		"ינו׳":                      "ינו",
		"1،2、3":                     "1,2,3",
		"d’abord":                   "d'abord",
		"\xff\xfeA":                 "??a",
	} {
		if got := fold(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFoldForgetsForms checks that folding is idempotent and does not depend on
// the Unicode normalization form.
func TestFoldForgetsForms(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("aAéÉüÜßñšŽøåИйЇέΪưỡ1٣/-. ")), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		text := letters.Draw(t, "text")
		folded := fold(text)
		if other := fold(norm.NFD.String(text)); other != folded {
			t.Fatalf("%q: %q taken apart, %q whole", text, other, folded)
		}
		if again := fold(folded); again != folded {
			t.Fatalf("%q: %q becomes %q", text, folded, again)
		}
	})
}

func TestFoldStopsWhereItIsFull(t *testing.T) {
	text := []byte(strings.Repeat("ä", 100))
	if got := appendFolded(make([]byte, 0, 20), text); len(got) > 20 || len(got) < 16 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestWordKeys(t *testing.T) {
	for name, want := range map[string]string{"a. m.": "am", "segunda-feira": "segundafeira", "п’ятниця": "пятниця", "มี.ค.": "มีค", "Thứ 2": "thu2"} {
		if got := dictionaryKey(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

package numfmt

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

func FuzzFormat(f *testing.F) {
	for _, code := range append(builtins[:],
		`[$-409]mmmm\ d\,\ yyyy;@`, `[>=100]0.0,,"M";[<0](0);General`, "** #,###,#00,000.00,**", "[h]:mm:ss.000;[mm]", "B2yyyy bbbb ggge", "# ???/16", `0.0#?E-00_)*x"open`, "\\", "_", "*", "[", "[$", "/9", ";;;;") {
		f.Add(code, 12345.6789, false)
		f.Add(code, -0.00001, true)
	}
	f.Fuzz(func(t *testing.T, code string, v float64, epoch1904 bool) {
		format, ok := Compile(code)
		shown := format.AppendFormatted([]byte("="), v, epoch1904)
		if len(shown) > 12*maxCodeChars*utf8.UTFMax+400 {
			t.Fatalf("%q shows %v with %d bytes", code, v, len(shown))
		}
		text := format.AppendFormattedText(nil, []byte("text"))
		if !ok && string(text) != "text" {
			t.Fatalf("invalid code %q shows a text as %q", code, text)
		}
		if utf8.ValidString(code) && !utf8.Valid(shown) {
			t.Fatalf("%q shows %v as %q, which is not UTF-8", code, v, shown)
		}
		checkValue(t, format, v, epoch1904)
	})
}

// checkValue checks that the value of a number has the format of its kind.
func checkValue(t *testing.T, format *Format, v float64, epoch1904 bool) {
	t.Helper()
	value, kind := format.AppendValue(nil, v, epoch1904)
	again, err := readValue(string(value), kind)
	if err != nil {
		t.Fatalf("value of %v: %q is not of kind %d: %v", v, value, kind, err)
	}
	if kind == intray.CellNumber && math.Abs(again-v) > math.Abs(v)*1e-14 {
		t.Fatalf("the value of %v is %q", v, value)
	}
}

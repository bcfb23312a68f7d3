package main

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

func TestShownTexts(t *testing.T) {
	long := strings.Repeat("ä", maxShown+5)
	for _, c := range []struct{ name, got, want string }{
		{"quoted", quotedText(" a\t\u202e"), `" a\t\u202e"`},
		{"cut", quotedText(long), `"` + strings.Repeat("ä", maxShown-1) + "… (355 characters in all)"},
		{"plain", plainText("Zoë"), "Zoë"},
		{"spaces behind", plainText("Zoë "), `"Zoë "`},
		{"empty", plainText(""), `""`},
		{"a quote", plainText(`6"`), `"6\""`},
		{"long", visibleLong("Zoë\u200f\u0085\u202e\u2067\x7f\n!"), "Zoë\u200f�����!"},
		{"JSON", graphicJSON("\"Zoë \u0085\U000e0001\\n\""), `"Zoë \u0085\udb40\udc01\n"`},
		{"no column", columnList(nil), "no column"},
		{"a column", columnList([]intray.TracedColumn{{Index: 1, Header: "E\x1b"}}), `column 2, "E\x1b"`},
		{"columns", columnList([]intray.TracedColumn{{Index: 2, Header: "Phone 1"}, {Index: 3, Header: "Phone 2"}}), "columns 3, Phone 1 and 4, Phone 2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

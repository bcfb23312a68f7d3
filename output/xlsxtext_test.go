package output

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestLongCellsAreListedForEachRow checks that a text that is too long is listed for each row, although the
// rows share the text.
func TestLongCellsAreListedForEachRow(t *testing.T) {
	b := &intray.Batch{Lines: make([]int64, 4), Fields: make([]intray.Cells, 1)}
	for _, v := range []string{"a", strings.Repeat("b", cellUnits+1), "a", strings.Repeat("b", cellUnits+1)} {
		b.Fields[0].AppendValue([]byte(v))
	}
	b.Fields[0].Values = numbered(b.Fields[0].Values)
	var listed []string
	for _, row := range sheetsOf(t, bookOf(t, typed(intray.TypeString), b))[1][1:3] {
		listed = append(listed, *row[1].Text)
	}
	if diff := cmp.Diff([]string{"3", "5"}, listed); diff != "" {
		t.Error(diff)
	}
}

// TestAppendXML compares appendXML with a function that examines one character after another.
func TestAppendXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("abcdefgh<>&_x000D_\t\n\r\x00é\u2028\ufffe\uffff\ufffd\U0001f600=?:")), 0, 40, -1)).Draw(t, "text")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		text = text[cut:] // it may begin within a character
		var want strings.Builder
		for i, r := range text {
			switch {
			case r == utf8.RuneError:
				want.WriteRune(r)
			case r == '<':
				want.WriteString("&lt;")
			case r == '>':
				want.WriteString("&gt;")
			case r == '&':
				want.WriteString("&amp;")
			case r == 0xfffe || r == 0xffff || r < ' ' && r != '\t' && r != '\n' || r == '_' && isXMLEscape([]byte(text[i:])):
				fmt.Fprintf(&want, "_x%04X_", r)
			default:
				want.WriteRune(r)
			}
		}
		if got := string(appendXML([]byte("<t>"), []byte(text))); got != "<t>"+want.String() {
			t.Fatalf("%q is %q, want %q", text, got, want.String())
		}
	})
}

// TestXMLSpace checks for which texts the white space is declared to matter.
func TestXMLSpace(t *testing.T) {
	f := &xlsxWriter{names: []string{"a"}}
	f.nameColumns()
	for text, want := range map[string]bool{
		"": false, "a": false, "a b": false, "é b": false, " ": true, " a": true, "a ": true, " é": true, "é ": true, "a\nb": true, "a\tb": true, "&a ": true, "a&b": false,
	} {
		cell := string(f.appendText(nil, 0, 0, []byte(text)))
		if got := strings.Contains(cell, `xml:space="preserve"`); got != want {
			t.Errorf("%q is %s", text, cell)
		}
	}
}

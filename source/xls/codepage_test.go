package xls

import (
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// font returns a FONT record of BIFF5.
func font(set byte, name string) []byte {
	return rec(0x0031, make([]byte, 12), set, byte(0), byte(len(name)), name)
}

// TestCodepage checks the code page of workbooks older than BIFF8.
func TestCodepage(t *testing.T) {
	privet := "\xCF\xF0\xE8\xE2\xE5\xF2" // Привет in windows-1251
	zolw := "\xBF\xF3\xB3w"              // żółw in windows-1250
	western := strings.Repeat("Die M\xFCller gr\xFC\xDFen sch\xF6n, \xC4pfel und B\xE4ume. ", 3)
	five := func(text string, globals ...[]byte) []byte {
		return pack(file{"Book", workbookStream(5, slices.Concat(globals...), part{name: text, body: rec(0x0204, at(0, 0, 0), uint16(len(text)), text)})})
	}
	two := func(name, text string) []byte {
		return body(bofOf(2, partSheet), rec(0x0031, make([]byte, 4), byte(len(name)), name), rec(0x0004, uint16(0), uint16(0), make([]byte, 3), byte(len(text)), text), eof)
	}
	three := func(name, text string) []byte {
		return body(bofOf(3, partSheet), rec(0x0231, make([]byte, 6), byte(len(name)), name), rec(0x0204, at(0, 0, 0), uint16(len(text)), text), eof)
	}
	for name, tc := range map[string]struct {
		file      []byte
		requested string
		// encoding is the name of the code page, followed by "?" if it is a question.
		encoding, text string
	}{
		"declared":                    {five(privet, font(238, "Arial"), rec(recCodePage, uint16(1251))), "", "windows-1251", "Привет"},
		"a font":                      {five(privet, font(0, "Arial"), font(204, "Arial"), font(204, "Times")), "", "windows-1251", "Привет"},
		"a font and an unknown page":  {five(zolw, rec(recCodePage, uint16(4711)), font(238, "Arial")), "", "windows-1250", "żółw"},
		"the name of a font":          {five(zolw, font(1, "Arial CE")), "", "windows-1250", "żółw"},
		"a font of BIFF2":             {two("Helv Cyr", privet), "", "windows-1251", "Привет"},
		"a font of BIFF3":             {three("MS Serif Greek", "\xE1\xE2\xE3"), "", "windows-1253", "αβγ"},
		"several fonts":               {five(privet, font(204, "Arial"), font(238, "Arial")), "", "windows-1251?", "Привет"},
		"fonts without a meaning":     {five(zolw, font(1, "Arial"), font(2, "Symbol"), font(255, "Terminal")), "", "?", ""},
		"no font":                     {three("Helv", zolw), "", "?", ""},
		"no font, only ASCII":         {two("Helv", "plain"), "", "windows-1252", "plain"},
		"several fonts, only ASCII":   {five("plain", font(204, "Arial"), font(238, "Arial")), "", "windows-1252", "plain"},
		"Western fonts, Western text": {five(western, font(0, "Arial")), "", "windows-1252", "Die Müller grüßen"},
		"requested":                   {five(privet, font(238, "Arial"), rec(recCodePage, uint16(1252))), "cp1251", "windows-1251", "Привет"},
		"requested by its alias":      {two("Helv", "\x81"), "IBM850", "IBM850", "ü"},
		"Japanese":                    {five("\x93\xFA\x96\x7B", font(128, "MS Gothic")), "", "Shift_JIS", "日本"},
	} {
		reader, _ := sourcetest.Open(t, Format{}, string(tc.file), source.Options{AsIs: true, Encoding: tc.requested})
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", tc.file), source.Options{AsIs: true, Encoding: tc.requested})
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CloseAfter(t, book)
		got := ""
		for _, e := range book.Evidence() {
			if e.Choice != "encoding" {
				continue
			}
			got = e.Value
			if e.Tie {
				got += "?"
				if len(e.Alternatives) < 20 || e.Alternatives[0].Value != e.Value || len(e.Alternatives[0].Examples) == 0 {
					t.Errorf("%s: alternatives %v", name, e.Alternatives)
				}
			}
		}
		if !strings.HasSuffix(got, tc.encoding) {
			t.Errorf("%s: encoding %s, want %s", name, got, tc.encoding)
		}
		if text := reader.Columns()[0].Samples[0]; !strings.HasPrefix(text, tc.text) {
			t.Errorf("%s: %q, want %q", name, text, tc.text)
		}
	}
	if _, err := (Format{}).Open(t.Context(), sourcetest.NewInput("", two("Helv", "a")), source.Options{Encoding: "klingon"}); sourcetest.Outline(err) != "encoding.unknown(encoding: klingon)" {
		t.Error(err)
	}
}

// TestCodepageOfSheetNames checks that the names of sheets, which precede the decision, are
// decoded with the code page of the fonts.
func TestCodepageOfSheetNames(t *testing.T) {
	stream := workbookStream(5, font(238, "Arial"), part{name: "\xBF\xF3\xB3w", body: rec(recRK, at(0, 0, 0), rkWhole(1))})
	book, err := Open(t.Context(), sourcetest.NewInput("", pack(file{"Book", stream})), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, book)
	if name := book.Sheets()[0].Name; name != "żółw" {
		t.Errorf("%q", name)
	}
}

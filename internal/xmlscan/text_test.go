package xmlscan

import (
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/intraydata/intray/source/sourcetest"
)

func TestDecode(t *testing.T) {
	nul, html := partConfig, partConfig
	nul.NUL, html.HTML = true, true
	for _, test := range []struct {
		cfg       Config
		raw, want string
	}{
		{partConfig, "", ""}, {partConfig, "plain", "plain"}, {partConfig, "a\nb", "a\nb"},
		{partConfig, "a\r\nb\rc\r", "a\nb\nc\n"}, {partConfig, "\r", "\n"}, {partConfig, "a&amp;\r", "a&\n"}, {partConfig, "\r\r\n\r", "\n\n\n"},
		{partConfig, "&lt;&gt;&amp;&quot;&apos;", "<>&\"'"}, {partConfig, "&#65;&#x42;&#x1F600;&#0000067;", "AB\U0001F600C"},
		{partConfig, "&amp;lt;", "&lt;"}, {partConfig, "&#x10FFFF;", "\U0010FFFF"}, {partConfig, "\xFF&lt;", "\xFF<"},
		{nul, "a&#0;b&#x0;", "a\x00b\x00"}, {html, "&nbsp;&#X41;", "\u00A0A"},
	} {
		s := open(t, "<a/>", test.cfg)
		if got, err := s.Decode([]byte("before "), []byte(test.raw)); string(got) != "before "+test.want || err != nil {
			t.Errorf("%q: %q, error %v", test.raw, got, err)
		}
	}
	for _, raw := range []string{
		"&", "a&", "&;", "&lol;", "&lt", "& lt;", "&LT;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;", "&#99999999999;", "&#-1;", "&#+1;", "&#1_0;", "&#xG;",
		"&nbsp;", "&#X41;", "&aaaaaaaaaaaaaaaa;", "&#00000000065;",
	} {
		got, err := open(t, "<a/>", partConfig).Decode(nil, []byte(raw))
		if sourcetest.Outline(err) != partProblem("xml.invalid_entity()") {
			t.Errorf("%q: %q, error %v", raw, got, err)
		}
	}
}

// encoded returns text in UTF-16, in little-endian order if little is true.
func encoded(text string, little bool) (raw []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		if little {
			raw = append(raw, byte(unit), byte(unit>>8))
		} else {
			raw = append(raw, byte(unit>>8), byte(unit))
		}
	}
	return raw
}

func TestUTF16(t *testing.T) {
	text := strings.Repeat("Ü\U0001F600", 20_000)
	cfg := partConfig
	cfg.TextBytes = 1 << 20
	for _, little := range []bool{true, false} {
		for _, mark := range []string{"\uFEFF", ""} {
			raw := encoded(mark+`<?xml version="1.0" encoding="UTF-16"?><a>`+text+"</a>", little)
			got, err := tokens(iotest.HalfReader(strings.NewReader(string(raw))), cfg)
			if got != "<a("+text+")>" || err != nil {
				t.Errorf("little %v, mark %q: %.40q, error %v", little, mark, got, err)
			}
		}
	}
	lone := string(encoded("<a>", true)) + "\x00\xD8" + string(encoded("x</a>", true))
	if got, err := tokens(strings.NewReader(lone), partConfig); got != "<a(\uFFFDx)>" || err != nil {
		t.Errorf("half a pair: %q, error %v", got, err)
	}
}

func TestDeclaredEncoding(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0" encoding="UTF-8"?><a/>`: "UTF-8", `<?xml encoding = 'x y' version="1.0"?>`: "x y", `<?xml version="1.0"?>`: "-",
		`<?xml encoding="a"`: "-", `<a encoding="b"?>`: "-", "": "-", `<?xml encoding=""?>`: "", `<?xml encoding=?>`: "-", `<?xml encoding="a?>`: "a",
	} {
		name, declared := DeclaredEncoding([]byte(text))
		if !declared {
			name = "-"
		}
		if name != want {
			t.Errorf("%s: %q, want %q", text, name, want)
		}
	}
	for _, name := range []string{"UTF-8", "utf8", "US-ASCII", "ascii", "UTF-16"} {
		if _, err := tokens(strings.NewReader(`<?xml version="1.0" encoding="`+name+`"?><a/>`), partConfig); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

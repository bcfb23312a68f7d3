package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestBytes checks how files with unusual bytes, line ends or cell lengths are read.
func TestBytes(t *testing.T) {
	long := strings.Repeat("x y ", 300_000)
	for name, c := range map[string]struct{ text, want string }{
		"lone CR":                 {"a,b\r1,2\r3,4\r", "a | b\n1 | 2\n3 | 4\n"},
		"mixed line ends":         {"a,b\r\n1,2\n3,4\r5,6", "a | b\n1 | 2\n3 | 4\n5 | 6\n"},
		"CRLF inside quotes":      {"a,b\r\n\"x\r\ny\",2\r\n\"z\",4\r\n", "a | b\nx\\r\\ny | 2\nz | 4\n"},
		"a byte that is not text": {"a,b\n1,x\x00y\n2,z\n", "a | b\n1 | x\uFFFDy\n2 | z\n! ENCODING_UNCERTAIN The file contains a NUL byte on line 2. Cells of NUL bytes are empty. Inside text, NUL bytes were replaced with U+FFFD (\uFFFD).\n"},
		"mark in the middle":      {"\uFEFFa,b\n1,2\n\uFEFF3,4\n", "a | b\n1 | 2\n\uFEFF3 | 4\n"},
		"mark before sep=":        {"\uFEFFsep=|\r\na|b\r\n1|2\r\n", "a | b\n1 | 2\n"},
		"a very long cell":        {"a,b\n1,\"" + long + "\"\n2,z\n", "a | b\n1 | " + long + "\n2 | z\n"},
		"a very long line":        {"a\tb\n1\t" + long + "\n2\tz\n", "a | b\n1 | " + long + "\n2 | z\n"},
		"line ends only":          {"\n\r\n\r", "! the file is empty\n"},
		"separators only":         {",,\n,,\n", "(no header)\n"},
		"quotes only":             {"\"\"\n\"\"\n", "(no header)\n"},
		"one quote":               {"\"", "\"\n"},
		"one quote before a word": {"\"abc", "\"abc\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, formatReading(t, []byte(c.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// encodings returns the encodings for the test table, with text that they can encode.
func encodings() map[string]struct {
	encoding encoding.Encoding
	name     string
} {
	return map[string]struct {
		encoding encoding.Encoding
		name     string
	}{
		"UTF-16LE":     {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Zoë 日本 😀 ਂ ∢∊"},
		"UTF-16BE":     {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "Zoë 日本 😀 ਂ ∢∊"},
		"UTF-32LE":     {utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "Zoë 日本 😀"},
		"UTF-32BE":     {utf32.UTF32(utf32.BigEndian, utf32.UseBOM), "Zoë 日本 😀"},
		"windows-1252": {charmap.Windows1252, "Zoë Œuvre"},
		"windows-1251": {charmap.Windows1251, "Зоя Ёлкина"},
		"ISO-8859-2":   {charmap.ISO8859_2, "Łukasz Żółć"},
		"macintosh":    {charmap.Macintosh, "Zoë Ångström"},
		"Shift_JIS":    {japanese.ShiftJIS, "日本 表"},
	}
}

// TestEncodings checks that a table in any encoding has the same records as in UTF-8. The
// table is long enough for parallel reading.
func TestEncodings(t *testing.T) {
	rows, late := 6_000, 5_000
	if testing.Short() {
		rows, late = 3_600, 3_500
	}
	for name, e := range encodings() {
		t.Run(name, func(t *testing.T) {
			odd := map[int]string{
				500:  `500,"` + e.name + "\nof two lines\",2021-02-14,9.50,note",
				late: `5000,,` + e.name + `,2021-02-14,9.50,"a note, no. 5000"`,
			}
			for n := 1; n <= rows; n++ {
				if odd[n] == "" {
					odd[n] = strings.Replace(contact(n), "Ada", e.name, 1)
				}
			}
			text := contacts(rows, odd)
			want, _ := readRows(t, text)
			raw, err := e.encoding.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, got, _, err := readTable(t, raw, source.Options{Encoding: name})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) != rows {
				t.Errorf("%d rows (-want +got):\n%.2000s", len(got), diff)
			}
		})
	}
}

// TestUnits compares the computed length of encoded text with its actual length in the file.
func TestUnits(t *testing.T) {
	for name, e := range encodings() {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(e.name+",\"a\nb\"\n", 3)
			raw, err := e.encoding.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			d, err := openText(t.Context(), sourcetest.NewInput("", raw), name)
			if err != nil {
				t.Fatal(err)
			}
			if name == "Shift_JIS" {
				if d.units.hasOffsets() {
					t.Error("an encoding with characters of one and of two bytes has units")
				}
				return
			}
			raw = raw[d.guess.BOM:]
			if got := d.units.encodedLength([]byte(text)); got != int64(len(raw)) {
				t.Errorf("length %d, want %d", got, len(raw))
			}
			if got := d.decodeChunk(nil, raw); !bytes.Equal(got, []byte(text)) {
				t.Errorf("decoded %q", got)
			}
		})
	}
}

// TestLateEncoding checks the encoding of a file whose sample is ASCII, for a later character at the edges of
// the parts that workers examine.
func TestLateEncoding(t *testing.T) {
	lines := bytes.Repeat([]byte("Ada,Main Street,7\n"), 5*asciiBytes/18)
	for _, at := range []int{2 * asciiBytes, 3*asciiBytes - 2, 3*asciiBytes - 1, 3 * asciiBytes, len(lines) - 20} {
		for text, isUTF8 := range map[string]bool{"\u00fc": true, "\xfc": false, "": true} {
			raw := slices.Concat(lines[:at], []byte(text), lines[at:])
			d, err := openText(t.Context(), sourcetest.NewInput("", raw), "")
			if err != nil {
				t.Fatal(err)
			}
			if (d.guess.Encoding == charset.UTF8) != isUTF8 || d.guess.ASCII != (text == "") {
				t.Errorf("%q at %d: the encoding is %s, ASCII %v", text, at, d.guess.Encoding.Name(), d.guess.ASCII)
			}
		}
	}
}

// TestUnsure checks that an uncertain header row is reported only if two ways to read a file fit
// equally well.
func TestUnsure(t *testing.T) {
	unsure := func(text string) bool {
		_, notices := readRows(t, text)
		for _, n := range notices {
			if n.Type == intray.HeaderRowUncertain && n.Level == intray.LevelError {
				return true
			}
		}
		return false
	}
	both := "a1;b1,c1;d1\n"
	for n := range 20 {
		both += fmt.Sprintf("%d;%d,%d;%d\n", n, n+1, n+2, n+3)
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a table":             {contacts(20, nil), false},
		"words without names": {"oak,elm\nash,yew\nfir,box\nbay,fig\n", true},
		"two separators":      {"ab;cd|ef\n11;12|13\n14;15|16\n17;18|19\n", true},
		"one of two":          {both, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unsure(c.text); got != c.want {
				t.Errorf("unsure: %v, want %v", got, c.want)
			}
		})
	}
	t.Run("requested", func(t *testing.T) {
		s, err := analyzeSample(t.Context(), []byte("ab;cd,ef\n11;12,13\n14;15,16\n"), true, source.Options{Delimiter: ";", HeaderRow: 1, Limits: source.Limits{}.WithDefaults()})
		if err != nil || s.evidence[0].Tie || s.evidence[2].Tie {
			t.Errorf("evidence %+v, error %v", s.evidence, err)
		}
	})
}

package charset

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "write the files of testdata/encodings from their texts")

const folder = "../../testdata/encodings"

// file is one file of the test set: text in one language and one encoding.
type file struct {
	name     string
	encoding Encoding
	text     string // decoded text
	raw      []byte // encoded text
}

// lengths lists the lengths of the files: the number of rows in the language, and the number of
// ASCII rows among them.
var lengths = []struct {
	name        string
	rows, plain int
}{{"short", 3, 0}, {"long", 12, 24}}

// fileSet returns all files of the test set.
func fileSet(t *testing.T) []file {
	t.Helper()
	var list []file
	for _, line := range linesOf(t, "cases.txt") {
		words := strings.Fields(line)
		for _, name := range words[1:] {
			for _, length := range lengths {
				e, known := Lookup(name)
				if !known || e.Name() != name {
					t.Fatalf("%s is not the name of an encoding", name)
				}
				text := table(t, words[0], e, length.rows, length.plain)
				raw, _ := encodeText(e, text)
				list = append(list, file{words[0] + "." + name + "." + length.name + ".csv", e, text, raw})
			}
		}
	}
	return list
}

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// table returns a table with the rows of a language that an encoding can represent, between
// ASCII columns and rows.
func table(t *testing.T, language string, e Encoding, rows, plain int) string {
	text := "id,name,place,email,amount,day,note\n"
	made := 0
	for i, line := range linesOf(t, "texts/"+language+".txt") {
		cells := strings.Split(line, "|")
		if len(cells) != 3 {
			t.Fatalf("%s: %q has %d cells", language, line, len(cells))
		}
		if e.Name() == "windows-1258" {
			cells = strings.Split(decomposeTones(line), "|")
		}
		row := fmt.Sprintf("%d,%s,%s,user%d@example.com,%d.50,2024-%02d-17,\"%s\"\n", 1000+i, cells[0], cells[1], i, 17*i+3, i%12+1, cells[2])
		if _, ok := encodeText(e, row); ok && made < rows {
			text += row
			made++
		}
		for j := range plain * made / rows / 10 {
			text += fmt.Sprintf("%d,Smith and Baker,Boston,smith%d@example.org,%d.00,2023-11-%02d,\"paid, thank you\"\n", 2000+100*i+j, j, 40*j, i+10)
		}
	}
	if made < 3 {
		t.Fatalf("%s: %s can encode only %d rows", language, e, made)
	}
	return text
}

// encodeText encodes text. ok is false if the encoding lacks at least one of the characters.
func encodeText(e Encoding, text string) (raw []byte, ok bool) {
	switch {
	case e == UTF8:
		return []byte(text), true
	case e.spec.page != nil:
		raw, err := e.spec.page.NewEncoder().Bytes([]byte(text))
		return raw, err == nil
	case e.spec.name == "Big5":
		return writtenBig5(text)
	case e.spec.multi != nil:
		raw, err := e.spec.multi.NewEncoder().Bytes([]byte(text))
		return raw, err == nil
	default:
		return writtenWide(e.spec.wide, text), true
	}
}

// big5 maps characters to their codes in the original Big5 standard. The encoder of x/text
// also uses codes that only WHATWG defines.
var big5 = sync.OnceValue(func() map[rune][]byte {
	codes := map[rune][]byte{}
	for lead := byte(0xA1); lead <= 0xF9; lead++ {
		for trail := byte(0x40); trail < 0xFF; trail++ {
			text, err := encodingByName("Big5").spec.multi.NewDecoder().Bytes([]byte{lead, trail})
			if r, n := utf8.DecodeRune(text); err == nil && n == len(text) && codes[r] == nil {
				codes[r] = []byte{lead, trail}
			}
		}
	}
	return codes
})

func writtenBig5(text string) (raw []byte, ok bool) {
	for _, r := range text {
		code := big5()[r]
		if r < utf8.RuneSelf {
			code = []byte{byte(r)}
		}
		if code == nil {
			return nil, false
		}
		raw = append(raw, code...)
	}
	return raw, true
}

func writtenWide(w wideEncoding, text string) (raw []byte) {
	units := []rune(text)
	if w.unit == 2 {
		units = units[:0]
		for _, u := range utf16.Encode([]rune(text)) {
			units = append(units, rune(u))
		}
	}
	for _, u := range units {
		for i := range w.unit {
			at := i
			if w.bigEndian {
				at = w.unit - 1 - i
			}
			raw = append(raw, byte(u>>(8*at)))
		}
	}
	return raw
}

// decomposeTones replaces Vietnamese tone marks with combining marks, because windows-1258 has
// no other form.
func decomposeTones(text string) string {
	apart := ""
	for _, r := range norm.NFC.String(text) {
		letter, tone := "", ""
		for _, part := range norm.NFD.String(string(r)) {
			switch part {
			case 0x300, 0x301, 0x303, 0x309, 0x323:
				tone += string(part)
			default:
				letter += string(part)
			}
		}
		apart += norm.NFC.String(letter) + tone
	}
	return apart
}

// decodeText decodes a whole file.
func decodeText(t testing.TB, raw []byte, e Encoding) (text string, invalid int64) {
	t.Helper()
	r := NewReader(bytes.NewReader(raw), e)
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), r.Invalid()
}

// TestFilesAreAsGenerated compares the stored files with the generated ones.
func TestFilesAreAsGenerated(t *testing.T) {
	for _, f := range fileSet(t) {
		path := filepath.Join(folder, "files", f.name)
		if *update {
			if err := os.WriteFile(path, f.raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, f.raw) {
			t.Errorf("%s differs from its text; rewrite it with -update", f.name)
		}
		if len(kept) >= 8<<10 {
			t.Errorf("%s has %d bytes", f.name, len(kept))
		}
		if text, invalid := decodeText(t, kept, f.encoding); text != f.text || invalid > 0 {
			t.Errorf("%s does not decode to its text, %d invalid", f.name, invalid)
		}
	}
}

// TestFiles checks that nearly all guesses are right and that no wrong guess has a confidence
// of Sure or more. A guess is right if it decodes to the original text.
func TestFiles(t *testing.T) {
	set := fileSet(t)
	if len(set) < 60 {
		t.Fatalf("the set has %d files", len(set))
	}
	right, sure := 0, 0
	for _, f := range set {
		g := Detect(f.raw, true)
		text, _ := decodeText(t, f.raw[g.BOM:], g.Encoding)
		if g.Reason.IsZero() || g.Preview == "" || g.Confidence > 1 {
			t.Errorf("%s: incomplete: %+v", f.name, g)
		}
		if text == f.text {
			right++
			if g.Confidence >= Sure {
				sure++
			}
			continue
		}
		t.Logf("%s: detected as %s (%.2f): %s: %s", f.name, g.Encoding, g.Confidence, g.Preview, g.Reason)
		if g.Confidence >= Sure {
			t.Errorf("%s: sure of %s, which is wrong", f.name, g.Encoding)
		}
		if g.Second == nil {
			t.Errorf("%s: no second guess", f.name)
		}
	}
	t.Logf("%d of %d right, %d of them sure", right, len(set), sure)
	if right*100 < len(set)*98 {
		t.Errorf("%d of %d right; want 98 of 100", right, len(set))
	}
	if sure*100 < len(set)*80 {
		t.Errorf("only %d of %d sure", sure, len(set))
	}
}

// TestFilesAreNotTheModels checks that most words of the test set were not used to train the
// models.
func TestFilesAreNotTheModels(t *testing.T) {
	known, all := 0, 0
	for _, line := range linesOf(t, "cases.txt") {
		language := strings.Fields(line)[0]
		words, err := wordFiles.ReadFile("words/" + language + ".txt")
		if err != nil {
			continue
		}
		learned := map[string]bool{}
		for _, word := range strings.Fields(strings.ToLower(string(words))) {
			learned[word] = true
		}
		for _, word := range strings.FieldsFunc(strings.Join(linesOf(t, "texts/"+language+".txt"), " "), betweenWords) {
			if isASCII([]byte(word)) {
				continue
			}
			all++
			if learned[strings.ToLower(word)] {
				known++
			}
		}
	}
	t.Logf("%d of %d non-ASCII words are known", known, all)
	if known*100 > all*15 {
		t.Errorf("%d of %d words are known from the models", known, all)
	}
}

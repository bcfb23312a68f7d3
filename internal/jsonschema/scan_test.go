package jsonschema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// valid returns the output and the error of CopyValid. It checks that both are the same if
// CopyValid reads byte by byte.
func valid(t testing.TB, text string) (string, error) {
	t.Helper()
	var at, slow bytes.Buffer
	err := CopyValid(strings.NewReader(text), &at)
	slowErr := CopyValid(iotest.OneByteReader(strings.NewReader(text)), &slow)
	if fmt.Sprint(err) != fmt.Sprint(slowErr) || err == nil && at.String() != slow.String() {
		t.Errorf("%.60q: at once %v, by bytes %v", text, err, slowErr)
	}
	return at.String(), err
}

// agree checks that CopyValid and Decode accept the same documents.
func agree(t testing.TB, text string) {
	t.Helper()
	got, err := valid(t, text)
	_, want := Decode(strings.NewReader(text), Limits{})
	if (err == nil) != (want == nil) && !errors.Is(want, ErrTooLarge) {
		t.Errorf("%.80q: copied with %v, decoded with %v", text, err, want)
	}
	var syntax *SyntaxError
	if err != nil && !errors.As(err, &syntax) {
		t.Errorf("%.80q: %v is not a syntax error", text, err)
	}
	if err == nil && got != text {
		t.Errorf("%.80q: %.80q was written", text, got)
	}
}

func scanSeeds() []string {
	return []string{
		` {"a":[1.50,1e3,-0.0E-7,true,null,"x\u00e9\ud83d\ude00é😀"],"b":{}} `, `0`, `-1`, `""`, ` "a" `, `[[],{}]`,
		`-`, `1.`, `1e`, `1e+`, `01`, `.5`, `+1`, `tru`, `trux`, `nul`, `"\x"`, `"\u00g0"`, `"\u12"`, `"\ud800\n"`, `"\ud800\u0041"`, `"\udc00"`,
		`"\ud83d`, `"\`, "\"\xc3", "\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", `[1,]`, `[,]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`,
		`{"a":1 "b":2}`, `{,}`, `]`, `}`, `[}`, `{]`, `{"a":1,"\u0061":2}`, `{"a":{"a":{"a":1}},"b":{"a":1}}`, `[{"a":1},{"a":1}]`, `{"é":1,"\u00e9":2}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65),
		strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
	}
}

func TestScannerAgreesWithDecode(t *testing.T) {
	for _, text := range scanSeeds() {
		agree(t, text)
	}
	files, err := filepath.Glob(filepath.Join(corpus(t, "json/test_parsing"), "*.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, string(text))
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range scanSeeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

// TestScannerBeyondItsBuffer checks that CopyValid and Decode agree on values that are much
// longer than the buffer.
func TestScannerBeyondItsBuffer(t *testing.T) {
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `"n%d":1,`, i)
	}
	for name, text := range map[string]string{
		"a string": `"` + strings.Repeat("xé", scanBuffer) + `"`, "escapes": `"` + strings.Repeat(`\u0041`, scanBuffer) + `"`,
		"a number": strings.Repeat("7", 3*scanBuffer), "white space": "[" + strings.Repeat(" ", 3*scanBuffer) + "]",
		"names": `{` + names.String() + `"n":1}`, "names, one twice": `{` + names.String() + `"n0":1}`,
		"a long name twice": `{"` + strings.Repeat("x", scanBuffer) + `":1,"` + strings.Repeat("x", scanBuffer) + `":1}`,
		"two long names":    `{"` + strings.Repeat("x", scanBuffer) + `":1,"` + strings.Repeat("x", scanBuffer+1) + `":1}`,
		"a fault after it":  `["` + strings.Repeat("x", 3*scanBuffer) + `" 1]`,
	} {
		t.Run(name, func(t *testing.T) { agree(t, text) })
	}
}

func TestScannerReasons(t *testing.T) {
	for text, want := range map[string]string{
		"": "the document is empty (line 1, byte 0)", "[1,": "the document is incomplete (line 1, byte 3)", "{} x": "the document is followed by other text (line 1, byte 3)",
		`{"a":1,"a":2}`: `an object contains the name "a" twice (line 1, byte 10)`, "[1,]": `there is an unexpected character ']' (line 1, byte 3)`,
		"é": "there is unexpected text (line 1, byte 0)",
	} {
		if _, err := valid(t, text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestLineOfError checks the line of a syntax error, also if it is not in the first part of the
// document that is read.
func TestLineOfError(t *testing.T) {
	for text, want := range map[string]struct{ scanned, decoded int64 }{
		"": {1, 1}, "[1,]": {1, 1}, "{\r\n\"a\":\r\nx}": {3, 3}, "[" + strings.Repeat("\n", 3*scanBuffer+7) + "1 2]\n\n": {3*scanBuffer + 8, 3*scanBuffer + 8},
		// The offset is that of the end of the last token.
		"[1,\n2,\n]": {3, 2}, "\n\n": {3, 1},
	} {
		var scanned, decoded *SyntaxError
		_, err := valid(t, text)
		_, failure := Decode(strings.NewReader(text), Limits{})
		if !errors.As(err, &scanned) || !errors.As(failure, &decoded) {
			t.Fatalf("%.20q: %v, %v", text, err, failure)
		}
		if err := decoded.FindLine(strings.NewReader(text)); err != nil || scanned.Line != want.scanned || decoded.Line != want.decoded {
			t.Errorf("%.20q: line %d and %d (%v), want %v", text, scanned.Line, decoded.Line, err, want)
		}
	}
}

// TestScannerParts checks that a Scanner copies parts of a document to different writers.
func TestScannerParts(t *testing.T) {
	var rest, rows bytes.Buffer
	s := NewScanner(strings.NewReader(` {"a": 1, "rows" : [ {"x":"]"} , {} ] , "b":[2]} `), &rest)
	var seen []string
	err := s.ScanObject(func(name string) error {
		seen = append(seen, name)
		if name != "rows" {
			return s.SkipValue()
		}
		_, err := s.Peek()
		elements := func(i int) error { seen = append(seen, fmt.Sprint(i)); return s.SkipValue() }
		return errors.Join(err, s.SetOutput(&rows), s.ScanArray(elements), s.SetOutput(&rest))
	})
	if err := errors.Join(err, s.Finish()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "rows", "0", "1", "b"}, seen); diff != "" {
		t.Error(diff)
	}
	if rest.String() != ` {"a": 1, "rows" :  , "b":[2]} ` || rows.String() != `[ {"x":"]"} , {} ]` {
		t.Errorf("the rest is %q, the rows are %q", rest.String(), rows.String())
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestScannerPassesErrors(t *testing.T) {
	broken := errors.New("the line went dead")
	for _, text := range []string{"", "[1,", "12", `"a`, `{"a":1}`} {
		if err := CopyValid(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), io.Discard); !errors.Is(err, broken) {
			t.Errorf("read after %q: %v", text, err)
		}
		if err := CopyValid(strings.NewReader(text+strings.Repeat(" ", 2*scanBuffer)), brokenWriter{broken}); !errors.Is(err, broken) {
			t.Errorf("write %q: %v", text, err)
		}
	}
	if err := CopyValid(iotest.ErrReader(io.ErrUnexpectedEOF), io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a reader that was cut off: %v", err)
	}
}

func BenchmarkScanner(b *testing.B) {
	for name, text := range map[string]string{
		"tiny rows": "[{}" + strings.Repeat(",{}", 1<<20) + "]", "rows": `[{"email":"a@example.org","n":12.5}` + strings.Repeat(`,{"email":"a@example.org","n":12.5}`, 1<<16) + "]",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := CopyValid(strings.NewReader(text), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

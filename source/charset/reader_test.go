package charset

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestReader(t *testing.T) {
	for _, c := range []struct {
		name, encoding, raw, want string
		invalid                   int64
	}{
		{"plain", "UTF-8", "Größe", "Größe", 0},
		{"bytes of latin1", "UTF-8", "Gr\xf6\xdfe;x", "Gr\uFFFD\uFFFDe;x", 2},
		{"a replacement that was there", "UTF-8", "a\uFFFDb", "a\uFFFDb", 0},
		{"ends inside a character", "UTF-8", "a\xe6\xa0", "a\uFFFD\uFFFD", 2},
		{"quotes", "windows-1252", "\x93M\xfcller\x94 \x80", "“Müller” €", 0},
		{"bytes that stand for nothing", "windows-1253", "\xaa\xd2a", "\uFFFD\uFFFDa", 2},
		{"lines", "IBM437", "\xc9\xcd\xbb \x81", "╔═╗ ü", 0},
		{"pairs", "UTF-16LE", "a\x00=\xd8\x00\xde", "a😀", 0},
		{"half a pair", "UTF-16LE", "=\xd8b\x00\x00\xde", "\uFFFDb\uFFFD", 2},
		{"odd end", "UTF-16BE", "\x00a\x00", "a\uFFFD", 1},
		{"half a pair at the end", "UTF-16BE", "\x00a\xd8\x3d", "a\uFFFD", 1},
		{"four bytes", "UTF-32BE", "\x00\x01\xf6\x00\x00\x11\x00\x00", "😀\uFFFD", 1},
		{"the last code point", "UTF-32BE", "\x00\x10\xff\xff\x00\x00\x00a", "\U0010FFFFa", 0},
		{"a comma after half a character", "Shift_JIS", "\x8a\x94\x8e,x\n", "株\uFFFD,x\n", 1},
		{"a comma after half a character", "GBK", "\xb9\xfe\xce,x", "哈\uFFFD,x", 1},
		{"a comma after half a character", "Big5", "\xa4\xa4\xa4,x", "中\uFFFD,x", 1},
		{"a comma after half a character", "EUC-KR", "\xbc\xad\xbf,x", "서\uFFFD,x", 1},
		{"a comma after half a character", "EUC-JP", "\xc6\xfc\xcb,x", "日\uFFFD,x", 1},
		{"a semicolon is not a digit", "GB18030", "a\xc8;\xab0;\xd6\xd0", "a\uFFFD;\uFFFD0;中", 2},
		{"a replacement that was there", "GB18030", "\x84\x31\xa4\x37", "\uFFFD", 0},
		{"escapes", "ISO-2022-JP", "a\x1b$BF|K\\\x1b(Bb", "a日本b", 0},
	} {
		e, _ := Lookup(c.encoding)
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			r := NewReader(wrap(strings.NewReader(c.raw)), e)
			got, err := io.ReadAll(r)
			if string(got) != c.want || err != nil || r.Invalid() != c.invalid {
				t.Errorf("%s, %s, %s: %q, %d invalid, %v", c.encoding, c.name, how, got, r.Invalid(), err)
			}
		}
	}
}

// TestReaderKeepsErrors checks that a Reader returns all text before an error, and then the
// error.
func TestReaderKeepsErrors(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := NewReader(io.MultiReader(strings.NewReader("M\xfcller"), iotest.ErrReader(broken)), encodingByName("windows-1252"))
	got, err := io.ReadAll(r)
	if string(got) != "Müller" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestReaderGivesUpOnAnIdleInput(t *testing.T) {
	if _, err := io.ReadAll(NewReader(idle{}, UTF8)); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
}

// TestReaderInPieces checks that the decoded text does not depend on the sizes of reads.
func TestReaderInPieces(t *testing.T) {
	names := Names()
	rapid.Check(t, func(t *rapid.T) {
		e, _ := Lookup(rapid.SampledFrom(names).Draw(t, "encoding"))
		raw := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "raw")
		whole := NewReader(bytes.NewReader(raw), e)
		want, err := io.ReadAll(whole)
		if err != nil {
			t.Fatal(err)
		}
		parts := NewReader(iotest.OneByteReader(bytes.NewReader(raw)), e)
		got, err := io.ReadAll(parts)
		if !bytes.Equal(got, want) || err != nil || parts.Invalid() != whole.Invalid() {
			t.Fatalf("%s: %q gives %q and %q, %d and %d invalid, %v", e, raw, want, got, whole.Invalid(), parts.Invalid(), err)
		}
	})
}

// TestReaderOverManyChunks checks that characters of all lengths are decoded correctly across
// chunk boundaries.
func TestReaderOverManyChunks(t *testing.T) {
	text := strings.Repeat("aß株😀;", 40000)
	for _, name := range []string{"UTF-8", "UTF-16LE", "UTF-32BE", "GB18030"} {
		e, _ := Lookup(name)
		raw, ok := encodeText(e, text)
		if got, invalid := decodeText(t, raw, e); got != text || invalid != 0 || !ok {
			t.Errorf("%s: %d bytes, %d invalid", name, len(got), invalid)
		}
	}
}

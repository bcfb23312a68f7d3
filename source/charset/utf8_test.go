package charset

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestChecker(t *testing.T) {
	long := strings.Repeat("Straße; ", 2000)
	for _, c := range []struct {
		name, text string
		invalid    int64
		first      int64
		ascii      bool
		unfinished bool
	}{
		{"nothing", "", 0, -1, true, false},
		{"ascii", strings.Repeat("a;b\n", 5000), 0, -1, true, false},
		{"letters", "Größe 株式 😀", 0, -1, false, false},
		{"a byte of latin1", "Gr\xf6\xdfe", 2, 2, false, false},
		{"overlong", "a\xc0\xafb", 2, 1, false, false},
		{"half of a pair", "\xed\xa0\x80", 3, 0, false, false},
		{"beyond Unicode", "\xf4\x90\x80\x80", 4, 0, false, false},
		{"continuation alone", "\x80", 1, 0, false, false},
		{"cut inside a character", "abc\xe6\xa0", 0, -1, false, true},
		{"a long text", long, 0, -1, false, false},
		{"after a long text", long + "\xff;x", 1, int64(len(long)), false, false},
		{"within a long text", long + "\xff" + long + "\xfe", 2, int64(len(long)), false, false},
	} {
		for _, size := range []int{1, 2, 3, 7, 63, 4096, 1 << 20} {
			var check Checker
			for p := []byte(c.text); len(p) > 0; p = p[min(size, len(p)):] {
				if n, err := check.Write(p[:min(size, len(p))]); n != min(size, len(p)) || err != nil {
					t.Fatalf("%s: wrote %d, %v", c.name, n, err)
				}
			}
			if check.Invalid() != c.invalid || check.FirstInvalid() != c.first || check.ASCII() != c.ascii || check.Unfinished() != c.unfinished {
				t.Errorf("%s in parts of %d: invalid %d, first %d, ascii %v, unfinished %v", c.name, size, check.Invalid(), check.FirstInvalid(), check.ASCII(), check.Unfinished())
			}
		}
	}
}

// damagedUTF8 draws UTF-8 text in which some bytes are replaced.
func damagedUTF8(t *rapid.T) []byte {
	text := []byte(rapid.StringOfN(rapid.RuneFrom([]rune("aZ09,;\nßéЖ株😀\uFFFD")), 0, 300, -1).Draw(t, "text"))
	for range rapid.IntRange(0, 4).Draw(t, "tears") {
		if len(text) > 0 {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
	}
	return text
}

// TestCheckerCountsAsTheLanguageDoes compares the results of a Checker with those of a Go loop
// over the runes.
func TestCheckerCountsAsTheLanguageDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := damagedUTF8(t)
		want, end := int64(0), false
		for p := text; len(p) > 0; {
			r, n := utf8.DecodeRune(p)
			if !utf8.FullRune(p) {
				end = true
				break
			}
			if r == utf8.RuneError && n == 1 {
				want++
			}
			p = p[n:]
		}
		var check Checker
		for p := text; len(p) > 0; {
			n := rapid.IntRange(1, len(p)).Draw(t, "piece")
			check.Write(p[:n])
			p = p[n:]
		}
		if check.Invalid() != want || check.Unfinished() != end {
			t.Fatalf("%q: invalid %d, unfinished %v; want %d, %v", text, check.Invalid(), check.Unfinished(), want, end)
		}
	})
}

func TestASCIIPrefix(t *testing.T) {
	for n := range 200 {
		text := append(bytes.Repeat([]byte{'a'}, n), 0x80, 'b')
		if got := asciiPrefix(text); got != n {
			t.Errorf("%d, want %d", got, n)
		}
	}
}

package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// megabytes repeats a string and truncates the result to the given number of bytes.
func megabytes(text string, size int) []byte {
	return bytes.Repeat([]byte(text), size/len(text)+1)[:size]
}

const mixedLine = "1042;Müller & Söhne GmbH;Zürich;2024-03-18;1 250,00;info@example.com\n"

func BenchmarkChecker(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", "1042;Miller and Sons;Zurich;2024-03-18;1250.00;info@example.com\n"},
		{"german", mixedLine},
		{"russian", "1042;Общество «Заря»;Екатеринбург;2024-03-18;1250,00\n"},
		{"japanese", "1042;株式会社山田製作所;東京都千代田区;2024-03-18;1250\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := megabytes(c.text, 1<<20)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var check Checker
				check.Write(text)
				if check.Invalid() > 0 {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"UTF-8", mixedLine},
		{"windows-1252", "1042;M\xfcller & S\xf6hne GmbH;Z\xfcrich;2024-03-18;1 250,00;info@example.com\n"},
		{"UTF-16LE", strings.ReplaceAll("1042;Miller and Sons;2024-03-18\n", "", "\x00")[1:]},
		{"Shift_JIS", "1042;\x8a\x94\x8e\xae\x89\xef\x8e\xd0\x8e\x52\x93\x63;\x93\x8c\x8b\x9e\x93\x73;2024-03-18;1250\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := megabytes(c.text, 1<<20)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := io.Copy(io.Discard, NewReader(bytes.NewReader(text), encodingByName(c.name))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDetect(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"ascii", "1042;Miller and Sons;Zurich;2024-03-18;1250.00;info@example.com\n"},
		{"utf8", mixedLine},
		{"windows-1252", "1042;M\xfcller & S\xf6hne GmbH;Z\xfcrich;2024-03-18;1 250,00;info@example.com\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := megabytes(c.line, 64<<10)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Detect(text, false)
			}
		})
	}
	b.Run("many words", func(b *testing.B) {
		text := bytes.Repeat([]byte("\xcf\xe5\xf2\xf0\xee\xe2;\xc0\xeb\xec\xe0;"), 1)
		for i := range 4000 {
			text = append(text, byte(0xE0+i%31), byte(0xE0+i/31%31), byte(0xE0+i/7%31), ';')
		}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Detect(text, false)
		}
	})
}

package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a preview shows at most, and how much of a sample it looks at.
const (
	previewWords  = 5
	previewLetter = 20
	previewBytes  = 64 << 10
	shortBytes    = 4 << 10
)

// preview decodes the beginning of a sample. It gives some different words
// with letters beyond ASCII, and counts what is broken.
func preview(sample []byte, e Encoding, whole bool) (words string, invalid int) {
	whole = whole && len(sample) <= previewBytes
	sample = sample[:min(len(sample), previewBytes)]
	text := make([]byte, growth*len(sample)+minRoom)
	d := newDecoder(e)
	wrote := 0
	for took := 0; took < len(sample); {
		n, m, broken := d.decode(text[wrote:], sample[took:], whole)
		wrote, took, invalid = wrote+n, took+m, invalid+broken
		if n == 0 && m == 0 {
			break
		}
	}
	return pickWords(string(text[:wrote])), invalid
}

// shortPreview looks at valid UTF-8 from its first character beyond ASCII on,
// and no further than it takes.
func shortPreview(sample []byte) string {
	from := asciiPrefix(sample)
	end := min(len(sample), from+shortBytes)
	for from > 0 && !betweenWords(rune(sample[from-1])) {
		from--
	}
	return pickWords(strings.ToValidUTF8(string(sample[from:end]), ""))
}

// pickWords takes the first words that are not ASCII; words of letters go
// before lone symbols.
func pickWords(text string) string {
	var words, symbols []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, betweenWords) {
		if isASCII([]byte(word)) || seen[word] {
			continue
		}
		seen[word] = true
		if strings.ContainsFunc(word, beyondASCII) {
			words = append(words, shortened(word))
		} else if len(symbols) < previewWords {
			symbols = append(symbols, shortened(word))
		}
		if len(words) == previewWords {
			break
		}
	}
	list := append(words, symbols...)
	return strings.Join(list[:min(len(list), previewWords)], ", ")
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }

// betweenWords keeps apostrophes and hyphens inside words.
func betweenWords(r rune) bool {
	return r <= ' ' || r < utf8.RuneSelf && r != '-' && r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == 0xFEFF
}

func shortened(word string) string {
	count := 0
	for i := range word {
		if count == previewLetter {
			return word[:i] + "…"
		}
		count++
	}
	return word
}

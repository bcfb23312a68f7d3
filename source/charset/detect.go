package charset

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// Guess is the result of Detect.
type Guess struct {
	// Encoding is the detected encoding.
	Encoding Encoding
	// BOM is the total length of the byte order marks at the beginning, in bytes. Skip them
	// before decoding.
	BOM int
	// Confidence ranges from 0 to 1. If it is below Sure, a person should decide.
	Confidence float64
	// Reason is the reason for the guess, as a sentence without a period.
	Reason intray.Message
	// Preview contains a few words with non-ASCII letters. It is "" if there are none.
	Preview string
	// ASCII reports whether all bytes are ASCII. Nearly all encodings decode such a sample to
	// the same text, so only the rest of the file can decide.
	ASCII bool
	// Invalid is the number of invalid sequences in the sample.
	Invalid int
	// Second is the second-best guess, or nil if no other encoding is possible.
	Second *Second
}

// Unsure reports whether a person should decide, because a second encoding is about as likely
// or some bytes are invalid.
func (g Guess) Unsure() bool {
	return g.Confidence < Sure && !g.ASCII && (g.Encoding != UTF8 || g.Invalid > 0)
}

// Explain returns the reason, followed by the preview if there is one.
func (g Guess) Explain() intray.Message {
	if g.Preview == "" {
		return g.Reason
	}
	return intray.JoinMessages(g.Reason, reads(g.Preview))
}

// Alternative returns the name of the second-best encoding, with the preview as decoded by it.
// If there is no second guess, it returns windows-1252, or UTF-8 if the guess is windows-1252.
func (g Guess) Alternative() (name string, reason intray.Message) {
	if g.Second != nil {
		return g.Second.Encoding.Name(), reads(g.Second.Preview)
	}
	if g.Encoding.Name() == "windows-1252" {
		return UTF8.Name(), intray.NewMessage("encoding.most_text", nil)
	}
	return "windows-1252", intray.NewMessage("encoding.most_other_text", nil)
}

func reads(preview string) intray.Message {
	return intray.NewMessage("encoding.preview", intray.Params{"preview": preview})
}

// Second is the second-best guess.
type Second struct {
	Encoding   Encoding
	Confidence float64
	Preview    string
}

// Sure is the minimum confidence at which no person needs to decide.
const Sure = 0.9

// Detect detects the encoding of a sample. The sample must start at the beginning of the file
// or of a line. whole reports whether the sample extends to the end of the file. A sample of
// 64 KiB is enough. In a longer sample, Detect only checks whether the rest is UTF-8.
//
// Detect looks for these, in this order: a byte order mark, NUL bytes as in UTF-16 and UTF-32,
// the escape sequences of ISO-2022-JP, strict UTF-8, and UTF-8 with some invalid bytes. Otherwise
// it decodes the words with bytes above 127 in each encoding and chooses the most plausible text.
func Detect(sample []byte, whole bool) Guess {
	if name, size := leadingBOM(sample); size > 0 {
		return guessFromBOM(sample, name, size, whole)
	}
	if e, counted := detectWide(sample); e != UTF8 {
		return guessFromNULs(sample, e, counted, whole)
	}
	if hasJISEscapes(sample) {
		return guessFromEscapes(sample, whole)
	}
	check, sequences := checkUTF8(sample)
	switch {
	case check.ASCII():
		return guessASCII(sample, whole)
	case check.Invalid() == 0 && (!whole || !check.Unfinished()):
		return guessValidUTF8(sample, sequences)
	case mostlyUTF8(sequences, check):
		return guessDamagedUTF8(sample, sequences, check)
	}
	return guessByCost(sample, whole)
}

// checkUTF8 stops counting valid non-ASCII characters at these numbers, in samples without and
// with invalid bytes. Higher counts would not change the result.
const (
	enoughSequences    = 100
	enoughAmongInvalid = 10000
)

// checkUTF8 returns a Checker to which the sample was written, and the number of valid
// non-ASCII characters in the sample.
func checkUTF8(sample []byte) (check Checker, sequences int) {
	_, _ = check.Write(sample)
	if check.ASCII() {
		return check, 0
	}
	enough := enoughSequences
	if check.Invalid() > 0 {
		enough = enoughAmongInvalid
	}
	for i := 0; i < len(sample) && sequences < enough; {
		i += asciiPrefix(sample[i:])
		if i == len(sample) {
			break
		}
		r, n := utf8.DecodeRune(sample[i:])
		if r != utf8.RuneError || n > 1 {
			sequences++
		}
		i += n
	}
	return check, sequences
}

// guessFromBOM returns the encoding of the byte order mark, unless the rest of the sample is
// clearly in a different encoding.
func guessFromBOM(sample []byte, name string, size int, whole bool) Guess {
	g := Guess{Encoding: encodingByName(name), BOM: size, Confidence: 1, Reason: intray.NewMessage("encoding.byte_order_mark", intray.Params{"encoding": name})}
	if name == "UTF-8" {
		check, sequences := checkUTF8(sample[size:])
		g.ASCII = check.ASCII()
		if check.Invalid() > 0 && !mostlyUTF8(sequences, check) {
			return g.contradictedBy(guessByCost(sample[size:], whole), int(check.Invalid()))
		}
	}
	g.Preview, g.Invalid = preview(sample[size:], g.Encoding, whole)
	if g.Invalid > 0 {
		g.Confidence = 0.95
		g.Reason = partly(g.Reason, g.Invalid)
	}
	return g
}

// contradictedBy returns the guess other, which is based on the text and contradicts the byte
// order mark.
func (g Guess) contradictedBy(other Guess, invalid int) Guess {
	other.BOM = g.BOM
	other.Confidence = min(other.Confidence, 0.6)
	other.Reason = intray.JoinMessages(intray.NewMessage("encoding.false_byte_order_mark", intray.Params{"n": invalid}), other.Reason)
	other.Second = &Second{Encoding: g.Encoding, Confidence: min(0.3, other.Confidence)}
	return other
}

// partly returns a reason with the number of invalid sequences added.
func partly(reason intray.Message, invalid int) intray.Message {
	return intray.NewMessage("encoding.partly_invalid", intray.Params{"reason": reason, "n": invalid})
}

func guessFromNULs(sample []byte, e Encoding, t wideStats, whole bool) Guess {
	g := Guess{Encoding: e, Confidence: 0.98, ASCII: t.letters == 0}
	g.Reason = intray.NewMessage("encoding.nul_pattern", intray.Params{"encoding": e.Name(), "count": t.plain + t.letters, "total": t.units})
	if t.units < 4 || t.broken > 0 {
		g.Confidence = 0.8
	}
	g.Preview, g.Invalid = preview(sample, e, whole)
	return g
}

// jisEscapes lists the escape sequences that switch to Japanese characters in ISO-2022-JP.
var jisEscapes = [][]byte{[]byte("\x1b$B"), []byte("\x1b$@"), []byte("\x1b(J"), []byte("\x1b(I"), []byte("\x1b$(D")}

func hasJISEscapes(sample []byte) bool {
	if bytes.IndexByte(sample, 0x1b) < 0 || !isASCII(sample) {
		return false
	}
	return slices.ContainsFunc(jisEscapes, func(e []byte) bool { return bytes.Contains(sample, e) })
}

func guessFromEscapes(sample []byte, whole bool) Guess {
	g := Guess{Encoding: encodingByName("ISO-2022-JP"), Confidence: 0.98, Reason: intray.NewMessage("encoding.iso_2022_jp", nil)}
	g.Preview, g.Invalid = preview(sample, g.Encoding, whole)
	if g.Invalid > 0 {
		g.Confidence = 0.7
		g.Reason = partly(g.Reason, g.Invalid)
	}
	return g
}

func guessASCII(sample []byte, whole bool) Guess {
	g := Guess{Confidence: 0.99, ASCII: true, Reason: intray.NewMessage("encoding.ascii", nil)}
	if !whole {
		g.Confidence = 0.95
		g.Reason = intray.NewMessage("encoding.sample_ascii", nil)
	}
	if bytes.IndexByte(sample, 0) >= 0 {
		g.Reason = intray.JoinMessages(g.Reason, intray.NewMessage("encoding.nul_bytes", nil))
	}
	return g
}

// fewSequences is the maximum number of non-ASCII characters that may be valid UTF-8 by chance.
const fewSequences = 8

// guessValidUTF8 returns the guess for a sample without invalid UTF-8. If there are only a few
// non-ASCII characters, it also examines their scripts.
func guessValidUTF8(sample []byte, sequences int) Guess {
	g := Guess{Confidence: 0.99, Reason: intray.NewMessage("encoding.utf8_valid", intray.Params{"characters": charactersText(sequences)})}
	g.Preview = shortPreview(sample)
	if sequences > fewSequences {
		return g
	}
	g.Confidence = 0.95
	if hasConsistentScript(sample) && (!hasOnlyTwoByteRuns(sample) || !readsBetterAsScript(sample)) {
		return g
	}
	other := guessByCost(sample, false)
	g.Confidence = 0.7
	g.Second = &Second{other.Encoding, min(0.25, other.Confidence), other.Preview}
	g.Reason = intray.NewMessage("encoding.utf8_or_other", intray.Params{"characters": charactersText(sequences), "encoding": other.Encoding.Name()})
	return g
}

// hasOnlyTwoByteRuns reports whether every non-ASCII character has two bytes and is adjacent to
// a second non-ASCII character. Short words in Chinese and Korean encodings can look like this.
func hasOnlyTwoByteRuns(sample []byte) bool {
	for i := 0; i < len(sample); {
		i += asciiPrefix(sample[i:])
		start := i
		for i < len(sample) && sample[i] >= utf8.RuneSelf {
			if sample[i] >= 0xE0 {
				return false
			}
			i++
		}
		if i > start && i-start < 4 {
			return false
		}
	}
	return true
}

func charactersText(n int) intray.Message {
	if n >= enoughSequences {
		return intray.NewMessage("count.characters_at_least", intray.Params{"n": enoughSequences})
	}
	return intray.NewMessage("count.characters", intray.Params{"n": n})
}

// families lists groups of scripts that occur together in text. All other scripts are so rare
// that a few characters of them are not plausible.
var families = [][]*unicode.RangeTable{
	{unicode.Latin}, {unicode.Cyrillic}, {unicode.Greek}, {unicode.Hebrew}, {unicode.Arabic}, {unicode.Thai},
	{unicode.Han, unicode.Hiragana, unicode.Katakana}, {unicode.Hangul}, {unicode.Devanagari}, {unicode.Bengali},
	{unicode.Tamil}, {unicode.Telugu}, {unicode.Gujarati}, {unicode.Georgian}, {unicode.Armenian}, {unicode.Khmer},
	{unicode.Lao}, {unicode.Myanmar}, {unicode.Ethiopic}, {unicode.Sinhala},
}

// hasConsistentScript reports whether the few non-ASCII characters belong to one family of
// scripts or are common symbols.
func hasConsistentScript(sample []byte) bool {
	var family []*unicode.RangeTable
	for _, r := range string(sample) {
		if r < utf8.RuneSelf || r == utf8.RuneError || unicode.In(r, unicode.Inherited) || r == 'ー' {
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			if kind := symbolKindOf(r); r < 0x2000 && (kind == rareSymbol || kind == controlSymbol) {
				return false
			}
			continue
		}
		of := familyOf(r)
		if of == nil || isRareLatin(r) || family != nil && !unicode.In(r, family...) {
			return false
		}
		family = of
	}
	return true
}

// isRareLatin reports whether a letter is in a range of Latin letters that are rarely used,
// from U+0180 to U+024F. It returns false for the few common letters in that range.
func isRareLatin(r rune) bool {
	return r > 0x17F && r < 0x250 && !strings.ContainsRune("ƏƠơƯưȘșȚțǍǎǏǐǑǒǓǔ", r)
}

func familyOf(r rune) []*unicode.RangeTable {
	for _, f := range families {
		if unicode.In(r, f...) {
			return f
		}
	}
	return nil
}

// mostlyUTF8 reports whether a sample is UTF-8 with some damaged bytes. In a sample in any other
// encoding, far more sequences are invalid UTF-8 than are valid by chance.
func mostlyUTF8(sequences int, check Checker) bool {
	invalid := int(check.Invalid())
	if check.Unfinished() {
		invalid++
	}
	return sequences >= 4 && sequences >= 4*invalid
}

func guessDamagedUTF8(sample []byte, sequences int, check Checker) Guess {
	invalid := int(check.Invalid())
	g := Guess{Invalid: invalid, Confidence: 0.92}
	if sequences < 20*invalid {
		g.Confidence = 0.75
	}
	g.Reason = intray.NewMessage("encoding.utf8_damaged", intray.Params{"characters": charactersText(sequences), "n": max(invalid, 1)})
	g.Preview, _ = preview(sample, UTF8, false)
	return g
}

// These limit the preview and the part of the sample from which it is taken.
const (
	previewWords  = 5
	previewLetter = 20
	previewBytes  = 64 << 10
	shortBytes    = 4 << 10
)

// preview decodes the beginning of a sample. It returns a few distinct words with non-ASCII
// letters, and the number of invalid sequences.
func preview(sample []byte, e Encoding, whole bool) (words string, invalid int) {
	whole = whole && len(sample) <= previewBytes
	sample = sample[:min(len(sample), previewBytes)]
	text := make([]byte, maxGrowth*len(sample)+minRoom)
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

// shortPreview returns the preview of a valid UTF-8 sample, based on the text around its first
// non-ASCII character.
func shortPreview(sample []byte) string {
	from := asciiPrefix(sample)
	end := min(len(sample), from+shortBytes)
	for from > 0 && !betweenWords(rune(sample[from-1])) {
		from--
	}
	return pickWords(strings.ToValidUTF8(string(sample[from:end]), ""))
}

// pickWords returns the first words with non-ASCII characters. Words with non-ASCII letters
// precede the others.
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
	words = append(words, symbols...)
	return strings.Join(words[:min(len(words), previewWords)], ", ")
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }

// betweenWords reports whether a character separates words. Apostrophes and hyphens do not
// separate words.
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

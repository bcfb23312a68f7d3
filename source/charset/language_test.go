package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// wordSegment returns a segment with a word in the named single-byte encoding.
func wordSegment(t *testing.T, name, word string) segment {
	t.Helper()
	raw, ok := encodeText(encodingByName(name), word)
	if !ok {
		t.Fatalf("%s cannot encode %q", name, word)
	}
	return segment{bytes: raw, before: ' ', after: ' '}
}

func pageOf(t *testing.T, name string) *codePage {
	t.Helper()
	for _, p := range codePages() {
		if p.encoding.Name() == name {
			return p
		}
	}
	t.Fatalf("%s is not a candidate", name)
	return nil
}

// TestShape checks that the first text of each pair costs less, because it is more plausible.
func TestShape(t *testing.T) {
	p := pageOf(t, "windows-1252")
	for _, c := range []struct{ better, worse string }{
		{"Größe", "GröSse"},
		{"GRÖSSE", "GRöSSE"},
		{"don’t", "don»t"},
		{"“Wort”", "Wo“rt"},
		{"¿Qué", "Qué¿"},
		{"Wort…", "Wo…rt"},
		{"café", "caf©"},
	} {
		if better, worse := p.shapeCost(wordSegment(t, "windows-1252", c.better)), p.shapeCost(wordSegment(t, "windows-1252", c.worse)); better >= worse {
			t.Errorf("%s costs %.1f, %s only %.1f", c.better, better, c.worse, worse)
		}
	}
}

// TestShapeLooksBesideASegment checks that digits next to a segment affect its cost.
func TestShapeLooksBesideASegment(t *testing.T) {
	p := pageOf(t, "windows-1252")
	after := segment{bytes: []byte{0xB0}, before: '5', after: ' '}
	within := segment{bytes: []byte("a\xb0b"), before: ' ', after: ' '}
	if p.shapeCost(after) >= p.shapeCost(within) {
		t.Errorf("5° costs %.1f, a°b %.1f", p.shapeCost(after), p.shapeCost(within))
	}
}

func TestLanguageModelsPreferTheirOwnWords(t *testing.T) {
	for code, word := range map[string]string{
		"de": "Schlüsselblümchen", "pl": "Źdźbło", "cs": "Řeřicha", "hu": "Tűzoltóság", "ro": "Înţelepciune",
		"ru": "Мыльный", "uk": "Їжачок", "el": "Θάλασσα", "he": "שלווה", "ar": "الشمس", "tr": "Ağırbaşlı", "lv": "Ķirsis",
	} {
		own := languageModels()[code].textCost(word)
		for other, t2 := range languageModels() {
			if cost := t2.textCost(word); cost < own-3 {
				t.Errorf("%s costs %.1f in %s and %.1f in %s", word, own, languageNames[code], cost, languageNames[other])
			}
		}
	}
}

// TestLanguageModelsAreProbabilities checks that no language model has more than 200 letters,
// and that each cost is between 0 and 20.
func TestLanguageModelsAreProbabilities(t *testing.T) {
	for code, one := range languageModels() {
		if one.size > 200 {
			t.Errorf("%s has %d letters", code, one.size)
		}
		for prev := range one.size {
			for _, cost := range one.costs[prev*one.size : (prev+1)*one.size] {
				if cost < 0 || cost > 20 {
					t.Fatalf("%s: a cost of %f", code, cost)
				}
			}
		}
	}
}

// TestWordsFitTheirEncodings checks that single-byte encodings, except for rare ones and KOI8-R,
// lack at most four letters of the words in each of their languages. Letters that an encoding
// lacks are useless in the model.
func TestWordsFitTheirEncodings(t *testing.T) {
	for _, p := range codePages() {
		if p.penalty > 1.5 || p.encoding.Name() == "KOI8-R" {
			continue
		}
		for i, one := range p.models {
			known := map[uint8]bool{}
			for _, n := range p.letterIndexes[i] {
				known[n] = true
			}
			missing := []string{}
			for r, n := range one.letters {
				if !known[n] && r >= 0x80 {
					missing = append(missing, string(r))
				}
			}
			if len(missing) > 4 {
				t.Errorf("%s lacks %s of %s", p.encoding, strings.Join(missing, " "), one.name)
			}
		}
	}
}

func TestScriptsKnowTheirOwn(t *testing.T) {
	for name, text := range map[string]string{
		"language.ja": "これは見本です", "language.ko": "안녕하세요", "language.zh_hans": "这个问题很简单",
		"language.zh_hant": "這個問題很簡單",
	} {
		best, least := "", 0.0
		for _, s := range scripts() {
			if cost := s.textCost([]rune(text)); best == "" || cost < least {
				best, least = s.name, cost
			}
		}
		if best != name {
			t.Errorf("%s reads best as %s", text, best)
		}
	}
}

// TestBlockBounds checks that a block contains exactly the characters from its first to its last
// lead byte.
func TestBlockBounds(t *testing.T) {
	set := runesOfBlock("EUC-KR", 0xB0, 0xC8)
	for r, want := range map[rune]bool{'가': true, '각': true, '하': true, '힝': true, '伽': false, '字': false, 'ㄱ': false, 'a': false} {
		if set.has(r) != want {
			t.Errorf("%c is in the block: %v, want %v", r, !want, want)
		}
	}
}

// TestScriptCosts checks that frequent characters cost less than rare ones.
func TestScriptCosts(t *testing.T) {
	japanese := scripts()[0]
	last := 0.0
	for _, r := range []rune{'の', '日', '曹', '弌', '\uFFFD'} {
		cost := japanese.runeCost(' ', r)
		if cost <= last {
			t.Errorf("%c costs %.1f, the one before %.1f", r, cost, last)
		}
		last = cost
	}
	if adjoining, apart := japanese.textCost([]rune("日a")), japanese.textCost([]rune("日A")); adjoining <= apart {
		t.Error("a small letter next to a wide one costs nothing")
	}
	if run, alone := japanese.textCost([]rune("ｱｲｳ"))/3, japanese.textCost([]rune("ｱ")); run >= alone {
		t.Error("half-width kana in a row cost as much as alone")
	}
	for _, prev := range []rune{0xFF61, 0xFF9F} {
		if cost := japanese.runeCost(prev, 'ｱ'); cost != halfKanaRun {
			t.Errorf("half-width kana after %c cost %.1f", prev, cost)
		}
	}
	for _, prev := range []rune{0xFF60, 0xFFA0} {
		if cost := japanese.runeCost(prev, 'ｱ'); cost != halfKanaAlone {
			t.Errorf("half-width kana after %c cost %.1f", prev, cost)
		}
	}
}

// TestSameText checks that readsSameAs compares encodings only by the bytes in use.
func TestSameText(t *testing.T) {
	a, b := finding{page: pageOf(t, "windows-1252")}, finding{page: pageOf(t, "ISO-8859-1")}
	umlaut, quote := usedBytes([]byte("M\xfcller")), usedBytes([]byte("\x93M\xfcller\x94"))
	if !a.readsSameAs(b, &umlaut) || a.readsSameAs(b, &quote) {
		t.Error("windows-1252 and ISO-8859-1 differ in quotes and nothing else")
	}
	if b.isPossible(&quote) || !a.isPossible(&quote) {
		t.Error("control characters instead of quotes must not be possible")
	}
	which := map[byte]bool{}
	if n := a.differences(b, []byte("\x93M\xfcller\x94 \x93"), which); n != 3 || len(which) != 2 {
		t.Errorf("%d differences of %d kinds", n, len(which))
	}
}

func TestSignsOfEveryByte(t *testing.T) {
	for _, table := range []*charmap.Charmap{charmap.Windows1253, charmap.ISO8859_1, charmap.CodePage437} {
		for b, s := range charInfosOf(table) {
			if s.letter && s.kind != plainSymbol || b < 0x80 && s.r != rune(b) {
				t.Errorf("%v: byte %x is %+v", table, b, s)
			}
		}
	}
}

func TestFamilies(t *testing.T) {
	for text, want := range map[string]bool{
		"Müller": true, "a € b": true, "Иван": true, "東京タワー": true, "–": true, "12 °C": true,
		"дß": false, "ࠡ": false, "ǭ": false, "ßд": false, "Ș": true, "Việt": true, "\u0085": false,
	} {
		if hasConsistentScript([]byte(text)) != want {
			t.Errorf("%q: usual is not %v", text, want)
		}
	}
}

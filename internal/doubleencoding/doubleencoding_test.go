package doubleencoding

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// encodeTwice returns text as it looks after a program read its UTF-8 bytes in a page.
func encodeTwice(text string, p *page) string {
	var twice []rune
	for _, b := range []byte(text) {
		if b < utf8.RuneSelf {
			twice = append(twice, rune(b))
		} else {
			twice = append(twice, p.decode(b))
		}
	}
	return string(twice)
}

func TestRepair(t *testing.T) {
	for text, want := range map[string]string{
		"MÃ¼ller": "Müller", "â‚¬ 5": "€ 5", "CafÃ©": "Café", "Â£10": "£10", "itâ€™s": "it’s", "10 Â°C": "10 °C",
		"Ã…rhus": "Århus", "Ä°stanbul": "İstanbul", "Å¡koda": "škoda", "Ã\u00a0 la carte": "à la carte", "Î±": "α",
		"æ\u009d±äº¬": "東京", "ðŸ˜€": "😀", "ÃƒÂ©": "é", "ÃƒÂ¼ber": "über",
		"РњРѕСЃРєРІР°": "Москва", "M√ºller": "Müller", "‚Äôtis": "’tis", "M├╝ller": "Müller", "Ð\u009cÐ¾Ñ\u0081ÐºÐ²Ð°": "Москва",
	} {
		got, _, ok := Repair([]byte(text))
		if !ok || string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLeavesOtherText(t *testing.T) {
	for _, text := range []string{
		"", "plain", "Müller", "Café", "São Paulo", "SÃO PAULO", "MANHÃ", "Â", "Ã", "Åse", "5 €", "naïve – “quoted”", "CAFÉ®", "Ø±0.1 mm", "Ø²", "×²",
		"Москва", "Рёбра", "Рё", "Ελλάδα", "東京", "한국", "ÄÖÜß", "À propos", "√2", "¬ a", "İstanbul", "Ångström", "ñandú", "Łódź", "10 °C", "½ ÷ 3", "™ ©",
		"MÃ¼ller and Müller", "Ã¼\xff", "Â\u00a0Ø", "é™", "äžž", "é–“", "\u0085", "\uFFFD", "𝒜Ã¼",
	} {
		if got, encoding, ok := Repair([]byte(text)); ok {
			t.Errorf("%q became %q, as if it had been read as %s", text, got, encoding)
		}
	}
}

// beyondASCII returns the number of characters beyond ASCII.
func beyondASCII(text string) (n int) {
	for _, r := range text {
		if r >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// TestRepairReverses checks that every text of common letters that is encoded twice is either
// repaired exactly or left unchanged. Text that was encoded once is left unchanged, unless it happens to
// be the encoding of two or more letters, which hardly occurs.
func TestRepairReverses(t *testing.T) {
	letters := rapid.SampledFrom([]rune("abc 12äöüßéèñçøåžščőłąЖяшбαβγ東京€–“”"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(letters, 1, 20, -1).Draw(t, "text")
		p := &pages[rapid.IntRange(0, len(pages)-1).Draw(t, "page")]
		if got, encoding, ok := Repair([]byte(text)); ok {
			if beyondASCII(string(got)) < 2 {
				t.Fatalf("%q became %q from %s", text, got, encoding)
			}
			return
		}
		twice := encodeTwice(text, p)
		if got, _, ok := Repair([]byte(twice)); ok && string(got) != text {
			t.Fatalf("%q as %q became %q", text, twice, got)
		}
		if _, _, ok := Repair([]byte(twice)); !ok && p.name == "windows-1252" && strings.ContainsAny(text, "äöüßéèñçøåžščőłą€–“”") && !strings.ContainsAny(text, "東京") {
			t.Fatalf("%q was not repaired", twice)
		}
	})
}

func FuzzRepair(f *testing.F) {
	for _, seed := range []string{"MÃ¼ller", "РњРѕСЃРєРІР°", "ÃƒÂ¼", "Ã", "\xff\xc3\x83"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, _, ok := Repair(text); ok && (!utf8.Valid(got) || len(got) >= len(text)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func BenchmarkRepair(b *testing.B) {
	for name, text := range map[string]string{"ASCII": "Springfield, Illinois", "Latin": "Düsseldorf, Königsallee", "Cyrillic": "Москва, улица Ленина", "double": "DÃ¼sseldorf"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Repair([]byte(text))
			}
		})
	}
}

// TestPossible checks that text without double-encoded parts is recognized, and that no part of a text
// that can be repaired is missed, wherever it is.
func TestPossible(t *testing.T) {
	for _, text := range []string{"", "Anna,Ben,Chloé", "Søren Müller, Łódź, 北京, €", "Иван", "日本語テキスト"} {
		if Possible([]byte(text)) {
			t.Errorf("%q: possible", text)
		}
	}
	for _, text := range []string{"MÃ¼ller", "â‚¬", "Ð˜Ð²Ð°Ð½", "Ã©tÃ©"} {
		if _, _, ok := Repair([]byte(text)); !ok {
			t.Errorf("%q cannot be repaired", text)
		}
		for before := range 20 {
			whole := strings.Repeat("x", before) + "é," + text + strings.Repeat("y", 20-before)
			if !Possible([]byte(whole)) {
				t.Errorf("%q: not possible", whole)
			}
		}
	}
}

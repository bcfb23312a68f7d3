package charset

import (
	"slices"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	rows := strings.Repeat("7;Smith;2024-01-02\n", 20)
	for _, c := range []struct {
		name, sample string
		whole        bool
		want         string
		bom          int
		low, high    float64
	}{
		{"nothing", "", true, "UTF-8", 0, 0.9, 1},
		{"ascii", rows, true, "UTF-8", 0, 0.9, 1},
		{"mark", "\xef\xbb\xbfa;ß", true, "UTF-8", 3, 1, 1},
		{"three marks", "\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbfa;b", true, "UTF-8", 9, 1, 1},
		{"mark of UTF-16LE", "\xff\xfea\x00;\x00", true, "UTF-16LE", 2, 1, 1},
		{"mark of UTF-16BE", "\xfe\xff\x00a\x00;", true, "UTF-16BE", 2, 1, 1},
		{"mark of UTF-32LE", "\xff\xfe\x00\x00a\x00\x00\x00", true, "UTF-32LE", 4, 1, 1},
		{"mark of UTF-32BE", "\x00\x00\xfe\xff\x00\x00\x00a", true, "UTF-32BE", 4, 1, 1},
		{"a mark and half a unit", "\xff\xfea\x00b", true, "UTF-16LE", 2, 0.9, 0.95},
		{"mark of UTF-8 before something else", "\xef\xbb\xbfM\xfcller;K\xf6ln;Gr\xf6\xdfe;J\xe4ger", true, "windows-1252", 3, 0, 0.6},
		{"one letter", rows + "8;Müller;x\n", true, "UTF-8", 0, 0.9, 1},
		{"short Cyrillic", "Иван;Москва", true, "UTF-8", 0, 0.9, 1},
		{"short Greek", "Αθήνα", true, "UTF-8", 0, 0.9, 1},
		{"short Arabic", "محمد", true, "UTF-8", 0, 0.9, 1},
		{"cut inside a letter", rows + "8;Mü;Öl;größ\xc3", false, "UTF-8", 0, 0.9, 1},
		{"broken in one place", strings.Repeat("Größe;Höhe\n", 20) + "\xff\n", true, "UTF-8", 0, 0.8, 0.95},
		{"broken in several places", strings.Repeat("Größe;Höhe\n", 4) + "\xff\n\xfe\n", true, "UTF-8", 0, 0.5, 0.89},
		{"broken, with four letters", "Größe;Höhe;Länge\n\xff\n", true, "UTF-8", 0, 0.5, 0.89},
		{"a Chinese word that is valid UTF-8", "\xc4\xbf\xc2\xbc", true, "UTF-8", 0, 0, 0.89},
		{"a Romanian word that is valid UTF-8", "dep\xc7\xadit", true, "UTF-8", 0, 0, 0.89},
		{"one word of latin1", rows + "8;M\xfcller;x\n", true, "windows-1252", 0, 0, 0.89},
		{"a sign of money", rows + "8;\x80 5;x\n", true, "windows-1252", 0, 0, 0.89},
		{"a cut Japanese letter", "\x93\x8c\x8b\x9e\x93\x73\x82\xcc\x89\xef\x8e\xd0\x82\xc5\x82\xb7;1\n\x91\xe5\x8d\xe3\x82\xcc\x89\xef\x8e\xd0\x82\xc5\x82\xb7\x81", false, "Shift_JIS", 0, 0.9, 1},
		{"garbage", "\x00\x01\xfe\x90\x02\x03\x81\xff\x04\x05\x90\x00\x07\x9d\xfa\xc0\x11\x12", true, "", 0, 0, 0.3},
		{"a lone high byte", "\xff", true, "", 0, 0, 0.89},
	} {
		g := Detect([]byte(c.sample), c.whole)
		if c.want != "" && g.Encoding.Name() != c.want || g.BOM != c.bom || g.Confidence < c.low || g.Confidence > c.high || g.Reason.IsZero() {
			t.Errorf("%s: %s, mark %d, %.2f, %q, %s", c.name, g.Encoding, g.BOM, g.Confidence, g.Preview, g.Reason)
		}
		if g.Confidence < Sure && !strings.HasPrefix(c.name, "broken") && g.Second == nil {
			t.Errorf("%s: no second guess", c.name)
		}
	}
}

// TestASCIIBesideDoesNotCount checks that additional ASCII columns do not change the guess.
func TestASCIIBesideDoesNotCount(t *testing.T) {
	words := "\xcf\xe5\xf2\xf0\xee\xe2;\xc0\xeb\xec\xe0\xf2\xfb\n\xd1\xe8\xe4\xee\xf0\xee\xe2;\xcf\xf1\xea\xee\xe2\n"
	alone := Detect([]byte(words), true)
	among := Detect([]byte(strings.ReplaceAll(words, "\n", strings.Repeat(";smith@example.com;2024-01-02;1.50", 200)+"\n")), true)
	if alone.Encoding.Name() != "windows-1251" || among.Encoding != alone.Encoding || among.Confidence != alone.Confidence {
		t.Errorf("%s %.2f alone, %s %.2f among ASCII", alone.Encoding, alone.Confidence, among.Encoding, among.Confidence)
	}
}

// TestSameTextIsNoDoubt checks that encodings that decode to the same text are named in the
// reason and do not reduce the confidence.
func TestSameTextIsNoDoubt(t *testing.T) {
	g := Detect([]byte("M\xfcller;K\xf6ln;Gr\xf6\xdfe;J\xe4ger;Stra\xdfe;T\xfcbingen;Geb\xfchr;\xc4rztin;d\xe9j\xe0;Ni\xf1o;S\xe3o;Gen\xe8ve;\xc5land;Montr\xeaux;Espa\xf1a;\xd6lwechsel\n"), true)
	if g.Encoding.Name() != "windows-1252" || !strings.Contains(g.Reason.String(), "the same in ISO-8859-1") || g.Confidence < Sure {
		t.Errorf("%s %.2f: %s", g.Encoding, g.Confidence, g.Reason)
	}
}

// TestCloseReadingsAreNamed checks that the reason names the second-best encoding if there is
// little evidence.
func TestCloseReadingsAreNamed(t *testing.T) {
	g := Detect([]byte("a;b\n1;Perni\xb9\n2;x\n"), true)
	if g.Confidence >= Sure || g.Second == nil || g.Second.Encoding == g.Encoding || !strings.Contains(g.Reason.String(), g.Second.Encoding.Name()) {
		t.Errorf("%s %.2f, second %v: %s", g.Encoding, g.Confidence, g.Second, g.Reason)
	}
}

func TestPreview(t *testing.T) {
	g := Detect([]byte("name;ort\nMüller;Köln\nMüller;Großraumbürokonferenzzentrum\nSmith;Bonn\n€ 5;Jäger-Müller\n"), true)
	if want := "Müller, Köln, Großraumbürokonferen…, Jäger-Müller, €"; g.Preview != want {
		t.Errorf("%q, want %q", g.Preview, want)
	}
}

func TestWideWithoutMark(t *testing.T) {
	for _, c := range []struct{ text, name string }{
		{"id;имя\n1;Пётр\n2;Фёкла\n", "Cyrillic"},
		{"id;名前\n1;山田 太郎\n2;鈴木 花子\n", "Japanese"},
		{"id;όνομα\n1;Ελένη\n", "Greek"},
		{"a;b\n1;2\n", "ASCII"},
		{"数量\t一二三\n一\t一\n", "Chinese with few separators"},
	} {
		for _, name := range wideNames {
			e := encodingByName(name)
			raw, _ := encodeText(e, c.text)
			if g := Detect(raw, true); g.Encoding != e || g.BOM != 0 || g.Confidence < Sure {
				t.Errorf("%s in %s: %s %.2f: %s", c.name, name, g.Encoding, g.Confidence, g.Reason)
			}
		}
	}
}

// TestWideStats checks which characters of a wide encoding are letters, plain or broken.
func TestWideStats(t *testing.T) {
	for r, want := range map[rune]wideStats{
		'a': {plain: 1}, '\n': {plain: 1}, '~': {plain: 1}, '\u0301': {letters: 1}, 'ж': {letters: 1},
		'\x01': {broken: 1}, '\x7f': {broken: 1}, '\x9f': {broken: 1}, '\uE000': {broken: 1}, '\uFFFE': {broken: 1}, '\u2028': {broken: 1},
		'\u00A0': {}, '\u00A1': {}, '\u3000': {}, '\uFEFF': {}, '\uF900': {letters: 1}, '€': {},
	} {
		want.units = 1
		for _, name := range wideNames {
			e := encodingByName(name)
			raw, _ := encodeText(e, string(r))
			if got := e.spec.wide.sampleStats(raw); got != want {
				t.Errorf("%U in %s: %+v, want %+v", r, name, got, want)
			}
		}
	}
}

// TestNULsInTextAreNoPattern checks that text with some NUL bytes is not detected as UTF-16 or
// UTF-32.
func TestNULsInTextAreNoPattern(t *testing.T) {
	for _, text := range []string{
		"Smith;Bonn;12\x00\x00\nBaker;Ulm;13\x00\x00\nMiller;Köln;14\x00\n",
		"a,b,c\n\x00,2,3\n", "a,b,c\n1\x00,2,3\n", "x\n1\x00\n2\x00\n",
		strings.Repeat("a,\x00,1\r\n", 40), strings.Repeat("ab,\x00,1\n", 40), strings.Repeat("Ann\x00\x00\x00\x00Rome\x00\x00\x00\n", 40),
		strings.Repeat("Müller;\x00;Köln\n", 40), strings.Repeat("\xcf\xe5\xf2\xf0;\x00;\xcc\xee\xf1\xea\n", 40),
		strings.Repeat("M\xfcller;\x00;K\xf6ln;1\n", 40), strings.Repeat("plain text, no NUL\n", 400) + "\x00\x00",
	} {
		if g := Detect([]byte(text), true); strings.HasPrefix(g.Encoding.Name(), "UTF-16") || strings.HasPrefix(g.Encoding.Name(), "UTF-32") {
			t.Errorf("%.30q: %s: %s", text, g.Encoding, g.Reason)
		}
	}
}

func TestSegments(t *testing.T) {
	list := segments([]byte("a,M\xfcller,M\xfcller|K\xf6ln,\x81\x30\x81\x30 x,caf\xe9"), false)
	var got []string
	for _, s := range list {
		got = append(got, string(s.bytes))
	}
	want := []string{"M\xfcller", "M\xfcller|K\xf6ln", "\x81\x30\x81\x30"}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCutSegment checks that only a segment at the end of a sample that is part of the file may
// be incomplete, or one that is longer than a segment.
func TestCutSegment(t *testing.T) {
	for _, c := range []struct {
		sample string
		whole  bool
		want   []bool
	}{
		{"M\xfcller K\xf6ln", true, []bool{false, false}},
		{"M\xfcller K\xf6ln,", false, []bool{false, false}},
		{"M\xfcller K\xf6ln", false, []bool{false, true}},
		{strings.Repeat("\xfc", maxSegment+1) + " ", true, []bool{true}},
		{strings.Repeat("\xfc", maxSegment) + " ", true, []bool{false}},
	} {
		var got []bool
		for at := 0; at < len(c.sample); {
			at += asciiPrefix([]byte(c.sample)[at:])
			if at == len(c.sample) {
				break
			}
			start, end := segmentAround([]byte(c.sample), at)
			got = append(got, makeSegment([]byte(c.sample), start, end, c.whole).cut)
			at = end
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%.20q, whole %t: cut %v, want %v", c.sample, c.whole, got, c.want)
		}
	}
}

// TestConfidence checks each limit of the confidence.
func TestConfidence(t *testing.T) {
	page := pageOf(t, "windows-1252")
	text := func(n int) []segment {
		return []segment{{bytes: []byte("\xe4\xf6\xfc\xdf" + strings.Repeat("\xe4", n))}}
	}
	for name, c := range map[string]struct {
		list        []segment
		best, other float64
		invalid     int
		want        float64
	}{
		"no lead":               {text(96), 200, 200, 0, 0.5},
		"a small lead":          {text(96), 200, 202, 0, 0.65},
		"a large lead":          {text(96), 200, 300, 0, 0.98},
		"few bytes":             {text(0), 5, 300, 0, 0.93},
		"invalid bytes":         {text(96), 200, 300, 1, 0.85},
		"unlike any language":   {text(95), 3.95 * 100, 800, 0, 0.85},
		"not text":              {text(95), 4.6 * 100, 800, 0, 0.5},
		"a few different bytes": {[]segment{{bytes: []byte(strings.Repeat("\xe4", 100))}}, 200, 202, 0, 0.54},
	} {
		got := confidence(c.list, finding{page: page, cost: c.best}, finding{cost: c.other}, c.invalid)
		if got != c.want {
			t.Errorf("%s: %.2f, want %.2f", name, got, c.want)
		}
	}
}

func TestAlternative(t *testing.T) {
	second := &Second{Encoding: encodingByName("KOI8-R"), Preview: "слово"}
	for _, c := range []struct {
		guess      Guess
		name, code string
	}{
		{Guess{}, "windows-1252", "encoding.most_other_text"},
		{Guess{Encoding: encodingByName("ISO-8859-2")}, "windows-1252", "encoding.most_other_text"},
		{Guess{Encoding: encodingByName("windows-1252")}, "UTF-8", "encoding.most_text"},
		{Guess{Encoding: encodingByName("windows-1252"), Second: second}, "KOI8-R", "encoding.preview"},
	} {
		if name, reason := c.guess.Alternative(); name != c.name || reason.Code != c.code {
			t.Errorf("%s, second %v: %s because of %s, want %s because of %s", c.guess.Encoding, c.guess.Second, name, reason.Code, c.name, c.code)
		}
	}
}

func TestConsistentScript(t *testing.T) {
	for text, want := range map[string]bool{
		"plain": true, "é": true, "a – é": true, "– é я": false, "é я": false, "я é": false, "日本ー語": true, "e\u0301 é": true,
		"– ƀ": false, "ș": true, "\u0085 é": false, "¨": false, "€ я": true,
	} {
		if got := hasConsistentScript([]byte(text)); got != want {
			t.Errorf("%q is consistent: %v, want %v", text, got, want)
		}
	}
}

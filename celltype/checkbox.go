package celltype

import (
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/number"
)

// checkboxParser parses the type checkbox. It knows words for yes and no in 36 languages. A number
// cell is read by its value, not by its displayed text.
type checkboxParser struct {
	// markers reports whether markers of missing values are empty.
	markers bool
	invalid Result
}

func newCheckbox(f intray.Field, _ options) (Parser, error) {
	if f.Lenient {
		return lenientCheckboxParser{}, nil
	}
	return checkboxParser{f.MissingValues == nil, invalidResult(f, intray.NewMessage("checkbox.invalid", nil))}, nil
}

// lenientCheckboxParser parses the type checkbox of lenient fields. A few words are false, and any
// other text is true.
type lenientCheckboxParser struct{}

func (lenientCheckboxParser) Parse(c Cell, _ []byte) Result {
	word := trimSpace(c.Raw)
	switch c.Kind {
	case intray.CellBool, intray.CellNumber:
		word = trimSpace(c.Typed)
	}
	if len(word) == 0 {
		return Result{State: Empty}
	}
	var room [keyBufferSize]byte
	if value, ok := number.Canonical(room[:0], word); ok && c.Kind == intray.CellNumber {
		word = value
	}
	switch strings.ToLower(string(word)) {
	case "0", "off", "n", "no", "false", "disabled":
		return newResult(c.Raw, falseText)
	}
	return newResult(c.Raw, trueText)
}

func (p checkboxParser) Parse(c Cell, _ []byte) Result {
	word := trimSpace(c.Raw)
	switch c.Kind {
	case intray.CellBool, intray.CellNumber:
		word = trimSpace(c.Typed)
	}
	if len(word) == 0 {
		return Result{State: Empty}
	}
	yes, known := readFlag(word)
	switch {
	case known && yes:
		return newResult(c.Raw, trueText)
	case known:
		return newResult(c.Raw, falseText)
	case p.markers && IsMissingMarker(word) && string(word) != "-":
		return Result{State: Empty}
	}
	return p.invalid
}

// appendLower appends word in lower case. Upper-case letters outside ASCII stay as they are.
func appendLower(dst, word []byte) []byte {
	for _, b := range word {
		dst = append(dst, lowerByte(b))
	}
	return dst
}

var trueText, falseText = []byte("true"), []byte("false")

// maxFlagBytes is an upper bound for the length of a word for yes or no, in bytes.
const maxFlagBytes = 48

// readFlag reports whether a word that is not empty means yes. known reports whether it means
// either yes or no.
func readFlag(word []byte) (yes, known bool) {
	if len(word) > maxFlagBytes {
		return false, false
	}
	var room [max(keyBufferSize, maxFlagBytes)]byte
	if yes, known = flagWords()[string(appendLower(room[:0], word))]; known {
		return yes, true
	}
	if value, ok := number.Canonical(room[:0], word); ok { // such as 1.0
		return string(value) == "1", string(value) == "0" || string(value) == "1"
	}
	yes, known = flagWords()[normalizeName(string(word))]
	return yes, known
}

// flagWords maps words in lower case, with and without accents, to true if they mean yes.
var flagWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, language := range flagLanguages {
		for word := range strings.SplitSeq(language.yes, ", ") {
			addFlagWord(words, word, true)
		}
		for word := range strings.SplitSeq(language.no, ", ") {
			addFlagWord(words, word, false)
		}
	}
	return words
})

func addFlagWord(words map[string]bool, word string, yes bool) {
	words[word] = yes
	if plain := normalizeName(word); plain != "" {
		words[plain] = yes
	}
}

// flagLanguages lists words for yes and no. The first two of each language are yesstr and nostr in
// the locale data of the GNU C Library 2.36. The others are the names of the functions TRUE and
// FALSE in Microsoft Excel and other common words. Single letters that mean yes in one language
// and no in another, such as e (evet, ei), are missing.
var flagLanguages = []struct{ code, yes, no string }{
	{"", "1, x, ✓, ✔, ☑, ✅, 🗸, ○, ◯", "0, ✗, ✘, ✕, ×, ❌, ☐"},
	{"en", "yes, y, true, t, on, enabled, checked", "no, n, false, f, off, disabled, unchecked"},
	{"de", "ja, j, wahr, an, ein", "nein, falsch, aus"},
	{"fr", "oui, o, vrai, v", "non, faux"},
	{"es", "sí, s, verdadero", "no, falso"},
	{"it", "sì, vero", "no, falso"},
	{"nl", "ja, waar, aan", "nee, neen, onwaar, uit"},
	{"pl", "tak, prawda", "nie, fałsz"},
	{"pt", "sim, verdadeiro", "não, falso"},
	{"ja", "はい, 真, 有, あり, 可", "いいえ, 偽, 無, なし, 不可"},
	{"zh", "是, 真, 对, 對, 有", "不是, 否, 假, 错, 錯, 无, 無, 没有, 沒有"},
	{"ru", "да, д, истина", "нет, н, ложь"},
	{"sv", "ja, sant", "nej, falskt"},
	{"cs", "ano, pravda", "ne, nepravda"},
	{"ko", "예, 네, 참", "아니요, 아니오, 거짓"},
	{"no", "ja, sann", "nei, usann"},
	{"hu", "igen, igaz", "nem, hamis"},
	{"da", "ja, sand", "nej, falsk"},
	{"sk", "áno, pravda", "nie, nepravda"},
	{"fi", "kyllä, tosi", "ei, epätosi"},
	{"ro", "da, adevărat", "nu, fals"},
	{"uk", "так, істина", "ні, хибність"},
	{"tr", "evet, doğru", "hayır, hayir, yanlış, yanlis"},
	{"et", "jah, tõene", "ei, väär"},
	{"hr", "da, istina, točno", "ne, laž, netočno"},
	{"vi", "có, đúng", "không, sai"},
	{"lt", "taip, tiesa", "ne, netiesa"},
	{"lv", "jā, patiess", "nē, aplams"},
	{"el", "ναι, αληθες, αληθής", "όχι, ψευδες, ψευδής"},
	{"id", "ya, benar", "tidak, salah"},
	{"bg", "да, истина, вярно", "не, лъжа, невярно"},
	{"ar", "نعم, صحيح, صواب", "لا, خطأ"},
	{"he", "כן, אמת", "לא, שקר"},
	{"th", "ใช่, จริง", "ไม่ใช่, ไม่, เท็จ"},
	{"sl", "da, resnično", "ne, neresnično"},
	{"sr", "да, da, тачно, tačno", "не, ne, нетачно, netačno"},
	{"hi", "हाँ, हां, सत्य", "नहीं, असत्य, गलत"},
	{"is", "já, satt", "nei, ósatt"},
}

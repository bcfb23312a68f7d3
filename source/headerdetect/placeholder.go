package headerdetect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kindOfCell returns the kind of a cell in a table. It differs from KindOf in cells of statistical
// tables: Placeholders of missing values are Empty, and numbers with a qualifier or a mark of a
// footnote are Number.
func kindOfCell(cell string) Kind {
	kind := KindOf(cell)
	if kind != Text && kind != Code {
		return kind
	}
	cell = strings.TrimSpace(cell)
	switch {
	case isPlaceholder(cell):
		return Empty
	case isQualifiedNumber(cell):
		return Number
	}
	return kind
}

// maxPlaceholderBytes is an upper bound for the length of a placeholder.
const maxPlaceholderBytes = 32

// isPlaceholder reports whether a cell replaces a number that is missing or is not published: a
// cell without letters and digits such as ** or .., one to three letters in brackets such as (D)
// or [c], or a word such as suppressed. The symbols are those that statistical offices
// use, for example in the Census of Agriculture of the USDA, at Eurostat, and in the guidance
// "Symbols in tables" of the UK Government Analysis Function.
func isPlaceholder(cell string) bool {
	if cell == "" || len(cell) > maxPlaceholderBytes {
		return false
	}
	lower := strings.ToLower(cell)
	if placeholderWords[strings.Trim(lower, "()[]<>*. ")] {
		return true
	}
	if !strings.ContainsFunc(cell, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return !unitWords[cell]
	}
	open, size := utf8.DecodeRuneInString(cell)
	shut := map[rune]string{'(': ")", '[': "]"}[open]
	inner, ok := strings.CutSuffix(cell[size:], shut)
	return shut != "" && ok && len(inner) > 0 && len(inner) <= 3 && strings.Trim(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

var placeholderWords = wordList(
	"suppressed", "withheld", "confidential", "redacted", "masked", "hidden", "missing", "unknown", "unavailable", "not available", "not applicable",
	"not reported", "not tested", "not published", "no data", "insufficient data", "too few", "low", "n.a", "n/a", "na", "n.d", "nd", "n.s", "k.a", "k. a", "k.a.",
	"unbekannt", "keine angabe", "keine angaben", "geheim", "nicht verfügbar", "non disponible", "inconnu", "no disponible", "desconocido", "sin datos",
	"non disponibile", "sconosciuto", "onbekend", "geen gegevens", "brak danych", "ukjent", "okänd", "ukendt", "нет данных", "неизвестно", "不明", "データなし", "未知",
)

func wordList(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words {
		set[word] = true
	}
	return set
}

// isQualifiedNumber reports whether a cell is a number after a sign such as < or ≥, or before a
// mark of a footnote such as * or [1].
func isQualifiedNumber(cell string) bool {
	if !hasDigit(cell) {
		return false
	}
	bare := strings.TrimSpace(strings.TrimLeft(cell, "<>≤≥~≈="))
	bare = strings.TrimRight(bare, "*†‡§ ")
	if at := strings.IndexAny(bare, "[("); at > 0 && len(bare)-at <= 4 && strings.ContainsAny(bare[len(bare)-1:], "])") {
		bare = strings.TrimSpace(bare[:at])
	}
	if bare == cell || bare == "" || !hasDigit(bare) {
		return false
	}
	_, ok := numberKind(bare)
	return ok
}

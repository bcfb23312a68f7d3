package mapping

import (
	"slices"
	"strings"
	"unicode"
)

// similarity returns the similarity of the letters of two folded names, from 0 to 1. It
// returns 0 if the names differ in a digit.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	if digitsOf(a) != digitsOf(b) {
		return 0
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if strings.Join(x, "") == strings.Join(y, "") {
		return 0.98
	}
	slices.Sort(x)
	slices.Sort(y)
	if slices.Equal(x, y) {
		return 0.95
	}
	return max(abbreviationScore(strings.Fields(a), strings.Fields(b)), editSimilarity([]rune(a), []rune(b)))
}

// wordOverlap returns the share of words that two names have in common, from 0 to 1. A word
// equals its abbreviations and inflected forms.
func wordOverlap(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for _, x := range a {
		if slices.ContainsFunc(b, func(y string) bool { return abbreviates(x, y) || abbreviates(y, x) || sameStem(x, y) }) {
			n++
		}
	}
	return min(1, 2*float64(n)/float64(len(a)+len(b)))
}

// sameStem reports whether two words differ only in their ending, such as category and
// categories.
func sameStem(a, b string) bool {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return a == b || n >= 4 && 10*n >= 7*max(len(x), len(y))
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// abbreviationScore returns how well one name abbreviates the other, word by word, by its
// beginning or its consonants.
func abbreviationScore(a, b []string) float64 {
	if len(a) != len(b) {
		return 0
	}
	score := 1.0
	for i := range a {
		switch {
		case a[i] == b[i]:
		case abbreviates(a[i], b[i]) || abbreviates(b[i], a[i]):
			score -= 0.12
		default:
			return 0
		}
	}
	return score
}

// abbreviates reports whether short abbreviates long, such as cust for customer or nbr for
// number.
func abbreviates(short, long string) bool {
	x, y := []rune(short), []rune(long)
	if len(x) < 3 || len(x) >= len(y) || x[0] != y[0] {
		return false
	}
	if strings.HasPrefix(long, short) {
		return true
	}
	if strings.ContainsAny(short[1:], "aeiou") {
		return false
	}
	i := 0
	for _, r := range y {
		if i < len(x) && x[i] == r {
			i++
		}
	}
	return i == len(x)
}

// maxCompared is the maximum length, in letters, of names that are compared letter by
// letter.
const maxCompared = 64

// editSimilarity returns the share of letters that need no change, based on the
// Damerau-Levenshtein distance (optimal string alignment).
func editSimilarity(a, b []rune) float64 {
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	longer := max(len(a), len(b))
	if longer == 0 {
		return 0
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return 1 - float64(last[len(b)])/float64(longer)
}

package lint

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// shortWord is the fewest letters of a word that is looked at for a letter
	// that differs; shorter ones are different words.
	shortWord = 5
	// longName is the most bytes of a name that is compared.
	longName = 64
	// neighbours is with how many others of the same spelling a name is compared.
	neighbours = 8
)

// spelling is what stays of a name when one of its letters is left out, as a
// hash, and the place of the name.
type spelling struct {
	hash uint64
	word int
}

// closeOptions tells of options that are one letter apart, once for each. Two
// names that are one edit apart share a spelling with one letter left out (the
// deletion neighbourhood of FastSS), so that only names that share one are
// compared.
func (l *linter) closeOptions(i int, words []optionWord, told map[int]bool) {
	words = differing(words)
	size := 0
	for _, w := range words {
		size += len(w.folded) + 1
	}
	if size > l.work.variants {
		l.work.optionsLeft++
		return
	}
	l.work.variants -= size
	partner := map[int]int{}
	all := spellings(words, size)
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].hash == all[from].hash {
			to++
		}
		pairUp(words, all[from:to], partner)
		from = to
	}
	for at, w := range words {
		other, is := partner[at]
		if !is || told[w.option] {
			continue
		}
		told[w.option] = true
		l.info(l.optionAt(i, w.option, w.what), "options_one_letter_apart",
			intray.NewMessage("lint.options_one_letter_apart", intray.Params{"name": shorten(w.text), "other": shorten(words[other].text), "path": indexed("selectOptions", words[other].option)}))
	}
}

// differing leaves names that may be one letter apart from others, each once.
func differing(words []optionWord) []optionWord {
	seen := map[string]bool{}
	var kept []optionWord
	for _, w := range words {
		if len(w.folded) < shortWord || len(w.folded) > longName || seen[w.folded] {
			continue
		}
		seen[w.folded] = true
		kept = append(kept, w)
	}
	return kept
}

// hashBase is the multiplier of the hash, an odd number without a pattern.
const hashBase = 0x9E3779B97F4A7C15

// spellings gives those of all names, sorted.
func spellings(words []optionWord, size int) []spelling {
	all := make([]spelling, 0, size)
	for at, w := range words {
		before := uint64(0)
		suffix, power := uint64(0), uint64(1)
		// after[k] is the hash of what follows byte k, powers[k] its weight.
		var after, powers [longName + 1]uint64
		for k := len(w.folded); k >= 0; k-- {
			after[k], powers[k] = suffix, power
			if k > 0 {
				suffix += (uint64(w.folded[k-1]) + 1) * power
				power *= hashBase
			}
		}
		all = append(all, spelling{suffix, at})
		for k, r := range w.folded {
			end := k + utf8.RuneLen(r)
			all = append(all, spelling{before*powers[end] + after[end], at})
			for _, c := range []byte(w.folded[k:end]) {
				before = before*hashBase + uint64(c) + 1
			}
		}
	}
	slices.SortFunc(all, func(a, b spelling) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return a.word - b.word
	})
	return all
}

// pairUp finds for each name with a spelling another one that is before it and
// one letter apart.
func pairUp(words []optionWord, same []spelling, partner map[int]int) {
	for k, s := range same {
		for _, before := range same[max(0, k-neighbours):k] {
			if first, is := partner[s.word]; is && first <= before.word || before.word == s.word {
				continue
			}
			if words[before.word].option != words[s.word].option && oneLetterApart(words[before.word].folded, words[s.word].folded) {
				partner[s.word] = before.word
			}
		}
	}
}

// oneLetterApart says whether two names are alike but for one long word, and
// this word but for one letter, or two neighbours that changed places.
func oneLetterApart(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	differs := -1
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if differs >= 0 {
			return false
		}
		differs = i
	}
	return differs >= 0 && wordsApart([]rune(x[differs]), []rune(y[differs]))
}

func wordsApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < shortWord || len(b)-len(a) > 1 || !lettersOnly(a) || !lettersOnly(b) {
		return false
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	x, y := a[start:], b[start:]
	if len(a) < len(b) {
		return slices.Equal(x, y[1:])
	}
	swapped := len(x) > 1 && x[0] == y[1] && x[1] == y[0] && slices.Equal(x[2:], y[2:])
	return swapped || slices.Equal(x[1:], y[1:])
}

// lettersOnly keeps codes out, in which one character is all the difference.
func lettersOnly(word []rune) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

package lexicon

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// Languages returns the number of languages in which the concept has names.
func (c *Concept) Languages() int { return bits.OnesCount64(c.langs) }

// Concepts returns the names of all concepts, sorted.
func (l *Lexicon) Concepts() []string { return slices.Sorted(maps.Keys(l.concepts)) }

// Languages returns the language codes in a set from Reading.Languages.
func (l *Lexicon) Languages(set uint64) string {
	var codes []string
	for i, code := range l.languages {
		if set&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, ", ")
}

// Package lexicon reads the names of columns in many languages.
//
//   - A [Concept] is something that a column holds: a first name, an amount, a
//     postal code. It has names in many languages.
//   - A [Qualifier] says which one: the billing address, the date of birth, the
//     email address of the guardian. It belongs to a facet, and two of one
//     facet exclude each other.
//   - A [Reading] is what a text means: one concept and its qualifiers.
//   - A [Lexicon] holds the concepts and qualifiers and reads texts.
//
// Concepts, qualifiers and their names are in text files that people can edit;
// words.md describes the format. Comparing columns with fields and reading
// cells are out of scope.
package lexicon

import (
	"embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Never is the cost of what is impossible.
const Never = 1.0

// Concept is something that a column holds.
type Concept struct {
	// Name is the concept's own name, such as first_name.
	Name string
	// Values is the kind of its values: text, date, email and so on.
	Values string
	// Not are the names of concepts that are easily confused with it.
	Not []string
	// Few explains why it has names in few languages, or is "".
	Few string
	// With and Then are concepts, or "": if a file has a column for With
	// and none for this concept, its column for Then is treated as this one.
	// Next to a first name, a name is the last name.
	With, Then string
	// Bare is the additional cost of a column that names none of the qualifiers
	// that make the concept.
	Bare float64
	// Unsaid and Extra are the costs, from 0 to Never, if the concept is part
	// of another one, as in "country code": Unsaid for a column that does not
	// name it, Extra for a field that does not.
	Unsaid, Extra float64

	head            string
	qualifiers      []string
	substituteCosts map[string]float64
	langs           uint64
}

// Head returns the concept of which this one is a special case, or its own
// name.
func (c *Concept) Head() string { return c.head }

// Qualifiers returns the qualifiers that make the special case.
func (c *Concept) Qualifiers() []string { return c.qualifiers }

// Languages returns the number of languages in which it has names.
func (c *Concept) Languages() int { return bits.OnesCount64(c.langs) }

// SubstituteCost returns the cost, from 0 to Never, of treating a column of the
// other concept as this one.
func (c *Concept) SubstituteCost(other string) float64 {
	if c.Name == other {
		return 0
	}
	if cost, ok := c.substituteCosts[other]; ok {
		return cost
	}
	return Never
}

// Qualifier distinguishes several things of one concept.
type Qualifier struct {
	// Name is the qualifier's own name, such as billing.
	Name string
	// Facet is what it describes: the role, the place, the event. Two of one
	// facet exclude each other.
	Facet string
	// Unsaid is the cost, from 0 to Never, of treating a column without it as a
	// field with it. Extra is the cost of the reverse.
	Unsaid, Extra float64
	// Same requires that all cells of a column that does not name the qualifier
	// are equal, Differ that they are not.
	Same, Differ bool
	// Alone is the meaning of the qualifier without a concept, or "".
	Alone string

	substituteCosts map[string]float64
	langs           uint64
}

// SubstituteCost returns the cost of treating the other qualifier as this one.
func (q *Qualifier) SubstituteCost(other string) float64 {
	if q.Name == other {
		return 0
	}
	if cost, ok := q.substituteCosts[other]; ok {
		return cost
	}
	return Never
}

// Lexicon holds concepts, qualifiers and their names. It is immutable and safe
// for concurrent use.
type Lexicon struct {
	concepts   map[string]*Concept
	qualifiers map[string]*Qualifier
	// names holds the senses of each folded name without its spaces.
	names map[string][]sense
	noise map[string]bool
	// sides holds the sides of opposites by the folded word; pairs is the
	// number of pairs.
	sides map[string][]side
	pairs int

	languages []string
	// typoIndex holds the names of one word by first letter and length, to find
	// misspelled ones.
	typoIndex map[typoKey][]string
}

type typoKey struct {
	first  rune
	length int
}

// sense is one meaning of a name.
type sense struct {
	concept   *Concept
	qualifier *Qualifier
	// doubtful names mean something else as well.
	doubtful bool
	langs    uint64
}

func (s sense) sameTarget(other sense) bool {
	return s.concept == other.concept && s.qualifier == other.qualifier
}

// Concept returns the concept with this name, or nil.
func (l *Lexicon) Concept(name string) *Concept { return l.concepts[name] }

// Qualifier returns the qualifier with this name, or nil.
func (l *Lexicon) Qualifier(name string) *Qualifier { return l.qualifiers[name] }

// Concepts returns the names of all concepts, sorted.
func (l *Lexicon) Concepts() []string {
	var all []string
	for name := range l.concepts {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Languages returns the codes of a set of languages of a Reading.
func (l *Lexicon) Languages(set uint64) string {
	var codes []string
	for i, code := range l.languages {
		if set&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, ", ")
}

//go:embed *.txt
var files embed.FS

// standard is read when it is first needed.
var standard = sync.OnceValues(func() (*Lexicon, error) { return Parse(files) })

// Standard returns Intray's own lexicon. Its error, which names file and line,
// is one of the files in this folder.
func Standard() (*Lexicon, error) { return standard() }

// Substitutes returns the names of the concepts whose columns can replace this
// one, at a cost below Never.
func (c *Concept) Substitutes() []string {
	var all []string
	for name, cost := range c.substituteCosts {
		if cost < Never {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// side is one side of a pair of opposites: old and new are two sides.
type side struct{ pair, number int }

// Sides are the sides that a text is on.
type Sides []side

// Sides returns the sides that the words of a text are on. If a longer run of
// words is on a side, its parts are not: "opt out" is not "out".
func (l *Lexicon) Sides(text string) Sides {
	words := SplitWords(text)
	words = words[:min(len(words), maxWords)]
	var all Sides
	for begin := 0; begin < len(words); {
		length := 1
		for n := min(maxOppositeWords, len(words)-begin); n > 0; n-- {
			if found := l.sides[strings.Join(words[begin:begin+n], "")]; len(found) > 0 {
				all, length = append(all, found...), n
				break
			}
		}
		begin += length
	}
	return all
}

// maxOppositeWords is the most words of one side.
const maxOppositeWords = 4

// Opposed reports whether two texts are on different sides of a pair, so that
// one is never the other. A text on both sides is opposed to none.
func (s Sides) Opposed(to Sides) bool {
	return slices.ContainsFunc(s, func(own side) bool {
		return s.onlySide(own) && slices.ContainsFunc(to, func(other side) bool {
			return other.pair == own.pair && other.number != own.number && to.onlySide(other)
		})
	})
}

// onlySide reports whether this is the only side of its pair.
func (s Sides) onlySide(one side) bool {
	return !slices.ContainsFunc(s, func(other side) bool { return other.pair == one.pair && other.number != one.number })
}

// parseOpposites parses opposites: names of one side, a bar, names of the
// other.
func (p *parser) parseOpposites(language, rest string) error {
	if len(language) != 2 {
		return p.errorf("%q is not a language code of two letters", language)
	}
	parts := strings.Split(rest, "|")
	if len(parts) < 2 {
		return p.errorf("%q has one side: put a bar between words that exclude one another", rest)
	}
	for number, names := range parts {
		for name := range strings.SplitSeq(names, ",") {
			key := strings.Join(SplitWords(name), "")
			if key == "" {
				return p.errorf("the name %q has no letters", name)
			}
			one := side{p.block.opposites, number}
			if !slices.Contains(p.lexicon.sides[key], one) {
				p.lexicon.sides[key] = append(p.lexicon.sides[key], one)
			}
		}
	}
	return nil
}

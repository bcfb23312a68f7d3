// Package lexicon knows what the columns of tables are called, in many
// languages.
//
// The nouns:
//
//   - A [Concept] is something that a column holds: a first name, an amount, a
//     postal code. It has names in many languages.
//   - A [Qualifier] says which one: the billing address, the date of birth, the
//     e-mail address of the guardian. It belongs to a facet, and two of one
//     facet exclude each other.
//   - A [Reading] is what a text means: one concept and the qualifiers that go
//     with it.
//   - A [Lexicon] holds the concepts and qualifiers and reads texts.
//
// Concepts, qualifiers and their names are kept as text files that a person
// can edit; words.md beside them tells how. The package compares no columns
// with fields and does not look at cells.
package lexicon

import (
	"embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Never is the cost of what must not be.
const Never = 1.0

// Concept is something that a column holds.
type Concept struct {
	// Name is the concept's own name, such as first_name.
	Name string
	// Values says what its cells look like: text, date, email and so on.
	Values string
	// Not are the names of concepts that it is easily taken for and is not.
	Not []string
	// Few says why it has names in few languages, or is "".
	Few string
	// Beside and Then are concepts, or "": where a file has a column for Beside
	// and none for this one, its column for Then is taken for this one. Beside
	// a first name, a name is the last name.
	Beside, Then string
	// Bare is what it costs besides that a column says none of the qualifiers
	// that make the concept.
	Bare float64
	// Unsaid and Extra are the costs, from 0 to Never, of the concept where it
	// goes with another one, as in "country code": of a column that does not
	// say it, and of a field that does not.
	Unsaid, Extra float64

	head            string
	qualifiers      []string
	substituteCosts map[string]float64
	langs           uint64
}

// Head is the concept that this one is a special case of, or its own name.
func (c *Concept) Head() string { return c.head }

// Qualifiers are the qualifiers that make it one.
func (c *Concept) Qualifiers() []string { return c.qualifiers }

// Languages is the number of languages in which it has names.
func (c *Concept) Languages() int { return bits.OnesCount64(c.langs) }

// SubstituteCost gives what it costs to take a column of the other concept for this one,
// from 0 to Never.
func (c *Concept) SubstituteCost(other string) float64 {
	if c.Name == other {
		return 0
	}
	if cost, ok := c.substituteCosts[other]; ok {
		return cost
	}
	return Never
}

// Qualifier says which one of several things of one concept is meant.
type Qualifier struct {
	// Name is the qualifier's own name, such as billing.
	Name string
	// Facet is what it tells of: the role, the place, the event. Two of one
	// facet exclude each other.
	Facet string
	// Unsaid is the cost, from 0 to Never, of taking a column that does not
	// say it for a field that does; Extra is that of the reverse.
	Unsaid, Extra float64
	// Same says that all cells of a column that does not name the qualifier must
	// be alike to be taken for it, and Differ that they must not.
	Same, Differ bool
	// Alone is the concept that the qualifier means where nothing else is
	// said, or "".
	Alone string

	substituteCosts map[string]float64
	langs           uint64
}

// SubstituteCost gives what it costs to take the other qualifier for this one.
func (q *Qualifier) SubstituteCost(other string) float64 {
	if q.Name == other {
		return 0
	}
	if cost, ok := q.substituteCosts[other]; ok {
		return cost
	}
	return Never
}

// Lexicon holds concepts, qualifiers and their names. It does not change and
// may be used by many at once.
type Lexicon struct {
	concepts   map[string]*Concept
	qualifiers map[string]*Qualifier
	// names are the senses of each folded name without its spaces.
	names map[string][]sense
	noise map[string]bool
	// sides are those that words which exclude one another stand on, by the
	// folded word; pairs is the number of such blocks.
	sides map[string][]side
	pairs int

	languages []string
	// typoIndex hold the names of one word by first letter and length, for those
	// that are misspelled.
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
	// doubtful names stand for something else as well.
	doubtful bool
	langs    uint64
}

func (s sense) sameTarget(other sense) bool {
	return s.concept == other.concept && s.qualifier == other.qualifier
}

// Concept gives the concept of that name, or nil.
func (l *Lexicon) Concept(name string) *Concept { return l.concepts[name] }

// Qualifier gives the qualifier of that name, or nil.
func (l *Lexicon) Qualifier(name string) *Qualifier { return l.qualifiers[name] }

// Concepts are the names of all concepts, in order.
func (l *Lexicon) Concepts() []string {
	var all []string
	for name := range l.concepts {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Languages writes the codes of the languages of a set, as a Reading has them.
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

// standard is read once, when it is first asked for.
var standard = sync.OnceValues(func() (*Lexicon, error) { return Parse(files) })

// Standard gives the lexicon that Intray comes with. The error, which names
// file and line, is that of the files in this folder.
func Standard() (*Lexicon, error) { return standard() }

// Substitutes are the names of the concepts of which a column will do for this one,
// at a cost below Never.
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

// side is one of those that exclude one another: old and new are two sides of one
// pair.
type side struct{ pair, number int }

// Sides are what a text says of pairs that exclude one another, such as old and
// new.
type Sides []side

// Sides gives the sides that the words of a text stand on. Where a longer run of
// words stands on a side, its parts do not: "opt out" is not "out".
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

// maxOppositeWords is the most words that stand on a side together.
const maxOppositeWords = 4

// Opposed says whether two texts are on different sides of a pair, so that one is
// never the other. A text on both sides is opposed to none.
func (s Sides) Opposed(to Sides) bool {
	return slices.ContainsFunc(s, func(own side) bool {
		return s.onlySide(own) && slices.ContainsFunc(to, func(other side) bool {
			return other.pair == own.pair && other.number != own.number && to.onlySide(other)
		})
	})
}

// onlySide says whether the pair is spoken of on this side alone.
func (s Sides) onlySide(one side) bool {
	return !slices.ContainsFunc(s, func(other side) bool { return other.pair == one.pair && other.number != one.number })
}

// parseOpposites reads the words of a block that exclude one another: names of one side,
// a bar, names of the next.
func (p *parser) parseOpposites(language, rest string) error {
	if len(language) != 2 {
		return p.errorf("%q is no language of two letters", language)
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

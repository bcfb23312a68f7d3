// Package lexicon reads the names of columns in many languages.
//
//   - A [Concept] is what a column contains, such as first names, amounts or postal codes.
//     It has names in many languages.
//   - A [Qualifier] makes a concept more specific, such as billing in billing address or
//     birth in date of birth. It belongs to a facet. Two qualifiers of one facet exclude each
//     other.
//   - A [Reading] is one meaning of a header or field name: a concept and its qualifiers.
//   - A [Lexicon] holds the concepts and qualifiers and reads names.
//
// Concepts, qualifiers and their names are in text files that people can edit. The format
// is described in words.md. The package does not compare columns with fields or read cells.
package lexicon

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

// Never is the cost of an impossible match.
const Never = 1.0

// Concept is what a column can contain, such as first names.
type Concept struct {
	// Name identifies the concept, such as first_name.
	Name string
	// Values is the kind of the values, such as text, date or email.
	Values string
	// Not lists the names of concepts that are easily confused with this one.
	Not []string
	// Few explains why the concept has names in few languages, or is "".
	Few string
	// Cues are the situations in which a column for a different concept is treated as this one.
	Cues []Cue
	// Bare is the additional cost of a column that names none of the qualifiers that define
	// the concept.
	Bare float64
	// Unsaid and Extra are costs, from 0 to Never, that apply if the concept is part of a
	// second concept, as in "country code". Unsaid is the cost if the column does not
	// mention this concept. Extra is the cost if the field does not mention it.
	Unsaid, Extra float64

	head            string
	qualifiers      []string
	substituteCosts map[string]float64
	langs           uint64
}

// Cue is a situation in which a column for one concept is treated as a different concept, if the
// file has no column for the latter.
type Cue struct {
	Kind CueKind
	// First is the concept of the column that is the cue. Then is the concept of the column that
	// is treated as a different concept.
	First, Then string
}

// CueKind is the kind of a cue.
type CueKind uint8

const (
	// CueWith requires a column for First anywhere in the file. For example, if a file has a
	// column for first names, its column for names may contain last names.
	CueWith CueKind = iota
	// CueClaims is like CueWith, but the usual meaning of the column becomes less certain. For
	// example, if a file has a column for article numbers and none for article names, its
	// description contains the names.
	CueClaims
	// CueAfter requires that a column for First directly precedes the column for Then.
	CueAfter
	// CueNextTo requires that a column for First is directly before or after the column for Then,
	// and that the concept is a lesser meaning of the latter. For example, "Estado" usually means
	// a status, but next to a city it is a state.
	CueNextTo
)

// Head returns the name of the concept of which this one is a special case, or the name of
// the concept itself.
func (c *Concept) Head() string { return c.head }

// Qualifiers returns the qualifiers that define the special case.
func (c *Concept) Qualifiers() []string { return c.qualifiers }

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

// Qualifier distinguishes columns of the same concept.
type Qualifier struct {
	// Name identifies the qualifier, such as billing.
	Name string
	// Facet is the aspect that the qualifier describes, such as the role, the place or the
	// event. Two qualifiers of one facet exclude each other.
	Facet string
	// Unsaid is the cost, from 0 to Never, of mapping a column without the qualifier to a
	// field that has it. Extra is the cost of the reverse.
	Unsaid, Extra float64
	// Same is set if a column without the qualifier in its header must repeat at least one
	// value. Differ is set if such a column must have at least two different values.
	Same, Differ bool
	// Alone names the concept that the qualifier means in a name without a concept, or is "".
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
	// names maps folded names without spaces to their senses.
	names map[string][]sense
	noise map[string]bool
	// sides maps folded words to sides of pairs of opposites. pairs is the number of pairs.
	sides map[string][]side
	pairs int

	// cued holds the sorted names of the concepts with cues.
	cued      []string
	languages []string
	// typoIndex holds the one-word names by first letter and length. It is used to find
	// misspelled names.
	typoIndex map[typoKey][]string
	// specialCases maps a head and its qualifiers to the name of the special case.
	specialCases map[string]string
	// long holds the names that may be abbreviated. longNames holds their positions.
	long      []longName
	longNames map[longKey][]int32
}

type typoKey struct {
	first  rune
	length int
}

// sense is one meaning of a name.
type sense struct {
	concept   *Concept
	qualifier *Qualifier
	// doubtful is set if the name also has a different meaning.
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

// Cued returns the names of the concepts with cues, sorted.
func (l *Lexicon) Cued() []string { return slices.Clone(l.cued) }

//go:embed *.txt
var files embed.FS

// standard parses the embedded lexicon on first use.
var standard = sync.OnceValues(func() (*Lexicon, error) { return Parse(files) })

// Standard returns Intray's lexicon. An error concerns the files in this folder, and usually
// names the file and the line.
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

// side is one side of a pair of opposites, such as old or new.
type side struct{ pair, number int }

// Sides are the sides of pairs of opposites to which a name belongs.
type Sides []side

// Sides returns the sides to which the words of a name belong. If several consecutive words
// together belong to a side, the single words do not count: "opt out" is not "out".
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

// maxOppositeWords is the maximum number of consecutive words that belong to a side.
const maxOppositeWords = 4

// Opposed reports whether two names are on different sides of a pair. Such names never
// match. A name on both sides of a pair has no opposite.
func (s Sides) Opposed(to Sides) bool {
	return slices.ContainsFunc(s, func(own side) bool {
		return s.onlySide(own) && slices.ContainsFunc(to, func(other side) bool {
			return other.pair == own.pair && other.number != own.number && to.onlySide(other)
		})
	})
}

// onlySide reports whether s contains no other side of the same pair.
func (s Sides) onlySide(one side) bool {
	return !slices.ContainsFunc(s, func(other side) bool { return other.pair == one.pair && other.number != one.number })
}

// parseOpposites parses a line of opposites: sides separated by bars, each with names separated
// by commas.
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

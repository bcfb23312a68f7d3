package lexicon

import (
	"cmp"
	"slices"
	"strings"
)

// Reading is one meaning of a text.
type Reading struct {
	// Head is the concept. It is never a special case of another: the head of a
	// booking date is date, and booking a qualifier.
	Head string
	// Qualifiers are the qualifiers, sorted. A concept that is part of another,
	// as in "e-mail status", is a qualifier that starts with ~.
	Qualifiers []string
	// Named is the concept whose name is in the text, or "".
	Named string
	// Cost is what speaks against the reading, from 0: unknown words, ambiguous
	// names, typos.
	Cost float64
	// Doubtful reports whether the name means something else as well.
	Doubtful bool
	// Languages is the set of languages in which the name is known.
	Languages uint64

	// partCost is the cost of the concepts that are part of the head, compared
	// with other readings of the text.
	partCost float64
}

// CostDoubtful is the part of a Reading's cost that is due to doubt.
const CostDoubtful = 0.07

// The costs of readings.
const (
	costDoubtful  = CostDoubtful
	costWeakMark  = 0.02
	costPart      = 0.1
	costTypo      = 0.12
	costUnknown   = 0.55
	costFirstPart = 0.05
	costOtherPart = 0.09
)

// Read returns the meanings of a text, the cheapest first, or none if no word
// of it is known. It reads the first MaxText bytes.
func (l *Lexicon) Read(text string) []Reading { return l.read(text, false) }

// ReadFuzzy is like Read, but accepts words with one wrong, missing or
// additional letter. It takes longer.
func (l *Lexicon) ReadFuzzy(text string) []Reading { return l.read(text, true) }

func (l *Lexicon) read(text string, typos bool) []Reading {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	text, aside := brackets(text)
	marks := l.bracketQualifiers(aside, typos)
	all := l.phrase(text, typos)
	parts := alternatives(text)
	if clean := slices.ContainsFunc(all, func(r Reading) bool { return r.Cost < costFirstPart && !r.hasOtherConcept() }); len(parts) > 1 && !clean {
		for i, part := range parts {
			cost := costFirstPart
			if i > 0 {
				cost = costOtherPart
			}
			for _, r := range l.phrase(part, typos) {
				r.Cost += cost
				all = append(all, r)
			}
		}
	}
	for i := range all {
		all[i].Qualifiers = sorted(append(all[i].Qualifiers, marks...))
	}
	return distinct(all)
}

// hasOtherConcept reports whether another concept is part of the head.
func (r Reading) hasOtherConcept() bool {
	return slices.ContainsFunc(r.Qualifiers, func(m string) bool { return m[0] == '~' })
}

// brackets returns a text without what is in brackets, and that. A text that is
// entirely in brackets stays.
func brackets(text string) (rest, aside string) {
	var outer, inner strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("([{（【［", r):
			depth++
			outer.WriteByte(' ')
			inner.WriteByte(' ')
		case strings.ContainsRune(")]}）】］", r) && depth > 0:
			depth--
		case depth > 0:
			inner.WriteRune(r)
		default:
			outer.WriteRune(r)
		}
	}
	if strings.TrimSpace(outer.String()) == "" {
		return inner.String(), ""
	}
	return outer.String(), inner.String()
}

// WithoutAside returns a text without what is in brackets. A text that is
// entirely in brackets stays.
func WithoutAside(text string) string {
	rest, _ := brackets(text)
	return rest
}

// bracketQualifiers returns the qualifiers that a text in brackets names.
func (l *Lexicon) bracketQualifiers(text string, typos bool) []string {
	if text == "" {
		return nil
	}
	var marks []string
	for _, s := range l.segments(SplitWords(text), typos) {
		for _, one := range s.senses {
			if one.qualifier != nil && !one.doubtful {
				marks = append(marks, one.qualifier.Name)
			}
		}
	}
	return marks
}

// alternatives returns the parts of "debit or credit", "Land/Region".
func alternatives(text string) []string {
	for _, or := range []string{" or ", " oder ", " ou ", " and ", "／", "・", "|"} {
		text = strings.ReplaceAll(text, or, "/")
	}
	var parts []string
	for part := range strings.SplitSeq(text, "/") {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func sorted(marks []string) []string {
	slices.Sort(marks)
	return slices.Compact(marks)
}

// distinct returns the cheapest of all readings with the same meaning, in order.
func distinct(all []Reading) []Reading {
	slices.SortStableFunc(all, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.Cost+a.partCost, b.Cost+b.partCost), cmp.Compare(a.Head, b.Head), cmp.Compare(a.Named, b.Named), slices.Compare(a.Qualifiers, b.Qualifiers))
	})
	var kept []Reading
	for _, r := range all {
		if !slices.ContainsFunc(kept, func(k Reading) bool {
			return k.Head == r.Head && k.Named == r.Named && slices.Equal(k.Qualifiers, r.Qualifiers)
		}) {
			kept = append(kept, r)
		}
	}
	return kept
}

// phrase returns the meanings of consecutive words.
func (l *Lexicon) phrase(text string, typos bool) []Reading {
	parts := l.segments(SplitWords(text), typos)
	letters, unknown, cost := 0, 0, 0.0
	for _, p := range parts {
		if p.noise {
			continue
		}
		letters += p.letters
		if len(p.senses) == 0 {
			unknown += p.letters
		}
		if p.typo {
			cost += costTypo
		}
	}
	if letters == unknown {
		return nil
	}
	cost += costUnknown * float64(unknown) / float64(letters)
	var all []Reading
	for i, p := range parts {
		for _, s := range p.senses {
			if s.concept == nil {
				continue
			}
			all = append(all, readWithHead(parts, i, s, cost, 0))
			if slices.ContainsFunc(parts, func(p segment) bool { return p.qualifier(1) != "" }) {
				all = append(all, readWithHead(parts, i, s, cost, 1))
			}
		}
	}
	if len(all) == 0 || qualifiersOnly(parts) {
		all = append(all, l.readQualifiers(parts, cost)...)
	}
	return all
}

// qualifiersOnly reports whether each known part may be a qualifier.
func qualifiersOnly(parts []segment) bool {
	return !slices.ContainsFunc(parts, func(p segment) bool {
		return len(p.senses) > 0 && !slices.ContainsFunc(p.senses, func(s sense) bool { return s.qualifier != nil && !s.doubtful })
	})
}

// readWithHead reads the parts with one of them as the head. If a part has
// several qualifiers, number selects one.
func readWithHead(parts []segment, head int, s sense, cost float64, number int) Reading {
	r := Reading{Head: s.concept.head, Qualifiers: slices.Clone(s.concept.qualifiers), Named: s.concept.Name, Cost: cost, Languages: s.langs}
	if s.doubtful {
		r.Cost, r.Doubtful = r.Cost+costDoubtful, true
	}
	for i, p := range parts {
		if i == head || len(p.senses) == 0 {
			continue
		}
		marks, more, doubt := readAsQualifiers(p, s.concept, number)
		r.Qualifiers = append(r.Qualifiers, marks...)
		r.Cost += doubt
		r.partCost += more
	}
	r.Qualifiers = sorted(r.Qualifiers)
	return r
}

// qualifier returns the name of one of the qualifiers that the part certainly
// means, or "".
func (s segment) qualifier(number int) string {
	for _, one := range s.senses {
		if one.qualifier != nil && !one.doubtful {
			if number == 0 {
				return one.qualifier.Name
			}
			number--
		}
	}
	return ""
}

// readAsQualifiers reads a part that qualifies the concept. It returns what the
// part costs compared with other readings, and in any case.
func readAsQualifiers(p segment, head *Concept, number int) (marks []string, partCost, doubt float64) {
	if name := p.qualifier(number); name != "" {
		return []string{name}, 0, 0
	}
	for _, doubtful := range []bool{false, true} {
		for _, s := range p.senses {
			switch {
			case s.doubtful != doubtful:
			case s.qualifier != nil && doubtful:
				return []string{s.qualifier.Name}, 0, costWeakMark
			case s.qualifier != nil:
				return []string{s.qualifier.Name}, 0, 0
			case s.concept == head:
				return nil, 0, 0
			}
		}
	}
	other := p.senses[0].concept
	if other.head == head.head {
		return other.qualifiers, costPart, 0
	}
	if other.head != other.Name && other.head == "name" {
		return append(slices.Clone(other.qualifiers), "~"+other.head), costPart, 0
	}
	return []string{"~" + other.Name}, min(costPart, other.Extra), 0
}

// thingFacet is the facet of qualifiers that name a thing themselves: the
// address in "delivery address".
const thingFacet = "-"

// readQualifiers reads parts without a concept: "recipient", "paid on".
func (l *Lexicon) readQualifiers(parts []segment, cost float64) []Reading {
	var marks []string
	var heads, things []sense
	for _, p := range parts {
		for _, s := range p.senses {
			if s.qualifier == nil {
				continue
			}
			marks = append(marks, s.qualifier.Name)
			switch {
			case s.qualifier.Facet == thingFacet:
				things = append(things, s)
			case s.qualifier.Alone != "":
				heads = append(heads, s)
			}
			break
		}
	}
	if len(things) > 0 {
		heads = things
	}
	var all []Reading
	for _, s := range heads {
		c := l.concepts[s.qualifier.Alone]
		r := Reading{Head: c.head, Qualifiers: sorted(slices.Concat(marks, c.qualifiers)), Named: c.Name, Cost: cost + costWeakMark, Languages: s.langs}
		if s.doubtful {
			r.Cost, r.Doubtful = r.Cost+costDoubtful, true
		}
		all = append(all, r)
	}
	return all
}

package lexicon

import (
	"cmp"
	"slices"
	"strings"
)

// Reading is one meaning of a name.
type Reading struct {
	// Head is the name of the concept, which is never a special case of a different
	// concept. For example, the head of a booking date is date, and booking is a qualifier.
	Head string
	// Qualifiers holds the names of the qualifiers, sorted. A concept that is part of the
	// head, such as e-mail in "e-mail status", is a qualifier that starts with ~.
	Qualifiers []string
	// Named is the concept whose name occurs in the text, or "".
	Named string
	// Cost is the cost of the reading, at least 0. Unknown words, ambiguous names and typos
	// increase it.
	Cost float64
	// Doubtful reports whether the name also has a different meaning.
	Doubtful bool
	// Languages is the set of languages that have the name. See Lexicon.Languages.
	Languages uint64

	// partCost is the cost of the concepts that are part of the head. It counts only in
	// comparisons with other readings of the same text.
	partCost float64
}

// CostDoubtful is the part of Reading.Cost that a doubtful name adds.
const CostDoubtful = 0.07

// These are the costs of readings.
const (
	costDoubtful = CostDoubtful
	costWeakMark = 0.02
	costPart     = 0.1
	costTypo     = 0.12
	// costAbbreviation is the cost of an abbreviation with a full stop, and costUndotted of one
	// without. costAnyLanguage is added if the language is unknown or different.
	costAbbreviation = 0.015
	costUndotted     = 0.03
	costAnyLanguage  = 0.01
	costDescribed    = 0.01
	costUnknown      = 0.55
	costFirstPart    = 0.04
	costOtherPart    = 0.09
)

// Read returns the readings of text in ascending order of cost, or none if text contains no
// known word. It reads only the first MaxText bytes.
func (l *Lexicon) Read(text string) []Reading { return l.read(text, readOptions{}) }

// ReadFuzzy is like Read, but accepts words with one wrong, missing or additional letter, or
// with two swapped letters. It is slower.
func (l *Lexicon) ReadFuzzy(text string) []Reading { return l.read(text, readOptions{typos: true}) }

func (l *Lexicon) read(text string, o readOptions) []Reading {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	text, aside := brackets(text)
	marks := l.bracketQualifiers(aside, o)
	all := l.phrase(text, o)
	parts := alternatives(text)
	if clean := slices.ContainsFunc(all, func(r Reading) bool { return r.Cost < costFirstPart && !r.hasOtherConcept() }); len(parts) > 1 && !clean {
		before, first := len(all), []Reading(nil)
		for i, part := range parts {
			cost := costFirstPart
			if i > 0 {
				cost = costOtherPart
			}
			for _, r := range l.phrase(part, o) {
				r.Cost += cost
				all = append(all, r.inherit(first))
			}
			if i == 0 {
				first = slices.Clone(all[before:])
			}
		}
	}
	for i := range all {
		all[i].Qualifiers = sorted(append(all[i].Qualifiers, marks...))
		if special, ok := l.specialCases[caseKey(all[i].Head, all[i].Qualifiers)]; ok && all[i].Named == all[i].Head {
			all[i].Named = special
		}
	}
	return distinct(all)
}

// caseKey returns a key for a concept with qualifiers.
func caseKey(head string, qualifiers []string) string {
	return head + " " + strings.Join(qualifiers, " ")
}

// inherit returns the reading of an alternative with the qualifiers of the first alternative for
// the same concept: "Payee account or IBAN" is the account or the IBAN of the payee.
func (r Reading) inherit(first []Reading) Reading {
	for _, f := range first {
		if f.Head == r.Head && len(r.Qualifiers) == 0 && !f.hasOtherConcept() {
			r.Named, r.Qualifiers = f.Named, slices.Clone(f.Qualifiers)
			break
		}
	}
	return r
}

// hasOtherConcept reports whether a second concept is part of the head.
func (r Reading) hasOtherConcept() bool {
	return slices.ContainsFunc(r.Qualifiers, func(m string) bool { return m[0] == '~' })
}

// brackets returns the text outside brackets as rest and the text inside brackets as aside. If
// all of the text is in brackets, rest is the text without the brackets, and aside is empty.
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

// WithoutAside returns text without the parts in brackets. If all of the text is in
// brackets, it only removes the brackets.
func WithoutAside(text string) string {
	rest, _ := brackets(text)
	return rest
}

// bracketQualifiers returns the qualifiers that are named in brackets. The given text has no
// brackets.
func (l *Lexicon) bracketQualifiers(text string, o readOptions) []string {
	if text == "" {
		return nil
	}
	var marks []string
	for _, s := range l.segments(splitWords(text), o) {
		for _, one := range s.senses {
			if one.qualifier != nil && !one.doubtful {
				marks = append(marks, one.qualifier.Name)
			}
		}
	}
	return marks
}

// alternatives splits text that names alternatives, such as "debit or credit" or "Land/Region".
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

// distinct returns, for each meaning, the reading with the lowest cost. The reading with the
// lowest cost comes first.
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

// phrase returns the readings of consecutive words.
func (l *Lexicon) phrase(text string, o readOptions) []Reading {
	parts := l.segments(splitWords(text), o)
	letters, unknown, cost := 0, 0, 0.0
	for _, p := range parts {
		if p.noise {
			continue
		}
		letters += p.letters
		if len(p.senses) == 0 {
			unknown += p.letters
		}
		cost += p.cost
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
			all = append(all, l.readWithHead(parts, i, s, cost, 0))
			if slices.ContainsFunc(parts, func(p segment) bool { return p.qualifier(1) != "" }) {
				all = append(all, l.readWithHead(parts, i, s, cost, 1))
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

// readWithHead returns the reading in which the given part is the head. If a part may mean
// several qualifiers, number selects one.
func (l *Lexicon) readWithHead(parts []segment, head int, s sense, cost float64, number int) Reading {
	r := Reading{Head: s.concept.head, Qualifiers: slices.Clone(s.concept.qualifiers), Named: s.concept.Name, Cost: cost, Languages: s.langs}
	if s.doubtful {
		r.Cost, r.Doubtful = r.Cost+costDoubtful, true
	}
	for i, p := range parts {
		if i == head || len(p.senses) == 0 {
			continue
		}
		marks, more, doubt := l.readAsQualifiers(p, s.concept, number)
		r.Qualifiers = append(r.Qualifiers, marks...)
		r.Cost += doubt
		r.partCost += more
	}
	r.Qualifiers = sorted(r.Qualifiers)
	return r
}

// qualifier returns the name of one qualifier that the part certainly means, or "". number
// selects the qualifier if there are several.
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

// readAsQualifiers reads a part that qualifies the concept. It returns partCost, which
// counts only in comparisons with other readings, and doubt, which always counts.
func (l *Lexicon) readAsQualifiers(p segment, head *Concept, number int) (marks []string, partCost, doubt float64) {
	if cost, ok := l.addsNothing(p, head); ok {
		return nil, 0, cost
	}
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

// addsNothing reports whether a part does not change the meaning of the concept, and returns the
// doubt that it adds: a word for number next to a telephone or an account, as in "Fax No.", a more
// general word, as in "phone.mobile", or a word for description next to a value that needs none,
// as in "Job Title Description".
func (l *Lexicon) addsNothing(p segment, head *Concept) (doubt float64, ok bool) {
	for _, s := range p.senses {
		c := s.concept
		switch {
		case c == nil || c == head:
		case c.Name == "id" && (head.Values == "phone" || head.Values == "iban"):
			return 0, true
		case c.Values == "phone" && c.SubstituteCost(head.Name) < Never:
			return 0, true
		case c.Name == "description" && head.Values == "any" && head.head == head.Name:
			return costDescribed, true
		}
	}
	return 0, false
}

// thingFacet is the facet of qualifiers that are themselves the noun, such as address in
// "delivery address".
const thingFacet = "-"

// readQualifiers reads parts that contain no concept, such as "recipient" or "paid on".
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

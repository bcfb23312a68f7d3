package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// meaning is what one name of a field means.
type meaning struct {
	lexicon.Reading
	// name is the field's name that means it.
	name name
	// named reports whether the text mentions a name: "Company name", but not
	// "Company".
	named bool
	// many reports whether the field takes several columns, so that the second
	// and the third match too.
	many bool
}

// What a difference between a field and a column costs beyond the lexicon's
// costs.
const (
	// fieldDoubt is how much of the doubt about a field's own name counts: its
	// author knows what it means.
	fieldDoubt = 0.4
	// costLesser is for what a name may mean in addition to its certain
	// meaning: a person is asked.
	costLesser = 0.03
	// costUnnamed is for a field such as "Company" and a column that names
	// another role, such as "Customer".
	costUnnamed = 0.1
	// nearRole is the cost up to which a role is as good as the other.
	nearRole = 0.05
)

// schemaFactor is the part of its cost that an object counts which the schema
// mentions.
const schemaFactor = 0.4

// meanings reads the names of a field. The key counts if the label means
// nothing, or less.
func meanings(l *lexicon.Lexicon, f intray.Field, many bool) []meaning {
	label := readMeanings(l, name{kind: labelName, text: f.Label})
	key := readMeanings(l, name{kind: keyName, text: f.Key})
	all := label
	switch {
	case len(label) == 0 || label[0].Cost > 0.2:
		all = slices.Concat(label, key)
	case len(label[0].Qualifiers) == 0 && len(key) > 0 && key[0].Head == label[0].Head && len(key[0].Qualifiers) > 0 && key[0].Cost < 0.1:
		all = key
	}
	for _, text := range f.AlternateMatches[:min(len(f.AlternateMatches), maxAlternates)] {
		all = append(all, readMeanings(l, name{kind: alternateName, text: text})...)
	}
	for i := range all {
		all[i].many = many
	}
	return filterByType(l, all, kindOf(f.Type.Name))
}

// maxAlternates is the most alternate names of a field that are looked up by
// meaning.
const maxAlternates = 50

func readMeanings(l *lexicon.Lexicon, n name) []meaning {
	readings := l.Read(n.text)
	all := make([]meaning, 0, len(readings))
	for _, r := range readings {
		if r.Doubtful && !readings[0].Doubtful {
			r.Cost += costLesser
		} else {
			r.Cost *= fieldDoubt
		}
		all = append(all, meaning{Reading: r, name: n, named: r.Head != "name" || saysName(l, n.text)})
	}
	return all[:min(len(all), maxReadings)]
}

// maxReadings is the most meanings of one text that are considered.
const maxReadings = 6

// saysName reports whether a text has a word for name.
func saysName(l *lexicon.Lexicon, text string) bool {
	for _, word := range lexicon.SplitWords(text) {
		for _, r := range l.Read(word) {
			if r.Head == "name" && len(r.Qualifiers) == 0 {
				return true
			}
		}
	}
	return false
}

// filterByType drops meanings whose values are not those of the field's type,
// if others remain.
func filterByType(l *lexicon.Lexicon, all []meaning, kind string) []meaning {
	kept := slices.DeleteFunc(slices.Clone(all), func(m meaning) bool { return !compatible(l.Concept(m.Named).Values, kind) })
	if len(kept) == 0 {
		return all
	}
	return kept
}

// compatible reports whether values of a concept may feed a field of a kind.
func compatible(values, kind string) bool {
	switch kind {
	case "", values:
		return true
	case "number":
		return slices.Contains([]string{"amount", "percent", "any"}, values)
	case "url", "domain":
		return slices.Contains([]string{"url", "domain", "any"}, values)
	case "date":
		return values == "time" || values == "any"
	}
	return values == "any" || values == "text" || values == "id" && kind != "email"
}

// distance returns the cost of treating what a column means as what a field
// means.
func (m meaning) distance(l *lexicon.Lexicon, q lexicon.Reading, home map[string]bool) float64 {
	if m.many {
		q.Qualifiers = slices.DeleteFunc(slices.Clone(q.Qualifiers), func(mark string) bool { return len(qualifiersOf(l, []string{mark}, "rank")) > 0 })
	}
	own, other := l.Concept(m.Named), l.Concept(q.Named)
	cost := m.Cost + q.Cost
	if m.Head == q.Head {
		if own != other && slices.Contains(own.Not, other.Name) && !slices.Contains(own.Substitutes(), other.Name) {
			return lexicon.Never
		}
		if !m.named && !containsAll(q.Qualifiers, m.Qualifiers) {
			if len(q.Qualifiers) == 0 {
				return lexicon.Never
			}
			if qualifierCost(l, m.Qualifiers, q.Qualifiers, home) > nearRole {
				cost += costUnnamed
			}
		}
		if own.Bare > 0 && len(extras(own.Qualifiers(), q.Qualifiers)) == len(own.Qualifiers()) {
			cost += own.Bare
		}
		return cost + min(qualifierCost(l, m.Qualifiers, q.Qualifiers, home), nearCase(own, other))
	}
	step, marks := min(own.SubstituteCost(other.Name), l.Concept(m.Head).SubstituteCost(other.Name)), other.Qualifiers()
	if step >= lexicon.Never {
		step, marks = min(own.SubstituteCost(q.Head), l.Concept(m.Head).SubstituteCost(q.Head)), nil
	}
	if step >= lexicon.Never {
		return lexicon.Never
	}
	rest := slices.DeleteFunc(slices.Clone(q.Qualifiers), func(mark string) bool { return slices.Contains(marks, mark) })
	if len(qualifiersOf(l, rest, "role")) > 0 && len(qualifiersOf(l, m.Qualifiers, "role")) == 0 {
		return lexicon.Never
	}
	wanted := slices.DeleteFunc(slices.Clone(m.Qualifiers), func(mark string) bool { return slices.Contains(own.Qualifiers(), mark) })
	return cost + step + qualifierCost(l, wanted, rest, home)
}

// nearCase is the cost of treating one case of a concept as another, such as
// the date on which an order was created as its date.
func nearCase(own, other *lexicon.Concept) float64 {
	if own == other {
		return lexicon.Never
	}
	return own.SubstituteCost(other.Name)
}

func containsAll(all, part []string) bool {
	return !slices.ContainsFunc(part, func(mark string) bool { return !slices.Contains(all, mark) })
}

// qualifierCost compares the qualifiers of the field with those of the column.
// home are the objects that the schema mentions.
func qualifierCost(l *lexicon.Lexicon, field, column []string, home map[string]bool) float64 {
	cost := 0.0
	for _, f := range field {
		if slices.Contains(column, f) {
			continue
		}
		cost += missingCost(l, f, column)
	}
	for _, c := range column {
		if slices.Contains(field, c) {
			continue
		}
		q := l.Qualifier(c)
		switch {
		case q == nil:
			cost += l.Concept(strings.TrimPrefix(c, "~")).Extra
		case qualifiersOf(l, field, q.Facet) == nil && q.Facet == "object" && home[c]:
			cost += q.Extra * schemaFactor
		case qualifiersOf(l, field, q.Facet) == nil:
			cost += q.Extra
		case !sharesFacet(l, field, column, q.Facet):
			// counted with the field's own qualifier
		default:
			cost += q.Extra / 2
		}
	}
	return cost
}

// missingCost is the cost of a qualifier of the field that the column lacks.
func missingCost(l *lexicon.Lexicon, mark string, column []string) float64 {
	q := l.Qualifier(mark)
	if q == nil {
		return l.Concept(strings.TrimPrefix(mark, "~")).Unsaid
	}
	other := qualifiersOf(l, column, q.Facet)
	if other == nil {
		return q.Unsaid
	}
	best := lexicon.Never
	for _, c := range other {
		best = min(best, q.SubstituteCost(c))
	}
	return best
}

// sharesFacet reports whether one of the field's qualifiers of the facet is
// among the column's.
func sharesFacet(l *lexicon.Lexicon, field, column []string, name string) bool {
	return slices.ContainsFunc(qualifiersOf(l, field, name), func(f string) bool { return slices.Contains(column, f) })
}

// qualifiersOf returns the qualifiers of one facet.
func qualifiersOf(l *lexicon.Lexicon, marks []string, name string) []string {
	var all []string
	for _, mark := range marks {
		if q := l.Qualifier(mark); q != nil && q.Facet == name {
			all = append(all, mark)
		}
	}
	return all
}

// describeReading describes a reading to people.
func describeReading(r lexicon.Reading) string {
	text := strings.ReplaceAll(r.Named, "_", " ")
	var marks []string
	for _, m := range r.Qualifiers {
		m = strings.ReplaceAll(strings.TrimPrefix(m, "~"), "_", " ")
		if !strings.Contains(text, m) {
			marks = append(marks, m)
		}
	}
	if len(marks) > 0 {
		text += " (" + strings.Join(marks, ", ") + ")"
	}
	return text
}

// extras returns the first marks that the second lack.
func extras(marks, of []string) []string {
	return slices.DeleteFunc(slices.Clone(marks), func(m string) bool { return slices.Contains(of, m) })
}

package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// meaning is the meaning of one name of a field.
type meaning struct {
	lexicon.Reading
	// name is the name of the field that has this meaning.
	name name
	// named is false if the meaning is the name of something but the text contains no word for
	// name: "Company" instead of "Company name".
	named bool
	// many reports whether the field is many-to-one, so that the second and third columns
	// of a series match, too.
	many bool
}

// These are the costs of differences between a field and a column, in addition to the costs
// in the lexicon.
const (
	// fieldDoubt is the share of the doubt that counts for the name of a field, because the
	// author of the schema knows the meaning.
	fieldDoubt = 0.4
	// costLesser is the cost of a meaning that a name may have in addition to its certain
	// meaning. It leads to a question.
	costLesser = 0.03
	// costUnnamed is the cost for a field such as "Company" and a column that names a
	// different role, such as "Customer".
	costUnnamed = 0.1
	// nearRole is the maximum cost at which two roles count as equally good.
	nearRole = 0.05
)

// schemaFactor is the share of the cost that counts for an object that the schema mentions.
const schemaFactor = 0.4

// meanings returns the meanings of the names of a field. The key counts if the label has no
// meaning or a less specific one.
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
	kept := slices.DeleteFunc(slices.Clone(all), func(m meaning) bool { return !compatible(l.Concept(m.Named).Values, kindOf(f.Type.Name)) })
	if len(kept) == 0 {
		return all
	}
	return kept
}

// maxAlternates is the maximum number of alternate names of a field that are looked up in
// the lexicon.
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

// maxReadings is the maximum number of meanings of a name that are considered.
const maxReadings = 6

// saysName reports whether text contains a word for name.
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

// compatible reports whether the values of a concept are acceptable for a field of the
// given kind.
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

// distance returns the cost of treating the meaning of a column as the meaning of a field.
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
		if !m.named && slices.ContainsFunc(m.Qualifiers, func(mark string) bool { return !slices.Contains(q.Qualifiers, mark) }) {
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

// nearCase returns the cost of treating one special case of a concept as a second one, such
// as the creation date of an order as the order date.
func nearCase(own, other *lexicon.Concept) float64 {
	if own == other {
		return lexicon.Never
	}
	return own.SubstituteCost(other.Name)
}

// qualifierCost returns the cost of the differences between the qualifiers of the field and
// those of the column. home holds the objects that the schema mentions.
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
		case !slices.ContainsFunc(qualifiersOf(l, field, q.Facet), func(f string) bool { return slices.Contains(column, f) }):
			// already counted with the qualifier of the field
		default:
			cost += q.Extra / 2
		}
	}
	return cost
}

// missingCost returns the cost of a qualifier that the field has but the column lacks.
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

// qualifiersOf returns the elements of marks that are qualifiers of the facet with the given
// name.
func qualifiersOf(l *lexicon.Lexicon, marks []string, name string) []string {
	var all []string
	for _, mark := range marks {
		if q := l.Qualifier(mark); q != nil && q.Facet == name {
			all = append(all, mark)
		}
	}
	return all
}

// describeReading returns a description of a reading for people.
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

// extras returns the elements of the first list that are not in the second.
func extras(marks, of []string) []string {
	return slices.DeleteFunc(slices.Clone(marks), func(m string) bool { return slices.Contains(of, m) })
}

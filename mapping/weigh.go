package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// weighing judges the columns that a field may have.
type weighing struct {
	index *index
	field intray.Field
	means []meaning
	// names are the words of each of the field's names.
	names [][]string
	// options are the names of the field's options.
	options map[string]bool
}

// fieldWords are the folded words of each name of a field.
func fieldWords(f intray.Field) [][]string {
	names := [][]string{strings.Fields(fold(f.Label)), strings.Fields(fold(f.Key))}
	for _, text := range f.AlternateMatches[:min(len(f.AlternateMatches), maxAlternates)] {
		names = append(names, strings.Fields(fold(text)))
	}
	return names
}

// weigh lets values and letters speak for or against a candidate.
func (w weighing) weigh(c *candidate, column intray.Column) {
	e := &w.index.entries[c.entry]
	if e.profile == nil {
		p := survey(column)
		e.profile = &p
	}
	if c.meaning.Head == "" && len(w.means) > 0 {
		c.meaning = w.means[0]
	}
	if !w.weighKinds(c, e.profile) {
		return
	}
	if c.meaning.Head == "id" && e.profile.counted {
		c.score = min(c.score, accept-0.05)
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.values_count_rows", nil)))
	}
	w.weighVariety(c, e.profile)
	w.weighOptions(c, column)
	c.words = plusWords * w.sharedWords(strings.Fields(e.folded))
	c.edge += c.words
	c.tells = w.tells(strings.Fields(e.folded))
}

// weighKinds judges the values by the kinds that the field takes and means; it is
// false where they cannot be it.
func (w weighing) weighKinds(c *candidate, p *profile) bool {
	kinds := []string{kindOf(w.field.Type.Name)}
	if c.meaning.Head != "" {
		kinds = append(kinds, w.index.lexicon.Concept(c.meaning.Named).Values)
	}
	sure := false
	for _, kind := range slices.Compact(kinds) {
		verdict, why := p.judge(kind)
		switch {
		case verdict == fitVeto:
			c.score = min(c.score, maxVetoed)
			c.reasons = append(c.reasons, why)
			return false
		case verdict == fitSure && !sure:
			sure = true
			c.score += (maxSure - c.score) * 0.3
			c.edge += plusValues
			c.reasons = append(c.reasons, why)
		}
	}
	return true
}

// weighVariety looks whether the values are as alike as the qualifiers want that
// the header does not say: an own account is the same in all rows.
func (w weighing) weighVariety(c *candidate, p *profile) {
	if p.total == 0 {
		c.score -= minusEmpty
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.no_values", nil)))
		return
	}
	for _, mark := range c.unsaid {
		q := w.index.lexicon.Qualifier(mark)
		switch {
		case q == nil || p.total < enoughRows:
		case q.Same && p.distinct == p.total:
			c.score = min(c.score, accept-0.05)
			c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.values_differ", nil)))
		case q.Differ && p.distinct == 1:
			c.score = min(c.score, accept-0.05)
			c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.values_same", nil)))
		}
	}
}

// weighOptions compares the values with the options of a select field.
func (w weighing) weighOptions(c *candidate, column intray.Column) {
	share, ok := chosenFrom(w.options, column)
	switch {
	case !ok:
	case share >= most:
		c.score += (maxSure - c.score) * 0.4
		c.edge += plusValues
		c.reasons = append(c.reasons, func(string) intray.Message {
			return intray.NewMessage("mapping.values_are_options", intray.Params{"percent": percent(share)})
		})
	case share == 0 && len(column.Samples) >= 3:
		c.score -= 0.04
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.no_value_is_option", nil)))
	}
}

// sharedWords is the part of its words that a header has in common with the
// nearest of the field's names, from 0 to 1.
func (w weighing) sharedWords(header []string) float64 {
	best := 0.0
	for _, name := range w.names {
		best = max(best, inCommon(name, header))
	}
	return best
}

// tells says whether a header has all words of a name of the field, or one that
// says which thing is meant: "tracking" in "tracking number", and not "number".
func (w weighing) tells(header []string) bool {
	return slices.ContainsFunc(w.names, func(name []string) bool {
		shared := slices.DeleteFunc(slices.Clone(name), func(word string) bool { return !slices.Contains(header, word) })
		return len(shared) > 0 && (len(shared) == len(name) || slices.ContainsFunc(shared, func(word string) bool {
			readings := w.index.lexicon.Read(word)
			return len(readings) == 0 || len(readings[0].Marks) > 0
		}))
	})
}

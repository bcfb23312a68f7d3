package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// candidate is a column that may map to a field, with the reasons.
type candidate struct {
	field int
	// entry is the column's position in the index.
	entry   int
	score   float64
	reasons []reason
	// tieBreak ranks columns with the same score. Words of the field's name and suitable values
	// increase it. Qualifiers that the field lacks decrease it.
	tieBreak float64
	// wordBonus is the part of tieBreak that comes from words of the field's name.
	wordBonus float64
	// distinctive reports whether the header contains all words of a name of the field, or a
	// word that identifies the concept, such as "tracking" in "tracking number".
	distinctive bool
	// near reports whether the column has a different but related meaning that is acceptable.
	near bool
	// missing holds the qualifiers that the field has but the header lacks.
	missing []string
	// extra holds the qualifiers that the header has but the field lacks.
	extra []string
	// reading is the lexicon's reading of the header. Its head is empty if there is none.
	reading lexicon.Reading
	// meaning is the field's meaning that the header matched, or otherwise the field's first
	// meaning. Its head is empty if there is none.
	meaning meaning
}

// rankScore is the score by which columns are compared.
func (c candidate) rankScore() float64 { return c.score + c.tieBreak }

// isCertain reports whether the column is mapped without a question. The tolerance
// compensates for rounding errors in sums of costs.
func (c candidate) isCertain() bool { return c.score > accept-0.0001 }

// These constants adjust the tieBreak of a candidate, except minusEmpty, which lowers its score.
const (
	plusOwn    = 0.001
	plusWords  = 0.002
	plusValues = 0.002
	minusMark  = 0.004
	minusEmpty = 0.02
	// enoughRows is the minimum number of samples for which the variety of values counts.
	enoughRows = 5
)

// These scores decide what happens to a column. A column with a score of at least accept is
// mapped without a question. A column with a score of at least doubt is offered to a person if
// the field requires a column.
const (
	accept = 0.9
	doubt  = 0.6
	// maxSure is the highest score of a match by meaning or letters.
	maxSure = 0.99
	// maxVetoed is the highest score of a column whose values contradict the field.
	maxVetoed = 0.5
	// scoreLetters is the upper limit for the score of a match by similar spelling.
	scoreLetters = 0.93
	// scoreValues is the score of a column that only its values suggest.
	scoreValues = 0.65
	// maxCandidates is the maximum number of candidate columns of a field that is not
	// many-to-one.
	maxCandidates = 8
)

// candidates returns the most suitable columns for a field, best first.
func (x *index) candidates(s *suggestion, field int) []candidate {
	f := s.fields[field]
	best, sides := map[int]candidate{}, append(x.lexicon.Sides(f.Label), x.lexicon.Sides(f.Key)...)
	offer := func(c candidate) {
		if sides.Opposed(x.entries[c.entry].sides) {
			return
		}
		if old, ok := best[c.entry]; !ok || c.rankScore() > old.rankScore() {
			best[c.entry] = c
		}
	}
	means := meanings(x.lexicon, f, s.takesMany(field))
	for _, m := range means {
		x.byMeaning(field, m, offer)
	}
	x.byLetters(s, field, means, offer)
	if len(best) == 0 && needsColumn(f) {
		x.byValues(s, field, offer)
	}
	all := make([]candidate, 0, len(best))
	for _, c := range best {
		all = append(all, c)
	}
	slices.SortFunc(all, byScore)
	kept := maxCandidates
	if s.takesMany(field) {
		kept = x.maxColumnsFor(true)
	}
	all = all[:min(len(all), 4*kept)]
	names := [][]string{strings.Fields(foldName(f.Label)), strings.Fields(foldName(f.Key))}
	for _, text := range f.AlternateMatches[:min(len(f.AlternateMatches), maxAlternates)] {
		names = append(names, strings.Fields(foldName(text)))
	}
	w := scorer{index: x, field: f, meanings: means, names: names, options: optionNames(f)}
	for i := range all {
		w.adjustScore(&all[i], s.columns[x.entries[all[i].entry].column])
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return c.score < doubt })
	slices.SortFunc(all, byScore)
	return all[:min(len(all), kept)]
}

// maxColumnsFor returns the maximum number of columns with the same meaning that are
// considered for a field.
func (x *index) maxColumnsFor(many bool) int {
	if !many {
		return maxAlike
	}
	return max(maxAlike, maxGathered/max(1, x.many))
}

// byScore orders candidates from best to worst.
func byScore(a, b candidate) int {
	switch {
	case a.rankScore() > b.rankScore():
		return -1
	case a.rankScore() < b.rankScore():
		return 1
	}
	return a.entry - b.entry
}

// byMeaning offers the columns whose headers have the same meaning as the field or a related one.
func (x *index) byMeaning(field int, m meaning, offer func(candidate)) {
	own, head := x.lexicon.Concept(m.Named), x.lexicon.Concept(m.Head)
	concepts := slices.Concat([]string{m.Head}, own.Substitutes(), head.Substitutes())
	slices.Sort(concepts)
	for _, concept := range slices.Compact(concepts) {
		signatures := x.byConcept[concept]
		if len(signatures) > maxSignatures {
			continue
		}
		for _, sig := range signatures {
			if len(sig.entries) > x.maxColumnsFor(m.many) {
				continue
			}
			score := maxSure - m.distance(x.lexicon, sig.reading, x.schemaQualifiers)
			if score < doubt {
				continue
			}
			edge := -minusMark * float64(len(extras(sig.reading.Qualifiers, m.Qualifiers)))
			if m.name.kind != alternateName {
				edge += plusOwn
			}
			why := m.name.because(func(header string, n name) intray.Message {
				return intray.NewMessage("mapping.header_means", intray.Params{"header": header, "meaning": describeReading(sig.reading), "kind": n.kind.message(), "name": Shorten(n.text)})
			})
			for _, e := range sig.entries {
				if isOtherYear(m.name.text, x.entries[e].year) {
					continue
				}
				offer(candidate{field: field, entry: e, meaning: m, reading: sig.reading, score: score, tieBreak: edge, near: m.Head != sig.reading.Head, missing: extras(m.Qualifiers, sig.reading.Qualifiers), extra: extras(sig.reading.Qualifiers, m.Qualifiers), reasons: []reason{why}})
			}
		}
	}
}

// byLetters offers columns whose headers are spelled similarly to a name of the field. It
// ignores the spelling if the lexicon knows both names.
func (x *index) byLetters(s *suggestion, field int, means []meaning, offer func(candidate)) {
	f := s.fields[field]
	names := []name{{kind: labelName, text: f.Label}, {kind: keyName, text: f.Key}}
	for _, text := range f.AlternateMatches[:min(len(f.AlternateMatches), maxAlternates)] {
		names = append(names, name{kind: alternateName, text: text})
	}
	for _, n := range names {
		folded := foldName(n.text)
		if folded == "" {
			continue
		}
		if same := x.byFolded[folded]; len(same) <= x.maxColumnsFor(s.takesMany(field)) {
			for _, e := range same {
				offer(candidate{field: field, entry: e, score: 0.95, reasons: []reason{n.because(isUnaccented)}})
			}
		}
		for _, e := range x.similarEntries(folded) {
			if isKnown(x.entries[e].readings) && len(means) > 0 && means[0].Cost < knownCost {
				continue
			}
			if like := similarity(folded, x.entries[e].folded); like < 1 && scoreLetters*like >= doubt {
				offer(candidate{field: field, entry: e, score: scoreLetters * like, reasons: []reason{n.because(isAlike)}})
			}
		}
	}
}

// byValues offers columns that have an unknown header and whose values alone suggest the
// field. It applies only to fields that require a column. Such a column is never mapped
// without a question.
func (x *index) byValues(s *suggestion, field int, offer func(candidate)) {
	kind := kindOf(s.fields[field].Type.Name)
	if !shapeRules[kind].distinctive || len(x.entries) > maxGuess {
		return
	}
	for e := range x.entries {
		if isKnown(x.entries[e].readings) {
			continue
		}
		p := profileColumn(s.columns[x.entries[e].column])
		if verdict, _ := p.matchKind(kind); verdict == fitSure {
			offer(candidate{field: field, entry: e, score: scoreValues, reasons: []reason{func(header string) intray.Message {
				return intray.NewMessage("mapping.header_unknown", intray.Params{"header": header})
			}}})
		}
	}
}

const knownCost = 0.15

// isKnown reports whether the lexicon understands a header.
func isKnown(readings []lexicon.Reading) bool {
	return len(readings) > 0 && readings[0].Cost < knownCost
}

// scorer computes the scores of candidate columns for one field.
type scorer struct {
	index    *index
	field    intray.Field
	meanings []meaning
	// names holds the words of each name of the field.
	names [][]string
	// options holds the names of the field's options.
	options map[string]bool
}

// adjustScore adjusts the score of a candidate based on the values of the column and the words
// of its header.
func (w scorer) adjustScore(c *candidate, column intray.Column) {
	e := &w.index.entries[c.entry]
	if e.profile == nil {
		p := profileColumn(column)
		e.profile = &p
	}
	if c.meaning.Head == "" && len(w.meanings) > 0 {
		c.meaning = w.meanings[0]
	}
	if !w.adjustByKind(c, e.profile) {
		return
	}
	if c.meaning.Head == "id" && e.profile.counted {
		c.score = min(c.score, accept-0.05)
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.values_count_rows", nil)))
	}
	w.adjustByVariety(c, e.profile)
	w.adjustByOptions(c, column)
	c.wordBonus = plusWords * w.sharedWords(strings.Fields(e.folded))
	c.tieBreak += c.wordBonus
	c.distinctive = w.isDistinctive(strings.Fields(e.folded))
}

// adjustByKind adjusts the score depending on whether the values fit the type and the meaning of
// the field. It returns false if the values contradict the type or the meaning.
func (w scorer) adjustByKind(c *candidate, p *profile) bool {
	kinds := []string{kindOf(w.field.Type.Name)}
	if c.meaning.Head != "" {
		kinds = append(kinds, w.index.lexicon.Concept(c.meaning.Named).Values)
	}
	sure := false
	for _, kind := range slices.Compact(kinds) {
		verdict, why := p.matchKind(kind)
		switch {
		case verdict == fitVeto:
			c.score = min(c.score, maxVetoed)
			c.reasons = append(c.reasons, why)
			return false
		case verdict == fitSure && !sure:
			sure = true
			c.score += (maxSure - c.score) * 0.3
			c.tieBreak += plusValues
			c.reasons = append(c.reasons, why)
		}
	}
	return true
}

// adjustByVariety lowers the score if the column has no values, or if the values contradict a
// qualifier that the header lacks: they all differ although it requires a repeated value, or
// they are all equal although it requires different ones. For example, the account of the
// file's owner is the same in all rows.
func (w scorer) adjustByVariety(c *candidate, p *profile) {
	if p.total == 0 {
		c.score -= minusEmpty
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.no_values", nil)))
		return
	}
	for _, mark := range c.missing {
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

// adjustByOptions adjusts the score depending on the share of values that are options of the
// select field.
func (w scorer) adjustByOptions(c *candidate, column intray.Column) {
	share, ok := chosenFrom(w.options, column)
	switch {
	case !ok:
	case share >= mostShare:
		c.score += (maxSure - c.score) * 0.4
		c.tieBreak += plusValues
		c.reasons = append(c.reasons, func(string) intray.Message {
			return intray.NewMessage("mapping.values_are_options", intray.Params{"percent": percent(share)})
		})
	case share == 0 && len(column.Samples) >= 3:
		c.score -= 0.04
		c.reasons = append(c.reasons, fixed(intray.NewMessage("mapping.no_value_is_option", nil)))
	}
}

// sharedWords returns the share of words that a header has in common with the closest name
// of the field, from 0 to 1.
func (w scorer) sharedWords(header []string) float64 {
	best := 0.0
	for _, name := range w.names {
		best = max(best, wordOverlap(name, header))
	}
	return best
}

// isDistinctive reports whether a header contains all words of a name of the field, or a
// word that identifies the concept: "tracking" in "tracking number", but not "number".
func (w scorer) isDistinctive(header []string) bool {
	return slices.ContainsFunc(w.names, func(name []string) bool {
		shared := slices.DeleteFunc(slices.Clone(name), func(word string) bool { return !slices.Contains(header, word) })
		return len(shared) > 0 && (len(shared) == len(name) || slices.ContainsFunc(shared, func(word string) bool {
			readings := w.index.lexicon.Read(word)
			return len(readings) == 0 || len(readings[0].Qualifiers) > 0
		}))
	})
}

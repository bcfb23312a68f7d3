package mapping

import (
	"slices"
	"strings"

	"github.com/intraydata/intray/mapping/lexicon"
)

// costImplied is the cost of a meaning that depends on a second column.
const costImplied = 0.04

// costDisplaced is the cost of the usual meaning of a column that has a different one because of
// a second column.
const costDisplaced = 0.1

// applyCues changes the meanings of columns whose meaning depends on a second column. Except for
// lesser meanings next to a column, it considers only meanings that the schema uses and that no
// column has otherwise.
func (x *index) applyCues() {
	for _, name := range x.lexicon.Cued() {
		c := x.lexicon.Concept(name)
		for _, cue := range c.Cues {
			switch {
			case cue.Kind == lexicon.CueNextTo:
				x.promoteNextTo(c, cue)
			case !x.wanted[name] || len(x.columnsMeaning(name)) > 0:
			case cue.Kind == lexicon.CueAfter:
				x.displaceAfter(c, cue)
			case cue.Kind == lexicon.CueClaims:
				if place, ok := x.cued(cue); ok && !x.hasSubstitute(c, cue) {
					x.displace(place, c)
				}
			}
		}
	}
}

// addImplied adds meanings that columns have only if the file also has certain other columns.
func (x *index) addImplied(signatures map[string]*signature) {
	for _, name := range x.lexicon.Cued() {
		c := x.lexicon.Concept(name)
		if !x.wanted[name] {
			continue
		}
		for _, cue := range c.Cues {
			if cue.Kind != lexicon.CueWith || len(x.columnsMeaning(name)) > 0 {
				continue
			}
			if place, ok := x.cued(cue); ok {
				x.addSignatures(signatures, []lexicon.Reading{implied(c, lexicon.Reading{})}, place)
			}
		}
	}
}

// cued returns the column for the second concept of a cue, if the file has a column for the first.
// Among several columns it returns the one whose name is part of the names of all others, as
// "Description" is part of "Additional description".
func (x *index) cued(cue lexicon.Cue) (place int, ok bool) {
	places := x.columnsMeaning(cue.Then)
	if len(places) == 0 || len(x.columnsMeaning(cue.First)) == 0 {
		return 0, false
	}
	plain := slices.MinFunc(places, func(a, b int) int { return len(x.entries[a].folded) - len(x.entries[b].folded) })
	words := strings.Fields(x.entries[plain].folded)
	for _, other := range places {
		if other != plain && (x.entries[other].folded == x.entries[plain].folded || len(extras(words, strings.Fields(x.entries[other].folded))) > 0) {
			return 0, false
		}
	}
	return plain, true
}

// hasSubstitute reports whether a column other than those of the cue can replace a column for the
// concept.
func (x *index) hasSubstitute(c *lexicon.Concept, cue lexicon.Cue) bool {
	return slices.ContainsFunc(x.entries, func(e entry) bool {
		if !isKnown(e.readings) || e.readings[0].Named == cue.First || e.readings[0].Named == cue.Then {
			return false
		}
		return c.SubstituteCost(e.readings[0].Named)+e.readings[0].Cost < costDisplaced
	})
}

// displaceAfter treats columns that directly follow the column of a cue as the concept.
func (x *index) displaceAfter(c *lexicon.Concept, cue lexicon.Cue) {
	for _, place := range x.columnsMeaning(cue.Then) {
		if x.isNext(place-1, place) && x.means(place-1, cue.First) {
			x.displace(place, c)
		}
	}
}

// promoteNextTo makes the lesser meaning of a column its first if the column of the cue is next to it.
func (x *index) promoteNextTo(c *lexicon.Concept, cue lexicon.Cue) {
	for _, place := range x.columnsMeaning(cue.Then) {
		lesser := slices.ContainsFunc(x.entries[place].readings, func(r lexicon.Reading) bool { return r.Named == c.Name })
		if lesser && (x.isNext(place-1, place) && x.means(place-1, cue.First) || x.isNext(place, place+1) && x.means(place+1, cue.First)) {
			x.displace(place, c)
			return
		}
	}
}

// isNext reports whether two entries exist and are adjacent columns.
func (x *index) isNext(a, b int) bool {
	return a >= 0 && b < len(x.entries) && x.entries[a].column+1 == x.entries[b].column
}

// displace makes the concept the first meaning of a column. The other meanings become less certain.
func (x *index) displace(place int, c *lexicon.Concept) {
	e := &x.entries[place]
	first := implied(c, e.readings[0])
	e.readings = slices.DeleteFunc(e.readings, func(r lexicon.Reading) bool { return r.Named == c.Name })
	for i := range e.readings {
		e.readings[i].Cost += costDisplaced
	}
	e.readings = slices.Insert(e.readings, 0, first)
}

// implied returns the reading of a column that a cue treats as the concept. usual is its usual
// reading.
func implied(c *lexicon.Concept, usual lexicon.Reading) lexicon.Reading {
	return lexicon.Reading{Head: c.Head(), Qualifiers: c.Qualifiers(), Named: c.Name, Cost: costImplied, Languages: usual.Languages}
}

// columnsMeaning returns the columns whose first meaning is the concept without qualifiers.
func (x *index) columnsMeaning(concept string) []int {
	var places []int
	for i := range x.entries {
		if x.means(i, concept) {
			places = append(places, i)
		}
	}
	return places
}

// means reports whether the first meaning of a column is the concept without qualifiers.
func (x *index) means(place int, concept string) bool {
	readings := x.entries[place].readings
	return isKnown(readings) && readings[0].Named == concept && len(readings[0].Qualifiers) == len(x.lexicon.Concept(concept).Qualifiers())
}

package mapping

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// entry is a free column in the index.
type entry struct {
	// column is the position in the list of columns.
	column   int
	folded   string
	readings []lexicon.Reading
	profile  *profile
	// year is the year of a column that holds the amounts of one year, or "".
	year string
	// sides holds the sides of pairs of opposites, such as old and new, to which the header
	// belongs.
	sides lexicon.Sides
	// trigramCount is the number of trigrams in the header.
	trigramCount int
}

// signature is a meaning and the columns that have it.
type signature struct {
	reading lexicon.Reading
	entries []int
}

// index finds the columns that may map to a field without examining all columns.
type index struct {
	lexicon *lexicon.Lexicon
	entries []entry
	// schemaQualifiers are the qualifiers that the schema mentions.
	schemaQualifiers map[string]bool
	// many is the number of many-to-one fields.
	many int
	// wanted holds the concepts that the fields of the schema stand for.
	wanted map[string]bool
	// byFolded and byGram hold positions in entries. byConcept holds each signature under the
	// concept that is its head and under the concept that it names.
	byFolded map[string][]int
	byGram   map[string][]int
	// byWord holds at most maxAlike positions for each word of the headers.
	byWord    map[string][]int
	byConcept map[string][]*signature
}

// These are the limits of the search. A name or meaning that more than maxAlike columns
// share does not distinguish columns and is skipped.
const (
	maxAlike      = 64
	maxSignatures = 200
	// maxGathered is the maximum number of columns with the same meaning that are considered for
	// all many-to-one fields together.
	maxGathered = 16384
	maxTrigrams = 48
	// maxLike is the maximum number of columns whose letters are compared with those of one name.
	maxLike = 16
	// maxGuess is the maximum number of columns in a file for which Suggest considers typos in
	// words of the lexicon and matches by values alone.
	maxGuess = 500
)

// newIndex returns an index of the headers of the free columns.
func newIndex(ctx context.Context, l *lexicon.Lexicon, s *suggestion) (*index, error) {
	x := &index{lexicon: l, wanted: map[string]bool{}, byFolded: map[string][]int{}, byGram: map[string][]int{}, byWord: map[string][]int{}, byConcept: map[string][]*signature{}}
	x.schemaQualifiers, x.wanted = schemaVocabulary(l, s.fields)
	for i := range s.fields {
		if s.takesMany(i) {
			x.many++
		}
	}
	signatures, nameCounts := map[string]*signature{}, countNames(s.columns)
	for i, c := range s.columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.taken[i] || strings.TrimSpace(c.Header) == "" {
			continue
		}
		e := entry{column: i, folded: foldName(c.Header), sides: l.Sides(c.Header)}
		if e.readings, e.year = readYear(l, c.Header, nameCounts); e.year == "" {
			e.readings = l.Read(c.Header)
		}
		x.entries = append(x.entries, e)
	}
	languages := x.languages()
	for i := range x.entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &x.entries[i]
		if len(s.columns) <= maxGuess {
			e.readings = x.readUnknown(s.columns[e.column].Header, e.readings, languages)
		}
		e.readings = x.reduceDoubt(e.readings[:min(len(e.readings), maxReadings)])
	}
	x.applyCues()
	for place, e := range x.entries {
		if e.folded != "" {
			x.byFolded[e.folded] = append(x.byFolded[e.folded], place)
		}
		x.indexWords(place)
		x.addSignatures(signatures, e.readings, place)
	}
	x.addImplied(signatures)
	return x, nil
}

// languages returns the languages in which the headers are most likely written, or 0.
func (x *index) languages() uint64 {
	var sets []uint64
	for _, e := range x.entries {
		if isKnown(e.readings) {
			sets = append(sets, e.readings[0].Languages)
		}
	}
	return x.lexicon.CommonLanguages(sets)
}

// readUnknown reads a header with words that the lexicon does not know: first as abbreviations,
// then as words with typos.
func (x *index) readUnknown(header string, readings []lexicon.Reading, languages uint64) []lexicon.Reading {
	if len(readings) > 0 && readings[0].Cost <= lexicon.CostDoubtful/2 {
		return readings
	}
	if full := x.lexicon.ReadAbbreviated(header, languages); len(full) > 0 && (len(readings) == 0 || full[0].Cost < readings[0].Cost) {
		readings = full
	}
	if len(readings) == 0 || readings[0].Cost > 0.2 {
		return x.lexicon.ReadFuzzy(header)
	}
	return readings
}

func (x *index) addSignatures(signatures map[string]*signature, readings []lexicon.Reading, place int) {
	for _, r := range readings {
		key := fmt.Sprintf("%s %s %v %.2f", r.Head, r.Named, r.Qualifiers, r.Cost)
		sig := signatures[key]
		if sig == nil {
			sig = &signature{reading: r}
			signatures[key] = sig
			x.byConcept[r.Head] = append(x.byConcept[r.Head], sig)
			if r.Named != r.Head {
				x.byConcept[r.Named] = append(x.byConcept[r.Named], sig)
			}
		}
		sig.entries = append(sig.entries, place)
	}
}

// indexWords adds the words and letters of a header to the index.
func (x *index) indexWords(place int) {
	e := &x.entries[place]
	for word := range strings.FieldsSeq(e.folded) {
		if len(x.byWord[word]) < maxAlike {
			x.byWord[word] = append(x.byWord[word], place)
		}
	}
	all := trigrams(e.folded)
	e.trigramCount = len(all)
	for _, g := range all {
		x.byGram[g] = append(x.byGram[g], place)
	}
}

// foldName returns the folded words of a name, separated by spaces.
func foldName(text string) string { return strings.Join(lexicon.SplitWords(text), " ") }

// trigrams returns the sequences of three letters in a folded name.
func trigrams(folded string) []string {
	letters := []rune(" " + folded + " ")
	var all []string
	for i := 0; i+3 <= len(letters) && i < maxTrigrams; i++ {
		all = append(all, string(letters[i:i+3]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// similarEntries returns at most maxLike columns whose headers are similar to a folded
// name: the two have at least half of the trigrams of the shorter one in common.
func (x *index) similarEntries(folded string) []int {
	own := trigrams(folded)
	shared := map[int]int{}
	for _, g := range own {
		places := x.byGram[g]
		if len(places) > maxAlike {
			continue
		}
		for _, p := range places {
			shared[p]++
		}
	}
	levels := make([][]int, len(own)+1)
	for p, n := range shared {
		if 2*n >= min(len(own), x.entries[p].trigramCount) {
			levels[n] = append(levels[n], p)
		}
	}
	var all []int
	for n := len(own); n > 0 && len(all)+len(levels[n]) <= maxLike; n-- {
		all = append(all, levels[n]...)
	}
	slices.Sort(all)
	return all
}

// schemaVocabulary returns the qualifiers and concepts that the fields of a schema mention.
// For example, in a schema for invoices, "invoice status" is a status.
func schemaVocabulary(l *lexicon.Lexicon, fields []intray.Field) (marks, concepts map[string]bool) {
	marks, concepts = map[string]bool{}, map[string]bool{}
	for _, f := range fields {
		for _, text := range []string{f.Label, f.Key} {
			if readings := l.Read(text); len(readings) > 0 {
				concepts[readings[0].Named] = true
				for _, m := range readings[0].Qualifiers {
					marks[m] = true
				}
			}
		}
	}
	return marks, concepts
}

// reduceDoubt lowers the doubt about a meaning if the schema does not use the likelier
// meanings. For example, if no field is a first name, "Nombre" is a name.
func (x *index) reduceDoubt(readings []lexicon.Reading) []lexicon.Reading {
	likelierWanted := false
	for i := range readings {
		if readings[i].Doubtful && !likelierWanted {
			readings[i].Cost -= lexicon.CostDoubtful * lessDoubt
		}
		likelierWanted = likelierWanted || x.wanted[readings[i].Named]
	}
	return readings
}

// lessDoubt is the share of the doubt that disappears if the schema uses no likelier meaning.
const lessDoubt = 0.5

package mapping

import (
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// HeaderRow recognizes rows that name the fields of a schema. It is safe for
// concurrent use.
type HeaderRow struct {
	// names maps the spellings of the fields' names to the field.
	names  map[string]int
	fields int
	// meanings returns what the fields mean, computed when names do not decide.
	meanings func() fieldMeanings
}

// fieldMeanings holds the meanings of fields by their concepts. Without a
// lexicon there are none.
type fieldMeanings struct {
	lexicon *lexicon.Lexicon
	heads   map[string][]headMeaning
}

type headMeaning struct {
	meaning
	field int
}

// NewHeaderRow returns a HeaderRow for the fields that are not hidden.
func NewHeaderRow(fields []intray.Field) *HeaderRow {
	h := &HeaderRow{names: map[string]int{}, meanings: sync.OnceValue(func() fieldMeanings { return readFieldMeanings(fields) })}
	for i, f := range fields {
		if f.Hidden {
			continue
		}
		h.fields++
		for _, g := range grades[exactGrades:] {
			for _, n := range g.namesOf(f) {
				h.names[n.spelled] = i
			}
		}
	}
	return h
}

// readFieldMeanings reads the lexicon. An error in it is reported when columns
// are mapped.
func readFieldMeanings(fields []intray.Field) fieldMeanings {
	l, err := lexicon.Standard()
	if err != nil {
		return fieldMeanings{}
	}
	m := fieldMeanings{l, map[string][]headMeaning{}}
	for i, f := range fields {
		if f.Hidden {
			continue
		}
		for _, one := range meanings(l, f, true) {
			if len(m.heads[one.Head]) < maxAlike {
				m.heads[one.Head] = append(m.heads[one.Head], headMeaning{one, i})
			}
		}
	}
	return m
}

// maxHeaderCells is the most cells of a row that are considered.
const maxHeaderCells = 256

// scoreMeaning is the weight of a cell that means a field without being a name
// of it.
const scoreMeaning = 0.9

// Score rates from 0 to 1 how well a row of cells names the fields of the
// schema. Half of it is the part of its cells, or of the fields if these are
// fewer, that names a separate field. The other half is how near it comes to
// naming six fields, or all, or two more than it has cells. Cells that hold
// dates, numbers or addresses count against it. Score considers the first 256
// cells that have text. If names alone reach 0.8, it does not look at what
// cells mean.
func (h *HeaderRow) Score(row []string) float64 {
	if score := h.scoreCells(row, h.matchName); score >= enoughByName {
		return score
	}
	return h.scoreCells(row, h.matchField)
}

// enoughByName is the score from which the meaning of cells is not considered.
const enoughByName = 0.8

func (h *HeaderRow) scoreCells(row []string, name func(cell string) (field int, score float64)) float64 {
	cells, values, sum := 0, 0, 0.0
	named := map[int]bool{}
	for _, cell := range row {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if cells++; cells > maxHeaderCells {
			break
		}
		if _, known := h.names[normalize(cell)]; !known && len(cell) <= maxCell && shapeOf(cell)&(shapeEmail|shapeURL|shapeDate|shapeNumber|shapeIBAN|shapeUUID) != 0 {
			values++
			continue
		}
		if field, score := name(cell); score > 0 && !named[field] {
			named[field] = true
			sum += score
		}
	}
	whole := max(min(cells, h.fields), min(2, h.fields))
	if whole == 0 {
		return 0
	}
	part, enough := min(1, sum/float64(whole)), min(1, sum/float64(min(enoughNamed, h.fields, cells+2)))
	return (part + enough) / 2 * (1 - float64(values)/float64(max(cells, 1)))
}

// enoughNamed is how many named fields make a row as good as any: files have
// many columns that a schema does not use.
const enoughNamed = 6

// matchName returns the field of which a cell is a name.
func (h *HeaderRow) matchName(cell string) (int, float64) {
	if field, ok := h.names[normalize(cell)]; ok {
		return field, 1
	}
	return 0, 0
}

// matchField returns the field that a cell names or means, and its weight.
func (h *HeaderRow) matchField(cell string) (int, float64) {
	if field, score := h.matchName(cell); score > 0 {
		return field, score
	}
	m := h.meanings()
	if m.lexicon == nil {
		return 0, 0
	}
	for _, r := range m.lexicon.Read(cell) {
		for _, head := range m.heads[r.Head] {
			if head.distance(m.lexicon, r, nil) <= maxSure-accept {
				return head.field, scoreMeaning
			}
		}
	}
	return 0, 0
}

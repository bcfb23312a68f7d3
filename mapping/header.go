package mapping

import (
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// HeaderRow knows what a row looks like that names the fields of a schema. It may
// be used by many at once.
type HeaderRow struct {
	// names are the spellings of the fields' names, with the field.
	names  map[string]int
	fields int
	// meanings is what the fields mean, made ready where names do not tell.
	meanings func() fieldMeanings
}

// fieldMeanings holds the meanings of fields by their concepts. Without a lexicon there
// are none.
type fieldMeanings struct {
	lexicon *lexicon.Lexicon
	heads   map[string][]headMeaning
}

type headMeaning struct {
	meaning
	field int
}

// NewHeaderRow reads the names of the fields that are not hidden.
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

// readFieldMeanings reads the lexicon. What may be wrong with it is told when columns are
// mapped.
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

// maxHeaderCells is the most cells of a row that are looked at.
const maxHeaderCells = 256

// scoreMeaning is what a cell counts that means a field and is no name of it.
const scoreMeaning = 0.9

// Score says how well a row of cells names the fields of the schema, from 0 to
// 1: half of it is the part of its cells, or of the fields where these are fewer,
// that names a field of its own, and half is how near it comes to naming six
// fields, or all, or two more than it has cells. Cells that are no names but
// dates, numbers or addresses speak against it. It looks at the first 256 cells
// that have text. Where names alone give at least 0.8 it does not look at what
// cells mean.
func (h *HeaderRow) Score(row []string) float64 {
	if score := h.scoreCells(row, h.matchName); score >= enoughByName {
		return score
	}
	return h.scoreCells(row, h.matchField)
}

// enoughByName is so much that what cells mean is not looked at.
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

// enoughNamed is how many fields a row names that is as good as any: files bring
// many columns that a schema has no use for.
const enoughNamed = 6

// matchName gives the field of which a cell is a name.
func (h *HeaderRow) matchName(cell string) (int, float64) {
	if field, ok := h.names[normalize(cell)]; ok {
		return field, 1
	}
	return 0, 0
}

// matchField gives the field that a cell names or means, and what it counts.
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

package mapping

import (
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// HeaderRow recognizes rows that contain the names of the fields of a schema. It is safe
// for concurrent use.
type HeaderRow struct {
	// names maps each spelling of a field's name to the index of the field.
	names  map[string]int
	fields int
	// meanings returns the meanings of the fields. It computes them on first use, because
	// names alone often decide.
	meanings func() fieldMeanings
}

// fieldMeanings holds the meanings of fields by concept. It is empty without a lexicon.
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

// readFieldMeanings reads the lexicon. It ignores errors in the lexicon, because Suggest
// reports them.
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

// maxHeaderCells is the maximum number of cells of a row that Score considers.
const maxHeaderCells = 256

// scoreMeaning is the weight of a cell that has the meaning of a field but is not one of
// its names.
const scoreMeaning = 0.9

// Score rates from 0 to 1 how well a row of cells names the fields of the schema. Half of the
// score is the share of cells that each name a different field, or the share of fields if there
// are fewer fields than cells. The other half is the number of named fields divided by six, by
// the number of all fields, or by two more than the number of cells, whichever divisor is
// smallest. Cells that look like data, such as dates, numbers or email addresses, lower the
// score. Score considers the first 256 cells that have text. If names alone yield at least 0.8,
// it ignores the meanings of cells.
func (h *HeaderRow) Score(row []string) float64 {
	if score := h.scoreCells(row, h.matchName); score >= enoughByName {
		return score
	}
	return h.scoreCells(row, h.matchField)
}

// enoughByName is the minimum score by names alone at which Score ignores the meanings of cells.
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

// enoughNamed is the number of named fields that yields the full second half of the score. It is
// low because files have many columns that a schema does not use.
const enoughNamed = 6

// matchName returns the index of the field that has the text of the cell as a name, and the
// weight of the cell.
func (h *HeaderRow) matchName(cell string) (int, float64) {
	if field, ok := h.names[normalize(cell)]; ok {
		return field, 1
	}
	return 0, 0
}

// matchField returns the index of the field that a cell names or means, and the weight of the
// cell.
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

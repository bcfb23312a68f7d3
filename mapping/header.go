package mapping

import (
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// HeaderRow knows what a row looks like that names the fields of a schema. It
// does not change and may be used by many at once.
type HeaderRow struct {
	lexicon *lexicon.Lexicon
	// names are the spellings of the fields' names, with the field.
	names map[string]int
	// heads are the meanings of the fields by their concepts.
	heads  map[string][]headMeaning
	fields int
}

type headMeaning struct {
	meaning
	field int
}

// NewHeaderRow reads the names of the fields that are not hidden. The error is
// that of the lexicon's own files.
func NewHeaderRow(fields []intray.Field) (*HeaderRow, error) {
	l, err := lexicon.Standard()
	if err != nil {
		return nil, err
	}
	h := &HeaderRow{lexicon: l, names: map[string]int{}, heads: map[string][]headMeaning{}}
	for i, f := range fields {
		if f.Hidden {
			continue
		}
		h.fields++
		for _, g := range grades[exactGrades:] {
			for _, n := range g.names(f) {
				h.names[n.spelled] = i
			}
		}
		for _, m := range meanings(l, f, true) {
			if len(h.heads[m.Head]) < maxAlike {
				h.heads[m.Head] = append(h.heads[m.Head], headMeaning{m, i})
			}
		}
	}
	return h, nil
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
// that have text.
func (h *HeaderRow) Score(row []string) float64 {
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
		if field, score := h.field(cell); score > 0 && !named[field] {
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

// field gives the field that a cell names, and what it counts.
func (h *HeaderRow) field(cell string) (int, float64) {
	if field, ok := h.names[normalize(cell)]; ok {
		return field, 1
	}
	for _, r := range h.lexicon.Read(cell) {
		for _, m := range h.heads[r.Head] {
			if m.distance(h.lexicon, r, nil) <= maxSure-accept {
				return m.field, scoreMeaning
			}
		}
	}
	return 0, 0
}

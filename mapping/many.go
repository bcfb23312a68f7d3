package mapping

import (
	"slices"

	"github.com/intraydata/intray"
)

// manyColumns says that a field with ManyToOne takes all columns that fit it.
// Without it several columns are a question for every field: as long as a match
// can name one column only, the others would be lost.
const manyColumns = false

// feed writes the columns of a field, in the file's order, into its match.
func feed(match *intray.Match, columns []int) {
	match.Column = columns[0]
}

func (s *suggestion) takesMany(field int) bool { return s.many && s.fields[field].ManyToOne }

// own are the columns that only this field wants.
func (w wish) own() []int {
	var all []int
	for _, o := range w.offers {
		if len(o.fields) == 1 {
			all = append(all, o.columns...)
		}
	}
	return all
}

// gather gives columns to a field.
func (s *suggestion) gather(field int, columns []int) {
	slices.Sort(columns)
	indexes := make([]int, len(columns))
	for i, c := range columns {
		s.used[c], s.taken[c] = true, true
		indexes[i] = s.columns[c].Index
	}
	if len(indexes) > 1 {
		s.gathered[field] = indexes
	}
	s.matches[field].Header = s.columns[columns[0]].Header
	feed(&s.matches[field], indexes)
}

// gatherRest gives a field that takes several columns those that fit it as well
// as its best one does and that no other field has.
func (d *decision) gatherRest(c candidate) {
	columns := []int{d.index.entries[c.entry].column}
	for _, other := range d.lists[c.field] {
		_, owned := d.owner[other.entry]
		if other.sure() && !owned {
			columns = append(columns, d.index.entries[other.entry].column)
		}
	}
	d.gather(c.field, columns)
}

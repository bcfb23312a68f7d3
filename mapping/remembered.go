package mapping

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// scoreRemembered is the score of what a person confirmed for another file.
const scoreRemembered = 0.99

// remember maps what a person confirmed, where exactly one column has the header
// to the letter and its values do not speak against it. A field that takes
// several gets all columns of all headers that were confirmed for it.
func (s *suggestion) remember(all []intray.RememberedColumn) {
	if len(all) == 0 {
		return
	}
	fields, columns := map[string]int{}, map[string][]int{}
	for i, f := range s.fields {
		fields[f.Key] = i
	}
	for i, c := range s.columns {
		columns[c.Header] = append(columns[c.Header], i)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b intray.RememberedColumn) int {
		return cmp.Or(b.On.Compare(a.On), strings.Compare(a.Field, b.Field), strings.Compare(a.Header, b.Header))
	})
	for _, r := range all {
		i, known := fields[r.Field]
		if !known || s.settled[i] || r.Header == "" || len(columns[r.Header]) > 1 && !s.takesMany(i) {
			continue
		}
		for _, column := range columns[r.Header] {
			s.recall(i, column, r)
		}
	}
}

// recall maps a column to the field that it had before.
func (s *suggestion) recall(field, column int, r intray.RememberedColumn) {
	c := s.columns[column]
	if p := survey(c); s.taken[column] || p.vetoes(kindOf(s.fields[field].Type.Name)) {
		return
	}
	reasons := []intray.Message{intray.NewMessage("mapping.remembered", intray.Params{"header": Shorten(r.Header), "date": r.On.Format(time.DateOnly)})}
	if s.takesMany(field) {
		s.keep(field, pick{column: column, score: scoreRemembered, reasons: reasons})
		return
	}
	s.matches[field] = intray.Match{Column: c.Index, Header: r.Header, Score: scoreRemembered, Reasons: reasons}
	s.settled[field], s.taken[column], s.used[column] = true, true, true
}

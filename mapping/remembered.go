package mapping

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// scoreRemembered is the score of what a person confirmed for another file.
const scoreRemembered = 0.99

// remember maps what a person confirmed, where exactly one column has the header
// to the letter and its values do not speak against it.
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
		if !known || s.settled[i] || r.Header == "" || len(columns[r.Header]) != 1 || s.taken[columns[r.Header][0]] {
			continue
		}
		column := columns[r.Header][0]
		p := survey(s.columns[column])
		if verdict, _ := p.judge(kindOf(s.fields[i].Type.Name)); verdict == fitVeto {
			continue
		}
		s.matches[i] = intray.Match{
			Column: s.columns[column].Index, Header: r.Header, Score: scoreRemembered,
			Reasons: []string{fmt.Sprintf("you mapped the column %s so on %s", quote(r.Header), r.On.Format("2 January 2006"))},
		}
		s.settled[i], s.taken[column], s.used[column] = true, true, true
	}
}

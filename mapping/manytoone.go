package mapping

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/intraydata/intray"
)

// pickedColumn is a column that maps to a many-to-one field, with the reasons.
type pickedColumn struct {
	// column is the position in the list of columns.
	column  int
	score   float64
	reasons []intray.Message
	// near reports whether the column is only related to the field.
	near bool
}

// takesMany reports whether a field is many-to-one.
func (s *suggestion) takesMany(field int) bool {
	return s.fields[field].ManyToOne && !s.fields[field].Hidden
}

// isHandled reports whether a field is settled or has a column.
func (s *suggestion) isHandled(field int) bool { return s.settled[field] || len(s.picks[field]) > 0 }

// addPick adds a column to a many-to-one field.
func (s *suggestion) addPick(field int, p pickedColumn) {
	s.used[p.column], s.taken[p.column] = true, true
	s.picks[field] = append(s.picks[field], p)
}

// mergePicks merges the columns of each many-to-one field into its match, in file order and
// with the score of the least certain column.
func (s *suggestion) mergePicks() {
	for i, picks := range s.picks {
		if len(picks) == 0 {
			continue
		}
		slices.SortFunc(picks, func(a, b pickedColumn) int { return s.columns[a.column].Index - s.columns[b.column].Index })
		first := s.columns[picks[0].column]
		m := intray.Match{Column: first.Index, Header: first.Header, Score: picks[0].score}
		for _, p := range picks {
			m.Columns = append(m.Columns, s.columns[p.column].Index)
			m.Score = min(m.Score, p.score)
		}
		m.Reasons = s.mergeReasons(picks)
		s.matches[i] = m
	}
	for i, notes := range s.notes {
		s.matches[i].Reasons = append(s.matches[i].Reasons, notes...)
	}
}

// mergeReasons explains why several columns map to one field. It names at most five of them.
func (s *suggestion) mergeReasons(picks []pickedColumn) []intray.Message {
	if len(picks) == 1 {
		return picks[0].reasons
	}
	first := picks[:min(len(picks), maxNamed)]
	places := make([]intray.Message, len(first))
	reasons := make([]intray.Message, 1, len(first)+1)
	for i, p := range first {
		c := s.columns[p.column]
		places[i] = columnMessage(c)
		reasons = append(reasons, intray.NewMessage("mapping.column_reason", intray.Params{"column": c.Index + 1, "reason": intray.JoinMessages(p.reasons...)}))
	}
	reasons[0] = intray.NewMessage("mapping.columns_together", intray.Params{"n": len(picks), "columns": joinParts(places, len(picks))})
	return reasons
}

// assignRemaining maps the remaining columns to the many-to-one fields. It asks about
// columns that match two such fields equally well.
func (d *decision) assignRemaining() {
	wanted := map[int][]candidate{}
	for i := range d.fields {
		if c, ok := d.chosen[i]; !d.takesMany(i) || d.settled[i] || len(d.picks[i]) == 0 && (!ok || !c.isCertain()) {
			continue
		}
		for _, c := range d.lists[i] {
			if c.isCertain() && !d.taken[d.columnIndex(c)] && (!c.near || !slices.ContainsFunc(d.picks[i], func(p pickedColumn) bool { return !p.near })) {
				wanted[c.entry] = append(wanted[c.entry], c)
			}
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(wanted)) {
		list := wanted[entry]
		slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.rankScore(), a.rankScore()) })
		var others []int
		for _, c := range list[1:] {
			if c.rankScore() >= list[0].rankScore()-margin {
				others = append(others, c.field)
			}
		}
		if len(others) > 0 {
			d.askWhichField(list[0], others)
		} else {
			d.assignColumn(list[0])
		}
	}
}

// eachOwnColumn calls the function each with every column that matches only this field, and with
// the name that matches.
func (w claim) eachOwnColumn(each func(column int, n name)) {
	for i, o := range w.offers {
		if len(o.fields) > 1 {
			continue
		}
		for _, c := range o.columns {
			each(c, w.names[i])
		}
	}
}

// unnumbered returns a name without the number that distinguishes it within a series:
// "Phone 2", "Phone (2)", "2. Phone" and "Phones" all become "phone". It returns "" for a
// name that is only a number.
func unnumbered(text string) string {
	plain := normalize(text)
	if bare := strings.TrimRightFunc(plain, unicode.IsDigit); bare != plain {
		plain = strings.TrimSuffix(bare, "#")
	}
	plain = strings.TrimLeftFunc(plain, unicode.IsDigit)
	if one := strings.TrimSuffix(plain, "s"); len(one) >= minSingular {
		return one
	}
	return plain
}

// minSingular is the minimum length, in bytes, of a name from which unnumbered has removed a
// final s.
const minSingular = 3

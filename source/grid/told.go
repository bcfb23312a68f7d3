package grid

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// placesShown is how many places are named of what is hidden.
const placesShown = 5

// hiddenRows counts rows that the application does not display.
type hiddenRows struct {
	count int64
	first []int64
}

func (h *hiddenRows) note(number int64) {
	if h.count++; len(h.first) < placesShown {
		h.first = append(h.first, number)
	}
}

func (h *hiddenRows) String() string {
	var places []string
	for _, number := range h.first {
		places = append(places, strconv.FormatInt(number, 10))
	}
	return fmt.Sprintf("%d (first: %s)", h.count, strings.Join(places, ", "))
}

// tellColumns tells which columns of the table are hidden.
func (r *reader) tellColumns() {
	rows, ok := r.rows.(Hiding)
	if !ok {
		return
	}
	var spans []string
	for c := 0; c < len(r.columns); c++ {
		if !rows.Hides(c) {
			continue
		}
		from := c
		for c+1 < len(r.columns) && rows.Hides(c+1) {
			c++
		}
		span := columnName(from)
		if c > from {
			span += ":" + columnName(c)
		}
		spans = append(spans, span)
	}
	if most := 4 * placesShown; len(spans) > most {
		spans = append(spans[:most], fmt.Sprintf("and %d more", len(spans)-most))
	}
	if len(spans) > 0 {
		r.tell("hidden columns", strings.Join(spans, ", "), readLikeOthers)
	}
}

const readLikeOthers = "they are read like all others"

// tellParts tells as evidence what is known once all rows were seen, where the
// first rows are all there are.
func (r *reader) tellParts() {
	for _, row := range r.ahead {
		if row.Hidden {
			r.hidden.note(row.Number)
		}
	}
	r.evidence = append(r.evidence, r.parts()...)
	r.told = true
}

// noticeParts tells the same behind the last record.
func (r *reader) noticeParts(batch *intray.Records) {
	if r.told {
		return
	}
	for _, e := range r.parts() {
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
			Text: intray.Literal(fmt.Sprintf("%s%s: %s; %s.", strings.ToUpper(e.Choice[:1]), e.Choice[1:], e.Value, e.Reason))})
	}
	r.told = true
}

// parts tells of hidden rows and of merged ranges in the table's body.
func (r *reader) parts() (list []intray.Evidence) {
	if r.hidden.count > 0 {
		list = append(list, intray.Evidence{Choice: "hidden rows", Value: r.hidden.String(), Reason: intray.Literal(readLikeOthers)})
	}
	if n := r.merges.count; n > 0 {
		reason := "the value is in the first cell of each, and the others are left empty"
		if r.opt.FillMerged {
			reason = "their other cells were filled with the value of the first, as was asked for"
		}
		ranges := "ranges"
		if n == 1 {
			ranges = "range"
		}
		list = append(list, intray.Evidence{Choice: "merged cells", Value: fmt.Sprintf("%d %s (first: %s)", n, ranges, r.merges.first), Reason: intray.Literal(reason)})
	}
	return list
}

// String names a range as applications do: A2:B5.
func (g Range) String() string {
	return fmt.Sprintf("%s%d:%s%d", columnName(g.FirstColumn), g.FirstRow, columnName(g.LastColumn), g.LastRow)
}

// columnName names a column, counted from 0, as applications do: A, Z, AA.
func columnName(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

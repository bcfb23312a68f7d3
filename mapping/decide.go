package mapping

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// margin is how far a column must be ahead of another one to be the better.
const margin = 0.0003

// infer finds columns for the fields that no name decides.
func (s *suggestion) infer(ctx context.Context) error {
	if !slices.Contains(s.settled, false) {
		return nil // the lexicon takes a while to read
	}
	l, err := lexicon.Standard()
	if err != nil {
		return err
	}
	x, err := build(ctx, l, s)
	if err != nil {
		return err
	}
	lists := make([][]candidate, len(s.fields))
	var all []candidate
	for _, i := range s.inOrder() {
		if s.settled[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		lists[i] = x.candidates(s, i)
		all = append(all, lists[i]...)
	}
	d := &decision{suggestion: s, index: x, lists: lists, chosen: map[int]candidate{}, owner: map[int]int{}}
	for _, c := range solve(all) {
		d.chosen[c.field], d.owner[c.entry] = c, c.field
	}
	d.settle()
	return nil
}

// inOrder are the fields by their names, so that the order in which a schema
// lists them does not matter.
func (s *suggestion) inOrder() []int {
	order := make([]int, len(s.fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(s.fields[a].Key, s.fields[b].Key), strings.Compare(s.fields[a].Label, s.fields[b].Label))
	})
	return order
}

// decision turns the best assignment into matches and questions.
type decision struct {
	*suggestion
	index *index
	// lists are the candidates of each field.
	lists [][]candidate
	// chosen is the candidate of each field, and owner the field of each
	// column of the index.
	chosen map[int]candidate
	owner  map[int]int
}

// settle goes through the fields in the schema's order.
func (d *decision) settle() {
	open := map[int]bool{}
	for i := range d.fields {
		if c, ok := d.chosen[i]; ok && d.tied(c) {
			open[i] = true
		}
	}
	for i := range d.fields {
		c, ok := d.chosen[i]
		switch {
		case d.settled[i]:
		case ok && c.sure() && (!open[i] || d.takesMany(i)):
			d.take(c)
		case ok && c.sure():
			d.askTie(i, d.rivals(c))
		case len(d.lists[i]) > 0 && needsColumn(d.fields[i]) && !d.asked[d.fields[i].Key]:
			d.askTie(i, d.lists[i])
		}
	}
	for i := range d.fields {
		if !d.settled[i] && len(d.lists[i]) > 0 {
			d.tell(i)
		}
	}
}

// take maps a column without asking.
func (d *decision) take(c candidate) {
	column := d.index.entries[c.entry].column
	d.matches[c.field] = intray.Match{
		Column: d.columns[column].Index, Header: d.columns[column].Header,
		Score: rounded(c.score), Reasons: c.reasons,
	}
	d.used[column], d.taken[column], d.settled[c.field] = true, true, true
	if d.takesMany(c.field) {
		d.gatherRest(c)
	}
}

// tied says whether another column fits the field as well, or another field the
// column.
func (d *decision) tied(c candidate) bool {
	return len(d.rivals(c)) > 1 || len(d.contenders(c)) > 0
}

// rivals are the columns that fit the field of a candidate about as well as its
// own does and are not needed more elsewhere, its own first.
func (d *decision) rivals(c candidate) []candidate {
	list := []candidate{c}
	for _, other := range d.lists[c.field] {
		if other.entry == c.entry || other.order() < c.order()-margin {
			continue
		}
		owner, owned := d.owner[other.entry]
		if owned && !d.swaps(c, d.chosen[owner]) {
			continue
		}
		list = append(list, other)
	}
	return list
}

// swaps says whether two fields might as well have each other's columns.
func (d *decision) swaps(a, b candidate) bool {
	return d.order(a.field, b.entry) >= a.order()-margin && d.order(b.field, a.entry) >= b.order()-margin
}

// order is that of a field and a column, 0 where the column is no candidate.
func (d *decision) order(field, entry int) float64 {
	for _, c := range d.lists[field] {
		if c.entry == entry {
			return c.order()
		}
	}
	return 0
}

// contenders are the other fields that want the column about as much and have
// none.
func (d *decision) contenders(c candidate) []int {
	var list []int
	for i := range d.fields {
		if _, has := d.chosen[i]; !has && i != c.field && d.order(i, c.entry) >= c.order()-margin {
			list = append(list, i)
		}
	}
	return list
}

// askTie asks for the column of a field and names those that may be it.
func (d *decision) askTie(field int, list []candidate) {
	f := d.fields[field]
	if d.asked[f.Key] {
		d.settled[field] = true
		return
	}
	q := Question{Field: f.Key}
	var places []string
	for _, c := range list[:min(len(list), maxNamed)] {
		column := d.columns[d.index.entries[c.entry].column]
		q.Columns = append(q.Columns, column)
		places = append(places, fmt.Sprintf("%s (column %d: %s)", quote(column.Header), column.Index+1, strings.Join(c.reasons, "; ")))
	}
	if len(list) == 1 {
		if others := d.contenders(list[0]); len(others) > 0 {
			d.askContest(list[0], others)
			return
		}
	}
	how := "may hold"
	if len(list) > 1 {
		how = "may each hold"
	}
	q.Text = fmt.Sprintf("%s %s the field %s, and it is not certain. Choose the column, or none.", listed(places, len(list)), how, quote(f.Label))
	d.hold(field, list)
	d.ask(q)
}

// askContest asks which of several fields gets a column.
func (d *decision) askContest(c candidate, others []int) {
	column := d.columns[d.index.entries[c.entry].column]
	q := Question{Columns: []intray.Column{column}}
	var labels []string
	sorted := slices.Sorted(slices.Values(append(others, c.field)))
	q.Field = d.fields[sorted[0]].Key
	for _, i := range sorted {
		q.Rivals = append(q.Rivals, d.fields[i].Key)
		d.settled[i] = true
		if len(labels) < maxNamed {
			labels = append(labels, quote(d.fields[i].Label))
		}
	}
	q.Text = fmt.Sprintf("The column %s fits several fields equally well: %s. Choose the field that it belongs to.", quote(column.Header), listed(labels, len(q.Rivals)))
	d.hold(c.field, []candidate{c})
	d.ask(q)
}

// hold keeps a field and the columns in question for the answer.
func (d *decision) hold(field int, list []candidate) {
	d.settled[field] = true
	for _, c := range list {
		if owner, owned := d.owner[c.entry]; !owned || owner == field {
			d.taken[d.index.entries[c.entry].column] = true
		}
	}
}

// tell says of a field that is left open which columns came close.
func (d *decision) tell(field int) {
	for _, c := range d.lists[field][:min(len(d.lists[field]), 3)] {
		column := d.index.entries[c.entry].column
		if d.used[column] {
			continue
		}
		header := d.columns[column]
		d.matches[field].Reasons = append(d.matches[field].Reasons, fmt.Sprintf(
			"not certain enough: %s (column %d, score %.2f): %s", quote(header.Header), header.Index+1, c.score, strings.Join(c.reasons, "; ")))
	}
}

func rounded(score float64) float64 { return float64(int(score*1000+0.5)) / 1000 }

package mapping

import (
	"context"

	"github.com/intraydata/intray"
)

// suggestion is a mapping under way.
type suggestion struct {
	fields  []intray.Field
	columns []intray.Column
	// keyed says that the headers are keys of records.
	keyed   bool
	matches []intray.Match
	// picks are the columns of the fields that take several.
	picks [][]pick
	// notes are what the reasons of a field say besides: what came close.
	notes [][]intray.Message
	// settled are the fields that look for no further column: they have one or
	// are in question.
	settled []bool
	// taken are the columns that feed a field or are in question, and used
	// those that feed one.
	taken, used []bool
	questions   []Question
	// asked are the keys of the fields that some question is about.
	asked map[string]bool
}

// offer is one spelling of a header: the columns that have it, and the fields
// that want it.
type offer struct{ columns, fields []int }

// wish is a field and what is on offer under its names.
type wish struct {
	field  int
	names  []name
	offers []*offer
}

// columns is the number of columns that fit the field. No column is in two of
// its offers.
func (w wish) columns() int {
	n := 0
	for _, o := range w.offers {
		n += len(o.columns)
	}
	return n
}

// begun says whether the field is the first of those that want the offer.
func (w wish) begun(o *offer) bool { return o.fields[0] == w.field }

// assign gives out the columns that fit in one grade.
func (s *suggestion) assign(ctx context.Context, g grade) error {
	wishes, err := s.wishes(ctx, g)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if s.takesMany(w.field) {
			continue
		}
		s.settled[w.field] = true
		if w.columns() > 1 {
			s.askConflict(w)
		}
	}
	for _, w := range wishes {
		for _, o := range w.offers {
			s.take(w, o)
		}
		s.give(g, w)
	}
	return nil
}

// give maps what only this field wants: the one column, or all of them.
func (s *suggestion) give(g grade, w wish) {
	if s.takesMany(w.field) {
		w.own(func(column int, n name) {
			m := g.matched(s.columns[column], n)
			s.keep(w.field, pick{column: column, score: m.Score, reasons: s.warned(w.field, s.columns[column], m.Reasons)})
		})
		return
	}
	if o := w.offers[0]; len(o.fields) == 1 && w.columns() == 1 {
		column := o.columns[0]
		m := g.matched(s.columns[column], w.names[0])
		m.Reasons = s.warned(w.field, s.columns[column], m.Reasons)
		s.matches[w.field], s.used[column] = m, true
	}
}

// take takes the columns of an offer away, and asks about the one that several
// fields want. Of several columns each field that takes one was asked about
// already.
func (s *suggestion) take(w wish, o *offer) {
	if !w.begun(o) {
		return
	}
	if len(o.fields) > 1 {
		if len(o.columns) == 1 {
			s.askRivalry(o)
		} else if s.allTakeMany(o.fields) {
			s.askShared(o)
		}
	}
	for _, c := range o.columns {
		s.taken[c] = true
	}
}

func (s *suggestion) allTakeMany(fields []int) bool {
	for _, f := range fields {
		if !s.takesMany(f) {
			return false
		}
	}
	return true
}

// wishes are those of the fields that are not settled and that something free
// fits.
func (s *suggestion) wishes(ctx context.Context, g grade) ([]wish, error) {
	offers, err := s.offers(ctx, g)
	if err != nil {
		return nil, err
	}
	var wishes []wish
	for i, f := range s.fields {
		if s.settled[i] || g.many && !s.takesMany(i) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := wish{field: i}
		for _, n := range g.names(f) {
			if o := offers[n.spelled]; o != nil && !s.belied(g, f, n, o) {
				o.fields = append(o.fields, i)
				w.names, w.offers = append(w.names, n), append(w.offers, o)
			}
		}
		if len(w.offers) > 0 {
			wishes = append(wishes, w)
		}
	}
	return wishes, nil
}

// offers are the columns that are free, by their headers.
func (s *suggestion) offers(ctx context.Context, g grade) (map[string]*offer, error) {
	offers := make(map[string]*offer)
	for i, c := range s.columns {
		if s.taken[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		header := g.spelling(c.Header)
		if header == "" {
			continue
		}
		if offers[header] == nil {
			offers[header] = &offer{}
		}
		offers[header].columns = append(offers[header].columns, i)
	}
	return offers, nil
}

// unmapped are the indexes of the columns that feed no field.
func (s *suggestion) unmapped() []int {
	var rest []int
	for i, c := range s.columns {
		if !s.used[i] {
			rest = append(rest, c.Index)
		}
	}
	return rest
}

package memstore

import (
	"iter"
	"time"

	"github.com/intraydata/intray/server/model"
)

// listing is a list in a fixed order, of which pages can be read.
type listing[V any] struct {
	order func(a, b V) int
	// position returns the values by which the list is ordered, for cursors: an int64 or a string for
	// each. at returns a row with these values.
	position func(V) []any
	at       func(position []any) V
}

// byCreation returns a listing in the order of a time and an id. get reads them from a row, and set
// returns a row with them.
func byCreation[V any](order func(a, b V) int, get func(V) (time.Time, string), set func(time.Time, string) V) listing[V] {
	return listing[V]{
		order: order,
		position: func(row V) []any {
			at, id := get(row)
			return []any{at.UnixMicro(), id}
		},
		at: func(p []any) V { return set(fromMicros(p[0]), p[1].(string)) },
	}
}

func fromMicros(value any) time.Time { return time.UnixMicro(value.(int64)).UTC() }

// pageOf returns a page of the rows that meet a condition.
func pageOf[K comparable, V any](r *rows[K, V], condition func(V) bool, l listing[V], p model.PageRequest) (page model.Page[V], err error) {
	page.Total = int64(r.count(condition))
	if p.After != "" {
		var none V
		position, err := p.After.Position(l.position(none)...)
		if err != nil {
			return page, err
		}
		p.Offset = 0
		all, cursor := condition, l.at(position)
		condition = func(row V) bool { return all(row) && l.order(row, cursor) > 0 }
	}
	limit := max(p.Limit, 0)
	page.Rows = r.find(condition, l.order, p.Offset, min(limit, 1<<62)+1)
	if int64(len(page.Rows)) > limit {
		page.Rows = page.Rows[:limit]
		if limit == 0 {
			page.Rows = nil
			return page, nil
		}
		page.Next = model.NewCursor(l.position(page.Rows[limit-1])...)
	}
	return page, nil
}

// streamPage yields the rows of a page.
func streamPage[K comparable, V any](r *rows[K, V], condition func(V) bool, l listing[V], p model.PageRequest) iter.Seq2[V, error] {
	page, err := pageOf(r, condition, l, p)
	if err != nil {
		return func(yield func(V, error) bool) {
			var none V
			yield(none, err)
		}
	}
	return stream(page.Rows)
}

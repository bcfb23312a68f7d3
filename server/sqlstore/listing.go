package sqlstore

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// listing is a list of rows of a table, of which pages can be read.
type listing[T any] struct {
	*table[T]
	// where is an SQL condition that selects the rows of the list. Its parameters identify the list.
	where string
	// order are the columns that order the list. The first one is a time. No two rows of a list have
	// the same values in all of them.
	order []string
	// The newest rows come first, unless oldestFirst is set. The other columns have the same
	// direction as the first, unless opposite is set.
	oldestFirst, opposite bool
	// position returns the values of these columns: an int64 or a string for each.
	position func(T) []any
	// count is a query for the number of rows of the list, with the same parameters. If it is "", the
	// rows are counted up to model.CountLimit.
	count string
}

// page reads a page of the list that the parameters in args identify.
func (l listing[T]) page(ctx context.Context, tx *txn, page model.PageRequest, args ...any) (found model.Page[T], err error) {
	if found.Total, err = l.total(ctx, tx, args...); err != nil {
		return found, err
	}
	limit := max(page.Limit, 0)
	page.Limit = limit + 1 // to find out whether rows follow
	for row, err := range l.rows(ctx, tx, page, args...) {
		if err != nil {
			return model.Page[T]{}, err
		}
		if int64(len(found.Rows)) == limit {
			if limit > 0 {
				found.Next = model.NewCursor(l.position(found.Rows[limit-1])...)
			}
			break
		}
		found.Rows = append(found.Rows, row)
	}
	return found, nil
}

func (l listing[T]) total(ctx context.Context, tx *txn, args ...any) (int64, error) {
	query := l.count
	if query == "" {
		query = "SELECT count(*) FROM (SELECT 1 FROM " + l.name + l.where + " LIMIT " + strconv.Itoa(model.CountLimit) + ") AS counted"
	}
	return tx.count(ctx, l.entity, query, args...)
}

// rows yields the rows of a page.
func (l listing[T]) rows(ctx context.Context, tx *txn, page model.PageRequest, args ...any) iter.Seq2[T, error] {
	where := l.where
	parameter := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	if page.After != "" {
		var none T
		position, err := page.After.Position(l.position(none)...)
		if err != nil {
			return func(yield func(T, error) bool) { yield(none, err) }
		}
		after := make([]string, len(position))
		for i, value := range position {
			after[i] = parameter(value)
		}
		where += " AND " + l.after(after)
		page.Offset = 0
	}
	window := " LIMIT " + parameter(max(page.Limit, 0)) + " OFFSET " + parameter(max(page.Offset, 0))
	return l.stream(ctx, tx, where+l.orderBy()+window, args...)
}

func (l listing[T]) orderBy() string {
	columns := make([]string, len(l.order))
	for i, name := range l.order {
		columns[i] = name
		if l.oldestFirst == (i > 0 && l.opposite) {
			columns[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(columns, ", ")
}

// after returns an SQL condition that selects the rows after a position, which is given by the
// placeholders of its values.
func (l listing[T]) after(position []string) string {
	sign, other := "<", ">"
	if l.oldestFirst {
		sign, other = other, sign
	}
	compare := func(columns []string, sign string, values []string) string {
		return "(" + strings.Join(columns, ", ") + ") " + sign + " (" + strings.Join(values, ", ") + ")"
	}
	if !l.opposite {
		return compare(l.order, sign, position)
	}
	// The first comparison is redundant, but an index can use it.
	return compare(l.order[:1], sign+"=", position[:1]) + " AND (" + compare(l.order[:1], sign, position[:1]) + " OR " + compare(l.order[1:], other, position[1:]) + ")"
}

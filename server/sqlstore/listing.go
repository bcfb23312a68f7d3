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
	table *table[T]
	query listQuery
	// position returns the values of the columns that order the list: an int64 or a string for each.
	position func(T) []any
}

// listQuery selects and orders the rows of a list.
type listQuery struct {
	// where is an SQL condition that selects the rows of the list. Its parameters identify the list.
	where string
	// order are the columns that order the list. The first one is a time. No two rows of a list have
	// the same values in all of them.
	order []string
	// The newest rows come first, unless oldestFirst is set. The other columns have the same
	// direction as the first, unless opposite is set.
	oldestFirst, opposite bool
	// count is a query for the number of rows of the list, with the same parameters. If it is "", the
	// rows are counted up to model.CountLimit.
	count string
}

// page reads a page of the list that the parameters in args identify.
func (l *listing[T]) page(ctx context.Context, tx *txn, page model.PageRequest, args ...any) (found model.Page[T], err error) {
	if found.Total, err = l.query.total(ctx, tx, &l.table.tableColumns, args); err != nil {
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

// rows yields the rows of a page.
func (l *listing[T]) rows(ctx context.Context, tx *txn, page model.PageRequest, args ...any) iter.Seq2[T, error] {
	var none T
	rest, args, err := l.query.page(page, l.position(none), args)
	if err != nil {
		return func(yield func(T, error) bool) { yield(none, err) }
	}
	return l.table.stream(ctx, tx, rest, args...)
}

func (l *listQuery) total(ctx context.Context, tx *txn, table *tableColumns, args []any) (int64, error) {
	query := l.count
	if query == "" {
		query = "SELECT count(*) FROM (SELECT 1 FROM " + table.name + l.where + " LIMIT " + strconv.Itoa(model.CountLimit) + ") AS counted"
	}
	return tx.count(ctx, table.entity, query, args...)
}

// page returns the rest of the query for a page, and the values of its parameters. like has the
// types of a position.
func (l *listQuery) page(page model.PageRequest, like, args []any) (string, []any, error) {
	where := l.where
	parameter := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	if page.After != "" {
		position, err := page.After.Position(like...)
		if err != nil {
			return "", nil, err
		}
		after := make([]string, len(position))
		for i, value := range position {
			after[i] = parameter(value)
		}
		where += " AND " + l.after(after)
		page.Offset = 0
	}
	window := " LIMIT " + parameter(max(page.Limit, 0)) + " OFFSET " + parameter(max(page.Offset, 0))
	return where + l.orderBy() + window, args, nil
}

func (l *listQuery) orderBy() string {
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
func (l *listQuery) after(position []string) string {
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

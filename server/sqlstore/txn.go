package sqlstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/intraydata/intray/server/queue"
)

// txn is a transaction. Each type that embeds it reads and writes the rows of one
// entity.
type txn struct {
	tx      queue.Tx
	dialect dialect
	jobs    queue.Queue
	// forUpdate is appended to a query for a row that this transaction may write
	// back. It makes the query wait until no other transaction writes the row, and
	// locks the row. It is "" in a read-only transaction, or if only one
	// transaction writes at a time.
	forUpdate string
	outcomes  *outcomeCache
}

// exec runs a statement and returns the number of affected rows. action describes
// the statement in errors.
func (t *txn) exec(ctx context.Context, action, query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", action, translate(err))
	}
	return res.RowsAffected()
}

// execOne runs a statement that must affect a row. If it affects none, execOne
// returns NotFound.
func (t *txn) execOne(ctx context.Context, entity, query string, args ...any) error {
	n, err := t.exec(ctx, "change "+entity, query, args...)
	if err == nil && n == 0 {
		return notFound()
	}
	return err
}

// count returns the single number that a query selects.
func (t *txn) count(ctx context.Context, entity, query string, args ...any) (n int64, err error) {
	if err := t.tx.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count %s: %w", entity, translate(err))
	}
	return n, nil
}

// queryOne reads the first row of a query. If there is none, it returns NotFound.
func queryOne[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) (T, error) {
	for row, err := range queryStream(ctx, t, entity, cells, query, args...) {
		return row, err
	}
	var none T
	return none, notFound()
}

// queryAll reads all rows of a query.
func queryAll[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) ([]T, error) {
	var all []T
	for row, err := range queryStream(ctx, t, entity, cells, query, args...) {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

// queryStream yields the rows of a query as it reads them. Until the iteration
// ends, the transaction must not be used for anything else.
func queryStream[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := t.tx.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", entity, translate(err)))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var row T
			if err = rows.Scan(cells(&row)...); err != nil {
				break
			}
			if !yield(row, nil) {
				return
			}
		}
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", entity, translate(err)))
		}
	}
}

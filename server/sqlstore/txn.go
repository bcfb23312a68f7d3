package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/queue"
)

// txn is a transaction. The types over it hold the rows of one noun each. They
// name the columns of a table in one text, and give pointers to the parts of a
// row in the same order, from which rows are written and into which they are
// read.
type txn struct {
	tx      queue.Tx
	dialect dialect
	jobs    queue.Queue
	// forUpdate ends a query for a row that this transaction may write back: it
	// waits until no other transaction writes the row, and keeps others from
	// it. It is "" where none can.
	forUpdate string
	outcomes  *outcomeCache
}

// exec runs a statement and says how many rows it touched.
func (t *txn) exec(ctx context.Context, doing, query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, translate(err))
	}
	return res.RowsAffected()
}

// insert adds a row. A row that breaks a rule of uniqueness is a Conflict,
// found in a way that leaves the transaction in order.
func (t *txn) insert(ctx context.Context, entity, table, columns string, cells ...any) error {
	n, err := t.exec(ctx, "adding a "+entity,
		"INSERT INTO "+table+" ("+columns+") VALUES ("+placeholders(len(cells))+") ON CONFLICT DO NOTHING", cells...)
	if err == nil && n == 0 {
		return alreadyExists()
	}
	return err
}

// execOne runs a statement that must touch a row; else there is no such row.
func (t *txn) execOne(ctx context.Context, entity, query string, args ...any) error {
	n, err := t.exec(ctx, "changing a "+entity, query, args...)
	if err == nil && n == 0 {
		return notFound()
	}
	return err
}

// count reads one number.
func (t *txn) count(ctx context.Context, entity, query string, args ...any) (n int64, err error) {
	if err := t.tx.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting each %s: %w", entity, translate(err))
	}
	return n, nil
}

// queryOne reads the only row of a query. No row is NotFound.
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

// queryStream yields the rows of a query as they are read. Nothing else may be done
// in the transaction meanwhile.
func queryStream[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := t.tx.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, fmt.Errorf("reading a %s: %w", entity, translate(err)))
			return
		}
		defer func() { _ = rows.Close() }()
		if err := scanAll(rows, cells, yield); err != nil {
			yield(none, fmt.Errorf("reading a %s: %w", entity, translate(err)))
		}
	}
}

func scanAll[T any](rows *sql.Rows, cells func(*T) []any, yield func(T, error) bool) error {
	for rows.Next() {
		var row T
		if err := rows.Scan(cells(&row)...); err != nil {
			return err
		}
		if !yield(row, nil) {
			return nil
		}
	}
	return rows.Err()
}

// placeholders gives "$1, $2" and so on, n of them.
func placeholders(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(all, ", ")
}

// assignments gives "a = $3, b = $4" for the columns "a, b" and first 3.
func assignments(columns string, first int) string {
	all := strings.Split(columns, ", ")
	for i := range all {
		all[i] += " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// micros keeps a time as microseconds since 1970, and no time as 0.
type micros struct{ t *time.Time }

func (m micros) Value() (driver.Value, error) { return toMicros(*m.t), nil }

func (m micros) Scan(from any) error {
	n, ok := from.(int64)
	if !ok {
		return fmt.Errorf("a time is a %T", from)
	}
	*m.t = time.Time{}
	if n != 0 {
		*m.t = time.UnixMicro(n).UTC()
	}
	return nil
}

func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// asJSON keeps what v points to as a JSON text.
type asJSON struct{ v any }

func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.v)
	return string(text), err
}

func (j asJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a JSON text is a %T", from)
	}
	return json.Unmarshal([]byte(text), j.v)
}

// asMessage keeps a message as a text.
type asMessage struct{ message *intray.Message }

func (m asMessage) Value() (driver.Value, error) { return m.message.Encode(), nil }

func (m asMessage) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a message is a %T", from)
	}
	*m.message = intray.DecodeMessage(text)
	return nil
}

// rawJSON keeps a JSON text as it is, and none as "".
type rawJSON struct{ text *json.RawMessage }

func (j rawJSON) Value() (driver.Value, error) { return string(*j.text), nil }

func (j rawJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a JSON text is a %T", from)
	}
	*j.text = nil
	if text != "" {
		*j.text = json.RawMessage(text)
	}
	return nil
}

// nullableBytes keeps bytes, and nil as NULL.
type nullableBytes struct{ b *[]byte }

func (o nullableBytes) Value() (driver.Value, error) {
	if *o.b == nil {
		return nil, nil
	}
	return *o.b, nil
}

func (o nullableBytes) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		*o.b = nil
	case []byte:
		*o.b = append([]byte{}, from...)
	default:
		return fmt.Errorf("bytes are a %T", from)
	}
	return nil
}

package sqlstore

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// columns collects the names of the columns of an entity and pointers to its fields.
type columns struct {
	names []string
	// cells contains pointers to the fields of the entity. Rows are written from these fields
	// and read into them.
	cells []any
}

// add adds columns. pairs alternates between the name of a column and a pointer to
// its field, so that the names and the pointers always match.
func (c *columns) add(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		if c.names != nil {
			c.names = append(c.names, pairs[i].(string))
		}
		c.cells = append(c.cells, pairs[i+1])
	}
}

// table describes the table in which an entity is stored.
type table[T any] struct {
	tableColumns
	addColumns func(*columns, *T)
}

// tableColumns contains what does not depend on the type of the entity. Its methods are compiled
// once, but those of table are compiled for every entity.
type tableColumns struct {
	// name is the name of the table in SQL. entity is the name of the entity in errors.
	name, entity string
	// names are the names of the columns. fixed is the number of leading columns with values
	// that never change.
	names []string
	fixed int
	// list contains all names, separated by commas. inserting is the query that inserts a row.
	list, inserting string
}

func newTable[T any](name, entity string, fixed int, addColumns func(*columns, *T)) *table[T] {
	c := columns{names: []string{}}
	addColumns(&c, new(T))
	return &table[T]{newTableColumns(name, entity, fixed, c.names), addColumns}
}

func newTableColumns(name, entity string, fixed int, names []string) tableColumns {
	return tableColumns{name: name, entity: entity, names: names, fixed: fixed, list: strings.Join(names, ", "), inserting: insertQuery(name, names)}
}

// insertQuery returns the query that inserts a row.
func insertQuery(table string, names []string) string {
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + placeholders(len(names)) + ") ON CONFLICT DO NOTHING"
}

// cells returns pointers to the fields of v, in the order of the columns.
func (t *table[T]) cells(v *T) []any {
	c := columns{cells: make([]any, 0, len(t.names))}
	t.addColumns(&c, v)
	return c.cells
}

// insert adds a row. more holds the names and values of columns that the table does not list.
// If the row violates a unique constraint, insert returns Conflict, and the transaction can
// continue.
func (t *table[T]) insert(ctx context.Context, tx *txn, v T, more ...any) error {
	return t.insertCells(ctx, tx, t.cells(&v), more)
}

func (t *tableColumns) insertCells(ctx context.Context, tx *txn, cells, more []any) error {
	c := columns{names: slices.Clip(t.names), cells: cells}
	c.add(more...)
	query := t.inserting
	if len(more) > 0 {
		query = insertQuery(t.name, c.names)
	}
	n, err := tx.exec(ctx, "insert "+t.entity, query, c.cells...)
	if err == nil && n == 0 {
		return alreadyExists()
	}
	return err
}

// one returns the row selected by the rest of the query. If there is no such row, it returns
// NotFound.
func (t *table[T]) one(ctx context.Context, tx *txn, rest string, args ...any) (T, error) {
	return queryOne(ctx, tx, t.entity, t.cells, t.query(rest), args...)
}

// all returns the rows selected by the rest of the query.
func (t *table[T]) all(ctx context.Context, tx *txn, rest string, args ...any) ([]T, error) {
	return queryAll(ctx, tx, t.entity, t.cells, t.query(rest), args...)
}

// stream yields the rows selected by the rest of the query, like queryStream.
func (t *table[T]) stream(ctx context.Context, tx *txn, rest string, args ...any) iter.Seq2[T, error] {
	return queryStream(ctx, tx, t.entity, t.cells, t.query(rest), args...)
}

func (t *tableColumns) query(rest string) string {
	return "SELECT " + t.list + " FROM " + t.name + rest
}

// save writes the columns that can change, and the additional columns in more, to the row with
// the given key. The SQL condition in where selects that row. If there is no such row, it
// returns NotFound.
func (t *table[T]) save(ctx context.Context, tx *txn, v T, where string, key []any, more ...any) error {
	return t.saveCells(ctx, tx, t.cells(&v), where, key, more)
}

func (t *tableColumns) saveCells(ctx context.Context, tx *txn, cells []any, where string, key, more []any) error {
	c := columns{names: slices.Clip(t.names[t.fixed:]), cells: cells[t.fixed:]}
	c.add(more...)
	return tx.execOne(ctx, t.entity, "UPDATE "+t.name+" SET "+assignments(c.names, len(key)+1)+where, append(key, c.cells...)...)
}

// delete deletes the row with the given key. The SQL condition in where selects that row. If
// there is none, it returns NotFound.
func (t *tableColumns) delete(ctx context.Context, tx *txn, where string, key ...any) error {
	return tx.execOne(ctx, t.entity, "DELETE FROM "+t.name+where, key...)
}

// byID selects a row by its organization ($1) and its id ($2).
const byID = " WHERE org = $1 AND id = $2"

// ownedRows reads and writes the rows of an entity that belongs to an organization.
// The first columns of its table must be id and org.
type ownedRows[T any] struct {
	*txn
	table *table[T]
}

// Insert adds a row.
func (r ownedRows[T]) Insert(ctx context.Context, v T) error { return r.table.insert(ctx, r.txn, v) }

// Get returns a row. Other transactions cannot change the row until this one ends.
func (r ownedRows[T]) Get(ctx context.Context, org, id string) (T, error) {
	return r.table.one(ctx, r.txn, byID+r.forUpdate, org, id)
}

// Save writes the columns that can change.
func (r ownedRows[T]) Save(ctx context.Context, v T) error {
	id := r.table.cells(&v)
	return r.table.save(ctx, r.txn, v, byID, []any{id[1], id[0]})
}

// Delete deletes a row.
func (r ownedRows[T]) Delete(ctx context.Context, org, id string) error {
	return r.table.delete(ctx, r.txn, byID, org, id)
}

// placeholders returns the placeholders from $1 to $n, separated by commas.
func placeholders(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(all, ", ")
}

// assignments returns assignments to columns, with placeholders from $first. For
// example, the columns a and b and first = 3 yield "a = $3, b = $4".
func assignments(names []string, first int) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name + " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// micros stores a time as microseconds since 1970, and the zero time as 0.
type micros struct{ t *time.Time }

func (m micros) Value() (driver.Value, error) { return toMicros(*m.t), nil }

func (m micros) Scan(from any) error {
	n, ok := from.(int64)
	if !ok {
		return fmt.Errorf("read a time from a %T", from)
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

// asJSON stores the value that v points to as JSON.
type asJSON struct{ v any }

func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.v)
	return string(text), err
}

func (j asJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read JSON from a %T", from)
	}
	return json.Unmarshal([]byte(text), j.v)
}

// asMessage stores a message as a string.
type asMessage struct{ message *intray.Message }

func (m asMessage) Value() (driver.Value, error) { return m.message.Encode(), nil }

func (m asMessage) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read a message from a %T", from)
	}
	*m.message = intray.DecodeMessage(text)
	return nil
}

// rawJSON stores JSON unchanged, and nil as "".
type rawJSON struct{ text *json.RawMessage }

func (j rawJSON) Value() (driver.Value, error) { return string(*j.text), nil }

func (j rawJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read JSON from a %T", from)
	}
	*j.text = nil
	if text != "" {
		*j.text = json.RawMessage(text)
	}
	return nil
}

// nullableBytes stores a byte slice, and nil as NULL.
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
		return fmt.Errorf("read bytes from a %T", from)
	}
	return nil
}

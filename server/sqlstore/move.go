package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// movedTables are the tables that MoveTo copies. A table follows those that it refers to.
var movedTables = []string{
	"orgs", "marks", "licences", "schemas", "imports", "uploads", "sessions", "credentials", "replays", "memories", "edits",
	"webhooks", "deliveries", "attempts", "connectors", "pulled", "pulls", "retention", "receipts", "trash", "import_links", "import_link_logos",
}

// comparedTables are the tables that triggers fill when MoveTo copies the others. They must have the
// same rows afterwards.
var comparedTables = []string{"org_usage", "upload_days"}

// These are the names of marks that prevent servers from using a database.
const (
	// movingMark is the mark of a database to which a move is not complete. Its value identifies the source.
	movingMark = "moving from"
	// movedMark is the mark of a database whose contents are being moved or were moved. Its value describes
	// the target.
	movedMark = "moved to"
)

var (
	// ErrMoving means that the contents of another database are being moved to this one.
	ErrMoving = errors.New("a move to this database is not complete")
	// ErrMoved means that the contents of this database were moved to another one, or are being moved.
	ErrMoved = errors.New("the contents of this database were moved")
	// ErrNotEmpty means that a database is not empty.
	ErrNotEmpty = errors.New("the database is not empty")
)

// CheckMove returns ErrMoving or ErrMoved, with a description, if the database must not be used.
func (s *Store) CheckMove(ctx context.Context) error {
	ctx = model.AcrossOrgs(ctx)
	from, err := s.mark(ctx, movingMark)
	if err != nil {
		return err
	}
	if from != "" {
		return ErrMoving
	}
	to, err := s.mark(ctx, movedMark)
	if err != nil || to == "" {
		return err
	}
	return fmt.Errorf("%w to %s", ErrMoved, to)
}

func (s *Store) mark(ctx context.Context, name string) (mark string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT mark FROM marks WHERE name = $1`, name).Scan(&mark)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return mark, s.logUnavailable(ctx, translate(err))
}

func (s *Store) setMark(ctx context.Context, name, mark string) error {
	return s.Update(ctx, func(tx model.Tx) error {
		got, err := tx.Nodes.EnsureMark(ctx, name, mark)
		if err == nil && got != mark {
			err = fmt.Errorf("%w to %s", ErrMoved, got)
		}
		return err
	})
}

func (s *Store) removeMark(ctx context.Context, name string) error {
	return s.Update(ctx, func(tx model.Tx) error {
		_, err := tx.Nodes.(nodeRows).exec(ctx, "remove a mark", `DELETE FROM marks WHERE name = $1`, name)
		return err
	})
}

// BeginMove prepares a move from an SQLite database to a PostgreSQL database that is new or that an
// interrupted move of the same database has begun to fill. description describes the target. Until EndMove,
// servers can use neither of them. It returns ErrMoved if a move is complete or has another target, and
// ErrNotEmpty if the target contains other data.
func (s *Store) BeginMove(ctx context.Context, to *Store, id, description string) error {
	ctx = model.AcrossOrgs(ctx)
	if s.writer == nil || to.writer != nil {
		return errors.New("a move is possible only from SQLite to PostgreSQL")
	}
	before, err := s.mark(ctx, movedMark)
	if err != nil {
		return err
	}
	from, err := to.mark(ctx, movingMark)
	switch {
	case err != nil:
		return err
	case before != "" && (before != description || from == ""):
		return fmt.Errorf("%w to %s", ErrMoved, before)
	case from == "":
		err = to.checkEmpty(ctx)
	case from != id:
		err = fmt.Errorf("%w: another installation is being moved to it", ErrNotEmpty)
	}
	if err != nil {
		return err
	}
	// The target is marked first, so that a source without a mark can always be used.
	if err := to.setMark(ctx, movingMark, id); err != nil {
		return err
	}
	return s.setMark(ctx, movedMark, description)
}

// checkEmpty returns ErrNotEmpty if a table that MoveTo fills contains rows.
func (s *Store) checkEmpty(ctx context.Context) error {
	for _, name := range movedTables {
		var one int
		err := s.read.QueryRowContext(ctx, `SELECT 1 FROM `+name+` LIMIT 1`).Scan(&one)
		if err == nil {
			return fmt.Errorf("%w: the table %s contains rows", ErrNotEmpty, name)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("read %s: %w", name, translate(err))
		}
	}
	return nil
}

// CancelMove lets servers use an SQLite database again although a move of it has begun. The target must be
// deleted.
func (s *Store) CancelMove(ctx context.Context) error {
	return s.removeMark(model.AcrossOrgs(ctx), movedMark)
}

// EndMove lets servers use the target of a move. Imports that wait for a run are enqueued.
func (s *Store) EndMove(ctx context.Context) error {
	ctx = model.AcrossOrgs(ctx)
	return s.Update(ctx, func(tx model.Tx) error {
		rows := tx.Nodes.(nodeRows)
		waiting, err := rows.count(ctx, "imports", `SELECT count(*) FROM imports WHERE status = 'PENDING'`)
		if err != nil {
			return err
		}
		for range waiting {
			if err := model.EnqueueRun(ctx, tx); err != nil {
				return err
			}
		}
		_, err = rows.exec(ctx, "remove a mark", `DELETE FROM marks WHERE name = $1`, movingMark)
		return err
	})
}

// moveBatch is the maximum number of parameters of a statement that inserts rows. PostgreSQL allows 65535.
const moveBatch = 20_000

// MoveTo copies all rows to another database and compares them. Call BeginMove first, and EndMove
// afterwards. Rows that exist are not copied again. progress is called after each batch, with the table and the
// number of its rows so far.
func (s *Store) MoveTo(ctx context.Context, to *Store, progress func(table string, rows int64)) error {
	ctx = model.AcrossOrgs(ctx)
	for _, name := range movedTables {
		t, err := s.findMoved(ctx, to, name)
		if err == nil {
			err = t.copyRows(ctx, s, to, progress)
		}
		if err != nil {
			return fmt.Errorf("move the table %s: %w", name, translate(err))
		}
	}
	for _, name := range slices.Concat(movedTables, comparedTables) {
		t, err := s.findMoved(ctx, to, name)
		if err == nil {
			err = t.compare(ctx, s, to)
		}
		if err != nil {
			return fmt.Errorf("compare the table %s: %w", name, translate(err))
		}
	}
	return nil
}

// movedTable is a table that has the same columns in both databases.
type movedTable struct {
	name string
	// columns are the names of the columns, and key those of the primary key.
	columns, key []string
	// types are the types of the columns in PostgreSQL.
	types map[string]string
}

// findMoved reads the columns of a table in both databases.
func (s *Store) findMoved(ctx context.Context, to *Store, name string) (movedTable, error) {
	t := movedTable{name: name, types: map[string]string{}}
	rows, err := s.read.QueryContext(ctx, `SELECT name, pk FROM pragma_table_info($1) ORDER BY pk, cid`, name)
	if err != nil {
		return t, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var column string
		var position int
		if err := rows.Scan(&column, &position); err != nil {
			return t, err
		}
		t.columns = append(t.columns, column)
		if position > 0 {
			t.key = append(t.key, column)
		}
	}
	if err := rows.Err(); err != nil {
		return t, err
	}
	types, err := to.read.QueryContext(ctx, `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1`, name)
	if err != nil {
		return t, err
	}
	defer func() { _ = types.Close() }()
	for types.Next() {
		var column, kind string
		if err := types.Scan(&column, &kind); err != nil {
			return t, err
		}
		t.types[column] = kind
	}
	if err := types.Err(); err != nil {
		return t, err
	}
	for _, column := range t.columns {
		if t.types[column] == "" {
			return t, fmt.Errorf("the column %s is missing in the other database", column)
		}
	}
	if len(t.key) == 0 || len(t.types) != len(t.columns) {
		return t, fmt.Errorf("the databases have different columns, or there is no primary key: %v and %v", t.columns, t.types)
	}
	return t, nil
}

// rows yields all rows in the order of the primary key. Values have the same types for both databases.
func (t movedTable) rows(ctx context.Context, s *Store) iter.Seq2[[]any, error] {
	where := ""
	if t.name == "marks" { // they differ
		where = " WHERE name NOT IN ('" + movingMark + "', '" + movedMark + "')"
	}
	query := "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + where + " ORDER BY " + strings.Join(t.key, ", ")
	return func(yield func([]any, error) bool) {
		rows, err := s.read.QueryContext(ctx, query)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			row, targets := make([]any, len(t.columns)), make([]any, len(t.columns))
			for i := range row {
				targets[i] = &row[i]
			}
			if err = rows.Scan(targets...); err == nil {
				err = t.normalize(row)
			}
			if err != nil {
				break
			}
			if !yield(row, nil) {
				return
			}
		}
		if err = errors.Join(err, rows.Err()); err != nil {
			yield(nil, err)
		}
	}
}

// normalize converts the values of a row to those that the driver of PostgreSQL accepts and returns.
func (t movedTable) normalize(row []any) error {
	for i, column := range t.columns {
		switch v := row[i].(type) {
		case int64:
			if t.types[column] == "boolean" {
				row[i] = v != 0
			}
		case []byte:
			if t.types[column] != "bytea" {
				row[i] = string(v)
			}
		case string:
			if t.types[column] == "bytea" {
				row[i] = []byte(v)
			} else if strings.ContainsRune(v, 0) {
				return fmt.Errorf("the column %s of the row with the key %v contains a NUL character, which PostgreSQL cannot store", column, row[:len(t.key)])
			}
		}
	}
	return nil
}

// copyRows inserts the rows that the other database does not contain.
func (t movedTable) copyRows(ctx context.Context, from, to *Store, progress func(string, int64)) error {
	size := max(1, moveBatch/len(t.columns))
	var batch [][]any
	copied := int64(0)
	for row, err := range t.rows(ctx, from) {
		if err != nil {
			return err
		}
		if batch = append(batch, row); len(batch) < size {
			continue
		}
		if err := t.insert(ctx, to, batch); err != nil {
			return err
		}
		copied += int64(len(batch))
		progress(t.name, copied)
		batch = batch[:0]
	}
	if len(batch) == 0 {
		return nil
	}
	err := t.insert(ctx, to, batch)
	progress(t.name, copied+int64(len(batch)))
	return err
}

func (t movedTable) insert(ctx context.Context, to *Store, batch [][]any) error {
	var query strings.Builder
	fmt.Fprintf(&query, "INSERT INTO %s (%s) VALUES ", t.name, strings.Join(t.columns, ", "))
	args := make([]any, 0, len(batch)*len(t.columns))
	for n, row := range batch {
		if n > 0 {
			query.WriteString(", ")
		}
		for i, value := range row {
			separator := ", "
			if i == 0 {
				separator = "("
			}
			args = append(args, value)
			fmt.Fprintf(&query, "%s$%d", separator, len(args))
		}
		query.WriteString(")")
	}
	query.WriteString(" ON CONFLICT DO NOTHING")
	_, err := to.write.ExecContext(ctx, query.String(), args...)
	return err
}

// compare returns an error unless both databases contain the same rows.
func (t movedTable) compare(ctx context.Context, from, to *Store) error {
	next, stop := iter.Pull2(t.rows(ctx, to))
	defer stop()
	for row, err := range t.rows(ctx, from) {
		if err != nil {
			return err
		}
		other, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("the row with the key %v is missing", row[:len(t.key)])
		}
		for i, column := range t.columns {
			if !sameValue(row[i], other[i]) {
				return fmt.Errorf("the rows with the keys %v and %v differ in the column %s", row[:len(t.key)], other[:len(t.key)], column)
			}
		}
	}
	if extra, err, ok := next(); ok {
		return errors.Join(fmt.Errorf("there is an additional row %v", extra[:min(len(extra), len(t.key))]), err)
	}
	return nil
}

func sameValue(a, b any) bool {
	x, isBytes := a.([]byte)
	y, alsoBytes := b.([]byte)
	if isBytes || alsoBytes {
		return bytes.Equal(x, y)
	}
	return a == b
}

package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// faults makes calls to a database driver fail.
type faults struct {
	mu sync.Mutex
	// left is the number of calls that succeed before the first one that fails. If
	// it is negative, no call fails.
	left int
	// times is the number of calls that fail. err is their error.
	times int
	err   error
	hit   bool
	// begun is the number of transactions.
	begun int
}

// arm makes the next n calls succeed and the given number of calls after them fail with err.
func (f *faults) arm(n, times int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.times, f.err, f.hit = n, times, err, false
}

func (f *faults) wasHit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

func (f *faults) next() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left >= 0 || f.left < -f.times {
		return nil
	}
	f.hit = true
	return f.err
}

// faultyConnector opens connections whose calls fail as determined by faults.
type faultyConnector struct {
	dsn    string
	driver driver.Driver
	faults *faults
}

func (c faultyConnector) Driver() driver.Driver { return c.driver }

func (c faultyConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return faultyConn{conn.(sqliteConn), c.faults}, nil
}

type faultyConn struct {
	sqliteConn
	faults *faults
}

func (c faultyConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.faults.next(); err != nil {
		return nil, err
	}
	c.faults.begun++
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	return faultyTx{tx, c.faults}, err
}

func (c faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.faults.next(); err != nil {
		return nil, err
	}
	result, err := c.sqliteConn.ExecContext(ctx, query, args)
	return faultyResult{result, c.faults}, err
}

func (c faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.faults.next(); err != nil {
		return nil, err
	}
	rows, err := c.sqliteConn.QueryContext(ctx, query, args)
	return faultyRows{rows, c.faults}, err
}

type faultyTx struct {
	driver.Tx
	faults *faults
}

func (t faultyTx) Commit() error {
	if err := t.faults.next(); err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Tx.Commit()
}

type faultyResult struct {
	driver.Result
	faults *faults
}

func (r faultyResult) RowsAffected() (int64, error) {
	if err := r.faults.next(); err != nil {
		return 0, err
	}
	return r.Result.RowsAffected()
}

type faultyRows struct {
	driver.Rows
	faults *faults
}

func (r faultyRows) Next(cells []driver.Value) error {
	if err := r.faults.next(); err != nil {
		return err
	}
	return r.Rows.Next(cells)
}

var errFault = errors.New("the database fails")

// newFaulty opens an SQLite store that has no tables and whose calls fail as determined by
// faults. Statements that only PostgreSQL needs also run, but have no effect.
func newFaulty(t *testing.T) (*Store, *faults) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "intray.db")
	log := slog.New(slog.DiscardHandler)
	s := &Store{logger: log, outcomes: newOutcomeCache()}
	if err := s.openSQLite(t.Context(), Config{Path: path, Queue: queue.Config{Node: "x", Logger: log}}); err != nil {
		t.Fatal(err)
	}
	f := &faults{left: -1}
	connect := func(options string) *sql.DB {
		db := sql.OpenDB(faultyConnector{"file:" + path + "?_pragma=busy_timeout(5000)&" + options, s.write.Driver(), f})
		s.closers = append([]func() error{db.Close}, s.closers...)
		return db
	}
	s.write = connect("_pragma=foreign_keys(1)&_pragma=synchronous(0)&_txlock=immediate")
	s.read = connect("")
	s.dialect.lock, s.dialect.lockText = `SELECT $1`, `SELECT $1, $2`
	s.dialect.sessionLock, s.dialect.sessionUnlock = `SELECT $1`, `SELECT $1`
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, f
}

// openFaulty is like newFaulty, but the store has tables.
func openFaulty(t *testing.T) (*Store, *faults) {
	t.Helper()
	s, f := newFaulty(t)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, f
}

// wantEachFault calls the function work repeatedly, with a fault in a later driver call each
// time, until work succeeds without reaching the fault. Each fault must reach the caller.
func wantEachFault(t *testing.T, f *faults, name string, work func() error) {
	t.Helper()
	for n := range 1000 {
		f.arm(n, 1, errFault)
		err := work()
		if !f.wasHit() {
			f.arm(-1, 0, nil)
			if n == 0 {
				t.Errorf("%s makes no call", name)
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Errorf("%s: after the fault in call %d the error is %v", name, n, err)
		}
	}
	t.Fatalf("%s never ends", name)
}

// TestFaultsReachTheCaller checks that faults in every method of a transaction reach the caller.
// It finds the methods and their arguments by reflection, so that it covers all of them.
func TestFaultsReachTheCaller(t *testing.T) {
	s, f := openFaulty(t)
	insertSamples(t, s)
	ctx := t.Context()
	calls := map[string]func(tx model.Tx) error{
		"Schemas.Replace with a name that exists": func(tx model.Tx) error {
			return tx.Schemas.Replace(ctx, model.Schema{ID: "x", Org: "x", Name: "y"})
		},
		"Imports.Claim with an import that waits": func(tx model.Tx) error {
			_, err := tx.Imports.Claim(ctx, "x", model.RunLimits{PerOrg: 9, PerOrgAndNode: 9}, time.Now())
			return err
		},
		"Nodes.EnsureMark without a new mark": func(tx model.Tx) error {
			_, err := tx.Nodes.EnsureMark(ctx, "x", "")
			return err
		},
	}
	rows := reflect.TypeFor[model.Tx]()
	for i := range rows.NumField() {
		entity := rows.Field(i)
		for j := range entity.Type.NumMethod() {
			method := entity.Type.Method(j)
			calls[entity.Name+"."+method.Name] = func(tx model.Tx) error {
				return callWithSamples(ctx, reflect.ValueOf(tx).Field(i).Method(j))
			}
		}
	}
	errRollback := errors.New("roll back, for the next fault")
	for name, call := range calls {
		wantEachFault(t, f, name, func() error {
			err := s.Update(ctx, func(tx model.Tx) error {
				err := call(tx)
				if err == nil || model.IsKind(err, model.NotFound) || model.IsKind(err, model.Conflict) {
					return errRollback
				}
				return err
			})
			if !errors.Is(err, errFault) && !errors.Is(err, errRollback) {
				t.Errorf("%s: %v", name, err)
			}
			return err
		})
	}
	for name, work := range map[string]func() error{
		"Update": func() error { return s.Update(ctx, func(model.Tx) error { return nil }) },
		"View":   func() error { return s.View(ctx, func(model.Tx) error { return nil }) },
		"ViewOne": func() error {
			return s.ViewOne(ctx, func(tx model.Tx) error { _, err := tx.Imports.Get(ctx, "x", "x"); return err })
		},
		"Ping":   func() error { return s.Ping(ctx) },
		"Forget": func() error { return s.Forget(ctx) },
		"KeyMarks": func() error {
			_, err := s.KeyMarks(ctx)
			return err
		},
		"EnsureKeyMarks": func() error {
			_, err := s.EnsureKeyMarks(ctx, KeyMarks{"id", "keys"})
			return err
		},
		"ReplaceKeyMarks": func() error {
			// The marks that the call replaces are the ones that it stores.
			marks := KeyMarks{"id", "keys"}
			return s.ReplaceKeyMarks(ctx, marks, marks, func(sealed []byte, _, _ string) ([]byte, error) { return sealed, nil })
		},
	} {
		wantEachFault(t, f, name, work)
	}
}

// sampleOf returns a value in which strings are "x", numbers are 1, and times are
// the current time.
func sampleOf(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Now()))
	case of == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{}`))
	case of == reflect.TypeFor[model.PageRequest]():
		v.Set(reflect.ValueOf(model.PageRequest{Offset: 1, Limit: 1})) // cursors differ from list to list
	case of == reflect.TypeFor[model.KeptPart]():
		v.SetString(string(model.Originals))
	case of.Kind() == reflect.String:
		v.SetString("x")
	case v.CanInt():
		v.SetInt(1)
	case of.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, sampleOf(of.Elem())))
	case v.CanUint():
		v.SetUint('x')
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(sampleOf(of.Field(i).Type))
			}
		}
	}
	return v
}

// callWithSamples calls a method with a context and sample arguments. If the method returns an
// iterator, callWithSamples reads all its elements. It returns the error.
func callWithSamples(ctx context.Context, method reflect.Value) error {
	args := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		args = append(args, sampleOf(method.Type().In(i)))
	}
	results := method.Call(args)
	last := results[len(results)-1]
	if last.Kind() == reflect.Func {
		for _, err := range last.Seq2() {
			if !err.IsNil() {
				return err.Interface().(error)
			}
		}
		return nil
	}
	err, _ := last.Interface().(error)
	return err
}

// insertSamples inserts a sample of each entity, a second schema, and a pending import.
func insertSamples(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	err := s.Update(ctx, func(tx model.Tx) error {
		errs := []error{tx.Accounts.InsertOrg(ctx, sampleOf(reflect.TypeFor[model.Org]()).Interface().(model.Org))}
		rows := reflect.ValueOf(tx)
		for i := range rows.NumField() {
			for _, name := range []string{"Insert", "InsertLicence", "Upsert", "Append", "Attempted", "Schedule", "Heartbeat", "Replace"} {
				if method := rows.Field(i).MethodByName(name); method.IsValid() && name+rows.Type().Field(i).Name != "ReplaceSchemas" {
					errs = append(errs, callWithSamples(ctx, method))
				}
			}
		}
		return errors.Join(append(errs,
			tx.Schemas.Insert(ctx, model.Schema{ID: "y", Org: "x", Name: "y"}),
			tx.Imports.Insert(ctx, model.Import{ID: "y", Org: "x", Status: model.Pending}))...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFaultsOfMigrations makes driver calls fail during the migration of a new database. The
// migration must report the fault or complete, and the next attempt must complete.
func TestFaultsOfMigrations(t *testing.T) {
	for n := 0; ; n = 2*n + 1 {
		s, f := newFaulty(t)
		f.arm(n, 1, errFault)
		err := s.migrate(t.Context())
		if !f.wasHit() {
			if n == 0 || err != nil {
				t.Errorf("without a fault: error %v", err)
			}
			break
		}
		f.arm(-1, 0, nil)
		if err == nil { // goose treats the database as new if its first queries fail
			_, err = s.read.ExecContext(t.Context(), `SELECT count(*) FROM receipts`)
			if err != nil {
				t.Errorf("after the fault in call %d: no error, but %v", n, err)
			}
		} else if !errors.Is(err, errFault) {
			t.Errorf("after the fault in call %d the error is %v", n, err)
		}
		if err := s.migrate(t.Context()); err != nil {
			t.Errorf("a second attempt after the fault in call %d: %v", n, err)
		}
	}
	s, _ := newFaulty(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.migrate(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: error %v", err)
	}
}

// TestUpdateRunsAgain checks that a transaction runs again after errors that a retry can resolve.
func TestUpdateRunsAgain(t *testing.T) {
	s, f := openFaulty(t)
	ctx := t.Context()
	insert := func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(ctx, model.Org{ID: "o", Name: "Org"})
	}
	deadlock := &pgconn.PgError{Code: "40P01"}
	for name, c := range map[string]struct {
		err   error
		times int
		kind  model.Kind
	}{
		"a stale connection":     {io.ErrUnexpectedEOF, 1, 0},
		"many stale connections": {io.ErrUnexpectedEOF, maxStale - 1, 0},
		"only stale connections": {io.ErrUnexpectedEOF, maxStale, model.Unavailable},
		"a deadlock":             {deadlock, 1, 0},
		"many deadlocks":         {deadlock, maxUndone - 1, 0},
		"only deadlocks":         {deadlock, maxUndone, model.Unavailable},
		"another error":          {errFault, 1, 0},
	} {
		f.arm(0, c.times, c.err)
		err := s.Update(ctx, insert)
		if !f.wasHit() {
			t.Errorf("%s: no fault", name)
		}
		f.arm(-1, 0, nil)
		switch {
		case c.kind != 0:
			if !model.IsKind(err, c.kind) {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		case errors.Is(c.err, errFault):
			if !errors.Is(err, errFault) {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := s.write.ExecContext(ctx, `DELETE FROM orgs`); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScanRefuses checks that Scan returns an error for a value of a type that no column has.
func TestScanRefuses(t *testing.T) {
	var (
		at    time.Time
		text  string
		raw   json.RawMessage
		bytes []byte
	)
	for name, cell := range map[string]sql.Scanner{
		"a time": micros{&at}, "JSON": asJSON{&text}, "raw JSON": rawJSON{&raw}, "bytes": nullableBytes{&bytes}, "a message": asMessage{},
	} {
		if err := cell.Scan(1.5); err == nil || !strings.HasSuffix(err.Error(), "from a float64") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := (asJSON{&text}).Scan(`{`); err == nil {
		t.Error("invalid JSON was read")
	}
	if _, err := (asJSON{make(chan int)}).Value(); err == nil {
		t.Error("a channel was written as JSON")
	}
	cached := newOutcomeCache()
	var outcome *model.Outcome
	for _, text := range []string{`{`, fmt.Sprintf(`{"x":"%s"`, strings.Repeat("x", minOutcome))} {
		if err := (outcomeCell{&outcome, cached}).Scan(text); err == nil {
			t.Errorf("an invalid outcome of %d bytes was read", len(text))
		}
	}
}

package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/intraydata/intray/server/model"
)

func TestTranslate(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want model.Kind
	}{
		"unique":            {&pgconn.PgError{Code: "23505"}, model.Conflict},
		"foreign key":       {&pgconn.PgError{Code: "23503"}, model.NotFound},
		"not null":          {&pgconn.PgError{Code: "23502"}, 0},
		"U+0000":            {&pgconn.PgError{Code: "22021"}, model.Invalid},
		"U+0000 in JSON":    {&pgconn.PgError{Code: "22P05"}, model.Invalid},
		"shutting down":     {&pgconn.PgError{Code: "57P01"}, model.Unavailable},
		"too many":          {&pgconn.PgError{Code: "53300"}, model.Unavailable},
		"deadlock":          {&pgconn.PgError{Code: "40P01"}, model.Unavailable},
		"read only":         {&pgconn.PgError{Code: "25006"}, model.Unavailable},
		"idle for too long": {&pgconn.PgError{Code: "25P03"}, model.Unavailable},
		"wrong statement":   {&pgconn.PgError{Code: "42601"}, 0},
		"no code":           {&pgconn.PgError{}, 0},
		"bad connection":    {driver.ErrBadConn, model.Unavailable},
		"connection closed": {fmt.Errorf("query: %w", pgconn.ErrConnClosed), model.Unavailable},
		"cut off":           {io.ErrUnexpectedEOF, model.Unavailable},
		"caller gave up":    {context.Canceled, 0},
		"deadline":          {context.DeadlineExceeded, model.Unavailable},
		"transaction over":  {sql.ErrTxDone, 0},
		"something else":    {errors.New("x"), 0},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, c.err, c.want) })
	}
}

func wantKind(t *testing.T, err error, want model.Kind) {
	t.Helper()
	err = fmt.Errorf("doing: %w", err)
	got := translate(err)
	if want != 0 && !model.IsKind(got, want) {
		t.Errorf("%v, want kind %d", got, want)
	}
	if want == 0 && got.Error() != err.Error() {
		t.Errorf("%v was changed to %v", err, got)
	}
	if !errors.Is(got, err) {
		t.Errorf("%v lost its cause", got)
	}
	if translate(got).Error() != got.Error() {
		t.Errorf("%v was translated twice", got)
	}
}

func TestSQLiteKind(t *testing.T) {
	for code, want := range map[int]model.Kind{
		sqlite3.SQLITE_CONSTRAINT_UNIQUE:     model.Conflict,
		sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: model.Conflict,
		sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: model.NotFound,
		sqlite3.SQLITE_CONSTRAINT_NOTNULL:    0,
		sqlite3.SQLITE_BUSY:                  model.Unavailable,
		sqlite3.SQLITE_BUSY_SNAPSHOT:         model.Unavailable,
		sqlite3.SQLITE_FULL:                  model.Unavailable,
		sqlite3.SQLITE_IOERR_FSYNC:           model.Unavailable,
		sqlite3.SQLITE_READONLY:              model.Unavailable,
		sqlite3.SQLITE_PERM:                  model.Unavailable,
		sqlite3.SQLITE_CORRUPT:               0,
	} {
		if got := sqliteKind(code); got != want {
			t.Errorf("code %d is kind %d, want %d", code, got, want)
		}
	}
}

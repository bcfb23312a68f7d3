package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// retryAfter is how long a client should wait before it retries if the database is unreachable.
const retryAfter = 2 * time.Second

func notFound() error {
	return &model.Error{Kind: model.NotFound, Code: "not_found", Message: intray.NewMessage("request.unknown_id", nil)}
}

func alreadyExists() error {
	return &model.Error{Kind: model.Conflict, Code: "exists", Message: intray.NewMessage("store.already_there", nil)}
}

// translate wraps an error from a driver in a model.Error if there is a kind for it. It
// returns other errors unchanged.
func translate(err error) error {
	var own *model.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	switch kindOf(err) {
	case model.NotFound:
		own = &model.Error{Kind: model.NotFound, Code: "not_found", Message: intray.NewMessage("store.owner_missing", nil)}
	case model.Conflict:
		own = &model.Error{Kind: model.Conflict, Code: "exists", Message: intray.NewMessage("store.already_there", nil)}
	case model.Invalid:
		own = &model.Error{Kind: model.Invalid, Code: "invalid_text", Message: intray.NewMessage("store.invalid_text", nil)}
	case model.Unavailable:
		if isTooSlow(err) {
			own = &model.Error{Kind: model.Unavailable, Code: "busy",
				Message: intray.NewMessage("service.database_busy", nil), RetryAfter: retryAfter}
			break
		}
		if isDiskFull(err) {
			own = &model.Error{Kind: model.Unavailable, Code: "storage_full",
				Message: intray.NewMessage("storage.full_for_database", nil), RetryAfter: time.Minute}
			break
		}
		own = &model.Error{Kind: model.Unavailable, Code: "store_unavailable",
			Message: intray.NewMessage("service.database_unreachable", nil), RetryAfter: retryAfter}
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", own, err)
}

// isDiskFull reports whether err means that the disk of the database is full.
func isDiskFull(err error) bool {
	var lite *sqlite.Error
	var pg *pgconn.PgError
	return errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_FULL || errors.As(err, &pg) && pg.Code == "53100"
}

// kindOf returns the kind for a driver error, or 0 if there is none.
func kindOf(err error) model.Kind {
	var lite *sqlite.Error
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled):
		return 0 // the caller gave up
	case errors.Is(err, context.DeadlineExceeded):
		return model.Unavailable
	case errors.As(err, new(*pgconn.ConnectError)):
		return model.Unavailable
	case errors.As(err, &lite):
		return sqliteKind(lite.Code())
	case errors.As(err, &pg):
		return postgresKind(pg.Code)
	case isConnectionLost(err):
		return model.Unavailable
	}
	return 0
}

// isTooSlow reports whether err means that a deadline of this program ended a call to a database
// that could be reached, for example because too many writes were waiting. Callers of the API
// have no deadlines; they cancel their calls.
func isTooSlow(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && !errors.As(err, new(*pgconn.ConnectError))
}

func sqliteKind(code int) model.Kind {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return model.Conflict
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return model.NotFound
	}
	switch code & 0xff {
	// READONLY and PERM also mean that the disk was mounted read-only or the folder is immutable.
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return model.Unavailable
	}
	return 0
}

// postgresKind returns the kind of an SQLSTATE code, which consists of two
// characters for the class and three more.
func postgresKind(code string) model.Kind {
	switch code {
	case "23505":
		return model.Conflict
	case "23503":
		return model.NotFound
	// The text contains U+0000 or invalid UTF-8, possibly within JSON.
	case "22021", "22P05":
		return model.Invalid
	// The server is read-only, for example because it is a former primary.
	case "25006":
		return model.Unavailable
	// The transaction was idle for too long, for example because this process was frozen.
	case "25P03":
		return model.Unavailable
	}
	switch code[:min(2, len(code))] {
	// There is no connection, the transaction was rolled back in favor of a
	// concurrent one, the server is out of resources or shutting down, or a system
	// error such as a full disk occurred.
	case "08", "40", "53", "57", "58":
		return model.Unavailable
	}
	return 0
}

// isSerializationFailure reports whether the database rolled back a transaction in
// favor of a concurrent one.
func isSerializationFailure(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// isStaleConnection reports whether a pooled connection was broken, so that a
// different connection may work.
func isStaleConnection(err error) bool {
	var refused *pgconn.ConnectError
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.As(err, &refused):
		return false
	case errors.As(err, &pg):
		return strings.HasPrefix(pg.Code, "57P")
	}
	return isConnectionLost(err) && kindOf(err) == model.Unavailable
}

func isConnectionLost(err error) bool {
	var refused *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &refused) || errors.As(err, &network) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, pgconn.ErrConnClosed)
}

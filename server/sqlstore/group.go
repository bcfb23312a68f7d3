package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// group is a transaction of SQLite that several callers of Update share. Each of them runs in a
// savepoint, one after the other, while it is the writer. The last one commits for all, so that
// they share one flush. A caller returns only after the commit, unless its work has failed and
// cannot have seen changes of other members.
//
// If the database rolls back the transaction or the commit fails, each caller runs again in a
// transaction of its own. Only the caller that caused a failure can then fail.
type group struct {
	tx      queue.Tx
	began   time.Time
	members int
	// changed is set if the work of a member has succeeded.
	changed bool
	// broken is set if the transaction cannot be committed.
	broken bool
	// after are the functions to call after the commit.
	after []func()
	// done is closed when the transaction has ended, with the error err.
	done chan struct{}
	err  error
}

const (
	// maxMembers and maxGroupTime limit the size of a group. A member must wait for those that follow.
	maxMembers   = 64
	maxGroupTime = 10 * time.Millisecond
)

// errGroupFailed means that the caller must run its work again, alone.
var errGroupFailed = errors.New("the transaction was rolled back, perhaps because of a different call")

const (
	beginMember = "SAVEPOINT member"
	keepMember  = "RELEASE member"
	undoMember  = "ROLLBACK TO member"
)

// updateTogether runs work in a transaction that other callers may share.
func (s *Store) updateTogether(ctx context.Context, urgent bool, work func(model.Tx) error) error {
	err := s.join(ctx, urgent, false, work)
	if errors.Is(err, errGroupFailed) {
		err = s.join(ctx, urgent, true, work)
	}
	return err
}

// join runs work in the current group, or in a new one. If alone is set, no other caller joins it.
func (s *Store) join(ctx context.Context, urgent, alone bool, work func(model.Tx) error) error {
	if err := s.writer.acquire(ctx, urgent, s.leave); err != nil {
		return fmt.Errorf("wait for other writes: %w", err)
	}
	if alone {
		s.endGroup()
	}
	if s.writer.group == nil {
		if err := s.beginGroup(ctx); err != nil {
			s.writer.release()
			return err
		}
	}
	g := s.writer.group
	sawChanges := g.changed
	err := func() error {
		defer func() {
			if alone || g.broken || g.members >= maxMembers || time.Since(g.began) >= cmp.Or(s.writer.groupTime, maxGroupTime) {
				s.endGroup()
			}
			s.leave()
		}()
		return s.runMember(ctx, g, work)
	}()
	if err != nil && (!sawChanges || errors.Is(err, errGroupFailed)) {
		return err
	}
	<-g.done
	switch {
	case g.err == nil:
		return err
	case g.members > 1:
		return errors.Join(errGroupFailed, g.err)
	}
	return g.err
}

// leave admits the next caller. If nobody is waiting, it ends the group.
func (s *Store) leave() {
	if s.writer.group == nil || !s.writer.passOn() {
		s.endGroup()
		s.writer.release()
	}
}

func (s *Store) beginGroup(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// The transaction must not end with the context of one of its members.
	ctx = context.WithoutCancel(ctx)
	tx, err := begin(ctx, s.write, nil)
	for tries := 1; isStaleConnection(err) && tries < maxStale; tries++ {
		tx, err = begin(ctx, s.write, nil)
	}
	if err != nil {
		return err
	}
	g := &group{tx: tx, began: time.Now(), done: make(chan struct{})}
	g.tx.AfterCommit = func(f func()) { g.after = append(g.after, f) }
	s.writer.group = g
	return nil
}

// endGroup commits the transaction of the group, if there is one. The caller must be the writer.
func (s *Store) endGroup() {
	g := s.writer.group
	if g == nil {
		return
	}
	s.writer.group = nil
	switch {
	case g.broken:
		g.err = errors.Join(errGroupFailed, g.tx.Rollback())
	case !g.changed:
		g.err = g.tx.Rollback()
	default:
		if err := g.tx.Commit(); err != nil {
			g.err = fmt.Errorf("commit: %w", errors.Join(err, ignoreDone(g.tx.Rollback())))
		}
	}
	_ = g.tx.Conn.Close()
	close(g.done)
	if g.err == nil {
		for _, f := range g.after {
			f()
		}
	}
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// runMember runs work in a savepoint of the group.
func (s *Store) runMember(ctx context.Context, g *group, work func(model.Tx) error) (err error) {
	g.members++
	after := len(g.after)
	savepoint := context.WithoutCancel(ctx)
	if _, err := g.tx.ExecContext(savepoint, beginMember); err != nil {
		g.broken = true
		return fmt.Errorf("begin transaction: %w", err)
	}
	kept := false
	defer func() {
		if kept {
			return
		}
		g.after = g.after[:after]
		for _, statement := range []string{undoMember, keepMember} {
			if _, undone := g.tx.ExecContext(savepoint, statement); undone != nil {
				g.broken = true // the database has rolled back the transaction
				err = errors.Join(err, undone)
			}
		}
	}()
	t := s.newTxn(memberQuerier{g.tx}, g.tx, "")
	defer t.releaseLocks()
	err = work(t.rows())
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	// This fails if the database has rolled back the transaction and work has ignored the error.
	if _, err := g.tx.ExecContext(savepoint, keepMember); err != nil {
		g.broken = true
		err = fmt.Errorf("commit: %w", err)
		if g.members > 1 {
			err = errors.Join(errGroupFailed, err)
		}
		return err
	}
	kept, g.changed = true, true
	return nil
}

// memberQuerier runs queries to the end even if their context is canceled. SQLite would otherwise
// roll back the transaction of the whole group.
type memberQuerier struct{ querier }

func uninterrupted(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return ctx // the query will not start
	}
	return context.WithoutCancel(ctx)
}

func (m memberQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return m.querier.ExecContext(uninterrupted(ctx), query, args...)
}

func (m memberQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return m.querier.QueryContext(uninterrupted(ctx), query, args...)
}

func (m memberQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return m.querier.QueryRowContext(uninterrupted(ctx), query, args...)
}

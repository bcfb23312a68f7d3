package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// These are the numbers of the locks. All programs that use the database share the lock numbers,
// so these are unusual, to avoid collisions.
const (
	lockMigrate    = 7_204_118_301
	lockClaim      = 7_204_118_302
	lockExpireNode = 7_204_118_303
	lockConnectors = 7_204_118_304
	lockUploads    = 7_204_118_305
	lockDeliveries = 7_204_118_306
)

// lock is a lock in the database. If name is not "", each name has a lock of its own.
type lock struct {
	number int64
	name   string
}

// locks lets at most one transaction of this process hold or wait for each lock in the database.
// Otherwise, if the process froze while several waited there, each would get the lock in turn and
// keep it for maxIdleInTransaction, and other processes would have to wait.
type locks struct {
	mu sync.Mutex
	// held maps each lock that is in use to a channel that is closed when it is released.
	held map[lock]chan struct{}
}

// acquire waits until no other transaction of this process uses a lock.
func (l *locks) acquire(ctx context.Context, which lock) error {
	for {
		l.mu.Lock()
		released, isHeld := l.held[which]
		if !isHeld {
			if l.held == nil {
				l.held = map[lock]chan struct{}{}
			}
			l.held[which] = make(chan struct{})
		}
		l.mu.Unlock()
		if !isHeld {
			return nil
		}
		select {
		case <-released:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// acquireLock waits until no other transaction holds a lock, and holds it until the transaction
// ends.
func (t *txn) acquireLock(ctx context.Context, which lock) error {
	if t.dialect.lock == "" || slices.Contains(t.locked, which) {
		return nil
	}
	if err := t.locks.acquire(ctx, which); err != nil {
		return fmt.Errorf("wait for a lock: %w", err)
	}
	t.locked = append(t.locked, which)
	statement, args := t.dialect.lock, []any{which.number}
	if which.name != "" {
		statement, args = t.dialect.lockText, append(args, which.name)
	}
	_, err := t.exec(ctx, "wait for a lock", statement, args...)
	return err
}

// releaseLocks lets other transactions of this process acquire the locks of a transaction that has
// ended.
func (t *txn) releaseLocks() {
	t.locks.mu.Lock()
	defer t.locks.mu.Unlock()
	for _, one := range t.locked {
		close(t.locks.held[one])
		delete(t.locks.held, one)
	}
}

package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/intraydata/intray"
)

// rateLimiter limits the events of each key in windows of one minute. With countEvents, the limit
// applies to all processes together: each process reserves a part of the limit when it needs one, so
// that most events need no query. What a process has reserved and not used is lost to the others, but
// the parts become smaller toward the limit. Processes whose clocks differ count the events around
// the end of a minute in different windows.
type rateLimiter struct {
	name      string
	perMinute int
	// message is the text of the error when the limit is reached.
	message     string
	clock       func() time.Time
	countEvents CountEvents

	mu     sync.Mutex
	window time.Time
	keys   map[string]*rateKey
}

// CountEvents adds n events to a count that all processes share, and returns the new count. name is the
// name of the count, and minute the start of its window.
type CountEvents func(ctx context.Context, name string, minute time.Time, n int64) (int64, error)

// rateKey is the state of a key in the current window.
type rateKey struct {
	mu sync.Mutex
	// left is the number of events that this process may still allow without another reservation.
	left int64
	// reserved is the number of events that all processes had reserved after the last reservation of
	// this one.
	reserved int64
}

// reservedShare determines how much a process reserves: the rest of the limit, divided by this.
const reservedShare = 16

// newRateLimiter returns a limiter that allows perMinute events per key and minute. 0 means no limit.
// name distinguishes the limiters of a process. If countEvents is nil, the limit applies to this process.
func newRateLimiter(name string, perMinute int, clock func() time.Time, countEvents CountEvents) *rateLimiter {
	return &rateLimiter{name: name, perMinute: perMinute, message: "request.too_many", clock: clock, countEvents: countEvents, keys: map[string]*rateKey{}}
}

// allow counts an event and returns the start of its window. If the limit is reached, it returns an
// error with the status 429 and the time until the next window.
func (l *rateLimiter) allow(ctx context.Context, key string) (in time.Time, err error) {
	if l.perMinute <= 0 {
		return time.Time{}, nil
	}
	now := l.clock()
	window, k := l.find(now, key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == 0 && k.reserved < int64(l.perMinute) {
		if err := l.reserve(ctx, key, window, k); err != nil {
			return time.Time{}, err
		}
	}
	if k.left == 0 {
		e := newError(http.StatusTooManyRequests, "too_many_requests", intray.NewMessage(l.message, nil))
		e.retryAfter = window.Add(time.Minute).Sub(now)
		return time.Time{}, e
	}
	k.left--
	return window, nil
}

// find returns the current window, and the state of a key in it.
func (l *rateLimiter) find(now time.Time, key string) (time.Time, *rateKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) { // also if the clock was set back
		l.window = window
		clear(l.keys)
	}
	k := l.keys[key]
	if k == nil {
		k = &rateKey{}
		l.keys[key] = k
	}
	return l.window, k
}

// reserve reserves events of a key. The caller must hold the lock of the key.
func (l *rateLimiter) reserve(ctx context.Context, key string, window time.Time, k *rateKey) error {
	limit := int64(l.perMinute)
	if l.countEvents == nil {
		k.left, k.reserved = limit, limit
		return nil
	}
	n := max((limit-k.reserved)/reservedShare, 1)
	reserved, err := l.countEvents(ctx, l.name+" "+hashed(key), window, n)
	if err != nil {
		return err
	}
	k.reserved, k.left = reserved, max(n-max(reserved-limit, 0), 0)
	return nil
}

// hashed returns a string of fixed length for a key, which may contain the address of a client.
func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// refund subtracts an event from the count if its window is still the current one.
func (l *rateLimiter) refund(key string, in time.Time) {
	l.mu.Lock()
	k := l.keys[key]
	current := in.Equal(l.window)
	l.mu.Unlock()
	if k == nil || !current {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left++
}

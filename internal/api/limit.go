package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/intraydata/intray"
)

// limiter counts events by key in windows of a minute.
type limiter struct {
	perMinute int
	clock     func() time.Time

	mu     sync.Mutex
	window time.Time
	counts map[string]int
}

// newLimiter makes a limiter that lets perMinute events of each key pass; 0
// lets all pass.
func newLimiter(perMinute int, clock func() time.Time) *limiter {
	return &limiter{perMinute: perMinute, clock: clock, counts: map[string]int{}}
}

// take counts an event and gives the window in which it counts, or says when
// the next event is welcome.
func (l *limiter) take(key string) (in time.Time, err error) {
	if l.perMinute <= 0 {
		return time.Time{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) { // a clock may be set back, too
		l.window = window
		clear(l.counts)
	}
	if l.counts[key] >= l.perMinute {
		e := refuse(http.StatusTooManyRequests, "too_many_requests", intray.NewMessage("request.too_many", nil))
		e.retryAfter = l.window.Add(time.Minute).Sub(now)
		return time.Time{}, e
	}
	l.counts[key]++
	return l.window, nil
}

// giveBack takes back an event of a window that came to nothing. Windows that
// are over stay as they were.
func (l *limiter) giveBack(key string, in time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in.Equal(l.window) && l.counts[key] > 0 {
		l.counts[key]--
	}
}

package api

import (
	"net/http"
	"sync"
	"time"
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

// take counts an event, or says when the next is welcome.
func (l *limiter) take(key string) error {
	if l.perMinute <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	if window := now.Truncate(time.Minute); window.After(l.window) {
		l.window = window
		clear(l.counts)
	}
	if l.counts[key] >= l.perMinute {
		e := refuse(http.StatusTooManyRequests, "too_many_requests", "Too many requests in this minute. Wait for as long as Retry-After says.")
		e.retryAfter = l.window.Add(time.Minute).Sub(now)
		return e
	}
	l.counts[key]++
	return nil
}

// giveBack takes back an event that came to nothing.
func (l *limiter) giveBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts[key] > 0 {
		l.counts[key]--
	}
}

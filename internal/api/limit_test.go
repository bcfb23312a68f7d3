package api

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// minutes is a clock that stands still until it is moved.
type minutes struct{ now time.Time }

func (m *minutes) Now() time.Time { return m.now }

func newMinutes() *minutes { return &minutes{time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)} }

// take takes n events and counts those that pass.
func take(l *limiter, key string, n int) (passed int) {
	for range n {
		if _, err := l.take(key); err == nil {
			passed++
		}
	}
	return passed
}

func TestLimiter(t *testing.T) {
	clock := newMinutes()
	l := newLimiter(3, clock.Now)
	for _, step := range []struct {
		name string
		wait time.Duration
		key  string
		want int
	}{
		{"the first minute", 0, "a", 3},
		{"another key", 0, "b", 3},
		{"the end of the minute", time.Minute - time.Nanosecond, "a", 0},
		{"the next minute", time.Nanosecond, "a", 3},
		{"much later", time.Hour, "a", 3},
		{"a clock that was set back", -30 * time.Minute, "a", 3},
		{"and goes on from there", time.Minute, "a", 3},
	} {
		clock.now = clock.now.Add(step.wait)
		if got := take(l, step.key, 5); got != step.want {
			t.Errorf("%s: %d of 5 passed, want %d", step.name, got, step.want)
		}
	}
}

func TestLimiterSaysWhenToComeAgain(t *testing.T) {
	clock := newMinutes()
	l := newLimiter(1, clock.Now)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{{0, "60"}, {100 * time.Millisecond, "60"}, {time.Second, "59"}, {time.Minute - time.Nanosecond, "1"}} {
		clock.now = newMinutes().now.Add(c.at)
		take(l, "a", 1)
		var e *refusal
		if _, err := l.take("a"); !errors.As(err, &e) || e.status != http.StatusTooManyRequests {
			t.Fatalf("error %v, want 429", err)
		}
		header := http.Header{}
		e.header(header)
		if got := header.Get("Retry-After"); got != c.want {
			t.Errorf("%v into the minute: Retry-After %q, want %q", c.at, got, c.want)
		}
		wait, err := strconv.Atoi(c.want)
		if err != nil {
			t.Fatal(err)
		}
		clock.now = clock.now.Add(time.Duration(wait) * time.Second)
		if take(l, "a", 1) == 0 {
			t.Errorf("refused after the time that Retry-After told")
		}
		l.window, l.counts = time.Time{}, map[string]int{}
	}
}

func TestLimiterGivesBack(t *testing.T) {
	clock := newMinutes()
	l := newLimiter(2, clock.Now)
	l.giveBack("a", l.window) // nothing was taken
	window, err := l.take("a")
	take(l, "a", 1)
	l.giveBack("a", window)
	if got := take(l, "a", 2); got != 1 || err != nil {
		t.Errorf("%d passed after one was given back, want 1; error %v", got, err)
	}
	clock.now = clock.now.Add(time.Minute)
	take(l, "a", 2)
	l.giveBack("a", window)
	if got := take(l, "a", 1); got != 0 {
		t.Error("an event of the minute before was given back to this one")
	}
}

func TestNoLimit(t *testing.T) {
	for _, n := range []int{0, -1} {
		if got := take(newLimiter(n, newMinutes().Now), "a", 1000); got != 1000 {
			t.Errorf("a limit of %d lets %d of 1000 pass", n, got)
		}
	}
}

func TestLimiterAtOnce(t *testing.T) {
	l := newLimiter(50, newMinutes().Now)
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { passed.Add(int64(take(l, "a", 20))) })
	}
	group.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d of 160 passed, want 50", passed.Load())
	}
}

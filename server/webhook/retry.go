package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// Attempts is the maximum number of attempts to deliver a message.
	Attempts = 13
	// jitter is the maximum random change of a delay, as a fraction of the delay.
	jitter = 0.1
	// MaxRetryAfter is the maximum delay that a receiver can request. Without this
	// limit, a receiver that requests a day after every attempt would extend three
	// days of retries to two weeks.
	MaxRetryAfter = time.Hour
)

// Next returns the delay before the next attempt and whether there is a next attempt. The
// parameter attempts is the number of failed attempts. After 0 attempts the delay is 0. Next
// changes each delay at random by up to a tenth, so that messages that failed together are not
// retried together. chance returns random numbers in [0, 1).
func Next(attempts int, chance func() float64) (delay time.Duration, more bool) {
	if attempts <= 0 {
		return 0, true
	}
	const s, m, h = time.Second, time.Minute, time.Hour
	// The delays add up to 71 hours and 42 minutes.
	all := []time.Duration{5 * s, 20 * s, 2 * m, 10 * m, 30 * m, h, 2 * h, 4 * h, 8 * h, 12 * h, 20 * h, 24 * h}
	if attempts > len(all) {
		return 0, false
	}
	return scaleDuration(all[attempts-1], 1+jitter*(2*chance()-1)), true
}

// Next is like the function Next, but the delay is at least the one that the receiver requested.
func (o Outcome) Next(attempts int, chance func() float64) (delay time.Duration, more bool) {
	delay, more = Next(attempts, chance)
	if !more || o.RetryAfter <= delay {
		return delay, more
	}
	return scaleDuration(o.RetryAfter, 1+jitter*chance()), true
}

func scaleDuration(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// retryAfter returns the delay requested by the Retry-After header of a 429 or 503
// response, at most MaxRetryAfter. It returns 0 if there is none.
func retryAfter(status int, head http.Header, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0
	}
	text := strings.TrimSpace(head.Get("Retry-After"))
	if text != "" && strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return MaxRetryAfter
		}
		return min(time.Duration(seconds)*time.Second, MaxRetryAfter)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), MaxRetryAfter)
}

const (
	// deadAfter is the duration of a streak of failures after which a receiver counts as dead.
	deadAfter = 5 * 24 * time.Hour
	// maxSilence is the maximum pause between two failures of the same streak.
	// After a longer pause the streak says nothing about the receiver. maxSilence
	// is longer than the longest delay between two attempts.
	maxSilence = 2 * 24 * time.Hour
)

// FailureStreak is an unbroken series of failed attempts to reach one receiver, counted across
// all messages. The zero FailureStreak contains no failure.
type FailureStreak struct {
	// Since and Last are the times of the first and the last failure.
	Since, Last time.Time
	Failures    int
}

// WithAttempt returns the streak after one more attempt. Concurrent attempts can be
// added in any order.
func (s FailureStreak) WithAttempt(at time.Time, delivered bool) FailureStreak {
	if delivered {
		return FailureStreak{}
	}
	if s.Failures == 0 || at.Sub(s.Last) > maxSilence {
		return FailureStreak{Since: at, Last: at, Failures: 1}
	}
	s.Failures++
	if at.After(s.Last) {
		s.Last = at
	}
	if at.Before(s.Since) {
		s.Since = at
	}
	return s
}

// IsDead reports whether the receiver counts as dead: every attempt in five days
// failed, without a pause of more than two days between failures.
func (s FailureStreak) IsDead() bool { return s.Last.Sub(s.Since) >= deadAfter }

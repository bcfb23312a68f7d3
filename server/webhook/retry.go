package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryDelays are the times from each attempt to the next, the first stands before the
// second attempt. Together they make 71 hours and 42 minutes.
func retryDelays() []time.Duration {
	const s, m, h = time.Second, time.Minute, time.Hour
	return []time.Duration{5 * s, 20 * s, 2 * m, 10 * m, 30 * m, h, 2 * h, 4 * h, 8 * h, 12 * h, 20 * h, 24 * h}
}

const (
	// Attempts is how often a message is tried.
	Attempts = 13
	// jitter is how much of a wait chance adds or takes away.
	jitter = 0.1
	// MaxRetryAfter is the longest time that a receiver can ask for. Longer
	// ones are cut: whoever asks for a day at every attempt would make three
	// days of trying into two weeks.
	MaxRetryAfter = time.Hour
)

// Next says how long to wait after so many failed attempts, and whether there is
// a further one at all. After 0 attempts it is at once. The source of chance
// gives numbers from 0 to below 1; up to a tenth of each wait is added or taken
// away, so that what failed together does not come back together.
func Next(attempts int, chance func() float64) (delay time.Duration, more bool) {
	if attempts <= 0 {
		return 0, true
	}
	all := retryDelays()
	if attempts > len(all) {
		return 0, false
	}
	return scaleDuration(all[attempts-1], 1+jitter*(2*chance()-1)), true
}

// Next is like the function Next, and waits longer where the receiver asked for
// it. A wait that was asked for is never cut short by chance.
func (o Outcome) Next(attempts int, chance func() float64) (delay time.Duration, more bool) {
	delay, more = Next(attempts, chance)
	if !more || o.RetryAfter <= delay {
		return delay, more
	}
	return scaleDuration(o.RetryAfter, 1+jitter*chance()), true
}

func scaleDuration(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// retryAfter reads for how long the receiver does not want to be called, 0 where
// it does not say, and at most MaxRetryAfter.
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
	// deadAfter is how long a receiver may only fail.
	deadAfter = 5 * 24 * time.Hour
	// maxSilence without an attempt begins a streak anew: what happened meanwhile
	// nobody knows. It is longer than the longest wait between two attempts.
	maxSilence = 2 * 24 * time.Hour
)

// FailureStreak is an unbroken row of failed attempts at one receiver, over all of its
// messages. The zero Streak is that of a receiver that never failed.
type FailureStreak struct {
	// Since and Last are the times of the first and the last failure.
	Since, Last time.Time
	Failures    int
}

// WithAttempt gives the streak after one more attempt. Attempts that ran side by side
// may come in any order.
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

// IsDead says whether the receiver counts as dead: for five days all attempts
// failed, and there was never a pause of more than two.
func (s FailureStreak) IsDead() bool { return s.Last.Sub(s.Since) >= deadAfter }

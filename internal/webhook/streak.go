package webhook

import "time"

const (
	// deadAfter is how long a receiver may only fail.
	deadAfter = 5 * 24 * time.Hour
	// silence without an attempt begins a streak anew: what happened meanwhile
	// nobody knows. It is longer than the longest wait between two attempts.
	silence = 2 * 24 * time.Hour
)

// Streak is an unbroken row of failed attempts at one receiver, over all of its
// messages. The zero Streak is that of a receiver that never failed.
type Streak struct {
	// Since and Last are the times of the first and the last failure.
	Since, Last time.Time
	Failures    int
}

// After gives the streak after one more attempt. Attempts that ran side by side
// may come in any order.
func (s Streak) After(at time.Time, delivered bool) Streak {
	if delivered {
		return Streak{}
	}
	if s.Failures == 0 || at.Sub(s.Last) > silence {
		return Streak{Since: at, Last: at, Failures: 1}
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

// Dead says whether the receiver counts as dead: for five days all attempts
// failed, and there was never a pause of more than two.
func (s Streak) Dead() bool { return s.Last.Sub(s.Since) >= deadAfter }

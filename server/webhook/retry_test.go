package webhook

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func always(f float64) func() float64 { return func() float64 { return f } }

func TestNext(t *testing.T) {
	want := []string{
		"0s", "5s", "20s", "2m0s", "10m0s", "30m0s", "1h0m0s", "2h0m0s", "4h0m0s", "8h0m0s", "12h0m0s", "20h0m0s", "24h0m0s",
	}
	if len(want) != Attempts {
		t.Fatalf("there are %d attempts, want %d", Attempts, len(want))
	}
	var total time.Duration
	for i, text := range want {
		delay, more := Next(i, always(0.5))
		if !more || delay.String() != text {
			t.Errorf("after %d attempts: %s, %v, want %s", i, delay, more, text)
		}
		least, _ := Next(i, always(0))
		most, _ := Next(i, always(0.999999))
		if i > 0 && (least != delay*9/10 || most <= delay || most > delay*11/10) {
			t.Errorf("after %d attempts: from %s to %s around %s", i, least, most, delay)
		}
		total += delay
	}
	if total < 71*time.Hour || total > 72*time.Hour {
		t.Errorf("the last attempt is after %s", total)
	}
	for _, attempts := range []int{Attempts, Attempts + 1, 1 << 40} {
		if delay, more := Next(attempts, always(0.5)); more || delay != 0 {
			t.Errorf("after %d attempts: %s, %v", attempts, delay, more)
		}
	}
	if delay, more := Next(-1, always(0.5)); !more || delay != 0 {
		t.Errorf("before the first: %s, %v", delay, more)
	}
}

func TestNextIsRandom(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	seen := map[time.Duration]bool{}
	for range 1000 {
		delay, _ := Next(6, chance.Float64)
		seen[delay.Round(time.Minute)] = true
		if delay < 54*time.Minute || delay > 66*time.Minute {
			t.Fatalf("got %s", delay)
		}
	}
	if len(seen) < 12 {
		t.Errorf("1000 delays are in only %d of 12 minutes", len(seen))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	cases := []struct {
		status int
		text   string
		want   time.Duration
	}{
		{429, "120", 2 * time.Minute}, {503, "120", 2 * time.Minute}, {503, " 7 ", 7 * time.Second},
		{500, "120", 0}, {200, "120", 0}, {404, "120", 0}, {302, "120", 0},
		{503, "", 0}, {503, "0", 0}, {503, "-5", 0}, {503, "soon", 0}, {503, "1.5", 0}, {503, "0x10", 0}, {503, "+5", 0},
		{503, "3600", time.Hour}, {503, "3601", time.Hour}, {503, "99999999999999999999999", time.Hour}, {503, "18446744073709551615", time.Hour},
		{503, "Sat, 21 Nov 2026 12:01:30 GMT", 90 * time.Second},
		{503, "Sat, 21 Nov 2026 11:00:00 GMT", 0}, {503, "Sat, 21 Nov 2099 12:00:00 GMT", time.Hour},
		{503, "Fri, 21 Nov 0001 12:00:00 GMT", 0}, {503, "Sat, 32 Nov 2026 12:00:00 GMT", 0},
	}
	for _, c := range cases {
		if got := retryAfter(c.status, http.Header{"Retry-After": {c.text}}, now); got != c.want {
			t.Errorf("%d with %q: %s, want %s", c.status, c.text, got, c.want)
		}
	}
}

func TestOutcomeNext(t *testing.T) {
	cases := []struct {
		attempts    int
		asked, want time.Duration
		more        bool
	}{
		{1, 0, 5 * time.Second, true},
		{1, 2 * time.Second, 5 * time.Second, true},
		{1, 100 * time.Second, 105 * time.Second, true},
		{8, time.Hour, 4 * time.Hour, true},
		{Attempts, time.Hour, 0, false},
	}
	for _, c := range cases {
		delay, more := Outcome{RetryAfter: c.asked}.Next(c.attempts, always(0.5))
		if delay != c.want || more != c.more {
			t.Errorf("after %d attempts, asked for %s: %s, %v, want %s, %v", c.attempts, c.asked, delay, more, c.want, c.more)
		}
	}
}

func TestStreak(t *testing.T) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	type attempt struct {
		after     time.Duration
		delivered bool
	}
	fail := func(afters ...time.Duration) (list []attempt) {
		for _, after := range afters {
			list = append(list, attempt{after, false})
		}
		return list
	}
	cases := []struct {
		name     string
		attempts []attempt
		failures int
		dead     bool
	}{
		{"never called", nil, 0, false},
		{"one failure", fail(0), 1, false},
		{"four days", fail(0, day, 2*day, 3*day, 4*day), 5, false},
		{"a second short of five days", fail(0, 2*day, 4*day, 5*day-time.Second), 4, false},
		{"five days", fail(0, 2*day, 4*day, 5*day), 4, true},
		{"five days with a success", append(fail(0, 2*day), append([]attempt{{3 * day, true}}, fail(4*day, 5*day, 6*day)...)...), 3, false},
		{"two messages with a week between", fail(0, time.Minute, 8*day), 1, false},
		{"a long pause, then five days", fail(0, 8*day, 10*day, 12*day, 13*day), 4, true},
		{"not in order", fail(2*day, 0, 4*day, 3*day, 5*day), 5, true},
		{"success at the end", append(fail(0, 2*day, 4*day, 6*day), attempt{6*day + 1, true}), 0, false},
	}
	for _, c := range cases {
		var s FailureStreak
		for _, a := range c.attempts {
			s = s.WithAttempt(start.Add(a.after), a.delivered)
		}
		if s.Failures != c.failures || s.IsDead() != c.dead {
			t.Errorf("%s: %+v, dead %v, want %d failures, dead %v", c.name, s, s.IsDead(), c.failures, c.dead)
		}
	}
}

// A single failed message never makes a receiver dead, whatever the random delays
// are. Two consecutive ones do.
func TestStreakOfMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := func() float64 { return rapid.Float64Range(0, 0.999999).Draw(t, "chance") }
		var s FailureStreak
		now := time.Unix(0, 0)
		fail := func() {
			for attempts := 0; attempts < Attempts; attempts++ {
				delay, more := Next(attempts, chance)
				if !more {
					t.Fatalf("no attempt %d", attempts)
				}
				now = now.Add(delay)
				s = s.WithAttempt(now, false)
			}
		}
		fail()
		if s.IsDead() || s.Failures != Attempts {
			t.Fatalf("after one message: %+v", s)
		}
		fail()
		if !s.IsDead() || s.Failures != 2*Attempts {
			t.Fatalf("after two messages: %+v", s)
		}
	})
}

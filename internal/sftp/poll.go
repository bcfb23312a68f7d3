package sftp

import (
	"time"

	"github.com/intraydata/intray"
)

// MinMinutes is the shortest time between two runs, in minutes, and maxMinutes
// the longest.
const (
	MinMinutes = 5
	maxMinutes = 31 * 24 * 60
)

// Schedule says when to run: every so many minutes, or daily at a time. The zero
// Schedule never runs.
type Schedule struct {
	every        time.Duration
	hour, minute int
	zone         *time.Location
}

// EveryMinutes runs every n minutes, from MinMinutes to those of 31 days. The
// error is a sentence.
func EveryMinutes(n int) (Schedule, error) {
	if n < MinMinutes {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.minutes_too_few", intray.Params{"n": MinMinutes})}
	}
	if n > maxMinutes {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.minutes_too_many", intray.Params{"n": maxMinutes, "days": maxMinutes / (24 * 60)})}
	}
	return Schedule{every: time.Duration(n) * time.Minute}, nil
}

// DailyAt runs once a day at a time such as "07:30", from "00:00" to "23:59", by
// the clocks of a zone such as "Europe/Berlin"; "" is UTC. The error is a
// sentence.
func DailyAt(clock, zone string) (Schedule, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.invalid_time", intray.Params{"value": shown(clock)})}
	}
	if zone == "Local" {
		// It is another zone on each machine.
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.local_time_zone", intray.Params{"example": "Europe/Berlin", "value": zone})}
	}
	place, err := time.LoadLocation(zone)
	if err != nil {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.unknown_time_zone", intray.Params{"value": shown(zone), "example": "Europe/Berlin"})}
	}
	return Schedule{hour: at.Hour(), minute: at.Minute(), zone: place}, nil
}

// Next gives when to run next. Last is when the last run began; zero means that
// there was none: then a schedule by minutes runs now, and a daily one at its
// next time. A time that has passed already, because nothing ran here
// meanwhile, gives now: what was missed is made up for once. The answer is never
// before now; it is zero for the zero Schedule.
//
// A daily schedule runs once on every day: where clocks are put forward over its
// time, at the moment they are; where they are put back over it, the first time.
// A day that a zone leaves out has none.
func Next(s Schedule, last, now time.Time) time.Time {
	switch {
	case s.every > 0:
		return latest(now, s.nextByMinutes(last, now))
	case s.zone != nil && (last.IsZero() || last.After(now)):
		return s.nextDaily(now)
	case s.zone != nil:
		return latest(now, s.nextDaily(last))
	}
	return time.Time{}
}

func (s Schedule) nextByMinutes(last, now time.Time) time.Time {
	switch {
	case last.IsZero():
		return now
	case last.After(now):
		// This machine's clock was put back: it must not stop all runs.
		return now.Add(s.every)
	}
	return last.Add(s.every)
}

// nextDaily gives the first time after the given one.
func (s Schedule) nextDaily(after time.Time) time.Time {
	year, month, day := after.In(s.zone).Date()
	for ; ; day++ {
		if at, ok := s.on(year, month, day); ok && at.After(after) {
			return at
		}
	}
}

// on gives the moment of the time on a day. A zone that moves across the date
// line leaves a whole day out: then there is none.
func (s Schedule) on(year int, month time.Month, day int) (time.Time, bool) {
	at, ok := s.moment(time.Date(year, month, day, s.hour, s.minute, 0, 0, time.UTC))
	if !ok {
		_, ok = s.moment(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
	}
	return at, ok
}

// moment tells when the zone's clocks show what this time shows in UTC. Where
// they never do, it is the moment when they jump over it, and false.
func (s Schedule) moment(wall time.Time) (time.Time, bool) {
	before, after := s.offset(wall.Add(-24*time.Hour)), s.offset(wall.Add(24*time.Hour))
	// Where clocks are put back both readings are right: the one by the clocks
	// from before is the first.
	for _, offset := range []time.Duration{before, after} {
		if at := wall.Add(-offset); s.offset(at) == offset {
			return at, true
		}
	}
	// Read by the clocks from before, the time lies behind the jump.
	jump, _ := wall.Add(-before).In(s.zone).ZoneBounds()
	return jump.UTC(), false
}

func (s Schedule) offset(at time.Time) time.Duration {
	_, seconds := at.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Backoff gives how long to wait after so many failures in a row: 5 minutes, 15
// minutes, 1 hour, and then 6 hours each. It begins with the shortest schedule,
// gets over an evening's maintenance within two hours, and ends at four attempts
// a day, so that a wrong password does not get a user locked out.
func Backoff(failures int) time.Duration {
	steps := [...]time.Duration{0, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}
	return steps[min(max(failures, 0), len(steps)-1)]
}

// NextTry is Next for a schedule whose last so many runs failed, in a row. Without
// failures it is Next; after some it is the end of Backoff, which may be before
// the schedule's next time or after it.
func NextTry(s Schedule, last time.Time, failures int, now time.Time) time.Time {
	if failures <= 0 || s == (Schedule{}) {
		return Next(s, last, now)
	}
	if last.After(now) {
		last = now
	}
	return latest(now, last.Add(Backoff(failures)))
}

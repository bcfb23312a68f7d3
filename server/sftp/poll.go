package sftp

import (
	"slices"
	"strings"
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
	every     time.Duration
	daily     bool
	timeOfDay time.Duration // since midnight in UTC
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

// DailyAt runs once a day at a time of UTC such as "07:30", from "00:00" to "23:59".
// The error is a sentence.
func DailyAt(clock string) (Schedule, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.invalid_time", intray.Params{"value": shown(clock)})}
	}
	return Schedule{daily: true, timeOfDay: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute}, nil
}

// Next gives when to run next. Last is when the last run began; zero means that
// there was none: then a schedule by minutes runs now, and a daily one at its
// next time. A time that has passed already, because nothing ran here
// meanwhile, gives now: what was missed is made up for once. The answer is never
// before now; it is zero for the zero Schedule.
func Next(s Schedule, last, now time.Time) time.Time {
	switch {
	case s.every > 0:
		return laterOf(now, s.nextByMinutes(last, now))
	case s.daily && (last.IsZero() || last.After(now)):
		return s.nextDaily(now)
	case s.daily:
		return laterOf(now, s.nextDaily(last))
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
	next := after.UTC().Truncate(24 * time.Hour).Add(s.timeOfDay)
	if !next.After(after) {
		next = next.Add(24 * time.Hour)
	}
	return next
}

func laterOf(a, b time.Time) time.Time {
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
	return laterOf(now, last.Add(Backoff(failures)))
}

const (
	// RestPeriod is how long a file must not have changed before it is fetched:
	// longer than the pauses of a transfer that goes on.
	RestPeriod = time.Minute
	// ForgetAfter is how long a file must have been gone before it is forgotten. A
	// server that loses sight of its files for a while does not have them all
	// fetched again.
	ForgetAfter = 30 * 24 * time.Hour
)

// Seen is what is remembered of one version of a file.
type Seen struct {
	File File
	// Since is when it was listed first.
	Since time.Time
	// Taken says that it was fetched. The caller sets it, in the transaction that
	// makes something of the file.
	Taken bool
	// Gone is when it was first missing from the listing; zero while it is
	// there.
	Gone time.Time
}

// Plan is what follows from a listing.
type Plan struct {
	// Fetch are the files to fetch, the oldest first.
	Fetch []File
	// Wait are new files that still change, or may.
	Wait []File
	// Keep is what changed in memory, to be put in the place of what was known
	// of the same version.
	Keep []Seen
	// Drop are the versions to forget.
	Drop []File
}

// Decide tells which of the files that a complete listing gave are to be fetched
// at this moment. It is pure: the same arguments give the same plan.
//
// A file is new when its path, size and modification time together were not
// taken before; a file that was written anew is new. A new file is fetched when
// it is at rest: when it was last modified a Rest ago, or when the same version
// was already listed a Rest ago. The first needs one look, so that a file is not
// kept waiting for a day by a daily schedule; the second helps where the
// server's clock is ahead of this one or it gives no times. Where the server's
// clock is behind, a file may be fetched while it is written: Fetch notices when
// it changes meanwhile, and its last version comes later.
//
// A version that is gone stays in memory for Forget.
func Decide(memory []Seen, listed []File, now time.Time) Plan {
	d := planner{now: now, known: make(map[version]Seen, len(memory))}
	for _, seen := range memory {
		d.known[versionOf(seen.File)] = seen
	}
	there := make(map[version]bool, len(listed))
	for _, f := range listed {
		if v := versionOf(f); !there[v] {
			there[v] = true
			d.addListed(f)
		}
	}
	for _, seen := range memory {
		if !there[versionOf(seen.File)] {
			d.addMissing(seen)
		}
	}
	slices.SortFunc(d.plan.Fetch, compareByModified)
	slices.SortFunc(d.plan.Wait, compareByModified)
	return d.plan
}

// version tells versions apart: time.Time does not serve as a key.
type version struct {
	path     string
	size     int64
	modified int64
}

func versionOf(f File) version { return version{f.Path, f.Size, f.Modified.Unix()} }

func compareByModified(a, b File) int {
	if by := a.Modified.Compare(b.Modified); by != 0 {
		return by
	}
	return strings.Compare(a.Path, b.Path)
}

type planner struct {
	now   time.Time
	known map[version]Seen
	plan  Plan
}

// addListed looks at a file that is there.
func (d *planner) addListed(f File) {
	seen, known := d.known[versionOf(f)]
	if !known {
		seen = Seen{File: f, Since: d.now}
	}
	if !known || !seen.Gone.IsZero() {
		seen.Gone = time.Time{}
		d.plan.Keep = append(d.plan.Keep, seen)
	}
	switch {
	case seen.Taken:
	case d.atRest(seen):
		d.plan.Fetch = append(d.plan.Fetch, f)
	default:
		d.plan.Wait = append(d.plan.Wait, f)
	}
}

func (d *planner) atRest(seen Seen) bool {
	old := !seen.File.Modified.IsZero() && d.now.Sub(seen.File.Modified) >= RestPeriod
	return old || d.now.Sub(seen.Since) >= RestPeriod
}

// addMissing looks at a file that is not there any more.
func (d *planner) addMissing(seen Seen) {
	switch {
	case seen.Gone.IsZero() && seen.Taken:
		seen.Gone = d.now
		d.plan.Keep = append(d.plan.Keep, seen)
	case !seen.Taken || d.now.Sub(seen.Gone) >= ForgetAfter:
		d.plan.Drop = append(d.plan.Drop, seen.File)
	}
}

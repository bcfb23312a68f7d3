package sftp

import (
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// MinMinutes and maxMinutes are the limits of the interval between two runs, in minutes.
const (
	MinMinutes = 5
	maxMinutes = 31 * 24 * 60
)

// Schedule determines when to run: at an interval or daily. The zero Schedule never runs.
type Schedule struct {
	interval  time.Duration
	daily     bool
	timeOfDay time.Duration // since midnight UTC
}

// EveryMinutes returns a schedule that runs every n minutes. n must be from MinMinutes to
// 44,640, which is 31 days. The message of an error describes the problem.
func EveryMinutes(n int) (Schedule, error) {
	if n < MinMinutes {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.minutes_too_few", intray.Params{"n": MinMinutes})}
	}
	if n > maxMinutes {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.minutes_too_many", intray.Params{"n": maxMinutes, "days": maxMinutes / (24 * 60)})}
	}
	return Schedule{interval: time.Duration(n) * time.Minute}, nil
}

// DailyAt returns a schedule that runs once a day at a UTC time from "00:00" to
// "23:59". The message of an error describes the problem.
func DailyAt(clock string) (Schedule, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return Schedule{}, &intray.MessageError{Message: intray.NewMessage("schedule.invalid_time", intray.Params{"value": shown(clock)})}
	}
	return Schedule{daily: true, timeOfDay: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute}, nil
}

// NextRun returns when to run next. The result is never before now, so any number of missed runs
// is followed by a single one. For the zero Schedule it is the zero time.
//
// last is when the last run began. If it is zero, there was no run: an interval schedule runs
// now, and a daily schedule at its next time. failures is the number of consecutive failed runs
// up to now. If it is not 0, Backoff replaces the schedule, whether that is earlier or later.
func (s Schedule) NextRun(last time.Time, failures int, now time.Time) time.Time {
	// If the last run is in the future, the clock was set back. This must not stop all runs.
	ahead := last.After(now)
	var next time.Time
	switch {
	case s == Schedule{}:
		return time.Time{}
	case failures > 0 && ahead:
		next = now.Add(Backoff(failures))
	case failures > 0:
		next = last.Add(Backoff(failures))
	case s.daily && (last.IsZero() || ahead):
		next = s.nextDaily(now)
	case s.daily:
		next = s.nextDaily(last)
	case last.IsZero():
		return now
	case ahead:
		next = now.Add(s.interval)
	default:
		next = last.Add(s.interval)
	}
	if next.Before(now) {
		return now
	}
	return next
}

// nextDaily returns the first scheduled time of a daily schedule after the given time.
func (s Schedule) nextDaily(after time.Time) time.Time {
	next := after.UTC().Truncate(24 * time.Hour).Add(s.timeOfDay)
	if !next.After(after) {
		next = next.Add(24 * time.Hour)
	}
	return next
}

// Backoff returns the wait after a number of consecutive failures: 5 minutes, 15 minutes, 1
// hour, and then 6 hours each. The first wait equals the shortest schedule interval, and the
// third retry is 80 minutes after the first failure, so short maintenance costs little. After
// that, there are only four retries a day, so that a wrong password does not lock the user out.
func Backoff(failures int) time.Duration {
	steps := [...]time.Duration{0, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}
	return steps[min(max(failures, 0), len(steps)-1)]
}

const (
	// RestPeriod is how long a file must be unchanged before it is fetched. It is
	// longer than pauses during a typical transfer to the server.
	RestPeriod = time.Minute
	// ForgetAfter is how long a version must be missing before it is forgotten. Otherwise, a
	// server that temporarily lists no files would cause all of them to be fetched again.
	ForgetAfter = 30 * 24 * time.Hour
)

// Seen is the record of one version of a file.
type Seen struct {
	File File
	// Since is when the version was first listed.
	Since time.Time
	// Fetched is true if the version was fetched. The caller sets it in the
	// transaction that stores the result of the fetch.
	Fetched bool
	// Gone is when the version was first missing from the listing. It is zero while
	// the version is listed.
	Gone time.Time
}

// Plan is the result of comparing a directory listing with the remembered versions.
type Plan struct {
	// Fetch lists the files to fetch, oldest first.
	Fetch []File
	// Wait lists new files that may still change, oldest first.
	Wait []File
	// Keep lists the records to insert or replace.
	Keep []Seen
	// Drop lists the versions whose records should be deleted.
	Drop []File
}

// PlanFetch compares a complete listing with the remembered versions and returns
// which files to fetch now. It is a pure function.
//
// A version is new if no file with its path, size and modification time was fetched. A new
// version is fetched if it was last modified or first listed at least RestPeriod ago. The first
// condition can be met by a single listing, so that a daily schedule does not delay a file by a
// day. The second condition is for servers whose clock is ahead or that send no times. If the
// server's clock is behind, a file may be fetched while it is being written: Session.Fetch
// detects the change, and a later run fetches the final version.
//
// The record of a missing version is kept for ForgetAfter.
func PlanFetch(memory []Seen, listed []File, now time.Time) Plan {
	p := planner{now: now, known: make(map[version]Seen, len(memory))}
	for _, seen := range memory {
		p.known[versionOf(seen.File)] = seen
	}
	present := make(map[version]bool, len(listed))
	for _, f := range listed {
		if v := versionOf(f); !present[v] {
			present[v] = true
			p.addPresent(f)
		}
	}
	for _, seen := range memory {
		if !present[versionOf(seen.File)] {
			p.addMissing(seen)
		}
	}
	slices.SortFunc(p.plan.Fetch, compareByModified)
	slices.SortFunc(p.plan.Wait, compareByModified)
	return p.plan
}

// version is a map key that identifies a File. File itself is unsuitable because it contains a
// time.Time.
type version struct {
	path     string
	size     int64
	modified int64
}

func versionOf(f File) version { return version{f.Path, f.Size, f.Modified.Unix()} }

func compareByModified(a, b File) int {
	if order := a.Modified.Compare(b.Modified); order != 0 {
		return order
	}
	return strings.Compare(a.Path, b.Path)
}

type planner struct {
	now   time.Time
	known map[version]Seen
	plan  Plan
}

func (p *planner) addPresent(f File) {
	seen, known := p.known[versionOf(f)]
	if !known {
		seen = Seen{File: f, Since: p.now}
	}
	if !known || !seen.Gone.IsZero() {
		seen.Gone = time.Time{}
		p.plan.Keep = append(p.plan.Keep, seen)
	}
	unmodified := !seen.File.Modified.IsZero() && p.now.Sub(seen.File.Modified) >= RestPeriod
	switch {
	case seen.Fetched:
	case unmodified || p.now.Sub(seen.Since) >= RestPeriod:
		p.plan.Fetch = append(p.plan.Fetch, f)
	default:
		p.plan.Wait = append(p.plan.Wait, f)
	}
}

func (p *planner) addMissing(seen Seen) {
	switch {
	case seen.Gone.IsZero() && seen.Fetched:
		seen.Gone = p.now
		p.plan.Keep = append(p.plan.Keep, seen)
	case !seen.Fetched || p.now.Sub(seen.Gone) >= ForgetAfter:
		p.plan.Drop = append(p.plan.Drop, seen.File)
	}
}

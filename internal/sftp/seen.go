package sftp

import (
	"slices"
	"strings"
	"time"
)

const (
	// Rest is how long a file must not have changed before it is fetched:
	// longer than the pauses of a transfer that goes on.
	Rest = time.Minute
	// Forget is how long a file must have been gone before it is forgotten. A
	// server that loses sight of its files for a while does not have them all
	// fetched again.
	Forget = 30 * 24 * time.Hour
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
	d := decision{now: now, known: make(map[version]Seen, len(memory))}
	for _, seen := range memory {
		d.known[versionOf(seen.File)] = seen
	}
	there := make(map[version]bool, len(listed))
	for _, f := range listed {
		if v := versionOf(f); !there[v] {
			there[v] = true
			d.meet(f)
		}
	}
	for _, seen := range memory {
		if !there[versionOf(seen.File)] {
			d.miss(seen)
		}
	}
	slices.SortFunc(d.plan.Fetch, inTurn)
	slices.SortFunc(d.plan.Wait, inTurn)
	return d.plan
}

// version tells versions apart: time.Time does not serve as a key.
type version struct {
	path     string
	size     int64
	modified int64
}

func versionOf(f File) version { return version{f.Path, f.Size, f.Modified.Unix()} }

func inTurn(a, b File) int {
	if by := a.Modified.Compare(b.Modified); by != 0 {
		return by
	}
	return strings.Compare(a.Path, b.Path)
}

type decision struct {
	now   time.Time
	known map[version]Seen
	plan  Plan
}

// meet looks at a file that is there.
func (d *decision) meet(f File) {
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

func (d *decision) atRest(seen Seen) bool {
	old := !seen.File.Modified.IsZero() && d.now.Sub(seen.File.Modified) >= Rest
	return old || d.now.Sub(seen.Since) >= Rest
}

// miss looks at a file that is not there any more.
func (d *decision) miss(seen Seen) {
	switch {
	case seen.Gone.IsZero() && seen.Taken:
		seen.Gone = d.now
		d.plan.Keep = append(d.plan.Keep, seen)
	case !seen.Taken || d.now.Sub(seen.Gone) >= Forget:
		d.plan.Drop = append(d.plan.Drop, seen.File)
	}
}

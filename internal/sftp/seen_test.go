package sftp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/internal/sftp"
)

func version(path string, size int64, modified time.Time) sftp.File {
	return sftp.File{Path: path, Size: size, Modified: modified}
}

func TestDecide(t *testing.T) {
	now := noon.Add(time.Hour)
	old, young := version("/in/old", 1, noon), version("/in/young", 1, now.Add(-sftp.Rest+time.Second))
	ahead, ageless := version("/in/ahead", 1, now.Add(time.Hour)), version("/in/ageless", 1, time.Time{})
	rewritten := version("/in/old", 2, noon)
	touched := version("/in/old", 1, noon.Add(time.Second))
	first := func(f sftp.File, since time.Time) sftp.Seen { return sftp.Seen{File: f, Since: since} }
	taken := sftp.Seen{File: old, Since: noon, Taken: true}
	gone := func(s sftp.Seen, at time.Time) sftp.Seen {
		s.Gone = at
		return s
	}
	type files = []sftp.File
	cases := map[string]struct {
		memory []sftp.Seen
		listed files
		want   sftp.Plan
	}{
		"nothing":                {nil, nil, sftp.Plan{}},
		"an old file is fetched": {nil, files{old}, sftp.Plan{Fetch: files{old}, Keep: []sftp.Seen{first(old, now)}}},
		"others wait": {nil, files{young, ahead, ageless}, sftp.Plan{
			Wait: files{ageless, young, ahead}, Keep: []sftp.Seen{first(young, now), first(ahead, now), first(ageless, now)},
		}},
		"until they were seen twice": {
			[]sftp.Seen{first(young, now.Add(-sftp.Rest)), first(ahead, now.Add(-sftp.Rest)), first(ageless, now.Add(-sftp.Rest))},
			files{young, ahead, ageless}, sftp.Plan{Fetch: files{ageless, young, ahead}},
		},
		"which must be a while ago": {[]sftp.Seen{first(ahead, now.Add(-sftp.Rest+1))}, files{ahead}, sftp.Plan{Wait: files{ahead}}},
		"what changes waits on": {[]sftp.Seen{first(version("/in/ahead", 0, ahead.Modified), noon)}, files{ahead}, sftp.Plan{
			Wait: files{ahead}, Keep: []sftp.Seen{first(ahead, now)}, Drop: files{version("/in/ahead", 0, ahead.Modified)},
		}},
		"what is taken is not fetched": {[]sftp.Seen{taken}, files{old}, sftp.Plan{}},
		"in another zone neither": {[]sftp.Seen{taken}, files{version("/in/old", 1, noon.In(time.FixedZone("", 3600)))},
			sftp.Plan{}},
		"what is written anew is": {[]sftp.Seen{taken}, files{rewritten}, sftp.Plan{
			Fetch: files{rewritten}, Keep: []sftp.Seen{first(rewritten, now), gone(taken, now)},
		}},
		"what is touched is": {[]sftp.Seen{gone(taken, noon)}, files{touched}, sftp.Plan{
			Fetch: files{touched}, Keep: []sftp.Seen{first(touched, now)},
		}},
		"what comes back is known": {[]sftp.Seen{gone(taken, noon)}, files{old}, sftp.Plan{Keep: []sftp.Seen{taken}}},
		"what is gone is known":    {[]sftp.Seen{gone(taken, now.Add(-sftp.Forget+1))}, nil, sftp.Plan{}},
		"for a time":               {[]sftp.Seen{gone(taken, now.Add(-sftp.Forget))}, nil, sftp.Plan{Drop: files{old}}},
		"listed twice, fetched once": {nil, files{old, old}, sftp.Plan{
			Fetch: files{old}, Keep: []sftp.Seen{first(old, now)},
		}},
		"the oldest first": {[]sftp.Seen{first(rewritten, noon), first(touched, noon), first(old, noon)}, files{touched, old, rewritten},
			sftp.Plan{Fetch: files{old, rewritten, touched}}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, sftp.Decide(c.memory, c.listed, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// remember does with memory what a caller does with a plan.
func remember(memory []sftp.Seen, plan sftp.Plan, take bool) []sftp.Seen {
	known := map[string]sftp.Seen{}
	key := func(f sftp.File) string { return fmt.Sprint(f.Path, f.Size, f.Modified.Unix()) }
	for _, list := range [][]sftp.Seen{memory, plan.Keep} {
		for _, seen := range list {
			known[key(seen.File)] = seen
		}
	}
	for _, f := range plan.Drop {
		delete(known, key(f))
	}
	for _, f := range plan.Fetch {
		if seen := known[key(f)]; take {
			seen.Taken = true
			known[key(f)] = seen
		}
	}
	var list []sftp.Seen
	for _, seen := range known {
		list = append(list, seen)
	}
	return list
}

// Whatever comes and goes, each version is taken once, and every one that stays
// is taken in the end.
func TestDecideTakesEachVersionOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var memory []sftp.Seen
		fetched := map[sftp.File]int{}
		now := noon
		look := func(listed []sftp.File) {
			plan := sftp.Decide(memory, listed, now)
			for _, f := range plan.Fetch {
				fetched[f]++
			}
			memory = remember(memory, plan, true)
			now = now.Add(5 * time.Minute)
		}
		file := rapid.Custom(func(t *rapid.T) sftp.File {
			at := noon.Add(time.Duration(rapid.IntRange(-2, 20).Draw(t, "minute")) * time.Minute)
			return version(rapid.SampledFrom([]string{"/a", "/b", "/c"}).Draw(t, "path"), rapid.Int64Range(0, 1).Draw(t, "size"), at)
		})
		for _, listed := range rapid.SliceOfN(rapid.SliceOfN(file, 0, 4), 1, 12).Draw(t, "looks") {
			look(listed)
		}
		last := rapid.SliceOfN(file, 0, 4).Draw(t, "last")
		look(last)
		look(last)
		for _, f := range last {
			if fetched[f] != 1 {
				t.Fatalf("%+v was fetched %d times", f, fetched[f])
			}
		}
		for f, times := range fetched {
			if times > 1 {
				t.Fatalf("%+v was fetched %d times", f, times)
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	var memory []sftp.Seen
	var listed []sftp.File
	for i := range 10_000 {
		f := version(fmt.Sprint("/in/orders-", i), int64(i), noon)
		listed = append(listed, f)
		memory = append(memory, sftp.Seen{File: f, Taken: i > 0})
	}
	b.ReportAllocs()
	for b.Loop() {
		if plan := sftp.Decide(memory, listed, noon); len(plan.Fetch) != 1 {
			b.Fatal(plan)
		}
	}
}

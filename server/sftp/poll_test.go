package sftp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/sftp"
)

func every(t testing.TB, n int) sftp.Schedule {
	t.Helper()
	s, err := sftp.EveryMinutes(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func daily(t testing.TB, clock string) sftp.Schedule {
	t.Helper()
	s, err := sftp.DailyAt(clock)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	moment, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

func TestNextByMinutes(t *testing.T) {
	cases := map[string][3]string{ // last, now, want
		"never ran":      {"", "2026-03-01 12:00", "2026-03-01 12:00"},
		"just ran":       {"2026-03-01 12:00", "2026-03-01 12:00", "2026-03-01 12:05"},
		"ran before":     {"2026-03-01 11:58", "2026-03-01 12:00", "2026-03-01 12:03"},
		"is due":         {"2026-03-01 11:55", "2026-03-01 12:00", "2026-03-01 12:00"},
		"missed many":    {"2026-02-01 11:55", "2026-03-01 12:00", "2026-03-01 12:00"},
		"clock set back": {"2027-03-01 12:00", "2026-03-01 12:00", "2026-03-01 12:05"},
	}
	for name, c := range cases {
		if got := every(t, 5).NextRun(at(t, c[0]), 0, at(t, c[1])); !got.Equal(at(t, c[2])) {
			t.Errorf("%s: %v, want %s", name, got, c[2])
		}
	}
}

func TestNextDaily(t *testing.T) {
	cases := map[string]struct{ clock, last, now, want string }{
		"later today":      {"12:30", "", "2026-03-01 12:00", "2026-03-01 12:30"},
		"this very minute": {"12:00", "", "2026-03-01 12:00", "2026-03-02 12:00"},
		"tomorrow":         {"11:59", "", "2026-03-01 12:00", "2026-03-02 11:59"},
		"midnight":         {"00:00", "", "2026-03-01 12:00", "2026-03-02 00:00"},
		"next year":        {"11:59", "", "2026-12-31 12:00", "2027-01-01 11:59"},
		"leap day":         {"23:59", "2028-02-28 23:59", "2028-02-29 00:00", "2028-02-29 23:59"},
		"ran today":        {"12:00", "2026-03-01 12:01", "2026-03-01 13:00", "2026-03-02 12:00"},
		"ran on the dot":   {"12:00", "2026-03-01 12:00", "2026-03-01 12:00", "2026-03-02 12:00"},
		"missed once":      {"12:00", "2026-02-27 12:00", "2026-03-01 08:00", "2026-03-01 08:00"},
		"clock set back":   {"12:00", "2030-02-27 12:00", "2026-03-01 08:00", "2026-03-01 12:00"},
	}
	berlin := time.FixedZone("", 3600)
	for name, c := range cases {
		got := daily(t, c.clock).NextRun(at(t, c.last).In(berlin), 0, at(t, c.now).In(berlin))
		if !got.Equal(at(t, c.want)) {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestScheduleRefusals(t *testing.T) {
	for n, want := range map[int]string{4: "schedule.minutes_too_few", 0: "schedule.minutes_too_few", -5: "schedule.minutes_too_few", 44641: "schedule.minutes_too_many"} {
		if _, err := sftp.EveryMinutes(n); err == nil || intray.MessageOf(err).Code != want {
			t.Errorf("%d minutes: %v, want %s", n, err, want)
		}
	}
	for _, clock := range []string{"", "7:30", "24:00", "12:60", "12:30:00", "12.30", " 12:30", "12:30 ", "1a:30", "-1:30", "٠٧:٣٠"} {
		if _, err := sftp.DailyAt(clock); err == nil || intray.MessageOf(err).Code != "schedule.invalid_time" {
			t.Errorf("%q: %v", clock, err)
		}
	}
	for _, failures := range []int{0, 3} {
		if got := (sftp.Schedule{}).NextRun(noon, failures, noon); !got.IsZero() {
			t.Errorf("the zero schedule runs at %v", got)
		}
	}
}

func TestBackoff(t *testing.T) {
	waits := map[int]time.Duration{-1: 0, 0: 0, 1: 5 * time.Minute, 2: 15 * time.Minute, 3: time.Hour, 4: 6 * time.Hour, 5: 6 * time.Hour, 1_000_000: 6 * time.Hour}
	for failures, want := range waits {
		if got := sftp.Backoff(failures); got != want {
			t.Errorf("after %d failures: %v, want %v", failures, got, want)
		}
	}
	cases := map[string]struct {
		s         sftp.Schedule
		failures  int
		last, now time.Time
		want      time.Time
	}{
		"no failure":     {every(t, 5), 0, noon, noon, noon.Add(5 * time.Minute)},
		"slower":         {every(t, 5), 2, noon, noon, noon.Add(15 * time.Minute)},
		"sooner":         {daily(t, "12:00"), 1, noon, noon, noon.Add(5 * time.Minute)},
		"is due":         {every(t, 5), 4, noon, noon.Add(7 * time.Hour), noon.Add(7 * time.Hour)},
		"clock set back": {every(t, 5), 1, noon.Add(time.Hour), noon, noon.Add(5 * time.Minute)},
	}
	for name, c := range cases {
		if got := c.s.NextRun(c.last, c.failures, c.now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func version(path string, size int64, modified time.Time) sftp.File {
	return sftp.File{Path: path, Size: size, Modified: modified}
}

func TestPlanFetch(t *testing.T) {
	now := noon.Add(time.Hour)
	old, young := version("/in/old", 1, noon), version("/in/young", 1, now.Add(-sftp.RestPeriod+time.Second))
	ahead, ageless := version("/in/ahead", 1, now.Add(time.Hour)), version("/in/ageless", 1, time.Time{})
	rewritten := version("/in/old", 2, noon)
	touched := version("/in/old", 1, noon.Add(time.Second))
	first := func(f sftp.File, since time.Time) sftp.Seen { return sftp.Seen{File: f, Since: since} }
	fetched := sftp.Seen{File: old, Since: noon, Fetched: true}
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
		"until they were listed twice": {
			[]sftp.Seen{first(young, now.Add(-sftp.RestPeriod)), first(ahead, now.Add(-sftp.RestPeriod)), first(ageless, now.Add(-sftp.RestPeriod))},
			files{young, ahead, ageless}, sftp.Plan{Fetch: files{ageless, young, ahead}},
		},
		"with a pause in between": {[]sftp.Seen{first(ahead, now.Add(-sftp.RestPeriod+1))}, files{ahead}, sftp.Plan{Wait: files{ahead}}},
		"a changed file waits again": {[]sftp.Seen{first(version("/in/ahead", 0, ahead.Modified), noon)}, files{ahead}, sftp.Plan{
			Wait: files{ahead}, Keep: []sftp.Seen{first(ahead, now)}, Drop: files{version("/in/ahead", 0, ahead.Modified)},
		}},
		"a fetched file is not fetched again": {[]sftp.Seen{fetched}, files{old}, sftp.Plan{}},
		"nor in another zone": {[]sftp.Seen{fetched}, files{version("/in/old", 1, noon.In(time.FixedZone("", 3600)))},
			sftp.Plan{}},
		"a rewritten file is": {[]sftp.Seen{fetched}, files{rewritten}, sftp.Plan{
			Fetch: files{rewritten}, Keep: []sftp.Seen{first(rewritten, now), gone(fetched, now)},
		}},
		"a touched file is": {[]sftp.Seen{gone(fetched, noon)}, files{touched}, sftp.Plan{
			Fetch: files{touched}, Keep: []sftp.Seen{first(touched, now)},
		}},
		"a file that returns is known": {[]sftp.Seen{gone(fetched, noon)}, files{old}, sftp.Plan{Keep: []sftp.Seen{fetched}}},
		"a missing file is known":      {[]sftp.Seen{gone(fetched, now.Add(-sftp.ForgetAfter+1))}, nil, sftp.Plan{}},
		"for a limited time":           {[]sftp.Seen{gone(fetched, now.Add(-sftp.ForgetAfter))}, nil, sftp.Plan{Drop: files{old}}},
		"listed twice, fetched once": {nil, files{old, old}, sftp.Plan{
			Fetch: files{old}, Keep: []sftp.Seen{first(old, now)},
		}},
		"oldest first": {[]sftp.Seen{first(rewritten, noon), first(touched, noon), first(old, noon)}, files{touched, old, rewritten},
			sftp.Plan{Fetch: files{old, rewritten, touched}}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, sftp.PlanFetch(c.memory, c.listed, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// applyPlan applies a plan to the records, as the caller of PlanFetch does.
func applyPlan(memory []sftp.Seen, plan sftp.Plan) []sftp.Seen {
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
		seen := known[key(f)]
		seen.Fetched = true
		known[key(f)] = seen
	}
	var list []sftp.Seen
	for _, seen := range known {
		list = append(list, seen)
	}
	return list
}

// Each version of a file is fetched at most once, and each version that stays on the server is
// fetched.
func TestPlanFetchIsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var memory []sftp.Seen
		fetched := map[sftp.File]int{}
		now := noon
		list := func(listed []sftp.File) {
			plan := sftp.PlanFetch(memory, listed, now)
			for _, f := range plan.Fetch {
				fetched[f]++
			}
			memory = applyPlan(memory, plan)
			now = now.Add(5 * time.Minute)
		}
		file := rapid.Custom(func(t *rapid.T) sftp.File {
			at := noon.Add(time.Duration(rapid.IntRange(-2, 20).Draw(t, "minute")) * time.Minute)
			return version(rapid.SampledFrom([]string{"/a", "/b", "/c"}).Draw(t, "path"), rapid.Int64Range(0, 1).Draw(t, "size"), at)
		})
		for _, listed := range rapid.SliceOfN(rapid.SliceOfN(file, 0, 4), 1, 12).Draw(t, "looks") {
			list(listed)
		}
		last := rapid.SliceOfN(file, 0, 4).Draw(t, "last")
		list(last)
		list(last)
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

func BenchmarkPlanFetch(b *testing.B) {
	var memory []sftp.Seen
	var listed []sftp.File
	for i := range 10_000 {
		f := version(fmt.Sprint("/in/orders-", i), int64(i), noon)
		listed = append(listed, f)
		memory = append(memory, sftp.Seen{File: f, Fetched: i > 0})
	}
	b.ReportAllocs()
	for b.Loop() {
		if plan := sftp.PlanFetch(memory, listed, noon); len(plan.Fetch) != 1 {
			b.Fatal(plan)
		}
	}
}

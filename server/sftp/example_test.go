package sftp_test

import (
	"fmt"
	"time"

	"github.com/intraydata/intray/server/sftp"
)

// One file has not changed for a while. The other was modified a moment ago, so a
// later run fetches it.
func ExamplePlanFetch() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	listed := []sftp.File{
		{Path: "/in/monday.csv", Size: 100, Modified: now.Add(-time.Hour)},
		{Path: "/in/today.csv", Size: 7, Modified: now.Add(-time.Second)},
	}
	plan := sftp.PlanFetch(nil, listed, now)
	fmt.Println("fetch", plan.Fetch[0].Name(), "wait for", plan.Wait[0].Name())

	memory := plan.Keep
	memory[0].Fetched = true
	plan = sftp.PlanFetch(memory, listed, now.Add(5*time.Minute))
	fmt.Println("fetch", plan.Fetch[0].Name())
	// Output:
	// fetch monday.csv wait for today.csv
	// fetch today.csv
}

// Any number of missed runs is followed by only one run.
func ExampleSchedule() {
	daily, err := sftp.DailyAt("07:30")
	if err != nil {
		fmt.Println(err)
		return
	}
	last := time.Date(2026, 3, 1, 7, 30, 0, 0, time.UTC)
	for _, now := range []time.Time{last.Add(time.Hour), last.AddDate(0, 0, 5).Add(time.Hour)} {
		fmt.Println(daily.NextRun(last, 0, now).Format(time.RFC3339))
	}
	// Output:
	// 2026-03-02T07:30:00Z
	// 2026-03-06T08:30:00Z
}

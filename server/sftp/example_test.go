package sftp_test

import (
	"fmt"
	"time"

	"github.com/intraydata/intray/server/sftp"
)

// One file is at rest, one was modified a moment ago: it comes with the next look.
func ExampleDecide() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	listed := []sftp.File{
		{Path: "/in/monday.csv", Size: 100, Modified: now.Add(-time.Hour)},
		{Path: "/in/today.csv", Size: 7, Modified: now.Add(-time.Second)},
	}
	plan := sftp.Decide(nil, listed, now)
	fmt.Println("fetch", plan.Fetch[0].Name(), "wait for", plan.Wait[0].Name())

	memory := plan.Keep
	memory[0].Taken = true
	plan = sftp.Decide(memory, listed, now.Add(5*time.Minute))
	fmt.Println("fetch", plan.Fetch[0].Name())
	// Output:
	// fetch monday.csv wait for today.csv
	// fetch today.csv
}

// Clocks in Berlin are put forward from 2:00 to 3:00 on this day: 2:30 is left
// out, and the run is not.
func ExampleNext() {
	daily, err := sftp.DailyAt("02:30", "Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	last := time.Date(2026, 3, 28, 1, 30, 0, 0, time.UTC)
	for range 3 {
		last = sftp.Next(daily, last, last)
		fmt.Println(last.Format(time.RFC3339))
	}
	// Output:
	// 2026-03-29T01:00:00Z
	// 2026-03-30T00:30:00Z
	// 2026-03-31T00:30:00Z
}

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/intraydata/intray/engine"
)

// printTimings prints a table of the stages of an import.
func printTimings(w io.Writer, timings []engine.Timing) {
	var total time.Duration
	for _, t := range timings {
		total += t.Busy
	}
	fmt.Fprintln(w, "Time of each stage, added over all processors:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range timings {
		share := 0.0
		if total > 0 {
			share = 100 * t.Busy.Seconds() / total.Seconds()
		}
		note := ""
		if t.Serial {
			note = "on one processor at a time"
		}
		fmt.Fprintf(table, "%s\t%.3f s\t%.1f %%\t  %s\n", t.Stage, t.Busy.Seconds(), share, note)
	}
	_ = table.Flush() // as for all text on standard error, errors do not matter
}

func wireTimings(timings []engine.Timing) (list []wiredTiming) {
	for _, t := range timings {
		list = append(list, wiredTiming{string(t.Stage), t.Busy.Seconds(), t.Serial})
	}
	return list
}

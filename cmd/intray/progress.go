package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/source"
)

const (
	// progressInterval is the minimum time between two updates of the progress line.
	progressInterval = 100 * time.Millisecond
	// minForecast is the time for which a phase must run before its remaining time is shown.
	minForecast = time.Second
)

// clearLine clears the progress line.
const clearLine = "\r\x1b[K"

// progress returns a function that shows the progress of a run, or nil if w is not a terminal.
func progress(w io.Writer) func(server.RunProgress) {
	if !isTerminal(w) {
		return nil
	}
	line := &progressLine{w: w, now: time.Now}
	return line.show
}

// progressLine shows the progress of a run in one line, which it overwrites.
type progressLine struct {
	w   io.Writer
	now func() time.Time
	// began is the start of the phase, or zero before the first call.
	began, shown time.Time
	last         server.RunProgress
}

// show shows the progress, unless the line is less than progressInterval old.
func (l *progressLine) show(p server.RunProgress) {
	now := l.now()
	if l.began.IsZero() || p.Writing != l.last.Writing || p.Rows < l.last.Rows { // a new phase
		l.began, l.shown = now, now
	}
	l.last = p
	if now.Sub(l.shown) < progressInterval {
		return
	}
	l.shown = now
	fmt.Fprint(l.w, clearLine+describeProgress(p, now.Sub(l.began)))
}

// statusLine shows progress in the last line of a terminal. On anything else, it shows nothing.
type statusLine struct {
	w     io.Writer
	shown time.Time
}

func newStatusLine(w io.Writer) *statusLine { return &statusLine{w: w, shown: time.Now()} }

func (p *statusLine) show(format string, args ...any) {
	if isTerminal(p.w) && time.Since(p.shown) >= progressInterval {
		p.shown = time.Now()
		fmt.Fprintf(p.w, clearLine+format, args...)
	}
}

func (p *statusLine) clear() {
	if isTerminal(p.w) {
		fmt.Fprint(p.w, clearLine)
	}
}

// progressReader shows the progress of reading a table. It clears the line before the caller can
// print a notice or an error, and at the end.
type progressReader struct {
	source.Reader
	w        io.Writer
	fraction func() float64
	show     func(server.RunProgress)
	rows     int64
}

// Next reads the next records and shows the progress.
func (r *progressReader) Next(ctx context.Context, batch *intray.Records) error {
	err := r.Reader.Next(ctx, batch)
	if batch.Len() > 0 {
		r.rows += int64(batch.Len())
		r.show(server.RunProgress{Rows: r.rows, Fraction: r.fraction()})
	}
	if err != nil || len(batch.Notices) > 0 {
		fmt.Fprint(r.w, clearLine)
	}
	return err
}

// describeProgress returns the phase, the percentage, the number of rows, their rate and the
// remaining time, as far as they are known.
func describeProgress(p server.RunProgress, took time.Duration) string {
	phase := "Reading"
	if p.Writing {
		phase = "Writing"
	}
	parts := make([]string, 0, 4)
	if p.Fraction >= 0 {
		parts = append(parts, fmt.Sprintf("%.0f%%", 100*min(p.Fraction, 1)))
	}
	parts = append(parts, groupDigits(p.Rows)+" rows")
	if seconds := took.Seconds(); seconds > 0 {
		parts = append(parts, groupDigits(int64(float64(p.Rows)/seconds))+" rows/s")
	}
	if p.Fraction > 0 && p.Fraction < 1 && took >= minForecast {
		left := time.Duration(float64(took) * (1 - p.Fraction) / p.Fraction)
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	return phase + " " + strings.Join(parts, ", ")
}

// groupDigits formats a nonnegative number with commas between groups of three digits.
func groupDigits(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Package doctor runs the checks of an installation and reports what they find.
//
// A [Check] examines one part of an installation. Its [Result] has a [Finding] for each problem, which
// describes what is wrong, where, and how to fix it. [Run] runs all checks at the same time, each with a time
// limit, and removes secrets from their results.
//
// The package also contains checks of the system: of folders, addresses, TLS files, clocks and
// outgoing connections. It does not know the stores of a server. Package server has the checks that
// need them.
package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Status is the outcome of a check.
type Status string

// These are the outcomes, from best to worst. A check is skipped, in whole or in part, if a finding of
// another check prevents it.
const (
	OK      Status = "ok"
	Skipped Status = "skipped"
	Warning Status = "warning"
	Failure Status = "failure"
)

// Finding is a problem of an installation.
type Finding struct {
	// Status is Warning or Failure. With a failure, Intray does not start, or does not work in part.
	Status Status `json:"status"`
	// Problem describes what is wrong, and Fix what to do about it, in one or two sentences.
	Problem string `json:"problem"`
	// Where is the setting, path or address to change or examine.
	Where string `json:"where"`
	Fix   string `json:"fix"`
}

// Result is the result of a check.
type Result struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	// Detail describes what the check examined.
	Detail   string    `json:"detail"`
	Findings []Finding `json:"findings"`
}

// Warn adds a warning.
func (r *Result) Warn(where, problem, fix string) { r.Add(Finding{Warning, problem, where, fix}) }

// Fail adds a failure.
func (r *Result) Fail(where, problem, fix string) { r.Add(Finding{Failure, problem, where, fix}) }

// Skip adds the reason why the check examined nothing, or not everything, to Detail.
func (r *Result) Skip(reason string) {
	r.addDetail(reason)
	if r.Status == OK {
		r.Status = Skipped
	}
}

// Add adds a finding.
func (r *Result) Add(f Finding) {
	r.Findings = append(r.Findings, f)
	if r.Status != Failure {
		r.Status = f.Status
	}
}

// Check is a check of one part of an installation.
type Check struct {
	Name string
	// Run examines the part until ctx ends, and adds what it finds to the result. If it does not
	// return in time, Run reports a failure instead of its result.
	Run func(ctx context.Context, r *Result)
}

const (
	// timeLimit is the time limit of each check.
	timeLimit = 20 * time.Second
	// grace is how long a check may take to return after its time limit.
	grace = 2 * time.Second
)

// Report is the result of all checks.
type Report struct {
	Version  string   `json:"version"`
	Status   Status   `json:"status"`
	Failures int      `json:"failures"`
	Warnings int      `json:"warnings"`
	Checks   []Result `json:"checks"`
}

// Run runs all checks at the same time. The report has their results in the order of the checks, without
// the given secrets. Run returns after 22 s at the latest, even if a check still runs, for example
// because a file system does not respond. If ctx ends before, it returns the error of ctx.
func Run(ctx context.Context, version string, secrets Secrets, checks []Check) (Report, error) {
	return run(ctx, version, secrets, checks, timeLimit, grace)
}

func run(ctx context.Context, version string, secrets Secrets, checks []Check, limit, grace time.Duration) (Report, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	report := Report{Version: version, Status: OK, Checks: make([]Result, len(checks))}
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() { report.Checks[i] = check.runWithin(limited, limit, grace) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	for i := range report.Checks {
		r := &report.Checks[i]
		secrets.redactResult(r)
		for _, f := range r.Findings {
			if f.Status == Failure {
				report.Failures++
			} else {
				report.Warnings++
			}
		}
	}
	switch {
	case report.Failures > 0:
		report.Status = Failure
	case report.Warnings > 0:
		report.Status = Warning
	}
	return report, nil
}

// runWithin runs the check, and stops waiting for it after the limit of ctx and the grace period.
func (c Check) runWithin(ctx context.Context, limit, grace time.Duration) Result {
	done := make(chan Result, 1)
	go func() {
		r := c.newResult()
		c.Run(ctx, &r)
		done <- r
	}()
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { close(late) }) })
	defer stop()
	select {
	case r := <-done:
		return r
	case <-late:
	}
	r := c.newResult()
	r.Fail(c.Name, fmt.Sprintf("The check did not end within %s: a disk or service does not respond.", limit), "Restore access to the disks and services of this installation, and run intray doctor again.")
	return r
}

func (c Check) newResult() Result { return Result{Check: c.Name, Status: OK, Findings: []Finding{}} }

// Setting names a flag of intray serve, such as base-url, and its environment variable.
func Setting(flag string) string {
	return "--" + flag + " (INTRAY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) + ")"
}

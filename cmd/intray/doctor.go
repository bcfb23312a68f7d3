package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/doctor"
)

type doctorCommand struct {
	serveFlags
	reportFlags
}

// Help returns the text that --help prints after the flags.
func (doctorCommand) Help() string {
	return `Checks the settings, the data folder, the database, the master key, the file storage,
the addresses, the hooks and the system. Use the flags and variables of intray serve,
and run it as the same user. A server may be running at the same time.

It changes nothing, except that it creates and deletes small test files and, with
--blob-url, a test object. Passwords and keys do not appear in the report.

The exit status is 1 if there are failures, and 0 if there are only warnings.`
}

// Run checks the installation.
func (c *doctorCommand) Run(ctx context.Context, s streams) error {
	cfg, err := c.config(s)
	cfg.Memory = server.NewMemoryBudget(debug.SetMemoryLimit(-1)).WithImports(c.MaxRuns)
	report, err := server.Diagnose(ctx, cfg, append(invalidVariables(ctx), c.findings(err)...))
	if err != nil {
		return err
	}
	err = c.write(s.out, report, func(w io.Writer) error { return writeDiagnosis(w, report) })
	if err == nil && report.Failures > 0 {
		err = exit(exitFault)
	}
	return err
}

// findings returns the findings about flags that cannot be parsed, whose joined errors are invalid, and
// about variables.
func (c *doctorCommand) findings(invalid error) (list []doctor.Finding) {
	var all interface{ Unwrap() []error }
	if errors.As(invalid, &all) {
		for _, err := range all.Unwrap() {
			var f flagValueError
			errors.As(err, &f) // all of them are
			list = append(list, doctor.Finding{
				Status: doctor.Failure, Where: doctor.Setting(strings.TrimPrefix(f.flag, "--")), Problem: f.flag + " is invalid: " + f.err.Error() + ".",
				Fix: "Correct the flag or its variable. For the format, run: intray serve --help",
			})
		}
	}
	for _, v := range unusedVariables(newProgram(), os.Environ()) {
		list = append(list, doctor.Finding{Status: doctor.Warning, Where: v.name, Problem: v.problem(), Fix: v.fix()})
	}
	return list
}

// writeDiagnosis writes a line for each check, with its findings below it.
func writeDiagnosis(w io.Writer, report doctor.Report) error {
	colors, name := colorsOf(w), 0
	for _, r := range report.Checks {
		name = max(name, len(r.Check))
	}
	sgr := map[doctor.Status]string{doctor.OK: "32", doctor.Skipped: "2", doctor.Warning: "33", doctor.Failure: "31"}
	for _, r := range report.Checks {
		status := colors.paint(sgr[r.Status], fmt.Sprintf("%-*s", len(doctor.Failure), r.Status))
		fmt.Fprintf(w, "%s  %s\n", status, strings.TrimRight(fmt.Sprintf("%-*s  %s", name, r.Check, visibleLong(r.Detail)), " "))
		for _, f := range r.Findings {
			writeIndented(w, "  ", fmt.Sprintf("%s: %s", f.Status, f.Problem))
			writeIndented(w, "    ", "where: "+f.Where)
			writeIndented(w, "    ", "fix: "+f.Fix)
		}
	}
	_, err := fmt.Fprintf(w, "%s, %s.\n", pluralize(int64(report.Failures), "failure"), pluralize(int64(report.Warnings), "warning"))
	return err
}

// writeIndented writes a text in indented lines. Further lines have two more spaces.
func writeIndented(w io.Writer, indent, text string) {
	for i, line := range wrapText(visibleLong(text), textWidth) {
		if i == 1 {
			indent += "  "
		}
		fmt.Fprintln(w, indent+line)
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/schema/lint"
	"github.com/intraydata/intray/server"
)

type schemaCheckCommand struct {
	File string `arg:"" help:"Schema to check, or - for standard input."`
	reportFlags
}

// Help returns the text that --help prints after the flags.
func (schemaCheckCommand) Help() string {
	return `Findings are valid settings that are probably mistakes, such as a rule that no value
can satisfy.

Exit status: 0 the schema is valid, with or without findings; 4 it is invalid;
2 invalid arguments.`
}

// checkResult is the result of the schema check command.
type checkResult struct {
	File     string         `json:"file"`
	Valid    bool           `json:"valid"`
	Errors   []checkIssue   `json:"errors"`
	Findings []checkFinding `json:"findings"`
}

type checkIssue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

type checkFinding struct {
	Path  string `json:"path"`
	Level string `json:"level"`
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// Run checks the schema.
func (c *schemaCheckCommand) Run(ctx context.Context, s streams) error {
	file, remove, err := s.inputFile(ctx, c.File)
	if err != nil {
		return err
	}
	found, hooks, err := c.checkSchema(file)
	if err = errors.Join(err, remove()); err != nil {
		return usageError{err}
	}
	if err := found.checkHooks(ctx, hooks); err != nil {
		return err
	}
	if err := c.write(s.out, found, found.writeText); err != nil {
		return err
	}
	if !found.Valid {
		return exit(exitFailed)
	}
	return nil
}

// checkHooks checks that the runtime can load the hooks of the schema.
func (c *checkResult) checkHooks(ctx context.Context, hooks intray.Hooks) error {
	if hooks.Count() == 0 {
		return nil
	}
	warning, err := server.CheckHooks(ctx, hooks)
	var invalid *schema.InvalidError
	var failed *intray.HookError
	switch {
	case errors.As(err, &invalid):
		c.Valid, c.Errors = false, append(c.Errors, issuesOf(err)...)
	case errors.As(err, &failed):
		c.Valid, c.Errors = false, append(c.Errors, checkIssue{"hooks", failed.Error()})
	case err != nil:
		return err
	case !warning.IsZero():
		c.Findings = append(c.Findings, checkFinding{"hooks", intray.LevelWarning.String(), "hooks_unchecked", warning.String()})
	}
	return nil
}

// checkSchema checks the schema. It returns the result, and the hooks if the schema
// is valid. If the file cannot be read, it returns an error.
func (c *schemaCheckCommand) checkSchema(path string) (checkResult, intray.Hooks, error) {
	file, err := os.Open(path)
	if err != nil {
		return checkResult{}, intray.Hooks{}, err
	}
	defer file.Close()
	doc, schema, err := schema.ReadDoc(file)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return checkResult{}, intray.Hooks{}, err
	}
	found := checkResult{File: c.File, Valid: err == nil, Errors: issuesOf(err), Findings: []checkFinding{}}
	if err == nil {
		found.Findings = findings(doc, schema)
		return found, schema.Hooks, nil
	}
	return found, intray.Hooks{}, nil
}

// issuesOf returns the issues in a validation error for a schema.
func issuesOf(err error) []checkIssue {
	issues := []checkIssue{}
	var invalid *schema.InvalidError
	switch {
	case errors.As(err, &invalid):
		for _, issue := range invalid.Issues {
			issues = append(issues, checkIssue{issue.Path, issue.Message.String()})
		}
	case err != nil:
		issues = append(issues, checkIssue{"", err.Error()})
	}
	return issues
}

func findings(doc schema.Doc, parsed *intray.Schema) []checkFinding {
	found := []checkFinding{}
	for _, f := range lint.CheckWritten(parsed, doc.Settings) {
		found = append(found, checkFinding{f.Path, f.Level.String(), f.Code, f.Text.String()})
	}
	for _, text := range schema.Warnings(parsed) {
		found = append(found, checkFinding{"hooks", intray.LevelWarning.String(), "hook_without_network", text.String()})
	}
	return found
}

// writeText writes the result for people: each location, and the problem on the next line.
func (c checkResult) writeText(w io.Writer) error {
	name := visible(c.File)
	if c.File == stdinName {
		name = "The schema"
	}
	switch {
	case !c.Valid:
		fmt.Fprintf(w, "%s is invalid: %s.\n", name, pluralize(int64(len(c.Errors)), "error"))
	case len(c.Findings) == 0:
		fmt.Fprintf(w, "%s is valid, without findings.\n", name)
	default:
		fmt.Fprintf(w, "%s is valid: %s.\n", name, pluralize(int64(len(c.Findings)), "finding"))
	}
	for _, e := range c.Errors {
		printFinding(w, intray.LevelError.String(), e.Path, e.Message)
	}
	for _, f := range c.Findings {
		printFinding(w, f.Level, f.Path, f.Text)
	}
	return nil
}

func printFinding(w io.Writer, name, path, text string) {
	path = cmp.Or(path, "the whole schema")
	level, _ := intray.ParseLevel(name) // the names come from levels
	fmt.Fprintf(w, "\n%s%s  %s\n", colorsOf(w).level(level), strings.Repeat(" ", 7-len(name)), visibleLong(path))
	for _, line := range wrapText(visibleLong(text), textWidth-9) {
		fmt.Fprintf(w, "         %s\n", line)
	}
}

type hooksTestCommand struct {
	Schema  string `arg:"" help:"Schema document: JSON with fields, settings and hooks. - means standard input."`
	Sample  string `arg:"" help:"Sample file, or - for standard input."`
	Rows    int    `help:"Number of rows to show, at most 1,000." default:"10" placeholder:"N"`
	Answers string `help:"JSON file with answers to questions about the file, by question id." placeholder:"FILE"`
	reportFlags
	hookFlags
}

// Help returns the text that --help prints after the flags.
func (hooksTestCommand) Help() string {
	return `Reads the whole file twice, without and with the hooks, and compares the first rows:
each cell before and after, with the messages of the hooks. Writes nothing.

Exit status: 0 the hooks ran, 3 a person must answer questions first, 4 a hook failed
or the file cannot be imported, 2 invalid arguments.`
}

// maxTried is the maximum number of rows that the command shows.
const maxTried = 1000

// Run tests the hooks.
func (c *hooksTestCommand) Run(ctx context.Context, s streams) (err error) {
	if c.Rows < 1 || c.Rows > maxTried {
		return usageError{flagError("--rows", fmt.Errorf("cannot show %d rows; choose 1 to %d", c.Rows, maxTried))}
	}
	if err := checkOneStdin(c.Schema, c.Sample); err != nil {
		return err
	}
	schema, err := s.readSchema(ctx, c.Schema, schema.Read)
	if err != nil {
		return usageError{err}
	}
	if schema.Hooks.Count() == 0 {
		return usageError{fmt.Errorf("%s has no hooks to test", inputName(c.Schema))}
	}
	answers, err := readAnswers(c.Answers)
	if err != nil {
		return usageError{err}
	}
	file, remove, err := s.inputFile(ctx, c.Sample)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	trial, err := server.TestHooks(ctx, server.HookTestConfig{File: file, Schema: schema, Answers: answers, Rows: c.Rows, Hooks: c.hookConfig()})
	if err != nil {
		return err
	}
	if err := c.write(s.out, wireTrial(trial), func(w io.Writer) error { return writeTrial(w, inputName(c.Sample), trial) }); err != nil {
		return err
	}
	printNotices(s.err, trial.Outcome.Notices)
	printHookSource(s.err, schema.Hooks, trial.Outcome.Hook)
	switch trial.Outcome.Verdict {
	case engine.Open:
		printAnswerHelp(s.err, trial.Outcome.Questions)
		return exit(exitReview)
	case engine.Broken:
		if hook := trial.Outcome.Hook; hook != nil && hook.Load {
			return exit(exitUsage)
		}
		return exit(exitFailed)
	}
	return nil
}

// writeTrial writes the result for people: each row with the cells that the hooks changed,
// and the time that each hook took.
func writeTrial(w io.Writer, sample string, trial server.HookTest) error {
	index := int64(0)
	for _, row := range trial.Rows {
		printTrialRow(w, row, index)
		if row.Line > 0 {
			index++
		}
	}
	if len(trial.Rows) > 0 {
		fmt.Fprintf(w, "\nWith its hooks the import of %s has %s; the first are shown.\n", visibleLong(sample), pluralize(trial.Outcome.DataRows, "row"))
	}
	if len(trial.Times) > 0 {
		fmt.Fprintf(w, "\n%-24s %12s %14s\n", "hook", "time", "for each row")
	}
	for _, t := range trial.Times {
		each := "-"
		if n := trial.Outcome.DataRows; n > 0 {
			each = (t.Took / time.Duration(n)).Round(10 * time.Nanosecond).String()
		}
		fmt.Fprintf(w, "%-24s %12s %14s\n", t.Hook, t.Took.Round(10*time.Microsecond), each)
	}
	if len(trial.Console) > 0 {
		fmt.Fprintln(w, "\nconsole")
	}
	for _, line := range trial.Console {
		fmt.Fprintf(w, "  %s\n", visibleLong(line))
	}
	return nil
}

// printTrialRow prints a row. index counts the data rows of the file from 0.
func printTrialRow(w io.Writer, row server.HookTestRow, index int64) {
	switch {
	case row.Removed:
		fmt.Fprintf(w, "%s: removed\n", dataRow(row.Line, index))
		return
	case row.Line == 0:
		fmt.Fprintln(w, "added row")
	case len(row.Cells)+len(row.Problems) == 0:
		fmt.Fprintf(w, "%s: nothing changed\n", dataRow(row.Line, index))
	default:
		fmt.Fprintln(w, dataRow(row.Line, index))
	}
	for _, cell := range row.Cells {
		switch {
		case cell.Changed():
			fmt.Fprintf(w, "  %-16s %s → %s\n", visible(cell.Field), cellText(cell.Before), cellText(cell.After))
		default:
			fmt.Fprintf(w, "  %-16s %s\n", visible(cell.Field), cellText(cell.After))
		}
		printMessages(w, cell.Problems)
	}
	printMessages(w, row.Problems)
}

func printMessages(w io.Writer, problems []intray.Problem) {
	for _, p := range problems {
		for _, line := range wrapText(p.Level.String()+": "+visibleLong(p.Text.String()), textWidth-19) {
			fmt.Fprintf(w, "  %-16s %s\n", "", line)
		}
	}
}

// cellText returns the value of a cell, or "nothing" if it has none.
func cellText(text *string) string {
	if text == nil {
		return "nothing"
	}
	return visible(*text)
}

// wiredTrial is the JSON form of the result.
type wiredTrial struct {
	Verdict string        `json:"verdict"`
	Hook    *wiredFailure `json:"failure,omitempty"`
	Rows    []wiredRow    `json:"rows"`
	Times   []wiredTime   `json:"hooks"`
	Console []string      `json:"console"`
}

type wiredFailure struct {
	Hook    string `json:"hook"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Row     *int64 `json:"rowIndex,omitempty"`
	Message string `json:"message"`
}

type wiredRow struct {
	Line    int64       `json:"line,omitempty"`
	Added   bool        `json:"added,omitempty"`
	Removed bool        `json:"removed,omitempty"`
	Cells   []wiredCell `json:"cells"`
}

type wiredCell struct {
	Field    string         `json:"fieldKey"`
	Before   *string        `json:"before"`
	After    *string        `json:"after"`
	Messages []wiredMessage `json:"messages,omitempty"`
}

type wiredMessage struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

type wiredTime struct {
	Hook         string  `json:"hook"`
	Milliseconds float64 `json:"milliseconds"`
}

var verdictNames = map[engine.Verdict]string{engine.Done: "SUCCESSFUL", engine.Open: "NEEDS_REVIEW", engine.Broken: "FAILED"}

func wireTrial(trial server.HookTest) wiredTrial {
	wired := wiredTrial{Verdict: verdictNames[trial.Outcome.Verdict], Rows: []wiredRow{}, Times: []wiredTime{}, Console: []string{}}
	if f := trial.Outcome.Hook; f != nil {
		wired.Hook = &wiredFailure{f.Hook, f.Line, f.Column, f.Row, f.Text.String()}
	}
	for _, row := range trial.Rows {
		one := wiredRow{Line: row.Line, Added: row.Line == 0, Removed: row.Removed, Cells: []wiredCell{}}
		for _, c := range row.Cells {
			cell := wiredCell{Field: c.Field, Before: c.Before, After: c.After}
			for _, p := range c.Problems {
				cell.Messages = append(cell.Messages, wiredMessage{p.Level.String(), p.Text.String()})
			}
			one.Cells = append(one.Cells, cell)
		}
		wired.Rows = append(wired.Rows, one)
	}
	for _, t := range trial.Times {
		wired.Times = append(wired.Times, wiredTime{t.Hook, float64(t.Took) / float64(time.Millisecond)})
	}
	wired.Console = append(wired.Console, trial.Console...)
	return wired
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/app"
	"github.com/intraydata/intray/schemajson"
	"github.com/intraydata/intray/schemajson/lint"
)

type schemaCheckCommand struct {
	File string `arg:"" help:"The schema to look at; - for standard input."`
	JSON bool   `name:"json" help:"Write JSON, as is done when the output is no terminal."`
}

// Help is shown below the flags.
func (schemaCheckCommand) Help() string {
	return `Findings are what can be used and can hardly be meant, such as a rule that no value keeps.

Exit status: 0 the schema can be used, with findings or without; 4 it cannot be used; 2 wrong usage.`
}

// checked is what there is to say of a schema.
type checked struct {
	File string `json:"file"`
	// Valid says that the schema can be used.
	Valid    bool           `json:"valid"`
	Errors   []checkedIssue `json:"errors"`
	Findings []checkedFound `json:"findings"`
}

type checkedIssue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

type checkedFound struct {
	Path  string `json:"path"`
	Level string `json:"level"`
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// Run looks the schema through.
func (c *schemaCheckCommand) Run(ctx context.Context, s streams) error {
	found, hooks, err := c.check(s.in)
	if err != nil {
		return usageError{err}
	}
	if err := found.load(ctx, hooks); err != nil {
		return err
	}
	if c.JSON || !terminal(s.out) {
		err = writeJSON(s.out, found)
	} else {
		found.tell(s.out)
	}
	if err != nil {
		return err
	}
	if !found.Valid {
		return exit(exitFailed)
	}
	return nil
}

// load looks whether what runs hooks can load those of the schema.
func (c *checked) load(ctx context.Context, hooks intray.Hooks) error {
	if hooks.Count() == 0 {
		return nil
	}
	warning, err := app.CheckHooks(ctx, hooks)
	var failed *intray.HookError
	switch {
	case errors.As(err, &failed):
		c.Valid, c.Errors = false, append(c.Errors, checkedIssue{"hooks", failed.Error()})
	case err != nil:
		return err
	case !warning.IsZero():
		c.Findings = append(c.Findings, checkedFound{"hooks", intray.LevelWarning.String(), "hooks_unchecked", warning.String()})
	}
	return nil
}

// check reads the schema and gives its hooks too, where it can be used. Its error
// is that there is nothing to read.
func (c *schemaCheckCommand) check(stdin io.Reader) (checked, intray.Hooks, error) {
	in := stdin
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return checked{}, intray.Hooks{}, err
		}
		defer file.Close()
		in = file
	}
	doc, schema, err := schemajson.ReadDoc(in)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return checked{}, intray.Hooks{}, err
	}
	found := checked{File: c.File, Valid: err == nil, Errors: issuesOf(err), Findings: []checkedFound{}}
	if err == nil {
		found.Findings = findings(doc, schema)
		return found, schema.Hooks, nil
	}
	return found, intray.Hooks{}, nil
}

// issuesOf tells what keeps a schema from being used, where anything does.
func issuesOf(err error) []checkedIssue {
	issues := []checkedIssue{}
	var invalid *schemajson.InvalidError
	switch {
	case errors.As(err, &invalid):
		for _, issue := range invalid.Issues {
			issues = append(issues, checkedIssue{issue.Path, issue.Message.String()})
		}
	case err != nil:
		issues = append(issues, checkedIssue{"", err.Error()})
	}
	return issues
}

func findings(doc schemajson.Doc, schema *intray.Schema) []checkedFound {
	found := []checkedFound{}
	for _, f := range lint.CheckWritten(schema, doc.Settings) {
		found = append(found, checkedFound{f.Path, f.Level.String(), f.Code, f.Text.String()})
	}
	for _, text := range schemajson.Warnings(schema) {
		found = append(found, checkedFound{"hooks", intray.LevelWarning.String(), "hook_without_network", text.String()})
	}
	return found
}

// tell writes for a person: each place, and below it what is wrong there.
func (c checked) tell(w io.Writer) {
	name := visible(c.File)
	if c.File == "-" {
		name = "The schema"
	}
	switch {
	case !c.Valid:
		fmt.Fprintf(w, "%s cannot be used: %s.\n", name, counted(int64(len(c.Errors)), "error"))
	case len(c.Findings) == 0:
		fmt.Fprintf(w, "%s can be used. Nothing was found.\n", name)
	default:
		fmt.Fprintf(w, "%s can be used: %s.\n", name, counted(int64(len(c.Findings)), "finding"))
	}
	for _, e := range c.Errors {
		tellFound(w, "error", e.Path, e.Message)
	}
	for _, f := range c.Findings {
		tellFound(w, f.Level, f.Path, f.Text)
	}
}

func tellFound(w io.Writer, level, path, text string) {
	if path == "" {
		path = "the whole schema"
	}
	fmt.Fprintf(w, "\n%-7s  %s\n", level, visibleLong(path))
	for _, line := range wrap(visibleLong(text), textWidth-9) {
		fmt.Fprintf(w, "         %s\n", line)
	}
}

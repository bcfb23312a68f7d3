package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/review"
)

type runCommand struct {
	File     string  `arg:"" help:"File to import, or - for standard input."`
	Schema   string  `help:"Schema document: JSON with fields, settings and hooks." required:"" placeholder:"FILE"`
	Out      string  `help:"Write the result to this file, or - for standard output. Default: NAME.result.FORMAT in the current folder, or - if the file is -." placeholder:"FILE"`
	Format   string  `help:"Format of the result: json, ndjson, csv, xlsx or parquet. Default: the extension of --out, or json." placeholder:"FORMAT"`
	Answers  string  `help:"JSON file with answers to questions about the file, by question id." placeholder:"FILE"`
	Lexicon  string  `help:"JSON file with learned mappings, as the server exports them." placeholder:"FILE"`
	Problems string  `help:"Write all problems to this CSV file." placeholder:"FILE.csv"`
	Strict   bool    `help:"Exit with status 5 if any row has an error. The result is written anyway."`
	Explain  []int64 `help:"Explain where each value of this data row came from and what each step did to it. Rows count from 1; at most 20 rows." placeholder:"ROW"`
	Timings  bool    `help:"Print how long each stage of the import took."`
	JSON     bool    `name:"json" help:"Write the summary as JSON to standard output."`
	Text     bool    `name:"text" help:"Write the summary as text to standard error (default). Takes precedence over --json."`
	hookFlags
}

// Help returns the text that --help prints after the flags.
func (runCommand) Help() string {
	return `Exit status: 0 the result was written, 3 a person must answer questions or fix rows
first, 4 the file cannot be imported, 5 every row has an error or, with --strict, any
row does, 2 invalid arguments, 130 interrupted.

With status 5, the result is written as the setting invalidDataBehavior says. It can
be empty.`
}

// Run imports the file.
func (c *runCommand) Run(ctx context.Context, s streams) (err error) {
	collectOften()
	if err := checkOneStdin(c.File, c.Schema); err != nil {
		return err
	}
	schema, err := s.readSchema(ctx, c.Schema, schema.Read)
	if err != nil {
		return usageError{err}
	}
	cfg := server.RunConfig{Schema: schema, SchemaFile: c.Schema, Stdout: s.out, Problems: c.Problems, Progress: progress(s.err), Hooks: c.hookConfig()}
	if cfg.Out, cfg.Format, err = c.target(); err != nil {
		return usageError{err}
	}
	if c.writesJSON() && (cfg.Out == "-" || cfg.Problems == "-") {
		return usageError{errors.New("--json writes the summary to standard output; write the result and the problems to files, with --out FILE and --problems FILE.csv")}
	}
	if cfg.Answers, err = readAnswers(c.Answers); err != nil {
		return usageError{err}
	}
	if cfg.Learned, err = readLexicon(c.Lexicon); err != nil {
		return usageError{err}
	}
	if cfg.Explain, err = c.explainedRows(); err != nil {
		return usageError{err}
	}
	file, remove, err := s.inputFile(ctx, c.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	cfg.File = file
	report, err := server.Run(ctx, cfg)
	if isInteractive(s) && c.File != stdinName && c.Schema != stdinName {
		report, err = c.askQuestions(ctx, s, cfg, report, err)
	}
	if err != nil {
		return err
	}
	return c.printReport(s, cfg, report)
}

// writesJSON reports whether the summary is written as JSON.
func (c *runCommand) writesJSON() bool { return c.JSON && !c.Text }

// printReport prints the summary and the explained rows. It returns the exit status as an error.
func (c *runCommand) printReport(s streams, cfg server.RunConfig, report server.RunReport) error {
	if cfg.Progress != nil {
		fmt.Fprint(s.err, clearLine)
	}
	status := c.exitStatus(report.Outcome)
	schema := report.Outcome.Schema(cfg.Schema)
	if c.writesJSON() {
		wired := wireRun(c.File, cfg.Out, schema, report, status)
		if c.Timings {
			wired.Timings = wireTimings(report.Timings)
		}
		if err := writeJSON(s.out, wired); err != nil {
			return err
		}
	} else {
		summary{
			w: s.err, palette: colorsOf(s.err), file: inputName(c.File), inputFile: c.File, schemaFile: c.Schema, out: cfg.Out, problems: c.Problems, schema: schema, report: report,
		}.print()
		if status == exitInvalid {
			c.printErrorRows(s.err, report.Outcome)
		}
	}
	if c.Timings && !c.writesJSON() {
		printTimings(s.err, report.Timings)
	}
	c.printTraces(s.err, cfg, report)
	if status != exitDone {
		return exit(status)
	}
	return nil
}

// exitStatus returns the exit status of an import. A script must not mistake a result without
// any valid row for a success.
func (c *runCommand) exitStatus(o *engine.Outcome) int {
	switch {
	case o.Verdict == engine.Open:
		return exitReview
	case o.Verdict == engine.Broken && o.Hook != nil && o.Hook.Load:
		return exitUsage
	case o.Verdict == engine.Broken:
		return exitFailed
	case o.ErrorRows > 0 && (c.Strict || o.ErrorRows == o.DataRows):
		return exitInvalid
	}
	return exitDone
}

// printErrorRows prints why the exit status is exitInvalid.
func (c *runCommand) printErrorRows(w io.Writer, o *engine.Outcome) {
	if o.ErrorRows == o.DataRows {
		fmt.Fprintf(w, "Every row has an error, so the exit status is %d.\n", exitInvalid)
		return
	}
	fmt.Fprintf(w, "Rows with an error: %d of %d. Because of --strict, the exit status is %d.\n", o.ErrorRows, o.DataRows, exitInvalid)
}

// askQuestions asks the person at the terminal and runs the import again, until all
// questions are answered or the person leaves one open.
func (c *runCommand) askQuestions(ctx context.Context, s streams, cfg server.RunConfig, report server.RunReport, err error) (server.RunReport, error) {
	lines := bufio.NewReader(s.in)
	for err == nil && len(report.Outcome.Questions) > 0 {
		o := report.Outcome
		if askAll(s, lines, o.Questions, len(o.Headers), cfg.Answers, o.Schema(cfg.Schema).Fields) != nil {
			break
		}
		report, err = server.Run(ctx, cfg)
	}
	return report, err
}

// target returns the file name and the format of the result.
func (c *runCommand) target() (string, output.Format, error) {
	format, err := formatFor(c.Format, c.Out, output.JSON)
	if err != nil {
		return "", "", err
	}
	out := c.Out
	if out == "" && c.File == stdinName {
		out = "-"
	}
	if out == "" {
		base := filepath.Base(c.File)
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".result" + format.Extension()
	}
	return out, format, nil
}

// maxAnswersFile is the maximum size of a file with answers, in bytes.
const maxAnswersFile = 1 << 20

// readAnswers reads a file with a JSON object that maps question IDs to answers.
func readAnswers(name string) (intray.Answers, error) {
	if name == "" {
		return intray.Answers{}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var sent map[string]any
	dec := json.NewDecoder(io.LimitReader(file, maxAnswersFile))
	dec.UseNumber()
	if err := dec.Decode(&sent); err != nil {
		return nil, fmt.Errorf("%s: expected a JSON object with answers, such as {\"sheet\": \"Contacts\"}: %w", name, err)
	}
	answers := intray.Answers{}
	for _, id := range slices.Sorted(maps.Keys(sent)) {
		if !isQuestion(id) {
			return nil, fmt.Errorf("%s: unknown question %q; use sheet, encoding, delimiter, column_starts, header_row, misplaced_quotes, column:KEY, field:INDEX, format:KEY or value:KEY:TEXT", name, id)
		}
		switch value := sent[id].(type) {
		case string:
			answers[id] = value
		case json.Number:
			answers[id] = value.String()
		default:
			return nil, fmt.Errorf("%s: the answer to %q must be a string or a number", name, id)
		}
	}
	return answers, nil
}

func isQuestion(id string) bool {
	if slices.Contains([]string{intray.AnswerSheet, intray.AnswerEncoding, intray.AnswerDelimiter, intray.AnswerColumnStarts, intray.AnswerHeaderRow, intray.AnswerMisplacedQuotes, intray.AnswerDerived, intray.AnswerNewFields}, id) {
		return true
	}
	about := []string{intray.AnswerColumn, intray.AnswerField, intray.AnswerNewField, intray.AnswerFormat, intray.AnswerValue}
	return slices.ContainsFunc(about, func(kind string) bool { return strings.HasPrefix(id, kind) })
}

// isInteractive reports whether a person at a terminal can read and answer questions.
func isInteractive(s streams) bool {
	return isTerminal(s.in) && isTerminal(s.err)
}

// errNoAnswer means that the person left a question open.
var errNoAnswer = errors.New("a question is still open")

// askAll asks each question. If an answer contradicts an earlier one, it asks again. An empty
// line leaves the question and all later ones open.
func askAll(s streams, lines *bufio.Reader, questions []intray.Question, columns int, answers intray.Answers, fields []intray.Field) error {
	for i := 0; i < len(questions); i++ {
		q := questions[i]
		value, err := askOne(s.err, lines, q, columns)
		if err != nil {
			return err
		}
		answers[q.ID] = value
		if wrong := review.CheckContradictions(fields, answers); wrong != nil {
			delete(answers, q.ID)
			fmt.Fprintln(s.err, visibleLong(wrong.Error()))
			i--
		}
	}
	return nil
}

func askOne(w io.Writer, lines *bufio.Reader, q intray.Question, columns int) (string, error) {
	fmt.Fprintf(w, "\n%s\n", visibleLong(q.Text.String()))
	for i, c := range q.Choices {
		fmt.Fprintf(w, "  %d  %s\n", i+1, describeChoice(c))
	}
	several := ""
	if q.Many {
		several = ", several as 1,2"
	}
	for {
		fmt.Fprintf(w, "1 to %d%s, or nothing to leave it: ", len(q.Choices), several)
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "" || err != nil {
			return "", errNoAnswer
		}
		if value, ok := chosenValues(q, line); ok && q.Accepts(value, columns) {
			return value, nil
		}
		if q.Accepts(line, columns) && !q.AnyColumn && !q.Many {
			return line, nil
		}
	}
}

// chosenValues returns the values of the choices whose numbers are in a line of
// input. Choices are counted from 1.
func chosenValues(q intray.Question, line string) (string, bool) {
	numbers := []string{line}
	if q.Many {
		numbers = strings.Split(line, ",")
	}
	values := make([]string, 0, len(numbers))
	for _, number := range numbers {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > len(q.Choices) {
			return "", false
		}
		values = append(values, q.Choices[n-1].Value)
	}
	return strings.Join(values, ","), true
}

func describeChoice(c intray.Choice) string {
	text := visible(c.Label.String())
	if c.Label.IsZero() {
		text = visible(c.Value)
	}
	if !c.Reason.IsZero() {
		text += ": " + visibleLong(c.Reason.String())
	}
	examples := make([]string, 0, len(c.Examples))
	for _, e := range c.Examples {
		examples = append(examples, visible(e))
	}
	if len(examples) > 0 {
		text += " (" + strings.Join(examples, " · ") + ")"
	}
	return text
}

// printAnswerHelp prints how to answer the questions without a terminal.
func printAnswerHelp(w io.Writer, questions []intray.Question) {
	if len(questions) == 0 {
		return
	}
	fmt.Fprintln(w, "To answer, write a JSON file and pass it with --answers FILE:")
	for _, q := range questions {
		values := make([]string, 0, 5)
		for _, c := range q.Choices[:min(len(q.Choices), 5)] {
			value := strconv.Quote(c.Value)
			if !c.Label.IsZero() && c.Label.String() != c.Value {
				value += " (" + visible(c.Label.String()) + ")"
			}
			values = append(values, value)
		}
		if more := len(q.Choices) - 5; more > 0 {
			values = append(values, fmt.Sprintf("%d more", more))
		}
		if q.Many {
			values = append(values, "several joined by commas")
		}
		fmt.Fprintf(w, "  %q: %s\n", q.ID, strings.Join(values, ", "))
	}
	if slices.ContainsFunc(questions, func(q intray.Question) bool { return strings.HasPrefix(q.ID, intray.AnswerColumn) }) {
		fmt.Fprintln(w, "In answers, columns count from 0, as in the API.")
	}
}

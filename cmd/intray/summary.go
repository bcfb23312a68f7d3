package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/importer"
	"github.com/intraydata/intray/server"
)

// summary prints the report of an import for people.
type summary struct {
	w io.Writer
	palette
	// file is the name of the imported file, and out that of the result.
	file, out string
	// inputFile and schemaFile are the arguments of the command.
	inputFile, schemaFile string
	// problems is the name of the file with all problems, or "".
	problems string
	schema   *intray.Schema
	report   server.RunReport
}

// print prints everything except the traces.
func (p summary) print() {
	o := p.report.Outcome
	p.printReading()
	for _, n := range o.Notices {
		p.printNotice(n)
		if n.Type == intray.HookFailed {
			printHookSource(p.w, p.schema.Hooks, o.Hook)
		}
	}
	if o.OmittedNotices > 0 {
		fmt.Fprintf(p.w, "… and %s more\n", pluralize(o.OmittedNotices, "notice"))
	}
	p.printProblems()
	switch {
	case o.Verdict == engine.Done:
		if p.out != "-" {
			fmt.Fprintf(p.w, "Wrote %s to %s.\n", pluralize(p.report.OutputRows, "row"), p.out)
		}
	case o.Verdict == engine.Open:
		printAnswerHelp(p.w, o.Questions)
		p.printOpen(o)
	case o.Hook != nil && o.Hook.Load:
		fmt.Fprintln(p.w, "Nothing was written: a hook of the schema cannot be loaded.")
	default:
		fmt.Fprintln(p.w, "Nothing was written: the file cannot be imported.")
	}
}

// printOpen explains why an import that waits for a person wrote no result.
func (p summary) printOpen(o *engine.Outcome) {
	if len(o.Questions) > 0 || o.ErrorRows == 0 || p.schema.Settings.InvalidDataBehavior != intray.BlockSubmit {
		fmt.Fprintln(p.w, "Nothing was written. Resolve what is listed above, then run the command again.")
		return
	}
	fmt.Fprintln(p.w, "Nothing was written, because the schema blocks results with invalid rows (BLOCK_SUBMIT).")
	fmt.Fprintln(p.w, "Fix the file and run the command again. To fix the rows on a page instead, run:")
	fmt.Fprintf(p.w, "  intray share %s --file %s\n", shellWord(p.schemaFile, "SCHEMA.json"), shellWord(p.inputFile, "FILE"))
}

// shellWord returns a file name for a command line, or placeholder if the name is "-", which means
// standard input.
func shellWord(name, placeholder string) string {
	switch {
	case name == "-":
		return placeholder
	case strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./_-", r)
	}):
		return "'" + strings.ReplaceAll(visibleLong(name), "'", `'\''`) + "'"
	}
	return name
}

func (p summary) printNotice(n intray.Notice) {
	fmt.Fprintf(p.w, "%s: %s\n", p.level(n.Level), visibleLong(n.Text.String()))
}

// printReading prints how the file was read and which columns are mapped to which fields.
func (p summary) printReading() {
	o := p.report.Outcome
	choices := make([]string, 0, len(o.Evidence))
	for _, e := range o.Evidence {
		choices = append(choices, fmt.Sprintf("%s %s", e.Choice, plainOrQuoted(e.Value)))
	}
	if len(choices) > 0 {
		read := ""
		if o.DataRows > 0 {
			read = "; " + pluralize(o.DataRows, "row")
		}
		fmt.Fprintf(p.w, "Read %s: %s%s.\n", p.file, strings.Join(choices, ", "), read)
	}
	for i, match := range o.Mapping.Fields {
		fmt.Fprintf(p.w, "  %s ← %s\n", p.schema.Fields[i].Key, columnList(tracedColumns(match, o.Headers)))
	}
	for _, column := range o.Mapping.Unmapped {
		header := visible(o.Headers[column])
		fmt.Fprintf(p.w, "  not used: column %d, %s\n", column+1, cmp.Or(header, "without a name"))
	}
}

// printProblems prints the groups of problems: the number and the cause, then a few examples.
func (p summary) printProblems() {
	o := p.report.Outcome
	if o.Problems == 0 {
		return
	}
	totals := fmt.Sprintf("%s with an error, %s in all", pluralize(o.ErrorRows, "row"), pluralize(o.Problems, "problem"))
	if len(p.report.Groups) == 0 { // the import failed before all rows were known
		fmt.Fprintf(p.w, "%s before the failure.\n", totals)
		return
	}
	fmt.Fprintf(p.w, "%s%s:\n", totals, levels(p.report.Groups))
	listed, rest := int64(0), int64(0)
	for _, group := range p.report.Groups {
		if len(group.Examples) == 0 {
			rest += group.Problems
			continue
		}
		p.printGroup(group)
		listed += int64(len(group.Examples))
	}
	if rest > 0 {
		fmt.Fprintf(p.w, "  … and %s of other kinds\n", pluralize(rest, "problem"))
	}
	if listed < o.Problems && p.problems == "" {
		fmt.Fprintln(p.w, "  To write all problems to a file, use --problems FILE.csv.")
	}
}

// levels returns text with the number of problems at each level, or "" if all problems have the
// same level.
func levels(groups []importer.ProblemGroup) string {
	counts := map[intray.Level]int64{}
	for _, group := range groups {
		counts[group.Level] += group.Problems
	}
	if len(counts) < 2 {
		return ""
	}
	parts := make([]string, 0, len(counts))
	for _, level := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, pluralize(counts[level], level.String()))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// printGroup prints a group of problems. If the examples have different messages, each message
// is next to its example.
func (p summary) printGroup(group importer.ProblemGroup) {
	message := func(i int) string { return visibleLong(group.Examples[i].Message.String()) }
	same := true
	for i := range group.Examples {
		same = same && message(i) == message(0)
	}
	cause := ""
	if same {
		cause = " " + message(0)
	}
	fmt.Fprintf(p.w, "  %s: %s: %s:%s\n", p.level(group.Level), cmp.Or(visible(group.Field), "whole row"), pluralize(group.Problems, "problem"), cause)
	for i, problem := range group.Examples {
		example := dataRow(problem.Line, problem.Row) + p.partName(problem)
		switch {
		case problem.Value != "":
			example += ": " + visible(problem.Value)
		case group.Field != "":
			example += ": empty"
		}
		if !same {
			example += ": " + message(i)
		}
		fmt.Fprintf(p.w, "    %s\n", example)
	}
	if more := group.Problems - int64(len(group.Examples)); more > 0 {
		fmt.Fprintf(p.w, "    … and %d more\n", more)
	}
}

// partName returns the header of the column with the problem in parentheses if the field has
// several columns.
func (p summary) partName(problem importer.Problem) string {
	o := p.report.Outcome
	for i, match := range o.Mapping.Fields {
		if p.schema.Fields[i].Key == problem.Field && problem.Part < len(match.Columns) {
			return " (" + visible(o.Headers[match.Columns[problem.Part]]) + ")"
		}
	}
	return ""
}

// dataRow names a row in the same way everywhere: by its line in the file, which a text editor
// or a spreadsheet shows, and by its number among the data rows. index counts from 0.
func dataRow(line, index int64) string { return fmt.Sprintf("line %d, data row %d", line, index+1) }

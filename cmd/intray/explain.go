package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server"
)

// maxExplained is the most rows that are explained at once.
const maxExplained = 20

// explainedRows gives the rows that are to be explained, counted from 0.
func (c *runCommand) explainedRows() ([]int64, error) {
	if len(c.Explain) > maxExplained {
		return nil, flagError("--explain", fmt.Errorf("%d rows are asked for; at most %d are explained at once", len(c.Explain), maxExplained))
	}
	rows := make([]int64, 0, len(c.Explain))
	for _, row := range c.Explain {
		if row < 1 {
			return nil, flagError("--explain", fmt.Errorf("there is no row %d; data rows count from 1", row))
		}
		rows = append(rows, row-1)
	}
	return rows, nil
}

// printTraces tells of the rows that were asked for how they came about.
func (c *runCommand) printTraces(w io.Writer, cfg server.RunConfig, report server.RunReport) {
	if len(cfg.Explain) > 0 && report.Traces == nil {
		why := "the file cannot be imported"
		if report.Outcome.Verdict == engine.Open {
			why = "something must be settled first"
		}
		fmt.Fprintf(w, "There is nothing to explain: no row was taken, because %s.\n", why)
	}
	printed := map[string]bool{}
	for i, traces := range report.Traces {
		if traces == nil {
			fmt.Fprintf(w, "\nThere is no row %d to explain: the import has %s.\n", cfg.Explain[i]+1, pluralize(report.Outcome.DataRows, "data row"))
			continue
		}
		fmt.Fprintf(w, "\nrow %d, line %d of %s\n", traces[0].Row+1, traces[0].Line, visibleLong(c.File))
		printRowTrace(w, traces, printed)
	}
}

// printRowTrace tells of a row, field by field. How the file was read is the same for
// all of them, and is told only where it has not been told yet.
func printRowTrace(w io.Writer, traces []intray.Trace, printed map[string]bool) {
	for _, t := range traces {
		for _, step := range t.Steps {
			if step.Step == "read" {
				printTraceStep(w, step.Step, reasonLines(unprinted(intray.RenderAll(step.Reasons), printed)))
			}
		}
	}
	for _, t := range traces {
		fmt.Fprintf(w, "%s ← %s\n", visible(t.Field), columnList(t.Columns))
		printCellTrace(w, t)
	}
}

// unprinted are the reasons that have not been told yet.
func unprinted(reasons []string, printed map[string]bool) (fresh []string) {
	for _, reason := range reasons {
		if !printed[reason] {
			fresh = append(fresh, reason)
		}
		printed[reason] = true
	}
	return fresh
}

// printCellTrace tells of a cell: its text, and then of each step behind the reading
// what changed and why.
func printCellTrace(w io.Writer, t intray.Trace) {
	before := ""
	if len(t.Columns) > 0 {
		before = t.Raw
		printTraceStep(w, "raw", rawLines(t))
	}
	for _, step := range t.Steps {
		if step.Step == "read" {
			continue
		}
		var lines []string
		switch {
		case step.Text == nil:
		case step.Step == "output":
			lines = splitText(shortened(graphicJSON(*step.Text), *step.Text), stepWidth)
		case *step.Text != before:
			lines = splitText(plainText(*step.Text), stepWidth)
			before = *step.Text
		}
		printTraceStep(w, step.Step, append(lines, reasonLines(intray.RenderAll(step.Reasons))...))
	}
}

// rawLines shows the text of a cell, or of each where there are several.
func rawLines(t intray.Trace) (lines []string) {
	var texts []string
	if len(t.Columns) < 2 || json.Unmarshal([]byte(t.Raw), &texts) != nil {
		texts = []string{t.Raw}
	}
	for _, text := range texts {
		lines = append(lines, splitText(quotedText(text), stepWidth)...)
	}
	return lines
}

// stepWidth is the room for text behind the name of a step.
const stepWidth = textWidth - 10

func printTraceStep(w io.Writer, name string, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(w, "  %-6s  %s\n", name, line)
		name = ""
	}
}

func reasonLines(reasons []string) (lines []string) {
	for _, reason := range reasons {
		lines = append(lines, wrapText(visibleLong(reason), stepWidth)...)
	}
	return lines
}

// maxShown is the most characters that are shown of a cell.
const maxShown = 5 * stepWidth

// shortened cuts what is shown of a cell, and says how much is left out.
func shortened(shown, whole string) string {
	runes := []rune(shown)
	if len(runes) <= maxShown {
		return shown
	}
	return fmt.Sprintf("%s… (%d characters in all)", string(runes[:maxShown]), utf8.RuneCountInString(whole))
}

// quotedText shows a text in quotes, so that white space is seen.
func quotedText(text string) string { return shortened(strconv.QuoteToGraphic(text), text) }

// plainText is quotedText without quotes where the text is plain.
func plainText(text string) string {
	if quoted := strconv.QuoteToGraphic(text); text == "" || quoted != `"`+text+`"` || strings.TrimSpace(text) != text {
		return shortened(quoted, text)
	}
	return shortened(text, text)
}

// graphicJSON writes the characters of a JSON text that would steer a terminal
// as JSON escapes them.
func graphicJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strconv.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// tracedColumns are the columns of a match, with their headers.
func tracedColumns(m intray.Match, headers []string) (columns []intray.TracedColumn) {
	for _, index := range m.AllColumns() {
		columns = append(columns, intray.TracedColumn{Index: index, Header: headers[index]})
	}
	return columns
}

// columnList names the columns of a field.
func columnList(columns []intray.TracedColumn) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("%d, %s", c.Index+1, visible(c.Header))
	}
	switch len(names) {
	case 0:
		return "no column"
	case 1:
		return "column " + names[0]
	}
	return "columns " + strings.Join(names, " and ")
}

// sourceWidth is how many characters of a line of source are shown.
const sourceWidth = textWidth - 8

// printHookSource shows the line of a hook at which it failed, and below it a caret at
// the column, where they are known.
func printHookSource(w io.Writer, hooks intray.Hooks, failed *intray.HookError) {
	if failed == nil || failed.Line < 1 {
		return
	}
	lines := strings.Split(hooks.Source(failed.Hook), "\n")
	if failed.Line > len(lines) {
		return
	}
	line := []rune(strings.ReplaceAll(visibleTabs(lines[failed.Line-1]), "\t", " "))
	column := min(failed.Column-1, len(line))
	from := 0
	if column > sourceWidth-8 {
		from = column - sourceWidth*2/3 // most of what led there
	}
	to := min(len(line), from+sourceWidth)
	before, after := "", ""
	if from > 0 {
		before = "…"
	}
	if to < len(line) {
		after = "…"
	}
	number := fmt.Sprint(failed.Line)
	fmt.Fprintf(w, "\n  %s │ %s%s%s\n", number, before, string(line[from:to]), after)
	if column >= 0 {
		fmt.Fprintf(w, "  %s │ %s^\n", strings.Repeat(" ", len(number)), strings.Repeat(" ", column-from+len([]rune(before))))
	}
	fmt.Fprintln(w)
}

// visibleTabs is visibleLong that leaves tabs as they are.
func visibleTabs(text string) string {
	parts := strings.Split(strings.TrimSuffix(text, "\r"), "\t")
	for i := range parts {
		parts[i] = visibleLong(parts[i])
	}
	return strings.Join(parts, "\t")
}

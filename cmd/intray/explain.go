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
	"github.com/intraydata/intray/server"
)

// maxExplained is the maximum number of rows to explain at once.
const maxExplained = 20

// explainedRows returns the rows to explain, counted from 0.
func (c *runCommand) explainedRows() ([]int64, error) {
	if len(c.Explain) > maxExplained {
		return nil, flagError("--explain", fmt.Errorf("%d rows are too many; at most %d can be explained at once", len(c.Explain), maxExplained))
	}
	rows := make([]int64, 0, len(c.Explain))
	for _, row := range c.Explain {
		if row < 1 {
			return nil, flagError("--explain", fmt.Errorf("there is no data row %d; data rows count from 1", row))
		}
		rows = append(rows, row-1)
	}
	return rows, nil
}

// printTraces prints the lineage of the rows in --explain.
func (c *runCommand) printTraces(w io.Writer, cfg server.RunConfig, report server.RunReport) {
	if len(cfg.Explain) > 0 && report.Traces == nil {
		fmt.Fprintln(w, "There is nothing to explain, because no row was imported.")
	}
	printed := map[string]bool{}
	for i, traces := range report.Traces {
		if traces == nil {
			fmt.Fprintf(w, "\nThere is no data row %d to explain: the import has %s.\n", cfg.Explain[i]+1, pluralize(report.Outcome.DataRows, "data row"))
			continue
		}
		fmt.Fprintf(w, "\n%s of %s\n", dataRow(traces[0].Line, traces[0].Row), visibleLong(inputName(c.File)))
		printRowTrace(w, traces, printed)
	}
}

// printRowTrace prints the lineage of a row, field by field. The steps for reading
// the file are the same for all fields and rows, so it prints them only once.
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

// unprinted returns the reasons that have not been printed yet, and marks them as printed.
func unprinted(reasons []string, printed map[string]bool) (fresh []string) {
	for _, reason := range reasons {
		if !printed[reason] {
			fresh = append(fresh, reason)
		}
		printed[reason] = true
	}
	return fresh
}

// printCellTrace prints the raw value of a cell and, for each later step, what it changed and
// why.
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

// rawLines returns lines with the raw values of the columns from which a cell was built.
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

// stepWidth is the width of the text after the name of a step, in characters.
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

// maxShown is the maximum number of characters of a cell that are shown.
const maxShown = 5 * stepWidth

// shortened truncates the text shown for a cell, and adds the length of the whole cell.
func shortened(shown, whole string) string {
	runes := []rune(shown)
	if len(runes) <= maxShown {
		return shown
	}
	return fmt.Sprintf("%s… (%d characters in all)", string(runes[:maxShown]), utf8.RuneCountInString(whole))
}

// quotedText returns text in quotes, so that white space is visible.
func quotedText(text string) string { return shortened(strconv.QuoteToGraphic(text), text) }

// plainText is like quotedText, but adds no quotes if the text needs no escaping.
func plainText(text string) string {
	if quoted := strconv.QuoteToGraphic(text); text == "" || quoted != `"`+text+`"` || strings.TrimSpace(text) != text {
		return shortened(quoted, text)
	}
	return shortened(text, text)
}

// graphicJSON escapes the characters in JSON that would control a terminal.
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

// tracedColumns returns the columns of a match with their headers.
func tracedColumns(m intray.Match, headers []string) (columns []intray.TracedColumn) {
	for _, index := range m.AllColumns() {
		columns = append(columns, intray.TracedColumn{Index: index, Header: headers[index]})
	}
	return columns
}

// columnList returns a readable list of a field's columns.
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

// sourceWidth is the maximum number of characters of a source line that are shown.
const sourceWidth = textWidth - 8

// printHookSource prints the source line where a hook failed, with a caret under
// the column. It prints only what is known.
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
		from = column - sourceWidth*2/3 // show more text before the failure than after it
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

// visibleTabs is like visibleLong, but keeps tabs.
func visibleTabs(text string) string {
	parts := strings.Split(strings.TrimSuffix(text, "\r"), "\t")
	for i := range parts {
		parts[i] = visibleLong(parts[i])
	}
	return strings.Join(parts, "\t")
}

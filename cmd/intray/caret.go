package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
)

// sourceWidth is how many characters of a line of source are shown.
const sourceWidth = textWidth - 8

// tellSource shows the line of a hook at which it failed, and below it a caret at
// the column, where they are known.
func tellSource(w io.Writer, hooks intray.Hooks, failed *intray.HookError) {
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

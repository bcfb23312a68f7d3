package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"github.com/intraydata/intray"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminalWidth returns the width of a terminal in cells. It returns 0, which means no limit,
// if the stream is not a terminal or its width is unknown.
func terminalWidth(stream any) int {
	file, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// palette adds colors to text. Its value is false if the output has no colors.
type palette bool

// colorsOf returns the palette for a stream. Only a terminal has colors, unless NO_COLOR is set
// (https://no-color.org) or TERM is dumb.
func colorsOf(stream any) palette { return hasColors(isTerminal(stream), os.Getenv) }

func hasColors(terminal bool, getenv func(string) string) palette {
	return palette(terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb")
}

// paint returns text in a color or style, given the parameter of an SGR escape sequence.
func (p palette) paint(sgr, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string { return p.paint("1", text) }

// level returns the name of a level: errors in red, warnings in yellow, infos in blue.
func (p palette) level(l intray.Level) string {
	sgr := map[intray.Level]string{intray.LevelError: "31", intray.LevelWarning: "33", intray.LevelInfo: "34"}
	return p.paint(sgr[l], l.String())
}

// table prints rows with aligned columns.
type table struct {
	// header reports whether the first row is a header.
	header bool
	rows   [][]string
}

func (t *table) append(cells ...string) { t.rows = append(t.rows, cells) }

const (
	// tableGap is the distance between two columns of a table, in terminal cells.
	tableGap = 2
	// minColumn is the width below which a column is not reduced, in terminal cells.
	minColumn = 8
)

// write prints the table. If it is wider than the limit, text is wrapped within its column. A
// limit of 0 means that there is none.
func (t *table) write(w io.Writer, limit int, colors palette) error {
	widths := t.columnWidths(limit)
	for i, row := range t.rows {
		cells := make([][]string, len(row))
		height := 1
		for c, text := range row {
			cells[c] = wrapText(text, widths[c])
			height = max(height, len(cells[c]))
		}
		for line := range height {
			var b strings.Builder
			for c := range cells {
				text := ""
				if line < len(cells[c]) {
					text = cells[c][line]
				}
				b.WriteString(text + strings.Repeat(" ", max(0, widths[c]-displayWidth(text))+tableGap))
			}
			text := strings.TrimRight(b.String(), " ")
			if t.header && i == 0 {
				text = colors.bold(text)
			}
			if _, err := fmt.Fprintln(w, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnWidths returns the width of each column. It reduces the widest column until the table
// fits, so that narrow columns keep their width.
func (t *table) columnWidths(limit int) []int {
	var widths []int
	total := -tableGap
	for _, row := range t.rows {
		for c, text := range row {
			if c == len(widths) {
				widths = append(widths, 1)
			}
			widths[c] = max(widths[c], displayWidth(text))
		}
	}
	for _, n := range widths {
		total += n + tableGap
	}
	for limit > 0 && total > limit {
		widest := 0
		for c, n := range widths {
			if n > widths[widest] {
				widest = c
			}
		}
		if widths[widest] <= minColumn {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

// displayWidth returns the number of terminal cells that text occupies.
func displayWidth(text string) (cells int) {
	for _, r := range text {
		cells += runeWidth(r)
	}
	return cells
}

// runeWidth returns the number of terminal cells that a character occupies: 2 for wide East
// Asian characters, and 0 for combining and invisible ones.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// textWidth is how many characters a line of long text has at most.
const textWidth = 80

// terminal says whether a stream is one, where a person reads or writes.
func terminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// writeJSON writes a value for a program.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// visible shortens text from a file and quotes it where it is not plain.
func visible(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	quoted := strconv.QuoteToGraphic(text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

// visibleLong frees text of what would steer a terminal or turn the order of its
// characters, and keeps all the rest.
func visibleLong(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, text)
}

// plainOrQuoted quotes what is not a word, such as a comma.
func plainOrQuoted(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'z' }) {
		return visible(value)
	}
	return strconv.Quote(value)
}

// counted writes a number with its noun: "1 row", "2 rows".
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// wrap lays text out in lines of so many characters.
func wrap(text string, width int) []string {
	lines := chop(text, width)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// chop cuts text into lines of so many characters, behind a space where there is
// one. Together they are the text; a space may stand beyond the last character.
func chop(text string, width int) (lines []string) {
	rest := []rune(text)
	for len(rest) > width {
		at := width
		for i, r := range rest[:width+1] {
			if r == ' ' {
				at = i + 1
			}
		}
		lines = append(lines, string(rest[:at]))
		rest = rest[at:]
	}
	return append(lines, string(rest))
}

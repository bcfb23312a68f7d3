package main

import (
	"io"
)

// reportFlags select the form of a report.
type reportFlags struct {
	JSON bool `name:"json" help:"Output JSON (default when stdout is not a terminal)." xor:"report"`
	Text bool `name:"text" help:"Output text (default on a terminal)." xor:"report"`
}

// write writes a report as JSON or as text.
func (f reportFlags) write(w io.Writer, report any, writeText func(io.Writer) error) error {
	if f.JSON || !f.Text && !isTerminal(w) {
		return writeJSON(w, report)
	}
	return writeText(w)
}

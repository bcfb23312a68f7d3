package jsruntime

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

// preludeFiles of the prelude, in the order in which they are read.
var preludeFiles = []string{"1-guard.js", "2-absent.js", "3-pins.js", "4-cells.js", "5-changes.js", "6-load.js", "7-large.js", "8-jobs.js", "8-methods.js", "9-answer.js"}

// readScript gives one of the embedded scripts.
func readScript(name string) string {
	text, err := scripts.ReadFile("js/" + name)
	if err != nil {
		panic("jsruntime: a script is not embedded: " + err.Error())
	}
	return stripComments(string(text))
}

// stripComments takes away what is there for readers alone: lines that are comments, and
// the white space ahead of others. No text of the scripts has more than one line.
func stripComments(text string) string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, "\t"); !strings.HasPrefix(line, "//") && line != "\n" {
			plain.WriteString(line)
		}
	}
	return plain.String()
}

// prelude is the text of a function: given what a host offers, or undefined, it
// makes the one function that answers requests.
func prelude() string {
	var text strings.Builder
	text.WriteString("(function (host) { \"use strict\";\n")
	for _, name := range preludeFiles {
		text.WriteString(readScript(name))
	}
	text.WriteString("})")
	return text.String()
}

// NodeScript is the program that Node runs as a worker: the loop over frames and
// the prelude. It is about 90 KiB and needs Node 20.18 or later.
func NodeScript() string {
	quoted, err := json.Marshal(prelude())
	if err != nil {
		panic("jsruntime: quoting the prelude: " + err.Error())
	}
	return strings.Replace(readScript("node.js"), `"@prelude@"`, string(quoted), 1)
}

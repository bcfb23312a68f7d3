package jsruntime

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

// preludeFiles are the scripts of the prelude, in the order in which they run.
var preludeFiles = []string{"1-guard.js", "2-absent.js", "3-pins.js", "4-cells.js", "5-changes.js", "6-load.js", "7-large.js", "8-jobs.js", "8-methods.js", "9-answer.js"}

// readScript returns the text of an embedded script.
func readScript(name string) string {
	text, err := scripts.ReadFile("js/" + name)
	if err != nil {
		panic("jsruntime: a script is not embedded: " + err.Error())
	}
	return stripComments(string(text))
}

// stripComments removes comment lines and indentation. It assumes that no string in the
// scripts spans several lines.
func stripComments(text string) string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, "\t"); !strings.HasPrefix(line, "//") && line != "\n" {
			plain.WriteString(line)
		}
	}
	return plain.String()
}

// prelude returns the source of a function. Its argument is the host object, or undefined
// if there is none. It returns the function that answers requests.
func prelude() string {
	var text strings.Builder
	text.WriteString("(function (host) { \"use strict\";\n")
	for _, name := range preludeFiles {
		text.WriteString(readScript(name))
	}
	text.WriteString("})")
	return text.String()
}

// NodeScript returns the program that a Node worker runs: the loop that reads frames, and
// the prelude. Its size is about 90 KiB. It needs Node 20.18 or later.
func NodeScript() string {
	quoted, err := json.Marshal(prelude())
	if err != nil {
		panic("jsruntime: quoting the prelude: " + err.Error())
	}
	return strings.Replace(readScript("node.js"), `"@prelude@"`, string(quoted), 1)
}

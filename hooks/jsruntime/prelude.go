package jsruntime

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

// preludeFiles are the scripts of the prelude in order.
var preludeFiles = []string{"1-guard.js", "2-absent.js", "3-pins.js", "4-cells.js", "5-changes.js", "6-load.js", "7-large.js", "8-jobs.js", "8-methods.js", "9-answer.js"}

// readScript returns an embedded script.
func readScript(name string) string {
	text, err := scripts.ReadFile("js/" + name)
	if err != nil {
		panic("jsruntime: a script is not embedded: " + err.Error())
	}
	return stripComments(string(text))
}

// stripComments removes comment lines and indentation. No string of the scripts spans
// lines.
func stripComments(text string) string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, "\t"); !strings.HasPrefix(line, "//") && line != "\n" {
			plain.WriteString(line)
		}
	}
	return plain.String()
}

// prelude returns the text of a function. Its argument is what a host provides, or
// undefined; its result is the function that answers requests.
func prelude() string {
	var text strings.Builder
	text.WriteString("(function (host) { \"use strict\";\n")
	for _, name := range preludeFiles {
		text.WriteString(readScript(name))
	}
	text.WriteString("})")
	return text.String()
}

// NodeScript returns the program that Node runs as a worker: the loop over frames and the
// prelude. It has about 90 KiB and needs Node 20.18 or later.
func NodeScript() string {
	quoted, err := json.Marshal(prelude())
	if err != nil {
		panic("jsruntime: quoting the prelude: " + err.Error())
	}
	return strings.Replace(readScript("node.js"), `"@prelude@"`, string(quoted), 1)
}

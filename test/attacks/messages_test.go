package attacks

import (
	"fmt"
	"regexp"
	"testing"
)

// internals matches text that only programmers understand: values that fmt could not format,
// stack traces, and errors of the Go runtime, of its standard library and of databases.
var internals = regexp.MustCompile(`%!|goroutine \d|runtime error|panic|\w\.go\b|0x[0-9a-f]{6}|<nil>|context (canceled|deadline)|unexpected EOF|github\.com|strconv\.|invalid memory|interface ?\{|\*\w+\.[A-Z]|\[\]byte|\[\]string|map\[|SQLSTATE|sqlite|constraint failed|: EOF\b|no such file|/tmp/|/blobs/`)

// checkMessage returns an error if a message is empty or contains internals of the program.
func checkMessage(message string) error {
	if message == "" {
		return fmt.Errorf("there is no message")
	}
	if found := internals.FindString(message); found != "" {
		return fmt.Errorf("the message contains %q: %.300s", found, message)
	}
	return nil
}

func TestCheckMessage(t *testing.T) {
	for message, plain := range map[string]bool{
		"": false,
		"The file is over a limit: line 2: a record has more than 16384 cells.": true,
		"Line 3: this is not JSON: unexpected EOF":                              false,
		"decode: runtime error: index out of range [3]":                         false,
		"Read 3 of %!d(string=x) rows.":                                         false,
		"reading page: open /tmp/x: no such file or directory":                  false,
		"The value 100% is read as 1.":                                          true,
		"query: context deadline exceeded":                                      false,
		"A cell has more than 16,777,216 bytes. Shorten it.":                    true,
	} {
		if err := checkMessage(message); (err == nil) != plain {
			t.Errorf("%q: %v", message, err)
		}
	}
}

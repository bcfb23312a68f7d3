package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestPrintResult checks how the results of schema checks are printed on a terminal.
func TestPrintResult(t *testing.T) {
	for name, c := range map[string]struct {
		checked checkResult
		want    string
	}{
		"good": {checkResult{File: "a.json", Valid: true}, "a.json is valid, without findings.\n"},
		"odd": {
			checkResult{File: "-", Valid: true, Findings: []checkFinding{
				{"fields[0].key", "warning", "key_odd", "The key \x1b]0;x\x07 holds what cannot be typed on most keyboards, and so on."},
				{"", "info", "empty", "No."},
			}},
			"The schema is valid: 2 findings.\n" +
				"\nwarning  fields[0].key\n         The key �]0;x� holds what cannot be typed on most keyboards, and so on.\n" +
				"\ninfo     the whole schema\n         No.\n",
		},
		"wrong": {
			checkResult{File: "a\nb.json", Errors: []checkIssue{{"fields[1].type", "must be one of " + strings.Repeat("string, ", 10)}}},
			"\"a\\nb.json\" is invalid: 1 error.\n" +
				"\nerror    fields[1].type\n         must be one of string, string, string, string, string, string, string,\n         string, string, string,\n",
		},
	} {
		var printed strings.Builder
		if err := c.checked.writeText(&printed); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, printed.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if slices.ContainsFunc(strings.Split(printed.String(), "\n"), func(line string) bool { return utf8.RuneCountInString(line) > textWidth }) {
			t.Errorf("%s: a line is over %d characters:\n%s", name, textWidth, printed.String())
		}
	}
}

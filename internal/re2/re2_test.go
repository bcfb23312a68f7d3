package re2

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	for expression, want := range map[string]string{
		"(":                                      "missing closing parenthesis (`(`)",
		"a**":                                    "nothing to repeat between two repetition operators (`**`)",
		"[z-a]":                                  "invalid character range (`z-a`)",
		"[[:" + strings.Repeat("x", 300) + ":]]": "invalid character range (`[:" + strings.Repeat("x", 198) + "…`)",
	} {
		_, err := regexp.Compile(expression)
		if got := Describe(err).String(); got != want {
			t.Errorf("%.20s: got %q, want %q", expression, got, want)
		}
	}
	if got := Describe(errors.New("other")).String(); got != "its syntax is invalid" {
		t.Errorf("another error is described as %q", got)
	}
}

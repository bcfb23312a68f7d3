package jsregexp

import (
	"errors"
	"strings"
	"testing"
)

func TestRisky(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`^(a+)+$`, ""},
		{`(a+)+(?=!)`, "character 2 is inside the one at character 1"},
		{`😀(?:\w+\s?)+(?=!)`, "character 5 is inside the one at character 2"},
		{`(?:\w+\s)+(?=!)`, ""},
		{`(?:\d|\w)+(?=!)`, "repeated at character 1 can"},
		{`(?:a|b)+(?=!)`, ""},
		{`(?:ab|ac)+(?=!)`, ""},
		{`(?:ab?|a?c?)+(?=!)`, "repeated at character 1 can"},
		{`(?=(a*)*$)b`, "character 5 is inside the one at character 4"},
		{`(?:a{0,5}){20}(?=!)`, "character 4"},
		{`(?:a{5}){20}(?=!)`, ""},
		{`(?:a+){2}(?=!)`, ""},
		{`(a?)(?:b+\1)+`, "character 8 is inside the one at character 5"},
		{`(?<!a)\d+-\d+`, ""},
	} {
		got := mustCompile(t, tt.source, "").Risk().String()
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("/%s/: %q, want %q", tt.source, got, tt.want)
		}
	}
}

// TestRiskIsReal checks that expressions with a reported risk are slow, and
// that similar harmless ones are not reported.
func TestRiskIsReal(t *testing.T) {
	for source, slow := range map[string]bool{
		`^(?:\w+\s?)+(?=;)`: true,
		`^(?:\w|a!?)+(?=;)`: true,
		`^(?:a+!)+(?=;)`:    false,
		`^(?:a|!)+(?=;)`:    false,
		`^(?:a{4})+!(?=;)`:  false,
		`^(?:a+,)+a+!(?=;)`: false,
	} {
		e := mustCompile(t, source, "")
		if _, err := e.Match([]byte(long() + ",;")); errors.Is(err, ErrTimeout) != slow {
			t.Errorf("%v: %v, told %q", e, err, e.Risk())
		}
		if !e.Risk().IsZero() != slow {
			t.Errorf("%v: told %q", e, e.Risk())
		}
	}
}

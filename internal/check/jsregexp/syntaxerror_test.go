package jsregexp

import (
	"errors"
	"strings"
	"testing"
)

// TestSyntaxErrors wants the place and the reason. That JavaScript refuses the
// same expressions is for the oracle to say.
func TestSyntaxErrors(t *testing.T) {
	for _, tt := range []struct {
		source, flags string
		character     int
		reason        string
	}{
		{`a**`, "", 3, "nothing before the *"},
		{`+`, "", 1, "nothing before the +"},
		{`a|{2}`, "", 3, "nothing before the count"},
		{`a{3,2}`, "", 1, "{3,2} are out of order"},
		{`a{,2}`, "u", 2, "begins no count"},
		{`(ab`, "", 1, "not closed"},
		{`x(?:ab`, "", 4, "not closed"},
		{`ab)`, "", 3, "closes no group"},
		{`😀)`, "", 2, "closes no group"},
		{`😀)`, "u", 2, "closes no group"},
		{`(?i:a)`, "", 1, "after (? must come"},
		{`[a-z`, "", 1, "a ] is missing"},
		{`x[z-a]`, "", 3, `'z' comes after 'a'`},
		{`[\d-z]`, "u", 2, "cannot begin or end with a class"},
		{`a\`, "", 2, "a backslash stands at the end"},
		{`[\`, "", 2, "a backslash stands at the end"},
		{`\-`, "u", 1, `\- has no meaning`},
		{`a}`, "u", 2, `must be written \}`},
		{`(a)\2`, "u", 4, "no group 2"},
		{`\00`, "u", 1, `the only escape by a number is \0`},
		{`\c1`, "u", 1, "a letter from A to Z"},
		{`\x4`, "u", 1, `after \x must come 2 hexadecimal digits`},
		{`\u00`, "u", 1, `after \u must come 4 hexadecimal digits`},
		{`\u{110000}`, "u", 1, "at most 10FFFF"},
		{`\p{Foo}`, "u", 1, `no property "Foo"`},
		{`\pL`, "u", 1, "a property of Unicode in { }"},
		{`(?<a>x)\k<b>`, "", 8, `no group with the name "b"`},
		{`(?<a>x)\k`, "", 8, "the name of a group in < >"},
		{`(?<a>x)(?<a>y)`, "", 8, `two groups have the name "a"`},
		{`(?<1>x)`, "", 1, "not begin with a digit"},
		{`(?<>x)`, "", 1, "is empty"},
		{strings.Repeat("(", 300), "", 202, "more than 200 deep"},
		{strings.Repeat("a", maxSource+1), "", maxSource, "too long"},
	} {
		_, err := Compile(tt.source, flagsOf(tt.flags))
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("/%.20s/%s: %v", tt.source, tt.flags, err)
			continue
		}
		if bad.Character != tt.character || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("/%.20s/%s: %v; want character %d and %q", tt.source, tt.flags, err, tt.character, tt.reason)
		}
	}
}

package jsregexp

import (
	"errors"
	"testing"
)

func fuzzFlags(bits byte) Flags {
	return Flags{IgnoreCase: bits&1 != 0, DotAll: bits&2 != 0, Multiline: bits&4 != 0, Unicode: bits&8 != 0}
}

// FuzzCompile checks that any source compiles or is rejected with a position
// within it, and that all engines that can run it agree.
func FuzzCompile(f *testing.F) {
	for _, c := range crossed {
		for i, source := range c.sources {
			f.Add(source, byte(i), []byte(c.texts[i%len(c.texts)]))
		}
	}
	f.Fuzz(func(t *testing.T, source string, bits byte, text []byte) {
		if len(source) > 200 || len(text) > 200 {
			t.Skip("long ones are for the test of hostile sources")
		}
		e, err := Compile(source, fuzzFlags(bits))
		if err != nil {
			var bad *SyntaxError
			if errors.As(err, &bad) && (bad.Character < 1 || bad.Character > len(source)+1) {
				t.Errorf("/%s/ has no character %d", source, bad.Character)
			}
			return
		}
		if e.Translated() && !e.Risk().IsZero() {
			t.Errorf("%v is translated and yet risky: %s", e, e.Risk())
		}
		agree(t, e, text)
	})
}

// FuzzMatch checks that all engines agree on expressions that are generated from the fuzz input.
func FuzzMatch(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), []byte("aKs"))
	f.Fuzz(func(t *testing.T, choices, text []byte) {
		q := newQuestion(func(n int) int {
			if len(choices) == 0 {
				return n - 1
			}
			c := int(choices[0]) % n
			choices = choices[1:]
			return c
		})
		e, err := Compile(q.P, flagsOf(q.F))
		if err != nil {
			return
		}
		agree(t, e, text)
		for _, text := range q.T {
			agree(t, e, []byte(text))
		}
	})
}

// agree checks that all engines return the same result for the same text.
func agree(t *testing.T, e *Expr, text []byte) {
	t.Helper()
	got := map[bool]string{}
	for name, match := range engines(t, e) {
		found, err := match(text)
		if err == nil {
			got[found] = name
		} else if !errors.Is(err, ErrTimeout) {
			t.Errorf("%v on %q by %s: %v", e, text, name, err)
		}
	}
	if len(got) == 2 {
		t.Errorf("%v on %q: %s finds it, %s does not", e, text, got[true], got[false])
	}
}

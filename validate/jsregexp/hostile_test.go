package jsregexp

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// patience is much longer than any of these tests needs on a busy machine, and
// much shorter than they would take without limits.
const patience = 10 * time.Second

// TestHostileSources checks that hostile sources are compiled or rejected in
// bounded time, and that matching them takes bounded time.
func TestHostileSources(t *testing.T) {
	deep := strings.Repeat("(?:", 60_000) + strings.Repeat(")", 60_000)
	var codes []string
	for i := range 5000 {
		codes = append(codes, string([]rune{'A' + rune(i%26), 'A' + rune(i/26%26), '0' + rune(i/676), '0' + rune(i%10), '0' + rune(i%7)}))
	}
	for name, tt := range map[string]struct{ source, flags string }{
		"long literal":         {strings.Repeat("a", 100<<10), ""},
		"long folded":          {strings.Repeat("k", 100<<10), "iu"},
		"long alternation":     {"^(?:" + strings.Repeat("ab|ac|", 16<<10) + "x)$", ""},
		"many codes":           {"^(?:" + strings.Join(codes, "|") + ")$", ""},
		"many groups":          {strings.Repeat("(a)", 30_000), ""},
		"many references":      {"(a)" + strings.Repeat(`\1`, 60_000), ""},
		"many optional":        {strings.Repeat("a?", 50_000), ""},
		"many stars":           {strings.Repeat("a*", 50_000) + "$", ""},
		"many lookaheads":      {"^" + strings.Repeat("(?=.*a.{12})", 8_000), ""},
		"few lookaheads":       {"^" + strings.Repeat("(?=.*a.{14})", 30), ""},
		"state explosion":      {"(?:a|b)*a(?:a|b){25}$", ""},
		"counts in counts":     {"(((a{1000}){1000}){1000}){1000}", ""},
		"empty counts":         {"(?:){99999999999}", ""},
		"counted star":         {"(?:a*){2000000000}", ""},
		"large classes":        {strings.Repeat(`\p{L}{900}`, 80), "u"},
		"many classes":         {strings.Repeat(`[^\p{L}]\W`, 7_000), "iu"},
		"many properties":      {strings.Repeat(`\p{Alphabetic}`, 9_000), "u"},
		"other properties":     {strings.Repeat(`\p{scx=Grek}\p{Alpha}\p{Emoji}\p{IDC}`, 3_000), "u"},
		"deep":                 {deep, ""},
		"deep lookbehind":      {strings.Repeat("(?<=a", 199) + strings.Repeat(")", 199), ""},
		"nested repeats":       {strings.Repeat("(?:", 190) + "a" + strings.Repeat(")*", 190), ""},
		"nested repeats, slow": {`(?=a)` + strings.Repeat("(?:", 190) + "a" + strings.Repeat(")*", 190), ""},
		"nested options":       {strings.Repeat("(?:a?", 190) + strings.Repeat("){0,9}", 190), ""},
		"open classes":         {strings.Repeat("[", 100_000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			e, err := Compile(tt.source, flagsOf(tt.flags))
			compiled := time.Since(begin)
			if compiled > patience {
				t.Errorf("compiling took %v", compiled)
			}
			if err != nil {
				t.Logf("refused in %v: %.100v", compiled, err)
				return
			}
			begin = time.Now()
			_, err = e.Match([]byte(strings.Repeat("ab", 20_000)))
			t.Logf("compiled in %v, translated %t, matched in %v, %v", compiled, e.Translated(), time.Since(begin), err)
			if time.Since(begin) > patience {
				t.Error("matching took too long")
			}
			if err != nil && !errors.Is(err, ErrTimeout) {
				t.Error(err)
			}
		})
	}
}

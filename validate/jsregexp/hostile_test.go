package jsregexp

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// work is the number of allocations and of allocated bytes of a function.
type work struct{ allocations, bytes uint64 }

func workOf(function func()) work {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	function()
	runtime.ReadMemStats(&after)
	return work{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

func (w work) exceeds(limit work) bool {
	return w.allocations > limit.allocations || w.bytes > limit.bytes
}

// TestHostileSources checks that hostile sources are compiled or rejected with a bounded number
// of steps and allocations, and that matching them allocates little and ends: in a table, in
// Go's regexp, or because regexp2 has a time limit.
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
			var e *Expr
			var err error
			steps := maxWork
			if took := workOf(func() { e, err = CompileWithin(tt.source, flagsOf(tt.flags), &steps) }); took.exceeds(work{2 << 20, 256 << 20}) {
				t.Errorf("compiling took %+v", took)
			}
			// The last row of each table may exceed the limit.
			if took := maxWork - steps; took > maxWork+maxWork/8 {
				t.Errorf("the tables took %d steps", took)
			}
			if err != nil {
				return
			}
			if b := e.backtracker; b != nil && b.re.MatchTimeout != MatchLimit {
				t.Fatalf("the time limit of a match is %v", b.re.MatchTimeout)
			}
			text := []byte(strings.Repeat("ab", 20_000))
			if took := workOf(func() { _, err = e.Match(text) }); took.exceeds(work{1000, 32 << 20}) {
				t.Errorf("matching took %+v", took)
			}
			if err != nil && !errors.Is(err, ErrTimeout) {
				t.Error(err)
			}
		})
	}
}

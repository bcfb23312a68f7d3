package lint

import "github.com/intraydata/intray"

// budget bounds what one look costs. It counts and does not look at a clock, so
// that the same schema always gives the same findings.
type budget struct {
	// patterns are the expressions that may still be compiled, source their
	// bytes together.
	patterns, source int
	// tried are the bytes of options that may still be tried with rules.
	tried int
	// keys are the names of fields in rules that may still be looked up.
	keys int
	// variants are the spellings that may still be made of the names of options.
	variants int

	// The rest is what was left out.
	patternsLeft, optionsLeft, rulesLeft int
}

func newBudget() budget {
	return budget{patterns: 200, source: 32 << 10, tried: 4 << 20, keys: 500_000, variants: 500_000}
}

// takePattern says whether an expression with a source of so many bytes may be
// compiled.
func (b *budget) takePattern(size int) bool {
	if b.patterns < 1 || b.source < size {
		b.patternsLeft++
		return false
	}
	b.patterns--
	b.source -= size
	return true
}

// spent says what was not looked at.
func (l *linter) spent() {
	if n := l.work.patternsLeft; n > 0 {
		l.info(place{field: -1}, "not_all_checked", intray.NewMessage("lint.expressions_not_checked", intray.Params{"n": n}))
	}
	if n := l.work.optionsLeft; n > 0 {
		l.info(place{field: -1}, "not_all_checked", intray.NewMessage("lint.options_not_checked", intray.Params{"n": n}))
	}
	if n := l.work.rulesLeft; n > 0 {
		l.info(place{field: -1}, "not_all_checked", intray.NewMessage("lint.rules_not_checked", intray.Params{"n": n}))
	}
}

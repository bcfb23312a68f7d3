package lint

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check/jsregexp"
)

// regex looks at a rule with an expression. It says whether no filled cell
// keeps it.
func (l *linter) regex(i, n int, f intray.Field, values []string, k *known) bool {
	v := f.Validators[n]
	p := l.pattern(v)
	if p == nil || p.report == nil {
		return false
	}
	l.speed(i, n, p)
	exclude := v.Rule == "regex_exclude"
	if first, again := k.patterns[p]; !again {
		k.patterns[p] = n
	} else if twin := f.Validators[first].Rule; twin != v.Rule {
		l.warn(l.ruleAt(i, n, ""), "rules_contradict",
			"validators[%d] (%s) has the same expression, so that every cell breaks one of the two. Take one away.", first, twin)
		return false
	}
	if values != nil && l.tried(i, n, values, p, exclude) {
		return true
	}
	if exclude {
		return l.excludes(i, n, p)
	}
	return l.matches(i, n, f, values, p, k)
}

// tried tries an expression with the closed values of a field, where that takes
// little time. It says whether no value keeps the rule.
func (l *linter) tried(i, n int, values []string, p *pattern, exclude bool) bool {
	if !p.report.Translated {
		return false // speed tells of it
	}
	expr, ok := jsregexp.Quick(p.source, p.flags)
	if !ok {
		l.info(l.ruleAt(i, n, "regex"), "not_all_checked", "This expression is so large that it was not tried with the values of the field. Try it with a file.")
		return false
	}
	return l.brokenRule(i, n, values, func(text string) bool {
		fits, _ := expr.Match([]byte(text)) // a table has no error
		return fits != exclude
	})
}

// speed tells of expressions that may take long.
func (l *linter) speed(i, n int, p *pattern) {
	switch risk := p.report.Risk; {
	case risk != "":
		l.warn(l.ruleAt(i, n, "regex"), "regex_risky", "In this expression %s. Write it so that only one part can take each character.", risk)
	case !p.report.Translated:
		l.info(l.ruleAt(i, n, "regex"), "regex_slow",
			"This expression runs in the slower engine, for it looks around, refers back to a group or is very large. A text that takes too long there is told as a problem. Where it can be written without that, it is faster.")
	}
}

// excludes looks at what regex_exclude refuses.
func (l *linter) excludes(i, n int, p *pattern) bool {
	if !p.fitsAll() {
		return false
	}
	l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", "This expression fits every text, so that every cell breaks this rule. Write what is to be refused.")
	return true
}

// fitsAll says whether every text fits, or every one without a line break.
func (p *pattern) fitsAll() bool {
	for _, b := range p.branches {
		if b.all {
			return true
		}
	}
	return false
}

// matches looks at what regex_match takes.
func (l *linter) matches(i, n int, f intray.Field, values []string, p *pattern, k *known) bool {
	if p.fitsAll() {
		l.warn(l.ruleAt(i, n, "regex"), "rule_without_effect",
			"This expression fits every text, the empty one too, so that the rule refuses nothing. If the whole text is meant, put it between ^ and $.")
		return false
	}
	forms, limited := p.forms()
	switch {
	case limited && len(forms) == 0:
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", "This expression fits no text that is not empty, so that every filled cell breaks this rule. Change it.%s", withRequired(k))
		return true
	case limited && values == nil && allApart(forms, []form{formOf(f)}):
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", "A value of the type %s is never written as this expression wants it, so that every filled cell breaks this rule. Change it or take the rule away.%s", f.Type.Name, withRequired(k))
		return true
	case p.looksWhole():
		l.info(l.ruleAt(i, n, "regex"), "regex_not_anchored",
			"This expression also fits longer texts that have such a part somewhere. If the whole text is meant, write ^ before it and $ behind it.")
	}
	if limited && values == nil {
		k.wants = append(k.wants, want{n, forms})
	}
	if !p.report.Empty && k.required < 0 && f.Validators[n].Level == intray.LevelError {
		l.info(l.ruleAt(i, n, "regex"), "regex_refuses_empty",
			"Empty cells break this rule, too. If the field may be empty, write ^$| before the expression; if not, add the rule required, whose text is clearer.")
	}
	return false
}

// looksWhole says whether an expression without ^ and $ begins and ends with a
// character so many times, which means little within a longer text.
func (p *pattern) looksWhole() bool {
	for _, b := range p.branches {
		if b.start || b.end || !b.counted {
			return false
		}
	}
	return len(p.branches) > 0
}

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
			intray.NewMessage("lint.same_expression_contradicts", intray.Params{"path": indexed("validators", first), "rule": twin}))
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
		l.info(l.ruleAt(i, n, "regex"), "not_all_checked", intray.NewMessage("lint.expression_not_tried", nil))
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
	case !risk.IsZero():
		l.warn(l.ruleAt(i, n, "regex"), "regex_risky", intray.NewMessage("lint.regex_risky", intray.Params{"problem": risk}))
	case !p.report.Translated:
		l.info(l.ruleAt(i, n, "regex"), "regex_slow", intray.NewMessage("lint.regex_slow", nil))
	}
}

// excludes looks at what regex_exclude refuses.
func (l *linter) excludes(i, n int, p *pattern) bool {
	if !p.fitsAll() {
		return false
	}
	l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", intray.NewMessage("lint.regex_excludes_everything", nil))
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
		l.warn(l.ruleAt(i, n, "regex"), "rule_without_effect", intray.NewMessage("lint.regex_matches_everything", nil))
		return false
	}
	forms, limited := p.forms()
	switch {
	case limited && len(forms) == 0:
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", withRequired(k, intray.NewMessage("lint.regex_matches_nothing", nil)))
		return true
	case limited && values == nil && allApart(forms, []form{formOf(f)}):
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", withRequired(k, intray.NewMessage("lint.regex_against_type", intray.Params{"type": string(f.Type.Name)})))
		return true
	case p.looksWhole():
		l.info(l.ruleAt(i, n, "regex"), "regex_not_anchored", intray.NewMessage("lint.regex_not_anchored", nil))
	}
	if limited && values == nil {
		k.wants = append(k.wants, want{n, forms})
	}
	if !p.report.Empty && k.required < 0 && f.Validators[n].Level == intray.LevelError {
		l.info(l.ruleAt(i, n, "regex"), "regex_refuses_empty", intray.NewMessage("lint.regex_refuses_empty", nil))
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

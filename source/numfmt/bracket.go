package numfmt

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// localeTag is what [$-...] says beside the currency.
type localeTag struct {
	language uint16
	calendar uint8
}

// Calendars of locale tags, by their number there.
const (
	calendarJapan    = 3
	calendarTaiwan   = 4
	calendarKorea    = 5
	calendarHijri    = 6
	calendarBuddhist = 7
	calendarHebrew   = 8
)

// bracket reads what stands between square brackets. Colours and words that mean
// nothing for a text are left out.
func (p *part) bracket(inside string) bool {
	if inside == "" {
		return true
	}
	switch c := inside[0]; {
	case c == '$':
		p.currency(inside[1:])
	case c == '<' || c == '>' || c == '=':
		when, ok := readCondition(inside)
		p.when = when
		return ok
	case strings.IndexByte("hHmMsS", c) >= 0 && run(inside) == len(inside):
		p.tokens = append(p.tokens, token{kind: tokElapsed, text: inside, count: len(inside)})
	}
	return true
}

// currency reads [$symbol-tag].
func (p *part) currency(inside string) {
	symbol, tag, _ := strings.Cut(inside, "-")
	if symbol != "" {
		p.tokens = append(p.tokens, token{text: symbol})
	}
	tag, _, _ = strings.Cut(tag, ",")
	if n, err := strconv.ParseUint(tag, 16, 32); err == nil {
		p.tag = localeTag{language: uint16(n), calendar: uint8(n >> 16)}
	} else if tag != "" {
		p.tag.language = languageOf(tag)
	}
}

type comparison uint8

const (
	always comparison = iota
	equal
	unequal
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// comparisons are the comparisons as codes spell them.
var comparisons = [...]string{
	equal: "=", unequal: "<>", less: "<", lessOrEqual: "<=", greater: ">", greaterOrEqual: ">=",
}

// condition says which numbers a section takes.
type condition struct {
	is    comparison
	limit float64
}

func readCondition(text string) (condition, bool) {
	operator := text[:len(text)-len(strings.TrimLeft(text, "<>="))]
	is := slices.Index(comparisons[:], operator)
	limit, err := strconv.ParseFloat(strings.TrimSpace(text[len(operator):]), 64)
	if is < 0 || err != nil || math.IsNaN(limit) || math.IsInf(limit, 0) {
		return condition{}, false
	}
	return condition{comparison(is), limit}, true
}

func (c condition) holds(v float64) bool {
	switch c.is {
	case equal:
		return v == c.limit
	case unequal:
		return v != c.limit
	case less:
		return v < c.limit
	case lessOrEqual:
		return v <= c.limit
	case greater:
		return v > c.limit
	case greaterOrEqual:
		return v >= c.limit
	}
	return true
}

// negative says whether only negative numbers pass.
func (c condition) negative() bool {
	switch c.is {
	case less:
		return c.limit <= 0
	case lessOrEqual, equal:
		return c.limit < 0
	}
	return false
}

// settle gives sections without a condition the usual one, and finds those that
// show no minus.
func settle(sections []section) {
	switch len(sections) {
	case 2:
		sections[0].when = sections[0].when.or(condition{greaterOrEqual, 0})
	case 3:
		sections[0].when = sections[0].when.or(condition{greater, 0})
		sections[1].when = sections[1].when.or(condition{less, 0})
	}
	for i := range sections {
		sections[i].unsigned = sections[i].when.negative()
	}
	if len(sections) == 2 && sections[1].when.is == always {
		sections[1].unsigned = sections[0].when.leavesNegative()
	}
}

// or gives another condition to a section that has none.
func (c condition) or(other condition) condition {
	if c.is == always {
		return other
	}
	return c
}

// leavesNegative says whether at most zero passes beside what the condition takes.
func (c condition) leavesNegative() bool {
	return c.limit == 0 && (c.is == greater || c.is == greaterOrEqual)
}

// pick finds the section for a number; nil where there is none.
func (f *Format) pick(v float64) *section {
	for i := range f.sections {
		if f.sections[i].when.holds(v) {
			return &f.sections[i]
		}
	}
	if len(f.sections) == 1 {
		return &otherwise
	}
	return nil
}

// otherwise shows what a single condition leaves over.
var otherwise = section{shape: shapeGeneral, items: []item{{kind: itemGeneral}}}

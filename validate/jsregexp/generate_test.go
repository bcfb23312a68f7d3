package jsregexp

import (
	"fmt"
	"strings"
)

// maker generates valid expressions and occasionally invalid ones. It makes its choices with the
// function choose, which returns a number below its argument.
type maker struct {
	choose func(n int) int
	flags  string
	groups int
}

// letters are the characters in expressions and input. There are only a few, so that matches are
// likely. Some have variants in other cases, are line terminators or consist of two code units.
var letters = []string{"a", "b", "A", "k", "s", "S", "K", "0", "1", "_", "-", " ", ",", "\n", "\r", "\u2028",
	"é", "É", "ſ", "\u212A", "ß", "ẞ", "µ", "Μ", "μ", "İ", "ı", "i", "I", "ᾳ", "ᾼ", "Ω", "Ω", "ω", "\uFEFF", "\u00A0",
	"😀", "😁", "𐐀", "𐐨", "@", ".", "\u0000", "/", "]", "}"}

func newQuestion(choose func(n int) int) question {
	m := &maker{choose: choose}
	for _, one := range []string{"i", "m", "s", "u"} {
		if choose(3) == 0 {
			m.flags += one
		}
	}
	q := question{P: m.disjunction(3), F: m.flags}
	for range 8 {
		q.T = append(q.T, m.text())
	}
	return q
}

func (m *maker) pick(list ...string) string { return list[m.choose(len(list))] }

func (m *maker) letter() string {
	if m.choose(3) > 0 {
		return letters[m.choose(9)]
	}
	return m.pick(letters...)
}

func (m *maker) text() string {
	var b strings.Builder
	for range m.choose(8) {
		b.WriteString(m.letter())
	}
	return b.String()
}

func (m *maker) disjunction(depth int) string {
	s := m.alternative(depth)
	for m.choose(4) == 0 {
		s += "|" + m.alternative(depth)
	}
	return s
}

func (m *maker) alternative(depth int) string {
	s := ""
	if m.choose(4) == 0 {
		s = "^"
	}
	for range m.choose(5) {
		s += m.term(depth)
	}
	if m.choose(5) == 0 {
		s += "$"
	}
	return s
}

func (m *maker) term(depth int) string {
	s := m.atom(depth)
	if m.choose(3) == 0 {
		s += m.quantifier()
	}
	return s
}

func (m *maker) quantifier() string {
	s := m.pick("*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}", "{,2}", "{0}", "{1,0}")
	if s == "{1,0}" && m.choose(4) > 0 {
		s = "{0,1}"
	}
	return s + m.pick("", "", "", "?")
}

func (m *maker) atom(depth int) string {
	switch choice := m.choose(16); {
	case choice < 6:
		return m.plain()
	case choice < 9:
		return m.class()
	case choice < 11:
		return m.escape()
	case choice == 11:
		return m.pick(".", `\b`, `\B`, "^", "$")
	case depth == 0:
		return m.letter()
	case choice == 12:
		return m.pick("(?=", "(?!", "(?<=", "(?<!") + m.disjunction(depth-1) + ")"
	case choice == 13:
		return "(?:" + m.disjunction(depth-1) + ")"
	case choice == 14:
		m.groups++
		name := m.pick("", "", fmt.Sprintf("?<n%d>", m.groups))
		return "(" + name + m.disjunction(depth-1) + ")"
	}
	return m.pick(`\1`, `\1`, `\2`, `\3`, `\k<n1>`, `\k<n2>`)
}

// plain returns a letter, escaped if it would not be literal.
func (m *maker) plain() string {
	l := m.letter()
	if strings.ContainsAny(l, ".]}/") && m.choose(8) > 0 {
		return `\` + l
	}
	return l
}

func (m *maker) escape() string {
	if m.choose(6) == 0 {
		return m.pick(`\x`, `\u`, `\c`, `\8`, `\18`, `\400`, `\k`, `\p`, `\u{41}`, `\c1`, `\x4`, `\e`, `\-`, "{", "]", "}", `\012`, "{1", "(?", `\u{110000}`)
	}
	list := []string{`\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\n`, `\x61`, `\u0061`, `\cJ`, `\0`, `\t`, `\u017f`, `\ud83d`, `\ude00`, `\ud83d\ude00`, `\.`, `\/`}
	if strings.Contains(m.flags, "u") {
		list = append(list, `\u{1F600}`, `\p{L}`, `\p{Lu}`, `\P{Lu}`, `\p{Script=Greek}`, `\p{sc=Latin}`, `\P{N}`, `\p{L`, `\p{Foo}`)
	}
	return m.pick(list...)
}

func (m *maker) class() string {
	s := "[" + m.pick("", "", "", "^")
	for range m.choose(4) {
		s += m.member()
		if m.choose(4) == 0 {
			s += "-" + m.member()
		}
	}
	return s + "]"
}

func (m *maker) member() string {
	switch m.choose(5) {
	case 0:
		return m.pick("a-z", "A-Z", "0-9", "a-k", "À-ÿ", "A-z", "Α-ω")
	case 1:
		return m.pick(m.escape(), `\b`, `\-`, "-", "^", ".", "$", `\c_`, `\B`)
	}
	if l := m.letter(); l != "]" {
		return l
	}
	return `\]`
}

package jsregexp

import (
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/intraydata/intray"
)

// property reads the braces of \p{...} and gives its characters.
func (p *parser) property(negated bool) set {
	start := p.pos - 2
	begin := p.pos + 1
	if !p.take("{") {
		p.fail(start, intray.NewMessage("regexp.expected_property", intray.Params{"escape": `\p`, "braces": "{ }"}))
	}
	for p.more() && p.ahead(0) != '}' {
		p.pos++
	}
	name := string(p.src[min(begin, len(p.src)):p.pos])
	s, ok := p.properties[name]
	if !ok {
		s, ok = charsWith(name)
		p.properties[name] = s
	}
	if !ok || !p.take("}") {
		p.fail(start, intray.NewMessage("regexp.unknown_property", intray.Params{"name": name}))
	}
	if negated {
		return s.without(highest)
	}
	return s
}

// charsWith gives the characters that have a property. The general categories
// and the scripts by their long names are Go's own; all others are asked of
// regexp2, character by character, for it does not hand out its tables.
func charsWith(name string) (set, bool) {
	if t := tableOf(name); t != nil {
		return setOfTable(t), true
	}
	if name == "" || strings.ContainsFunc(name, isNoPropertyName) {
		return nil, false
	}
	tree, err := syntax.Parse(`\p{`+name+`}`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil, false
	}
	return probe(tree.Root), true
}

// tableOf gives the table of package unicode for a property spelled out.
func tableOf(name string) *unicode.RangeTable {
	property, value, paired := strings.Cut(name, "=")
	if !paired {
		property, value = "gc", name
	}
	switch property {
	case "gc", "General_Category":
		if short, ok := unicode.CategoryAliases[value]; ok {
			value = short
		}
		return unicode.Categories[value]
	case "sc", "Script":
		return unicode.Scripts[value]
	}
	return nil
}

func isNoPropertyName(r rune) bool {
	return r != '_' && r != '=' && !isDigit(r) && !isLetter(r)
}

// probe collects the characters of the first class in a tree. A tree without
// one takes nothing.
func probe(n *syntax.RegexNode) set {
	for n.Set == nil {
		if len(n.Children) == 0 {
			return nil
		}
		n = n.Children[0]
	}
	var spans []span
	for r := rune(0); r <= highest; {
		last := alike(r)
		if n.Set.Contains(r) {
			spans = append(spans, span{r, last})
		}
		r = last + 1
	}
	return setOf(spans...)
}

// alike gives the last character that has the properties of r for certain. The
// planes 4 to 13 are unassigned and 15 and 16 private, all but the two
// noncharacters at the end of each.
func alike(r rune) rune {
	plane := r >> 16
	if r&0xFFFF == 0 && plane >= 4 && plane != 14 {
		return r + 0xFFFD
	}
	return r
}

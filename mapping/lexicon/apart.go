package lexicon

import (
	"slices"
	"strings"
)

// side is one of those that exclude one another: old and new are two sides of one
// pair.
type side struct{ pair, number int }

// Sides are what a text says of pairs that exclude one another, such as old and
// new.
type Sides []side

// Sides gives the sides that the words of a text stand on. Where a longer run of
// words stands on a side, its parts do not: "opt out" is not "out".
func (l *Lexicon) Sides(text string) Sides {
	words := Words(text)
	words = words[:min(len(words), maxWords)]
	var all Sides
	for begin := 0; begin < len(words); {
		length := 1
		for n := min(maxApart, len(words)-begin); n > 0; n-- {
			if found := l.sides[strings.Join(words[begin:begin+n], "")]; len(found) > 0 {
				all, length = append(all, found...), n
				break
			}
		}
		begin += length
	}
	return all
}

// maxApart is the most words that stand on a side together.
const maxApart = 4

// Opposed says whether two texts are on different sides of a pair, so that one is
// never the other. A text on both sides is opposed to none.
func (s Sides) Opposed(to Sides) bool {
	return slices.ContainsFunc(s, func(own side) bool {
		return s.only(own) && slices.ContainsFunc(to, func(other side) bool {
			return other.pair == own.pair && other.number != own.number && to.only(other)
		})
	})
}

// only says whether the pair is spoken of on this side alone.
func (s Sides) only(one side) bool {
	return !slices.ContainsFunc(s, func(other side) bool { return other.pair == one.pair && other.number != one.number })
}

// apart reads the words of a block that exclude one another: names of one side,
// a bar, names of the next.
func (p *parser) apart(language, rest string) error {
	if len(language) != 2 {
		return p.errorf("%q is no language of two letters", language)
	}
	parts := strings.Split(rest, "|")
	if len(parts) < 2 {
		return p.errorf("%q has one side: put a bar between words that exclude one another", rest)
	}
	for number, names := range parts {
		for name := range strings.SplitSeq(names, ",") {
			key := strings.Join(Words(name), "")
			if key == "" {
				return p.errorf("the name %q has no letters", name)
			}
			one := side{p.block.apart, number}
			if !slices.Contains(p.lexicon.sides[key], one) {
				p.lexicon.sides[key] = append(p.lexicon.sides[key], one)
			}
		}
	}
	return nil
}

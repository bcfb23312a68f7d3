package jsregexp

import "github.com/intraydata/intray"

// manyTimes is the minimum number of repetitions at which a repeat is treated as unbounded.
const manyTimes = 10

// findRisk looks for nested repeats that can match the same characters in several ways. The
// number of ways can double with each character of the text. findRisk reports the first such
// repeat that it finds. It does not find all of them.
func findRisk(root *node, source string, f Flags) intray.Message {
	var l riskFinder
	l.walk(root, nil, nil)
	if l.inner == nil {
		return intray.Message{}
	}
	src := decodeUnits(source, f.Unicode)
	inner, outer := characterAt(src, f.Unicode, l.inner.at), characterAt(src, f.Unicode, l.outer.at)
	if l.inner.kind == kindAlternation {
		return intray.NewMessage("regexp.risky_alternatives", intray.Params{"character": outer})
	}
	return intray.NewMessage("regexp.risky_repetition", intray.Params{"inner": inner, "outer": outer})
}

// riskFinder holds the first risk that was found.
type riskFinder struct{ inner, outer *node }

// walk visits a node and its descendants. loop is the innermost repeat around
// the node. follow holds the characters that may come next within that loop.
func (l *riskFinder) walk(n *node, loop *node, follow set) {
	switch n.kind {
	case kindSequence:
		for i := len(n.children) - 1; i >= 0; i-- {
			l.walk(n.children[i], loop, follow)
			if loop != nil {
				follow = firstChars(n.children[i], follow)
			}
		}
	case kindAlternation:
		l.alternatives(n, loop)
		for _, k := range n.children {
			l.walk(k, loop, follow)
		}
	case kindGroup:
		l.walk(n.children[0], loop, follow)
	case kindLookaround:
		l.walk(n.children[0], nil, nil)
	case kindRepeat:
		l.repeat(n, loop, follow)
	}
}

func (l *riskFinder) repeat(n *node, loop *node, follow set) {
	first := firstChars(n.children[0], nil)
	if loop != nil && n.max > 1 && n.max > n.min && first.overlaps(follow) {
		l.record(n, loop)
	}
	if n.max >= manyTimes {
		loop = n
	}
	if loop == n || n.max > 1 {
		follow = follow.union(first)
	}
	l.walk(n.children[0], loop, follow)
}

// alternatives looks for two alternatives that can match the same single character.
func (l *riskFinder) alternatives(n *node, loop *node) {
	if loop == nil {
		return
	}
	var taken set
	for _, k := range n.children {
		s := singleChars(k)
		if taken.overlaps(s) {
			l.record(n, loop)
		}
		taken = taken.union(s)
	}
}

// singleChars returns the characters that a node can match on their own.
func singleChars(n *node) set {
	var needed []*node
	var all set
	for _, part := range n.flatten() {
		if canBeEmpty(part) {
			all = all.union(partSingleChars(part))
		} else {
			needed = append(needed, part)
		}
	}
	switch len(needed) {
	case 0:
		return all
	case 1:
		return partSingleChars(needed[0])
	}
	return nil
}

func partSingleChars(n *node) set {
	switch {
	case n.kind == kindChar:
		return n.set
	case n.kind == kindRepeat && n.min <= 1 && n.max > 0:
		return singleChars(n.children[0])
	}
	return nil
}

func canBeEmpty(n *node) bool {
	switch n.kind {
	case kindChar, kindAlternation, kindGroup, kindSequence, kindBackReference:
		return false
	case kindRepeat:
		return n.min == 0
	}
	return true
}

func (l *riskFinder) record(inner, outer *node) {
	if l.inner == nil {
		l.inner, l.outer = inner, outer
	}
}

// firstChars returns the characters with which a match of a node can start. If the node can match
// nothing, these include the characters that can follow the node, which are given in after.
func firstChars(n *node, after set) set {
	switch n.kind {
	case kindChar:
		return n.set
	case kindSequence:
		for i := len(n.children) - 1; i >= 0; i-- {
			after = firstChars(n.children[i], after)
		}
		return after
	case kindAlternation:
		var all set
		for _, k := range n.children {
			all = all.union(firstChars(k, after))
		}
		return all
	case kindGroup:
		return firstChars(n.children[0], after)
	case kindRepeat:
		return firstChars(n.children[0], after).union(afterSkipped(n, after))
	case kindBackReference:
		// The text that the group captured is unknown and may be empty.
		return set{{0, maxCodePoint}}
	}
	return after
}

// afterSkipped returns its argument, after, if a repeat may match nothing, and the empty set
// otherwise.
func afterSkipped(n *node, after set) set {
	if n.min == 0 {
		return after
	}
	return nil
}

package jsregexp

import "github.com/intraydata/intray"

// manyTimes is from how many times on a repeat counts as one without an end.
const manyTimes = 10

// risk looks for repeats within repeats that can share out the same characters
// in many ways: the ways then double with each character of a text. It tells of
// the first one found, and does not find all.
func risk(root *node, source string, f Flags) intray.Message {
	var l lint
	l.walk(root, nil, nil)
	if l.inner == nil {
		return intray.Message{}
	}
	src := unitsOf(source, f.Unicode)
	inner, outer := character(src, f.Unicode, l.inner.at), character(src, f.Unicode, l.outer.at)
	if l.inner.kind == isAlt {
		return intray.NewMessage("regexp.risky_alternatives", intray.Params{"character": outer})
	}
	return intray.NewMessage("regexp.risky_repetition", intray.Params{"inner": inner, "outer": outer})
}

// lint holds the first risk found.
type lint struct{ inner, outer *node }

// walk goes over a node. The loop is the innermost repeat around it, and follow
// are the characters that may come right after the node within that loop.
func (l *lint) walk(n *node, loop *node, follow set) {
	switch n.kind {
	case isSeq:
		for i := len(n.kids) - 1; i >= 0; i-- {
			l.walk(n.kids[i], loop, follow)
			if loop != nil {
				follow = before(n.kids[i], follow)
			}
		}
	case isAlt:
		l.alternatives(n, loop)
		for _, k := range n.kids {
			l.walk(k, loop, follow)
		}
	case isGroup:
		l.walk(n.kids[0], loop, follow)
	case isLook:
		l.walk(n.kids[0], nil, nil)
	case isRepeat:
		l.repeat(n, loop, follow)
	}
}

func (l *lint) repeat(n *node, loop *node, follow set) {
	first := before(n.kids[0], nil)
	if loop != nil && n.max > 1 && n.max > n.min && first.overlaps(follow) {
		l.found(n, loop)
	}
	if n.max >= manyTimes {
		loop = n
	}
	if loop == n || n.max > 1 {
		follow = follow.union(first)
	}
	l.walk(n.kids[0], loop, follow)
}

// alternatives looks for two that take the same single character.
func (l *lint) alternatives(n *node, loop *node) {
	if loop == nil {
		return
	}
	var taken set
	for _, k := range n.kids {
		s := short(k)
		if taken.overlaps(s) {
			l.found(n, loop)
		}
		taken = taken.union(s)
	}
}

// short gives the characters that a node can take as its whole text.
func short(n *node) set {
	var needed []*node
	var all set
	for _, part := range n.flat() {
		if canBeNothing(part) {
			all = all.union(shortOf(part))
		} else {
			needed = append(needed, part)
		}
	}
	switch len(needed) {
	case 0:
		return all
	case 1:
		return shortOf(needed[0])
	}
	return nil
}

func shortOf(n *node) set {
	switch {
	case n.kind == isChar:
		return n.set
	case n.kind == isRepeat && n.min <= 1 && n.max > 0:
		return short(n.kids[0])
	}
	return nil
}

func canBeNothing(n *node) bool {
	switch n.kind {
	case isChar, isAlt, isGroup, isSeq, isBack:
		return false
	case isRepeat:
		return n.min == 0
	}
	return true
}

func (l *lint) found(inner, outer *node) {
	if l.inner == nil {
		l.inner, l.outer = inner, outer
	}
}

// before gives the characters that may come first where a node stands and then
// one of the set after it.
func before(n *node, after set) set {
	switch n.kind {
	case isChar:
		return n.set
	case isSeq:
		for i := len(n.kids) - 1; i >= 0; i-- {
			after = before(n.kids[i], after)
		}
		return after
	case isAlt:
		var all set
		for _, k := range n.kids {
			all = all.union(before(k, after))
		}
		return all
	case isGroup:
		return before(n.kids[0], after)
	case isRepeat:
		return before(n.kids[0], after).union(afterNone(n, after))
	case isBack:
		// What the group took is not known here, and may be nothing.
		return set{{0, highest}}
	}
	return after
}

// afterNone gives the set after a repeat that may take nothing.
func afterNone(n *node, after set) set {
	if n.min == 0 {
		return after
	}
	return nil
}

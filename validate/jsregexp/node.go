package jsregexp

// nodeKind is the kind of a node of a parsed expression.
type nodeKind uint8

const (
	// kindChar matches one character in a set. Flags and escapes are already
	// resolved.
	kindChar nodeKind = iota
	// kindSequence matches its children in order. Without children, it matches
	// the empty string.
	kindSequence
	// kindAlternation matches any one of its children.
	kindAlternation
	// kindRepeat matches its child at least min and at most max times.
	kindRepeat
	// kindGroup matches its child and captures the match under the group's
	// number.
	kindGroup
	// kindBackReference matches the text that the group with its number
	// captured.
	kindBackReference
	// kindLookaround matches the empty string if its child matches after or
	// before this position.
	kindLookaround
	kindStart
	kindEnd
	// kindLineStart and kindLineEnd are ^ and $ with the m flag.
	kindLineStart
	kindLineEnd
	kindWordEdge
)

// unbounded is the max of a repeat that has no maximum. Larger counts are
// reduced to it, because no text is that long.
const unbounded = 1<<31 - 1

// node is a part of a parsed expression.
type node struct {
	kind       nodeKind
	set        set
	children   []*node
	min, max   int
	group      int
	name       string
	lazy       bool
	negated    bool
	lookbehind bool
	at         int
}

// contains reports whether the node or one of its descendants satisfies the given predicate.
func (n *node) contains(is func(*node) bool) bool {
	if is(n) {
		return true
	}
	for _, k := range n.children {
		if k.contains(is) {
			return true
		}
	}
	return false
}

func hasKind(kinds ...nodeKind) func(*node) bool {
	return func(n *node) bool {
		for _, k := range kinds {
			if n.kind == k {
				return true
			}
		}
		return false
	}
}

// unwrapGroups removes the groups around a node that do not affect matching.
func (n *node) unwrapGroups() *node {
	for n.kind == kindGroup || n.kind == kindSequence && len(n.children) == 1 {
		n = n.children[0]
	}
	return n
}

// flatten returns the parts of a node as one sequence. It removes groups that
// do not affect matching.
func (n *node) flatten() []*node {
	n = n.unwrapGroups()
	if n.kind != kindSequence {
		return []*node{n}
	}
	var list []*node
	for _, k := range n.children {
		list = append(list, k.flatten()...)
	}
	return list
}

func newSequence(kids ...*node) *node { return &node{kind: kindSequence, children: kids} }

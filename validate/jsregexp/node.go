package jsregexp

// nodeKind tells what a node of a parsed expression is.
type nodeKind uint8

const (
	// kindChar takes one character out of a set; flags and escapes are resolved.
	kindChar nodeKind = iota
	// kindSequence takes its kids one after the other; without kids it takes nothing.
	kindSequence
	// kindAlternation takes one of its kids.
	kindAlternation
	// kindRepeat takes its kid from min to max times.
	kindRepeat
	// kindGroup takes its kid and keeps what it took under a number.
	kindGroup
	// kindBackReference takes again what the group of its number took.
	kindBackReference
	// kindLookaround takes nothing, and wants its kid ahead of, or behind, the place.
	kindLookaround
	kindStart
	kindEnd
	// kindLineStart and kindLineEnd are ^ and $ under the m flag.
	kindLineStart
	kindLineEnd
	kindWordEdge
)

// unbounded is the max of a repeat without one. Greater counts are cut to it,
// for no text is that long.
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

// contains says whether a node or one below it is as asked.
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

// unwrapGroups gives what a node is when its groups do not matter.
func (n *node) unwrapGroups() *node {
	for n.kind == kindGroup || n.kind == kindSequence && len(n.children) == 1 {
		n = n.children[0]
	}
	return n
}

// flatten gives the parts of a node as one sequence, as far as groups do not
// matter.
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

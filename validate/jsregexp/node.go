package jsregexp

// nodeKind is the kind of a node of a parsed expression.
type nodeKind uint8

const (
	// kindChar matches one character of a set; flags and escapes are resolved.
	kindChar nodeKind = iota
	// kindSequence matches its children one after the other; without children
	// it matches the empty text.
	kindSequence
	// kindAlternation matches one of its children.
	kindAlternation
	// kindRepeat matches its child from min to max times.
	kindRepeat
	// kindGroup matches its child and captures it under a number.
	kindGroup
	// kindBackReference matches again what the group of its number captured.
	kindBackReference
	// kindLookaround matches the empty text if its child matches after or
	// before it.
	kindLookaround
	kindStart
	kindEnd
	// kindLineStart and kindLineEnd are ^ and $ under the m flag.
	kindLineStart
	kindLineEnd
	kindWordEdge
)

// unbounded is the max of a repeat without one. Greater counts are cut to it,
// because no text is that long.
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

// contains reports whether is holds for a node or one below it.
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

// unwrapGroups returns the node within groups that do not matter.
func (n *node) unwrapGroups() *node {
	for n.kind == kindGroup || n.kind == kindSequence && len(n.children) == 1 {
		n = n.children[0]
	}
	return n
}

// flatten returns the parts of a node as one sequence, as far as groups do not
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

package jsregexp

// kind tells what a node of a parsed expression is.
type kind uint8

const (
	// isChar takes one character out of a set; flags and escapes are resolved.
	isChar kind = iota
	// isSeq takes its kids one after the other; without kids it takes nothing.
	isSeq
	// isAlt takes one of its kids.
	isAlt
	// isRepeat takes its kid from min to max times.
	isRepeat
	// isGroup takes its kid and keeps what it took under a number.
	isGroup
	// isBack takes again what the group of its number took.
	isBack
	// isLook takes nothing, and wants its kid ahead of, or behind, the place.
	isLook
	isStart
	isEnd
	// isLineStart and isLineEnd are ^ and $ under the m flag.
	isLineStart
	isLineEnd
	isWordEdge
)

// unbounded is the max of a repeat without one. Greater counts are cut to it,
// for no text is that long.
const unbounded = 1<<31 - 1

// node is a part of a parsed expression.
type node struct {
	kind     kind
	set      set
	kids     []*node
	min, max int
	group    int
	name     string
	lazy     bool
	negated  bool
	behind   bool
	at       int
}

// any says whether a node or one below it is as asked.
func (n *node) any(is func(*node) bool) bool {
	if is(n) {
		return true
	}
	for _, k := range n.kids {
		if k.any(is) {
			return true
		}
	}
	return false
}

func isOf(kinds ...kind) func(*node) bool {
	return func(n *node) bool {
		for _, k := range kinds {
			if n.kind == k {
				return true
			}
		}
		return false
	}
}

// bare gives what a node is when its groups do not matter.
func (n *node) bare() *node {
	for n.kind == isGroup || n.kind == isSeq && len(n.kids) == 1 {
		n = n.kids[0]
	}
	return n
}

// flat gives the parts of a node as one sequence, as far as groups do not
// matter.
func (n *node) flat() []*node {
	n = n.bare()
	if n.kind != isSeq {
		return []*node{n}
	}
	var list []*node
	for _, k := range n.kids {
		list = append(list, k.flat()...)
	}
	return list
}

func seq(kids ...*node) *node { return &node{kind: isSeq, kids: kids} }

package main

import (
	"fmt"
)

// leafBit is set in references to leaves and clear in references to branches.
const leafBit = 0x8000

// maxLength is the maximum number of digits of a national number in libphonenumber.
const maxLength = 17

// branch is a node of a graph. It contains the next node for each digit, and the outcome of
// a number that ends at this node.
type branch struct {
	next    [10]uint16
	outcome uint16
}

// leaf is a node after which only the number of remaining digits matters. It is a range of
// the list of outcomes, starting with the outcome for no remaining digits.
type leaf struct {
	first  uint16
	length uint8
}

// graph contains the branches and leaves of all plans, without duplicates.
type graph struct {
	branches   []branch
	branchIDs  map[branch]uint16
	leaves     []leaf
	outcomes   []outcome
	outcomeIDs map[outcome]uint16
	// chains contains the outcomes of all leaves, one leaf after another.
	chains   []uint16
	chainIDs map[string]uint16
}

func newGraph() *graph {
	g := &graph{branchIDs: map[branch]uint16{}, outcomeIDs: map[outcome]uint16{}, chainIDs: map[string]uint16{}}
	g.outcomeID(outcome{})
	g.leafID(nil)
	return g
}

// graphBuilder builds the graph of one plan.
type graphBuilder struct {
	*graph
	rules *rules
	seen  map[string]uint16
	// tails contains the outcomes of each leaf, by the number of remaining digits.
	tails map[uint16][]uint16
}

// addPlan builds the graph of a plan and returns its root.
func (g *graph) addPlan(r *rules) (uint16, error) {
	w := graphBuilder{graph: g, rules: r, seen: map[string]uint16{}, tails: map[uint16][]uint16{}}
	root := w.nodeFor(r.set.start(), 0)
	if len(g.branches) >= leafBit || len(g.leaves) >= leafBit || len(g.chains) >= 1<<16 || len(g.outcomes) >= 1<<16 {
		return 0, fmt.Errorf("%d branches, %d leaves and %d outcomes do not fit into 16 bits", len(g.branches), len(g.leaves), len(g.outcomes))
	}
	return root, nil
}

func (w *graphBuilder) nodeFor(at states, length int) uint16 {
	if at.allDead() || length > maxLength {
		return leafBit
	}
	key := at.key(length)
	if ref, known := w.seen[key]; known {
		return ref
	}
	b := branch{outcome: w.outcomeID(w.rules.outcome(at, length))}
	for digit := range b.next {
		b.next[digit] = w.nodeFor(w.rules.set.nextStates(at, digit), length+1)
	}
	ref := w.compact(b)
	w.seen[key] = ref
	return ref
}

// compact returns a leaf if all digits of a branch lead to the same leaf, and otherwise the
// branch.
func (w *graphBuilder) compact(b branch) uint16 {
	for _, next := range b.next {
		if next != b.next[0] || next&leafBit == 0 {
			return w.branchID(b)
		}
	}
	tail := w.leafOutcomes(b.next[0])
	if len(tail) == 0 && b.outcome == 0 {
		return leafBit
	}
	return w.leafID(append([]uint16{b.outcome}, tail...))
}

func (g *graph) leafOutcomes(ref uint16) []uint16 {
	l := g.leaves[ref&^leafBit]
	return g.chains[l.first : int(l.first)+int(l.length)]
}

func (g *graph) branchID(b branch) uint16 {
	id, known := g.branchIDs[b]
	if !known {
		id = uint16(len(g.branches))
		g.branchIDs[b] = id
		g.branches = append(g.branches, b)
	}
	return id
}

func (g *graph) leafID(outcomes []uint16) uint16 {
	key := fmt.Sprint(outcomes)
	id, known := g.chainIDs[key]
	if !known {
		id = leafBit | uint16(len(g.leaves))
		g.chainIDs[key] = id
		g.leaves = append(g.leaves, leaf{uint16(len(g.chains)), uint8(len(outcomes))})
		g.chains = append(g.chains, outcomes...)
	}
	return id
}

func (g *graph) outcomeID(o outcome) uint16 {
	id, known := g.outcomeIDs[o]
	if !known {
		id = uint16(len(g.outcomes))
		g.outcomeIDs[o] = id
		g.outcomes = append(g.outcomes, o)
	}
	return id
}

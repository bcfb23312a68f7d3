package draft

import (
	"slices"
)

// owners say for rows which small layer has the latest content: its place in the
// draft, from 1. They are never changed; setting gives new ones that share the
// pages that stayed the same.
type owners struct {
	// pages hold the owners of 1<<pageBits rows each; nil is none.
	pages []*ownerPage
}

const pageBits = 10

// ownerPage has the rows of a page that have an owner, ascending.
type ownerPage struct {
	rows []uint16
	of   []uint32
}

func (o *owners) of(row uint32) uint32 {
	at := int(row >> pageBits)
	if at >= len(o.pages) || o.pages[at] == nil {
		return 0
	}
	p := o.pages[at]
	if i, has := slices.BinarySearch(p.rows, lowBits(row)); has {
		return p.of[i]
	}
	return 0
}

func lowBits(row uint32) uint16 { return uint16(row & (1<<pageBits - 1)) }

// set gives rows, which ascend, an owner each, 0 for none. It gives the owners
// that they had before, too.
func (o *owners) set(rows, of []uint32) (*owners, []uint32) {
	out := &owners{slices.Clone(o.pages)}
	before := make([]uint32, len(rows))
	for from := 0; from < len(rows); {
		at := rows[from] >> pageBits
		to := from
		for to < len(rows) && rows[to]>>pageBits == at {
			before[to] = o.of(rows[to])
			to++
		}
		for len(out.pages) <= int(at) {
			out.pages = append(out.pages, nil)
		}
		out.pages[at] = out.pages[at].set(rows[from:to], of[from:to])
		from = to
	}
	return out, before
}

// set merges the rows of a page into it.
func (p *ownerPage) set(rows, of []uint32) *ownerPage {
	out := &ownerPage{}
	add := func(row uint16, owner uint32) {
		if owner > 0 {
			out.rows, out.of = append(out.rows, row), append(out.of, owner)
		}
	}
	i := 0
	if p != nil {
		for k, row := range p.rows {
			for i < len(rows) && lowBits(rows[i]) < row {
				add(lowBits(rows[i]), of[i])
				i++
			}
			if i < len(rows) && lowBits(rows[i]) == row {
				add(row, of[i])
				i++
				continue
			}
			add(row, p.of[k])
		}
	}
	for ; i < len(rows); i++ {
		add(lowBits(rows[i]), of[i])
	}
	if len(out.rows) == 0 {
		return nil
	}
	return out
}

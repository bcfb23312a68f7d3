package draft

import "cmp"

// limits say from which size on something is done in another way. What comes out is
// the same.
type limits struct {
	// rows and bytes bound the rows of a small layer, and body what is kept of a
	// layer by itself.
	rows, bytes, body int
	// held is how many bytes all small layers may have before only the smallest are
	// small ones.
	held int
	// moves is how many rows of one change may get another key and are looked up;
	// for more, all rows are compared anew. moved is how many may have done so
	// before an index is made anew.
	moves, moved int
	// counted is how many texts are counted in memory; more are in a temporary
	// file.
	counted int
	// touched is how many rows are looked at one by one.
	touched int
}

func (l limits) withDefaults() limits {
	return limits{
		rows:    cmp.Or(l.rows, 2000),
		bytes:   cmp.Or(l.bytes, 1<<20),
		body:    cmp.Or(l.body, 256<<10),
		held:    cmp.Or(l.held, 64<<20),
		moves:   cmp.Or(l.moves, 5000),
		moved:   cmp.Or(l.moved, 100_000),
		counted: cmp.Or(l.counted, 100_000),
		touched: cmp.Or(l.touched, 20_000),
	}
}

// small bounds the rows and the bytes of a small layer, where so many bytes are
// held already.
func (l limits) small(held int) (rows, bytes int) {
	if held < l.held {
		return l.rows, l.bytes
	}
	return l.rows / 40, l.bytes / 16
}

package parquet

import (
	"context"

	"github.com/intraydata/intray"
)

var errFew = damage{intray.NewMessage("parquet.too_few_values", nil)}

// lane reads one column. Its cells wait here until the other columns have theirs
// of the same rows.
type lane struct {
	column *column
	// cursors are those of the leaves below the column's node.
	cursors []*cursor
	limit   int
	// text holds the cells one behind the other, ends where each ends; those
	// before head were handed on.
	text  []byte
	ends  []int
	kinds []intray.CellKind
	head  int
}

// ready is how many cells wait.
func (l *lane) ready() int { return len(l.ends) - l.head }

// cell gives a waiting cell.
func (l *lane) cell(i int) ([]byte, intray.CellKind) {
	i += l.head
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.text[from:l.ends[i]], l.kinds[i]
}

// pass drops the first n cells.
func (l *lane) pass(n int) {
	if l.head += n; l.head < len(l.ends) {
		return
	}
	l.text, l.ends, l.kinds, l.head = l.text[:0], l.ends[:0], l.kinds[:0], 0
}

// close moves the waiting cells to the beginning.
func (l *lane) close() {
	if l.head == 0 {
		return
	}
	from := l.ends[l.head-1]
	l.text = append(l.text[:0], l.text[from:]...)
	l.ends = append(l.ends[:0], l.ends[l.head:]...)
	l.kinds = append(l.kinds[:0], l.kinds[l.head:]...)
	for i := range l.ends {
		l.ends[i] -= from
	}
	l.head = 0
}

// add reads the cell of the next row and gives its length.
func (l *lane) add(ctx context.Context) (int, error) {
	from := len(l.text)
	kind, err := l.read(ctx)
	if err == nil && len(l.text)-from > l.limit {
		err = tooLong(l.limit)
	}
	if err != nil {
		l.text = l.text[:from]
		return 0, err
	}
	l.ends, l.kinds = append(l.ends, len(l.text)), append(l.kinds, kind)
	return len(l.text) - from, nil
}

func tooLong(limit int) error {
	return limitReached{intray.NewMessage("cell.too_long", intray.Params{"limit": limit})}
}

func (l *lane) read(ctx context.Context) (kind intray.CellKind, err error) {
	if l.column.node.leaf == nil || l.column.node.repeated() {
		return intray.CellText, l.readNested(ctx)
	}
	c := l.cursors[0]
	if err := c.peek(ctx); err != nil {
		return 0, err
	}
	switch {
	case c.done:
		return 0, errFew
	case c.def < c.leaf.def:
		c.drop()
		return intray.CellText, nil
	}
	v, err := c.take()
	if err != nil {
		return 0, err
	}
	l.text, kind, err = c.leaf.render(l.text, v)
	return kind, err
}

// readNested reads a list, a map or a repeated field.
func (l *lane) readNested(ctx context.Context) error {
	n := l.column.node
	w := &weaver{cursors: l.cursors, offset: n.first, text: l.text, from: len(l.text), limit: l.limit}
	for _, c := range l.cursors {
		if err := c.peek(ctx); err != nil {
			return err
		}
		if c.done {
			return errFew
		}
		if c.rep != 0 {
			return errUneven
		}
	}
	err := w.cell(ctx, n)
	l.text = w.text
	return err
}

// wake gets all cursors ready, park gives their memory back.
func (l *lane) wake() error {
	for _, c := range l.cursors {
		if err := c.wake(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) park() {
	for _, c := range l.cursors {
		c.park()
	}
}

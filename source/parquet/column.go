package parquet

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

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

var errUneven = damage{intray.NewMessage("parquet.uneven_members", nil)}

// weaver makes the JSON of one cell from the entries of several leaves: their
// levels say where lists and groups begin, go on and are missing.
type weaver struct {
	cursors []*cursor
	// offset is the index of the first cursor's leaf.
	offset int
	text   []byte
	// from is where the cell begins in the text, limit the most bytes of it.
	from, limit int
}

// cell writes the cell of a column; one that is missing has no text.
func (w *weaver) cell(ctx context.Context, n *node) error {
	def := w.at(n).def
	switch {
	case n.repeated() && def >= n.above:
		return w.list(ctx, n, n)
	case def < n.def:
		w.drop(n)
		return nil
	}
	return w.write(ctx, n)
}

// at is the cursor of the first leaf below a node.
func (w *weaver) at(n *node) *cursor { return w.cursors[n.first-w.offset] }

// below are the cursors of all leaves below a node.
func (w *weaver) below(n *node) []*cursor { return w.cursors[n.first-w.offset : n.end-w.offset] }

// drop passes over the entry that each leaf below a missing node has.
func (w *weaver) drop(n *node) {
	for _, c := range w.below(n) {
		c.drop()
	}
}

// occurrence writes a node that may be missing, inside of one that is there.
func (w *weaver) occurrence(ctx context.Context, n *node) error {
	def := w.at(n).def
	switch {
	case def < n.above:
		return errUneven
	case n.repeated():
		return w.list(ctx, n, n)
	case def < n.def:
		w.drop(n)
		return w.put("null")
	}
	return w.write(ctx, n)
}

// put adds text as it stands.
func (w *weaver) put(text string) error {
	if w.text = append(w.text, text...); len(w.text)-w.from > w.limit {
		return tooLong(w.limit)
	}
	return nil
}

// write writes a node that is there.
func (w *weaver) write(ctx context.Context, n *node) error {
	switch n.form {
	case formList:
		return w.list(ctx, n.inner, n.item)
	case formMap:
		return w.pairs(ctx, n.inner)
	case formObject:
		return w.object(ctx, n)
	}
	return w.atom(w.at(n))
}

func (w *weaver) object(ctx context.Context, n *node) error {
	separator := "{"
	for _, child := range n.children {
		if child.first == child.end {
			continue
		}
		if err := w.name(separator, child.name); err != nil {
			return err
		}
		if err := w.occurrence(ctx, child); err != nil {
			return err
		}
		separator = ","
	}
	return w.put("}")
}

func (w *weaver) name(before string, name []byte) (err error) {
	w.text = append(w.text, before...)
	if w.text, err = jsontext.AppendQuote(w.text, name); err != nil {
		return errNotText
	}
	return w.put(":")
}

// list writes all that a repeated node has in the record: itself, or its one
// member.
func (w *weaver) list(ctx context.Context, n, item *node) error {
	return w.repeat(ctx, n, "[", "]", func() error {
		if item != n {
			return w.occurrence(ctx, item)
		}
		return w.write(ctx, n)
	})
}

// pairs writes a map. A key that comes twice is written twice.
func (w *weaver) pairs(ctx context.Context, n *node) error {
	return w.repeat(ctx, n, "{", "}", func() error {
		if err := w.key(n.children[0]); err != nil {
			return err
		}
		return w.occurrence(ctx, n.children[1])
	})
}

// repeat writes one item after the other as long as the levels of all leaves
// say that the list goes on.
func (w *weaver) repeat(ctx context.Context, n *node, open, end string, item func() error) error {
	if w.at(n).def < n.above {
		return errUneven
	}
	if w.at(n).def < n.def {
		w.drop(n)
		return w.put(open + end)
	}
	for separator := open; ; separator = "," {
		if err := w.put(separator); err != nil {
			return err
		}
		if err := item(); err != nil {
			return err
		}
		if more, err := w.more(ctx, n); !more || err != nil {
			w.text = append(w.text, end...)
			return err
		}
	}
}

// more says whether the next entries go on with a list.
func (w *weaver) more(ctx context.Context, n *node) (bool, error) {
	more := false
	for i, c := range w.below(n) {
		if err := c.peek(ctx); err != nil {
			return false, err
		}
		goes := !c.done && c.rep == n.rep
		if i == 0 {
			more = goes
		} else if goes != more {
			return false, errUneven
		}
	}
	return more, nil
}

// key writes the key of a map as a name.
func (w *weaver) key(n *node) error {
	c := w.at(n)
	if c.def < n.def {
		return damage{intray.NewMessage("parquet.map_without_key", nil)}
	}
	v, err := c.take()
	if err != nil {
		return err
	}
	key, _, err := c.leaf.render(nil, v)
	if err != nil {
		return err
	}
	return w.name("", key)
}

// atom writes a value: numbers and truths bare, all else in quotes.
func (w *weaver) atom(c *cursor) error {
	v, err := c.take()
	if err != nil {
		return err
	}
	from := len(w.text)
	text, kind, err := c.leaf.render(w.text, v)
	if err != nil {
		return err
	}
	w.text = text
	if kind != intray.CellNumber && kind != intray.CellBool {
		raw := append([]byte(nil), w.text[from:]...)
		if w.text, err = jsontext.AppendQuote(w.text[:from], raw); err != nil {
			return errNotText
		}
	}
	return w.put("")
}

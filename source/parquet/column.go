package parquet

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

var errTooFewValues = damageError{intray.NewMessage("parquet.too_few_values", nil)}

// columnReader reads one column. Its cells wait here until the other columns have theirs
// of the same rows.
type columnReader struct {
	column *column
	// cursors are those of the leaves below the column's node.
	cursors []*cursor
	limit   int
	// text holds the cells one behind the other, ends where each ends; those
	// before head were handed on.
	text  []byte
	ends  []int
	kinds []intray.CellKind
	start int
}

// buffered is how many cells wait.
func (l *columnReader) buffered() int { return len(l.ends) - l.start }

// cell gives a waiting cell.
func (l *columnReader) cell(i int) ([]byte, intray.CellKind) {
	i += l.start
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.text[from:l.ends[i]], l.kinds[i]
}

// discard drops the first n cells.
func (l *columnReader) discard(n int) {
	if l.start += n; l.start < len(l.ends) {
		return
	}
	l.text, l.ends, l.kinds, l.start = l.text[:0], l.ends[:0], l.kinds[:0], 0
}

// compact moves the waiting cells to the beginning.
func (l *columnReader) compact() {
	if l.start == 0 {
		return
	}
	from := l.ends[l.start-1]
	l.text = append(l.text[:0], l.text[from:]...)
	l.ends = append(l.ends[:0], l.ends[l.start:]...)
	l.kinds = append(l.kinds[:0], l.kinds[l.start:]...)
	for i := range l.ends {
		l.ends[i] -= from
	}
	l.start = 0
}

// readCell reads the cell of the next row and gives its length.
func (l *columnReader) readCell(ctx context.Context) (int, error) {
	from := len(l.text)
	kind, err := l.read(ctx)
	if err == nil && len(l.text)-from > l.limit {
		err = cellTooLong(l.limit)
	}
	if err != nil {
		l.text = l.text[:from]
		return 0, err
	}
	l.ends, l.kinds = append(l.ends, len(l.text)), append(l.kinds, kind)
	return len(l.text) - from, nil
}

func cellTooLong(limit int) error {
	return limitError{intray.NewMessage("cell.too_long", intray.Params{"limit": limit})}
}

func (l *columnReader) read(ctx context.Context) (kind intray.CellKind, err error) {
	if l.column.node.leaf == nil || l.column.node.isRepeated() {
		return intray.CellText, l.readNested(ctx)
	}
	c := l.cursors[0]
	if err := c.peek(ctx); err != nil {
		return 0, err
	}
	switch {
	case c.done:
		return 0, errTooFewValues
	case c.def < c.leaf.def:
		c.skipEntry()
		return intray.CellText, nil
	}
	v, err := c.readValue()
	if err != nil {
		return 0, err
	}
	l.text, kind, err = c.leaf.render(l.text, v)
	return kind, err
}

// readNested reads a list, a map or a repeated field.
func (l *columnReader) readNested(ctx context.Context) error {
	n := l.column.node
	w := &recordAssembler{cursors: l.cursors, offset: n.first, text: l.text, from: len(l.text), limit: l.limit}
	for _, c := range l.cursors {
		if err := c.peek(ctx); err != nil {
			return err
		}
		if c.done {
			return errTooFewValues
		}
		if c.rep != 0 {
			return errLevelsDisagree
		}
	}
	err := w.writeCell(ctx, n)
	l.text = w.text
	return err
}

// restore gets all cursors ready, park gives their memory back.
func (l *columnReader) restore() error {
	for _, c := range l.cursors {
		if err := c.restore(); err != nil {
			return err
		}
	}
	return nil
}

func (l *columnReader) release() {
	for _, c := range l.cursors {
		c.release()
	}
}

var errLevelsDisagree = damageError{intray.NewMessage("parquet.uneven_members", nil)}

// recordAssembler makes the JSON of one cell from the entries of several leaves: their
// levels say where lists and groups begin, go on and are missing.
type recordAssembler struct {
	cursors []*cursor
	// offset is the index of the first cursor's leaf.
	offset int
	text   []byte
	// from is where the cell begins in the text, limit the most bytes of it.
	from, limit int
}

// writeCell writes the cell of a column; one that is missing has no text.
func (w *recordAssembler) writeCell(ctx context.Context, n *node) error {
	def := w.firstCursor(n).def
	switch {
	case n.isRepeated() && def >= n.parentDef:
		return w.writeList(ctx, n, n)
	case def < n.def:
		w.skipNull(n)
		return nil
	}
	return w.writeNode(ctx, n)
}

// firstCursor is the cursor of the first leaf below a node.
func (w *recordAssembler) firstCursor(n *node) *cursor { return w.cursors[n.first-w.offset] }

// cursorsBelow are the cursors of all leaves below a node.
func (w *recordAssembler) cursorsBelow(n *node) []*cursor {
	return w.cursors[n.first-w.offset : n.end-w.offset]
}

// skipNull passes over the entry that each leaf below a missing node has.
func (w *recordAssembler) skipNull(n *node) {
	for _, c := range w.cursorsBelow(n) {
		c.skipEntry()
	}
}

// writeOccurrence writes a node that may be missing, inside of one that is there.
func (w *recordAssembler) writeOccurrence(ctx context.Context, n *node) error {
	def := w.firstCursor(n).def
	switch {
	case def < n.parentDef:
		return errLevelsDisagree
	case n.isRepeated():
		return w.writeList(ctx, n, n)
	case def < n.def:
		w.skipNull(n)
		return w.writeRaw("null")
	}
	return w.writeNode(ctx, n)
}

// writeRaw adds text as it stands.
func (w *recordAssembler) writeRaw(text string) error {
	if w.text = append(w.text, text...); len(w.text)-w.from > w.limit {
		return cellTooLong(w.limit)
	}
	return nil
}

// writeNode writes a node that is there.
func (w *recordAssembler) writeNode(ctx context.Context, n *node) error {
	switch n.form {
	case formList:
		return w.writeList(ctx, n.inner, n.item)
	case formMap:
		return w.writeMap(ctx, n.inner)
	case formObject:
		return w.writeObject(ctx, n)
	}
	return w.writeScalar(w.firstCursor(n))
}

func (w *recordAssembler) writeObject(ctx context.Context, n *node) error {
	separator := "{"
	for _, child := range n.children {
		if child.first == child.end {
			continue
		}
		if err := w.writeName(separator, child.name); err != nil {
			return err
		}
		if err := w.writeOccurrence(ctx, child); err != nil {
			return err
		}
		separator = ","
	}
	return w.writeRaw("}")
}

func (w *recordAssembler) writeName(before string, name []byte) (err error) {
	w.text = append(w.text, before...)
	if w.text, err = jsontext.AppendQuote(w.text, name); err != nil {
		return errNotText
	}
	return w.writeRaw(":")
}

// writeList writes all that a repeated node has in the record: itself, or its one
// member.
func (w *recordAssembler) writeList(ctx context.Context, n, item *node) error {
	return w.writeRepeated(ctx, n, "[", "]", func() error {
		if item != n {
			return w.writeOccurrence(ctx, item)
		}
		return w.writeNode(ctx, n)
	})
}

// writeMap writes a map. A key that comes twice is written twice.
func (w *recordAssembler) writeMap(ctx context.Context, n *node) error {
	return w.writeRepeated(ctx, n, "{", "}", func() error {
		if err := w.writeKey(n.children[0]); err != nil {
			return err
		}
		return w.writeOccurrence(ctx, n.children[1])
	})
}

// writeRepeated writes one item after the other as long as the levels of all leaves
// say that the list goes on.
func (w *recordAssembler) writeRepeated(ctx context.Context, n *node, open, end string, item func() error) error {
	if w.firstCursor(n).def < n.parentDef {
		return errLevelsDisagree
	}
	if w.firstCursor(n).def < n.def {
		w.skipNull(n)
		return w.writeRaw(open + end)
	}
	for separator := open; ; separator = "," {
		if err := w.writeRaw(separator); err != nil {
			return err
		}
		if err := item(); err != nil {
			return err
		}
		if more, err := w.hasMore(ctx, n); !more || err != nil {
			w.text = append(w.text, end...)
			return err
		}
	}
}

// hasMore says whether the next entries go on with a list.
func (w *recordAssembler) hasMore(ctx context.Context, n *node) (bool, error) {
	more := false
	for i, c := range w.cursorsBelow(n) {
		if err := c.peek(ctx); err != nil {
			return false, err
		}
		goes := !c.done && c.rep == n.rep
		if i == 0 {
			more = goes
		} else if goes != more {
			return false, errLevelsDisagree
		}
	}
	return more, nil
}

// writeKey writes the key of a map as a name.
func (w *recordAssembler) writeKey(n *node) error {
	c := w.firstCursor(n)
	if c.def < n.def {
		return damageError{intray.NewMessage("parquet.map_without_key", nil)}
	}
	v, err := c.readValue()
	if err != nil {
		return err
	}
	key, _, err := c.leaf.render(nil, v)
	if err != nil {
		return err
	}
	return w.writeName("", key)
}

// writeScalar writes a value: numbers and truths bare, all else in quotes.
func (w *recordAssembler) writeScalar(c *cursor) error {
	v, err := c.readValue()
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
	return w.writeRaw("")
}
